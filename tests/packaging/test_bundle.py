"""The contents of the bundle, and, in a campaign, the bundle itself."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import transformers
from transformers.utils.import_utils import create_import_structure_from_path

from app.tools.servers import Server
from app.tools.transports import process_of
from engine.ahead.link import in_a_process
from engine.model_files.encoder_kinds import encoder_family
from engine.sandbox.process import Sandbox

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
contents = runpy.run_path(str(PACKAGING / "bundle" / "contents.py"))
TRANSFORMERS = Path(transformers.__file__).parent


@pytest.mark.parametrize(
    ("name", "unused"),
    [
        ("transformers.models.llama.tokenization_llama", False),
        ("transformers.models.llama.configuration_llama", False),
        ("transformers.models.llama.modeling_llama", True),
        ("transformers.models.auto.tokenization_auto", False),
        ("transformers.models.llama", False),
        ("transformers.tokenization_utils_base", False),
        ("transformers.pipelines.base", True),
        ("transformers.image_utils", False),
        ("transformers.models.lfm2_vl.processing_lfm2_vl", False),
        ("transformers.models.llava.processing_llava", True),
        ("mlx_lm.models.llama", False),
    ],
)
def test_transformers_comes_for_its_tokenizers_alone(name: str, unused: bool) -> None:
    assert contents["is_unused_module"](name) is unused


@pytest.mark.parametrize(
    ("path", "unused"),
    [
        ("PySide6/Qt/plugins/platforms/libqxcb.so", False),
        ("PySide6/Qt/plugins/platforms/libqoffscreen.so", False),
        ("PySide6/Qt/plugins/imageformats/libqjpeg.so", False),
        ("PySide6/Qt/plugins/sqldrivers/libqsqlite.so", True),
        ("PIL/_webp.cpython-311-darwin.so", False),
        ("PIL/.dylibs/libavif.16.dylib", False),
        ("PySide6/Qt/qml/QtQuick/qmldir", True),
        ("PySide6/Qt/translations/qtbase_ko.qm", False),
        ("PySide6/Qt/translations/qtbase_ja.qm", False),
        ("PySide6/Qt/translations/qtbase_zh_CN.qm", False),
        ("PySide6/Qt/translations/qtbase_de.qm", True),
        ("PySide6/QtCore.pyi", True),
        ("transformers/models/llama/tokenization_llama.py", False),
        ("transformers/models/llama/modeling_llama.py", True),
        ("transformers/trainer.py", True),
        ("transformers/__init__.py", False),
        ("resources/starter/main/model.safetensors", False),
        ("tandem_chat-0.1.0.dist-info/METADATA", False),
        ("tandem_chat-0.1.0.dist-info/RECORD", True),
        ("keyring-25.7.0.dist-info/entry_points.txt", False),
        ("tokenizers-0.23.3.dist-info/METADATA", False),
        ("typer-0.29.1.dist-info/METADATA", True),
        ("selectolax/lexbor.c", True),
        ("selectolax/lexbor.cpython-311-darwin.so", False),
    ],
)
def test_only_files_that_are_used_go_in(path: str, unused: bool) -> None:
    assert contents["is_unused_file"](path) is unused


def test_every_library_that_is_asked_for_comes_with_its_description() -> None:
    """llguidance does not start without its own."""
    project = tomllib.loads((PACKAGING.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    of_tests = [f'{line} ; extra == "test"' for line in project["optional-dependencies"]["test"] if ";" not in line]
    needed = contents["needed_here"]([*project["dependencies"], *of_tests])
    assert {"mlx", "mlx-lm", "transformers", "PySide6-Essentials", "keyring", "llguidance"} <= {*needed}
    assert not {"pytest", "ruff"} & {*needed}
    for name in needed:
        assert version(name)


def test_networks_of_mlx_vlm_need_nothing_that_is_left_out() -> None:
    """In a process in which what the bundle leaves out cannot be found."""
    sources = "".join(file.read_text(encoding="utf-8") for file in (PACKAGING.parent / "engine/pictures").glob("*.py"))
    by_name = contents["networks_by_name"](PACKAGING.parent / "resources")
    families = sorted({*re.findall(r"mlx_vlm\.models\.(\w+)", sources), *by_name})
    assert {"gemma3", "lfm2_vl", "pixtral", "qwen4_exp", "xlm_roberta"} <= {*families}
    subprocess.run([sys.executable, "-c", WITHOUT, str(PACKAGING / "bundle"), *families], check=True, timeout=120)


def test_every_encoder_of_mlx_vlm_goes_in() -> None:
    """No analysis sees them: they are imported by the names of their families."""
    kinds = ("bert", "roberta", "xlm-roberta", "camembert", "modernbert", "nomic_bert")
    families = {encoder_family({"model_type": kind}) for kind in kinds}
    of_mlx_vlm = {name for name in families if find_spec(f"mlx_vlm.models.{name}") is not None}
    assert of_mlx_vlm == {*contents["ENCODERS"]}


WITHOUT = """
import importlib, sys
from importlib.machinery import PathFinder
sys.path.insert(0, sys.argv[1])
import contents

