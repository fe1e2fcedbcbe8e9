"""Pages that are pictures are recognized where a program can, and are counted elsewhere."""

from __future__ import annotations

import io
import sys
from functools import partial
from pathlib import Path

import pytest
from PIL import Image
from pypdf import PdfReader
from pypdf.generic import NameObject

from engine.documents.archives import programs
from engine.documents.document import document_text
from engine.documents.pdf import scans
from engine.documents.pdf.scans import without_rules
from engine.sandbox.process import Sandbox
from tests.engine.documents.pdf_pages import PageFile
from tests.engine.documents.scanned_pages import scanned
from tests.patience import PATIENCE_S

# Stands for Tesseract: it says how large the picture is, which PPM has after the mark, and in which languages it reads.
# It is the less sure the lower the picture is, and finds nothing in columns where that has a width of 210. It
# fails where that is 211, and for columns where it is 212.
TESSERACT = """
import sys
if "--list-langs" in sys.argv:
    print("List of available languages (3):", "chi_tra", "eng", "kor", sep="\\n")
    sys.exit()
size = [side.decode() for side in sys.stdin.buffer.read(20).split()[1:3]]
if size[0] == "211" or (size[0] == "212" and "3" in sys.argv):
    sys.exit(1)
print(*"level page_num block_num par_num line_num word_num left top width height conf text".split(), sep="\\t")
print(1, 1, 0, 0, 0, 0, 0, 0, *size, -1, "", sep="\\t")
if size != ["300", "150"] and (size[0] != "210" or "6" in sys.argv):
    for line, word in enumerate((*size, sys.argv[sys.argv.index("-l") + 1], "字", "'字")):
        print(5, 1, 1, 1, line // 3, 1, 0, 0, 9, 9, min(95.5, int(size[1]) / 4), word, sep="\\t")
"""


@pytest.fixture
def tesseract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where the program may be, which is not there. Nor is Vision, as on Linux."""
    monkeypatch.setattr(scans, "vision", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "HOMEBREW", tmp_path / "homebrew")
    return tmp_path / "tesseract"


def install(path: Path) -> None:
    path.write_text(f"#!{sys.executable} -S\n{TESSERACT}")
    path.chmod(0o755)


@pytest.mark.usefixtures("tesseract")
def test_without_a_program_a_scan_is_said_to_be_one() -> None:
    assert scanned((200, 400)).left_out == (("scanned-page", 1),)
    assert scanned((200, 400), words="").problem == "no-text"


def test_a_scan_is_recognized_in_the_languages_that_are_there(tesseract: Path) -> None:
    install(tesseract)
    found = scanned((200, 400), (201, 400))
    pages = ("Read.", "[Page 2, recognized from a picture]", "200 400 eng+kor\n字 '字")
    more = ("[Page 3, recognized from a picture]", "201 400 eng+kor\n字 '字")
    assert found.text == "\n\n".join((*pages, *more))
    assert (found.recognized_pages, found.left_out) == (2, ())


def test_a_scan_is_turned_as_its_page_is(tesseract: Path) -> None:
    install(tesseract)
    assert scanned((400, 401), words="", rotation=90).text.endswith("\n\n401 400 eng+kor\n字 '字")


def test_small_pictures_and_those_without_text_are_not_recognized(tesseract: Path) -> None:
    install(tesseract)
    found = scanned((99, 400), (300, 150))
    assert (found.text, found.recognized_pages) == ("Read.\n\n[Left out: 2 scanned pages]", 0)


def test_only_so_many_pages_are_recognized(tesseract: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tesseract)
    monkeypatch.setattr(scans, "MOST_PAGES", 1)
    found = scanned((200, 400), (200, 400))
    assert (found.recognized_pages, found.left_out) == (1, (("scanned-page", 1),))


def test_a_page_is_uncertain_or_not_recognized_by_how_sure_the_program_is(tesseract: Path) -> None:
    install(tesseract)
    read = scanned((200, 300), (200, 200))
    assert "[Page 2, recognized from a picture, some of it uncertain]" in read.text
    assert "[Page 3, a picture that is not readable]" in read.text
    assert (read.recognized_pages, read.uncertain_pages, read.left_out) == (1, 1, (("scanned-page", 1),))


def test_a_page_on_which_the_program_fails_is_named_where_it_is(tesseract: Path) -> None:
    install(tesseract)
    read = scanned((211, 400), (200, 400), (211, 400))
    assert read.text.split("\n\n")[:3] == [
        "Read.",
        "[Page 2, a picture that is not readable]",
        "[Page 3, recognized from a picture]",
    ]
    assert read.text.endswith("[Page 4, a picture that is not readable]\n\n[Left out: 2 scanned pages]")
    assert (read.recognized_pages, read.left_out) == (1, (("scanned-page", 2),))
    assert scanned((211, 400), words="").problem == "no-text"


def test_a_page_is_read_by_the_way_that_does_not_fail(tesseract: Path) -> None:
    install(tesseract)
    assert "[Page 2, recognized from a picture]\n\n212 400" in scanned((212, 400)).text


@pytest.mark.full
def test_a_page_of_several_pictures_is_recognized_as_it_is_shown(tesseract: Path) -> None:
    install(tesseract)
    file = PageFile()
    for name, width in (("A", 211), ("B", 200)):
        Image.new("L", (width, 400)).save(pdf := io.BytesIO(), "PDF")
        picture = PdfReader(pdf).pages[0]["/Resources"]["/XObject"]["/image"].get_object()
        file.resources["/XObject"][NameObject(f"/{name}")] = file.writer._add_object(picture.clone(file.writer))
    read = file.read(b"q 200 0 0 200 0 0 cm /A Do Q q 200 0 0 200 300 0 cm /B Do Q")
    # As many dots as the finest of them has on the same length.
    assert read.text.startswith("[Page 1, recognized from a picture]\n\n1200 1600")


def test_a_page_is_one_block_where_that_finds_more(tesseract: Path) -> None:
    install(tesseract)
    assert "210 400" in scanned((210, 400)).text


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS recognizes pages by Vision (Linux)")
def test_another_process_starts_the_program_than_the_one_that_reads(tesseract: Path) -> None:
    install(tesseract)
    Image.new("RGB", (200, 400)).save(file := io.BytesIO(), "PDF")
    starting = Sandbox("engine.documents.pdf.scans", has_folder=True)
    sandbox = Sandbox("engine.documents.document", other=starting)
    try:
        read = sandbox.run(
            partial(document_text, "a.pdf", file.getvalue(), 1000, "en", None, PATIENCE_S, 0, ""), PATIENCE_S
        )
    finally:
        sandbox.end()
        starting.end()
    assert read.text == "[Page 1, recognized from a picture]\n\n200 400 eng+kor\n字 '字"


def test_lines_of_a_grid_are_taken_away_and_letters_are_not() -> None:
    page = Image.new("L", (300, 300), 255)
    letter = Image.new("L", (12, 20), 0)
    page.paste(letter, (40, 40))
    plain = page.copy()
    page.paste(0, (0, 100, 300, 103))
    page.paste(0, (150, 0, 153, 300))
    assert without_rules(page).tobytes() == plain.tobytes()
