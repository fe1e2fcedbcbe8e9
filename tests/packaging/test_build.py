"""On macOS, the bundle gets MLX for the oldest macOS that it promises."""

from __future__ import annotations

import runpy
from pathlib import Path

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


def test_mlx_comes_for_the_oldest_macos_whatever_the_build_runs_on(tmp_path: Path) -> None:
    build = runpy.run_path(str(PACKAGING / "build.py"))
    run: list[list[str]] = []

    def record(*command: object) -> None:
        run.append([str(part) for part in command])
        if "download" in command:
            (tmp_path / "mlx-0.32.4-macosx_14_0_arm64.whl").touch()

    function = build["take_mlx_of_oldest_macos"]
    function.__globals__["run"] = record
    function(Path("python"), tmp_path)
    download, install = run
    assert download[download.index("--platform") + 1] == "macosx_14_0_arm64"
    assert download[-2:] == ["mlx", "mlx-metal"]
    assert str(PACKAGING / "constraints.txt") in download
    assert "--force-reinstall" in install
    assert install[-1] == str(tmp_path / "mlx-0.32.4-macosx_14_0_arm64.whl")