class Bundle(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        unused = any(f"{name}.".startswith(f"{module}.") for module in contents.UNUSED_MODULES)
        return None if unused or contents.is_unused_module(name) else super().find_spec(name, path, target)

sys.meta_path[:] = [Bundle if finder is PathFinder else finder for finder in sys.meta_path]
for family in sys.argv[2:]:
    importlib.import_module(f"mlx_vlm.models.{family}")
"""


def test_libraries_of_the_system_go_in_only_where_something_needs_them() -> None:
    linked = {
        "/w/a.so": [("libneeded.so.1", "/usr/lib/libneeded.so.1")],
        "/usr/lib/libneeded.so.1": [("libc.so", None)],
    }
    binaries = [
        ("package/a.so", "/w/a.so", "EXTENSION"),
        ("libneeded.so.1", "/usr/lib/libneeded.so.1", "BINARY"),
        ("libidle.so.1", "/usr/lib/libidle.so.1", "BINARY"),
        ("_cffi_backend.so", "/w/_cffi_backend.so", "EXTENSION"),
        ("libpython3.11.so.1.0", "/usr/lib/libpython3.11.so.1.0", "BINARY"),
    ]
    kept = contents["needed_binaries"](binaries, lambda file: linked.get(file, []))
    assert [entry[0] for entry in kept] == [
        "package/a.so", "libneeded.so.1", "_cffi_backend.so", "libpython3.11.so.1.0",
    ]  # fmt: skip


def test_a_link_goes_in_only_where_its_target_does() -> None:
    framework = "Qt/lib/QtCore.framework"
    kept = [
        (f"{framework}/Versions/A/QtCore", "/w/QtCore", "BINARY"),
        (f"{framework}/Versions/A/Resources/Info.plist", "/w/Info.plist", "DATA"),
        (f"{framework}/Versions/Current", "A", "SYMLINK"),
        (f"{framework}/Resources", "Versions/Current/Resources", "SYMLINK"),
        ("QtCore", f"{framework}/QtCore", "SYMLINK"),
        (f"{framework}/QtCore", "Versions/Current/QtCore", "SYMLINK"),
        ("words/here.txt", "/w/here.txt", "DATA"),
        ("words/there.txt", "../words/here.txt", "SYMLINK"),
        ("links/all.txt", "../all/there.txt", "SYMLINK"),
        ("all", "words", "SYMLINK"),
        ("again", "links", "SYMLINK"),
    ]
    dropped = [
        ("libz.dylib", "PIL/.dylibs/libz.dylib", "SYMLINK"),
        ("libz.1.dylib", "libz.dylib", "SYMLINK"),
        ("QtPdf.framework/Versions/Current", "A", "SYMLINK"),
        (f"{framework}/Headers", "Versions/Current/Headers", "SYMLINK"),
        ("words/gone.txt", "here.txt/gone", "SYMLINK"),
        ("round", "words/round", "SYMLINK"),
        ("words/round", "../round", "SYMLINK"),
        ("words/out.txt", "../../words/here.txt", "SYMLINK"),
        ("words/absolute.txt", "/w/here.txt", "SYMLINK"),
    ]
    assert contents["without_dangling_links"]([*dropped, *kept]) == kept


@pytest.mark.parametrize(
    "model", ["llama", *(pytest.param(model, marks=pytest.mark.full) for model in ("gemma", "auto", "qwen2", "t5"))]
)
def test_transformers_finds_the_same_names_in_what_is_left_of_its_sources(model: str, tmp_path: Path) -> None:
    whole, shortened = tmp_path / "whole", tmp_path / "shortened"
    for folder in (whole, shortened):
        folder.mkdir()
    for source in (TRANSFORMERS / "models" / model).glob("*.py"):
        if contents["is_unused_file"](f"transformers/models/{model}/{source.name}"):
            continue
        text = source.read_text(encoding="utf-8")
        (whole / source.name).write_text(text, encoding="utf-8")
        (shortened / source.name).write_text(contents["declarations"](text), encoding="utf-8")
    found = create_import_structure_from_path(str(whole))
    assert found
    assert create_import_structure_from_path(str(shortened)) == found


def start_tool_server() -> None:
    process = process_of(Server(name="files", command="/bin/sh"))
    subprocess.Popen([process.command, *process.args])


@pytest.mark.parametrize(
    ("start", "module"),
    [
        (lambda: Sandbox("engine.documents.documents").start(), "engine.sandbox.worker"),
        (lambda: in_a_process(Path("draft")), "engine.ahead.runner"),
        (start_tool_server, "app.tools.guardian"),
    ],
)
def test_the_bundles_program_is_each_process_of_tandem_too(
    start: Callable[[], object], module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []

    def popen(command: list[str], **_: object) -> None:
        commands.append(command)
        raise FileNotFoundError

    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/Applications/Tandem.app/Contents/MacOS/Tandem")
    monkeypatch.setattr(subprocess, "Popen", popen)
    with suppress(FileNotFoundError):
        start()
    served: list[list[str]] = []
    monkeypatch.setattr(f"{module}.main", served.append)
    [command] = commands
    monkeypatch.setattr(sys, "argv", command)
    assert runpy.run_path(str(PACKAGING / "bundle" / "launcher.py"))["main"]() == 0
    assert served == [command[2:]]


@pytest.mark.campaign
def test_the_bundle_is_built_twice_alike_and_answers(tmp_path: Path) -> None:
    """20 minutes: two builds from nothing, the second in another folder; each tests itself at its end."""
    packed = []
    # From elsewhere, and from the checkout, nothing of which may get in.
    for name, folder in (("first", tmp_path), ("second", PACKAGING.parent)):
        out = tmp_path / name
        subprocess.run([sys.executable, str(PACKAGING / "build.py"), "--out", str(out)], check=True, cwd=folder)
        packed += [*out.glob("*.tar.xz"), *out.glob("*.dmg")]
    assert len(packed) == 2
    assert packed[0].stat().st_size < 100_000_000
    if sys.platform == "linux":
        assert files_of(tmp_path / "first" / "dist") == files_of(tmp_path / "second" / "dist")
    bom: dict[str, Any] = json.loads(next((tmp_path / "first" / "dist").rglob("tandem.cdx.json")).read_text())
    names = {component["name"].lower() for component in bom["components"]}
    assert {"mlx", "mlx-lm", "mlx-vlm", "transformers", "pyside6_essentials", "chardet", "pillow"} <= names
    assert not names & {"pyinstaller", "datasets", "opencv-python", "pip", "pytest"}


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file by its path, and every link as where it leads."""
    return {
        file.relative_to(folder).as_posix(): os.readlink(file).encode() if file.is_symlink() else file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_symlink() or file.is_file()
    }
