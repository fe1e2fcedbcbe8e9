"""Documents of Office 97 are read where a program converts them, and refused elsewhere."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

from engine.documents import formats
from engine.documents.archives import old_office, programs
from engine.documents.document import document_text
from engine.sandbox.process import Sandbox
from tests.engine.documents.office_files import letter_with
from tests.engine.documents.ole_objects import compound
from tests.patience import PATIENCE_S

FILES = Path(__file__).parents[1] / "files"
OLD = (FILES / "libreoffice.doc").read_bytes()
WORKBOOK = (FILES / "libreoffice.xls").read_bytes()
MAGIC = OLD[:8]
# Stand for the programs: they write what they were asked for.
TEXTUTIL = r"""
import sys
data = sys.stdin.buffer.read()
print(r"{\rtf1\ansi ", " ".join(sys.argv[1:]), len(data), "}")
"""
LIBRE_OFFICE = r"""
import sys, pathlib
new, old = sys.argv[sys.argv.index("--convert-to") + 1], pathlib.Path(sys.argv[-1])
folder = pathlib.Path(sys.argv[sys.argv.index("--outdir") + 1])
(folder / f"document.{new}").write_text(r"{\rtf1 " + f"{old.name} to {new}, {old.stat().st_size}" + "}")
"""
FAILING = "raise SystemExit(1)"


@pytest.fixture(autouse=True)
def without_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_office, "TEXTUTIL", tmp_path / "textutil")
    monkeypatch.setattr(old_office, "LIBRE_OFFICE", tmp_path / "soffice")
    monkeypatch.setattr(programs, "HOMEBREW", tmp_path / "homebrew")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))


def install(path: Path, code: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!{sys.executable} -S\n{code}")
    path.chmod(0o755)


def old_file(*streams: str) -> bytes:
    return MAGIC + b"".join(stream.encode("utf-16-le") for stream in streams)


def test_without_a_program_it_is_refused() -> None:
    assert document_text("a.doc", OLD, 1000).problem == "old-format"
    assert document_text("a.doc", MAGIC, 1000).problem == "old-format"


def test_a_text_of_word_is_read_by_macos(tmp_path: Path) -> None:
    install(tmp_path / "textutil", TEXTUTIL)
    said = f"-convert rtf -format doc -stdin -stdout {len(OLD)}"
    assert document_text("a.doc", OLD, 1000).text == said
    assert document_text("a.ppt", old_file("PowerPoint Document"), 1000).problem == "old-format"


@pytest.mark.parametrize(
    ("streams", "said"),
    [
        (("WordDocument",), "document.doc to docx"),
        (("Workbook",), "document.xls to xlsx"),
        (("PowerPoint Document",), "document.ppt to pptx"),
        (("Workbook", "WordDocument"), "document.doc to docx"),
    ],
    ids=["doc", "xls", "ppt", "sheet in a text"],
)
@pytest.mark.parametrize("place", ["soffice", "none/soffice", "homebrew/soffice"], ids=["app", "path", "homebrew"])
def test_all_are_read_by_libre_office(tmp_path: Path, place: str, streams: tuple[str, ...], said: str) -> None:
    install(tmp_path / "textutil", TEXTUTIL)
    install(tmp_path / place, LIBRE_OFFICE)
    data = old_file(*streams)
    assert document_text("a.doc", data, 1000).text == f"{said}, {len(data)}"


def test_a_program_that_fails_is_not_the_last_one(tmp_path: Path) -> None:
    install(tmp_path / "soffice", FAILING)
    assert document_text("a.doc", OLD, 1000).problem == "old-format"
    install(tmp_path / "textutil", TEXTUTIL)
    assert document_text("a.doc", OLD, 1000).text.endswith("-stdout " + str(len(OLD)))


def test_an_encrypted_document_is_not_converted(tmp_path: Path) -> None:
    install(tmp_path / "soffice", LIBRE_OFFICE)
    assert document_text("a.docx", old_file("EncryptedPackage", "WordDocument"), 1000).problem == "encrypted"


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        ("WordDocument", "document.doc to docx"),
        ("Workbook", "document.xls to xlsx"),
        ("PowerPoint Document", "document.ppt to pptx"),
    ],
    ids=["doc", "xls", "ppt"],
)
def test_one_in_a_letter_is_read_where_a_program_converts_it(tmp_path: Path, stream: str, said: str) -> None:
    embedded = compound(stream, b"x")
    letter = letter_with("oleObject1.bin", embedded)
    counted = document_text("a.docx", letter, 1000).text
    assert counted == "Before\n\n[Attachment: oleObject1.bin]\n\n[Left out: 1 attached file]"
    install(tmp_path / "soffice", LIBRE_OFFICE)
    text = document_text("a.docx", letter, 1000).text
    content = f"{said}, {len(embedded)}"
    assert text == (f"Before\n\n[Attachment: oleObject1.bin]\n\n{content}\n\n[End of attachment: oleObject1.bin]")


def test_no_other_is_converted_after_those_that_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "LAST_CONVERSION_S", -1)
    install(tmp_path / "soffice", LIBRE_OFFICE)
    text = document_text("a.docx", letter_with("oleObject1.bin", compound("Workbook", b"x")), 1000).text
    assert text.endswith("[Left out: 1 attached file]")


def test_a_workbook_is_converted_rather_than_read_by_its_values(tmp_path: Path) -> None:
    install(tmp_path / "soffice", LIBRE_OFFICE)
    assert document_text("a.xls", WORKBOOK, 1000).text == f"document.xls to xlsx, {len(WORKBOOK)}"


def test_a_workbook_that_no_program_converts_is_read_by_its_values(tmp_path: Path) -> None:
    install(tmp_path / "soffice", FAILING)
    read = document_text("a.xls", WORKBOOK, 1000)
    assert read.text.startswith("## 견적\n\n| 품목 | 날짜 |")
    assert read.left_out == (("hidden-sheet", 2),)


def test_a_workbook_in_a_letter_is_read_by_its_values() -> None:
    text = document_text("a.docx", letter_with("book.xls", WORKBOOK), 10_000).text
    assert text.startswith("Before\n\n[Attachment: book.xls]\n\n## 견적\n\n| 품목 |")


@pytest.mark.full
def test_another_process_starts_the_program_than_the_one_that_reads(tmp_path: Path) -> None:
    install(tmp_path / "none" / "soffice", LIBRE_OFFICE)
    converting = Sandbox("engine.documents.archives.old_office", has_folder=True)
    sandbox = Sandbox("engine.documents.document", other=converting)
    try:
        read = sandbox.run(partial(document_text, "a.doc", OLD, 1000, "en", None, PATIENCE_S, 0, ""), PATIENCE_S)
    finally:
        sandbox.end()
        converting.end()
    assert read.text == f"document.doc to docx, {len(OLD)}"
