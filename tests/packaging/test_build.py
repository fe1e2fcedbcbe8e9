"""On macOS, each disk image gets MLX for the oldest macOS that it promises, and the check of a bundle holds that."""

from __future__ import annotations

import _ctypes
import plistlib
import runpy
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Any

import PySide6
import pytest
from packaging.tags import mac_platforms
from packaging.utils import parse_wheel_filename

from tests.packaging.stand_ins import replace_tools_of_the_build

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"


@pytest.mark.parametrize(("macos", "platform"), [("15.0", "macosx_15_0_arm64"), ("26.2", "macosx_26_0_arm64")])
def test_mlx_comes_for_the_macos_of_the_image_whatever_the_build_runs_on(
    tmp_path: Path, macos: str, platform: str
) -> None:
    build = runpy.run_path(str(PACKAGING / "build.py"))
    run: list[list[str]] = []

    def record(*command: object) -> None:
        run.append([str(part) for part in command])
        if "download" in command:
            (tmp_path / f"mlx-0.32.4-{platform}.whl").touch()

    function = build["take_mlx_for"]
    function.__globals__["run"] = record
    function(macos, Path("python"), tmp_path)
    download, install = run
    assert download[download.index("--platform") + 1] == platform
    assert download[-2:] == ["mlx", "mlx-metal"]
    assert str(PACKAGING / "constraints.txt") in download
    assert "--force-reinstall" in install
    assert install[-1] == str(tmp_path / f"mlx-0.32.4-{platform}.whl")


@pytest.mark.parametrize("inherited", [None, "1"])
def test_pip_takes_the_wheels_for_macos_26_with_a_python_that_was_built_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inherited: str | None
) -> None:
    """Such a Python, as on GitHub's Macs, is told that macOS 26.6 is 16.6, and then pip refuses wheels for 26."""
    if inherited is not None:
        monkeypatch.setenv("SYSTEM_VERSION_COMPAT", inherited)
    build = runpy.run_path(str(PACKAGING / "build.py"))
    refused: list[str] = []
    installed: list[str] = []

    def pip(command: list[str], *, env: dict[str, str], **_: bool) -> None:
        if "download" in command:
            platform = command[command.index("--platform") + 1]
            for name in ("mlx-0.32.4-cp312-cp312", "mlx_metal-0.32.4-py3-none"):
                (tmp_path / f"{name}-{platform}.whl").touch()
            return
        macos = (26, 6) if env.get("SYSTEM_VERSION_COMPAT") == "0" else (16, 6)
        platforms = {*mac_platforms(macos, "arm64"), "any"}
        for wheel in (Path(part) for part in command if part.endswith(".whl")):
            _, _, _, tags = parse_wheel_filename(wheel.name)
            accepted = any(tag.platform in platforms for tag in tags)
            (installed if accepted else refused).append(wheel.name)

    monkeypatch.setattr("subprocess.run", pip)
    build["take_mlx_for"]("26.2", Path("python"), tmp_path)
    assert (len(installed), refused) == (2, [])


