"""The spec of the bundle, run with PyInstaller replaced: what goes into Tandem.app, and what program it starts."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.packaging.requirements import needed_by

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "packaging" / "bundle" / "tandem.spec"
# What the wheel of MLX has beside modules in Python: (path in the bundle, path on this machine, kind).
MLX_FILES = ("lib/libmlx.dylib", "lib/mlx.metallib", "include/mlx/mlx.h", "share/cmake/MLX.cmake")
QT_FILES = tuple(f"PySide6/Qt/translations/qtbase_{language}.qm" for language in ("de", "ja", "ko", "zh_CN"))


class Collected(SimpleNamespace):
    """The arguments of EXE, the entries of COLLECT by their paths in the bundle, and the packages with metadata."""

    program: dict[str, Any]
    entries: dict[str, str]
    described: list[str]


@pytest.fixture(params=["darwin", "linux"])
def collected(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Collected:
    collected = Collected(program={}, entries={}, described=[])

    def collect_data_files(package: str, excludes: Sequence[str] = ()) -> list[tuple[str, str]]:
        files = MLX_FILES if package == "mlx" else ()
        used = [Path(file) for file in files if not {file, *map(str, Path(file).parents)} & {*excludes}]
        return [(f"/site/mlx/{file}", f"mlx/{file.parent}") for file in used]

    def copy_metadata(package: str) -> list[tuple[str, str]]:
        collected.described.append(package)
        return []

    def analysis(
        *_: object, datas: Sequence[tuple[str, str]], binaries: Sequence[tuple[str, str]], **__: object
    ) -> SimpleNamespace:
        entries = [(f"{folder}/{Path(file).name}".removeprefix("./"), file, "DATA") for file, folder in datas]
        libraries = [(f"{folder}/{Path(file).name}", file, "BINARY") for file, folder in binaries]
        return SimpleNamespace(
            pure=[], scripts=[], binaries=libraries, datas=[*entries, *((file, "", "DATA") for file in QT_FILES)]
        )

    def collect(_: object, entries: Sequence[tuple[str, str, str]], **__: object) -> None:
        collected.entries.update((name, path) for name, path, _ in entries)

    replaced: dict[str, dict[str, Any]] = {
        "building.api": {
            "COLLECT": collect,
            "EXE": lambda *_, **options: collected.program.update(options),
            "PYZ": lambda _: None,
        },
        "building.build_main": {"Analysis": analysis},
        "building.osx": {"BUNDLE": lambda *_, **__: None},
        "depend.bindepend": {"get_imports": lambda _: []},
        "utils.hooks": {
            "collect_data_files": collect_data_files,
            "collect_dynamic_libs": lambda package: [(f"/site/{package}/lib/lib.so", f"{package}/lib")],
            "collect_submodules": lambda _, **__: [],
            "copy_metadata": copy_metadata,
            "get_package_paths": lambda _: (str(ROOT), ""),
        },
    }
    for name, functions in replaced.items():
        module = ModuleType(f"PyInstaller.{name}")
        vars(module).update(functions)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("contents", "info_plist"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "platform", request.param)
    for variable in ("TANDEM_ICON", "TANDEM_VERSION"):
        monkeypatch.setenv(variable, "1.2.3")
    monkeypatch.setenv("TANDEM_MACOS", "15.0")
    names = {"SPECPATH": str(SPEC.parent), "workpath": str(tmp_path)}
    exec(compile(SPEC.read_text(encoding="utf-8"), str(SPEC), "exec"), names)
    for name in ("contents", "info_plist"):
        sys.modules.pop(name, None)
    return collected


def test_resources_translations_and_the_library_of_metals_kernels_go_in(collected: Collected) -> None:
    assert {"resources", "i18n", "mlx/lib/mlx.metallib", "mlx/lib/libmlx.dylib"} <= {
        re.sub(r"^(resources|i18n)/.*", r"\1", name) for name in collected.entries
    }
    assert not [name for name in collected.entries if name.startswith(("mlx/include", "mlx/share"))]


def test_openblas_goes_in_on_linux(collected: Collected) -> None:
    """Nothing is linked to it."""
    assert ("scipy_openblas32/lib/lib.so" in collected.entries) is (sys.platform == "linux")


def test_qts_own_words_come_in_the_languages_of_the_window(collected: Collected) -> None:
    languages = {file.stem.removeprefix("tandem_") for file in (ROOT / "i18n").glob("tandem_*.ts")} - {"en"}
    of_qt = {Path(name).stem for name in collected.entries if "/translations/" in name}
    assert of_qt == {f"qtbase_{language}" for language in languages}


def test_the_metadata_of_tandem_and_of_what_it_loads_go_in(collected: Collected) -> None:
    """Without its own, the app takes itself for a checkout and never offers an update."""
    assert {"tandem-chat", "mlx-vlm", "mlx", "transformers"} <= {*collected.described}
    assert {*collected.described} <= needed_by("tandem-chat", set()) | {"mlx-vlm"}


def test_a_macs_program_is_for_apple_silicon_and_has_a_window(collected: Collected) -> None:
    """With a console, PyInstaller would write LSBackgroundOnly: no icon in the Dock, and no menu."""
    on_a_mac = sys.platform == "darwin"
    program = collected.program
    assert program["target_arch"] == ("arm64" if on_a_mac else None)
    assert program["console"] is not on_a_mac
