"""The wheel has compiled translations, and no tools or sources of them."""

from __future__ import annotations

import contextlib
import os
import runpy
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hatchling import build

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "ja", "ko", "zh_CN")
compile_translations = runpy.run_path(str(ROOT / "i18n" / "compile.py"))["compile_translations"]


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """A folder with a copy of the .ts files alone."""
    folder = tmp_path / "i18n"
    folder.mkdir()
    for source in (ROOT / "i18n").glob("*.ts"):
        (folder / source.name).write_bytes(source.read_bytes())
    return folder


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    with contextlib.chdir(ROOT):
        name = build.build_wheel(str(folder))
    with zipfile.ZipFile(folder / name) as wheel:
        yield wheel


@pytest.mark.full
def test_the_wheel_carries_the_compiled_translations_of_now(sources: Path, wheel: zipfile.ZipFile) -> None:
    i18n = sorted(name for name in wheel.namelist() if name.startswith("i18n/"))
    assert i18n == [f"i18n/tandem_{language}.qm" for language in LANGUAGES]
    # A .qm file that is newer than its source and yet older than its content would be taken for current.
    for fresh in compile_translations(sources):
        assert wheel.read(f"i18n/{fresh.name}") == fresh.read_bytes(), f"delete i18n/{fresh.name}: it is stale"


@pytest.mark.full
def test_the_wheel_carries_what_runs_and_not_what_made_it(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    assert {"app/__main__.py", "engine/__init__.py", "resources/catalog.json", "resources/loadable.json"} <= {*names}
    assert not [name for name in names if name.startswith(("tests/", "packaging/", "resources/starter/recipe/"))]


def test_an_editable_install_has_the_translations_compiled_in_the_tree(sources: Path) -> None:
    (sources / "compile.py").write_bytes((ROOT / "i18n" / "compile.py").read_bytes())
    make_hook = runpy.run_path(str(ROOT / "i18n" / "build_hook.py"))["TranslationsHook"]
    build_data: dict[str, Any] = {"force_include": {}}
    make_hook(str(sources.parent), {}, None, None, "", "wheel").initialize("editable", build_data)
    assert sorted(file.name for file in sources.glob("*.qm")) == [f"tandem_{language}.qm" for language in LANGUAGES]
    assert build_data == {"force_include": {}}


def test_only_a_translation_older_than_its_source_is_compiled_again(sources: Path) -> None:
    files = compile_translations(sources)
    assert [file.name for file in files] == [f"tandem_{language}.qm" for language in LANGUAGES]
    for file in files:
        file.write_bytes(b"")
    changed, *others = files
    os.utime(changed, (0, 0))
    compile_translations(sources)
    assert changed.read_bytes()
    assert not any(file.read_bytes() for file in others)