@pytest.fixture
def verify(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The check of a bundle, without the tools that only the build's environment has."""
    replace_tools_of_the_build(monkeypatch)
    return runpy.run_path(str(PACKAGING / "verify.py"))


def test_a_link_must_lead_to_a_file_in_the_bundle(verify: dict[str, Any], tmp_path: Path) -> None:
    bundle = tmp_path / "Tandem"
    bundle.mkdir()
    (bundle / "file").touch()
    (tmp_path / "outside").touch()
    good = {"good": "file", "over a link": "good"}
    bad = {"absolute": bundle / "file", "gone": "no file", "out": "../outside", "round": "round"}
    for name, target in {**good, **bad}.items():
        (bundle / name).symlink_to(target)
    assert sorted(problem.partition(" leads")[0] for problem in verify["broken_links"](bundle)) == [*bad]


def with_plugin(bundle: Path, library: str) -> Path:
    """Return a bundle whose plugin for windows on Linux is a copy of this library."""
    plugin = bundle / "_internal" / "PySide6" / "Qt" / "plugins" / "platforms" / "libqxcb.so"
    plugin.parent.mkdir(parents=True)
    shutil.copy(library, plugin)
    return bundle


@pytest.mark.skipif(sys.platform != "linux", reason="a Mac's libraries are read otherwise")
def test_a_window_on_linux_needs_its_plugin_and_all_that_it_links_to(verify: dict[str, Any], tmp_path: Path) -> None:
    """PyInstaller ends well where the machine lacks some of it, and the self-test opens no window."""
    plugins = Path(PySide6.__file__).parent / "Qt" / "plugins" / "platforms"
    whole = with_plugin(tmp_path / "whole", _ctypes.__file__)
    assert [*verify["unloadable_windows"](whole)] == []
    cut = with_plugin(tmp_path / "cut", str(plugins / "libqxcb.so"))
    assert "libqxcb.so needs libQt6XcbQpa.so.6, which is missing" in [*verify["unloadable_windows"](cut)]
    damaged = with_plugin(tmp_path / "damaged", __file__)
    assert [problem.partition(":")[0] for problem in verify["unloadable_windows"](damaged)] == [
        "libqxcb.so cannot be read"
    ]


@pytest.mark.parametrize(
    ("bundle", "plugin"),
    [
        ("Tandem", "_internal/PySide6/Qt/plugins/platforms/libqxcb.so"),
        ("Tandem.app", "Contents/Frameworks/PySide6/Qt/plugins/platforms/libqcocoa.dylib"),
    ],
)
def test_a_bundle_without_the_plugin_of_its_windows_is_refused(
    verify: dict[str, Any], bundle: str, plugin: str
) -> None:
    missing = f"platforms/{Path(plugin).name} is missing"
    assert missing in [*verify["missing_files"](Path(bundle), [])]
    assert missing not in [*verify["missing_files"](Path(bundle), [plugin])]


@pytest.mark.parametrize(
    ("macos", "nax", "wrong"),
    [("26.2", True, 0), ("26.2", False, 1), ("15.0", True, 1), ("15.0", False, 0), ("", False, 0)],
)
def test_kernels_for_neural_accelerators_are_in_the_image_for_new_systems_alone(
    verify: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, macos: str, nax: bool, wrong: int
) -> None:
    bundle = tmp_path / ("Tandem.app" if macos else "Tandem")
    (bundle / "Contents").mkdir(parents=True)
    (bundle / "Contents" / "Info.plist").write_bytes(plistlib.dumps({"LSMinimumSystemVersion": macos}))
    said = f'{{"ok": true, "nax": {str(nax).lower()}}}\n'
    monkeypatch.setattr("subprocess.run", lambda *_, **__: CompletedProcess([], 0, said, ""))
    assert len([*verify["what_the_self_test_says"](bundle)]) == wrong


@pytest.mark.parametrize(
    ("platform", "release", "images"),
    [("darwin", "25.2.0", ("26.2", "15.0")), ("darwin", "24.6.0", ("15.0",)), ("linux", "6.1.0", ("",))],
)
def test_both_images_are_made_where_both_can_be_tried(
    monkeypatch: pytest.MonkeyPatch, platform: str, release: str, images: tuple[str, ...]
) -> None:
    build = runpy.run_path(str(PACKAGING / "build.py"))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("os.uname", lambda: SimpleNamespace(release=release))
    assert build["images"]() == images


def test_libraries_that_a_wheels_tool_rewrote_are_not_stripped(tmp_path: Path) -> None:
    """The linker refuses them afterwards: "load command address/offset not page-aligned"."""
    files = ("mlx/lib/libmlx.so", "numpy.libs/libgfortran.so.5", "scipy_openblas32/lib/libopenblas_python.so")
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    strip = runpy.run_path(str(PACKAGING / "build.py"))["strip"]
    stripped: list[object] = []
    strip.__globals__["run"] = lambda *command: stripped.append(command[-1])
    strip(tmp_path)
    assert stripped == [tmp_path / files[0]]


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[list[str]]]:
    """Run build.py as on macOS 26.6, or another system, and return its commands, of which nothing is done."""

    def built(*arguments: str, system: str = "darwin") -> list[list[str]]:
        build = runpy.run_path(str(PACKAGING / "build.py"))
        commands: list[list[str]] = []

        def record(*command: object, **more: str) -> None:
            commands.append([Path(str(part)).name for part in command] + [more.get("TANDEM_MACOS", "")])

        build["main"].__globals__.update(run=record)
        monkeypatch.setattr(sys, "platform", system)
        monkeypatch.setattr("os.uname", lambda: SimpleNamespace(release="25.6.0", machine="arm64"))
        monkeypatch.setattr(sys, "argv", ["build.py", "--out", str(tmp_path), *arguments])
        assert build["main"]() == 0
        return commands

    return built


ON_A_BUNDLE = ["PyInstaller", "notices.py", "sign.py", "verify.py", "disk_image.py", "sign.py", "check_image.py"]


def scripts(commands: list[list[str]]) -> list[str]:
    """The scripts that are run on a bundle, without the environment that they need."""
    named = [command[2] if command[1] == "-m" else command[1] for command in commands]
    return [name for name in named if name not in ("pip", "venv", "icon.py")]


@pytest.mark.parametrize("macos", ["15.0", "26.2"])
def test_the_app_is_sealed_after_its_last_file_and_the_image_is_opened_at_the_end(
    built: Callable[..., list[list[str]]], macos: str
) -> None:
    commands = built("--macos", macos)
    assert scripts(commands) == ON_A_BUNDLE
    assert [command[-1] for command in commands if "PyInstaller" in command] == [macos]


def test_both_images_are_made_in_one_environment(built: Callable[..., list[list[str]]]) -> None:
    commands = built()
    assert scripts(commands) == ON_A_BUNDLE * 2
    assert [command[-1] for command in commands if "PyInstaller" in command] == ["26.2", "15.0"]
    assert sum(command[1:3] == ["-m", "venv"] for command in commands) == 1


@pytest.mark.parametrize(("system", "drawn"), [("linux", False), ("darwin", True)])
def test_the_icon_is_drawn_for_macos_alone(built: Callable[..., list[list[str]]], system: str, drawn: int) -> None:
    """Drawing it needs Qt's window, whose libraries of the system Linux may lack."""
    commands = built("--only", "environment", system=system)
    assert any("icon.py" in command for command in commands) is drawn


def test_the_steps_alone_are_the_whole(built: Callable[..., list[list[str]]]) -> None:
    steps = [*runpy.run_path(str(PACKAGING / "build.py"))["STEPS"]]
    alone = [command for step in steps for command in built("--macos", "15.0", "--only", step)]
    assert alone == built("--macos", "15.0")
