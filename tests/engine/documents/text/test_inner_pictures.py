"""The pictures in documents: the largest that are seen are given, in the order of the document."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter
from pypdf.generic import BooleanObject, NameObject

from engine.documents.document import document_text
from engine.documents.pdf import scans
from engine.documents.reading import read_document
from engine.documents.text.parts import Selection
from engine.files.reading_time import ReadingTime
from tests.app.pdf_files import pdf
from tests.engine.documents.picture_documents import (
    LARGE,
    SMALL,
    Size,
    book,
    open_text,
    picture,
    sheets,
    slides,
    word,
)

FILES = {
    "a.docx": word,
    "a.epub": book,
    "a.odt": open_text,
    "a.pptx": slides,
    "a.xlsx": sheets,
}


@pytest.fixture
def no_recognizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing on this computer recognizes text in pictures."""
    monkeypatch.setattr(scans, "vision", lambda: None)
    monkeypatch.setattr(scans, "program_at", lambda _name: "")


def given(name: str, data: bytes, most: int, selection: Selection | None = None) -> tuple[list[Size], int]:
    """Return the sizes of the pictures that are given, and how many there are."""
    read = document_text(name, data, 2**20, "", selection or Selection(), 60, most)
    return [Image.open(BytesIO(file)).size for file in read.pictures.files], read.pictures.count


@pytest.mark.parametrize("name", FILES)
def test_pictures_that_are_seen_are_given_once_in_their_order(name: str) -> None:
    assert given(name, FILES[name](), 8) == ([SMALL, LARGE], 2)


@pytest.mark.parametrize("name", FILES)
def test_of_many_pictures_the_largest_are_given(name: str) -> None:
    assert given(name, FILES[name](), 1) == ([LARGE], 2)


def test_none_are_given_unless_they_are_asked_for() -> None:
    assert given("a.docx", word(), 0) == ([], 0)


def test_a_damaged_picture_costs_neither_the_text_nor_others() -> None:
    data = word()
    begin = data.index(picture(LARGE)[16:24])
    damaged = data[:begin] + b"\0" * 8 + data[begin + 8 :]
    read = document_text("a.docx", damaged, 2**20, "", Selection(), 60, 8)
    assert read.text.startswith("x\n\nx")
    assert len(read.pictures.files) == 1


@pytest.mark.full
def test_the_sandbox_returns_the_files_of_pictures() -> None:
    read = read_document("a.docx", word(), 1000, "", ReadingTime(), Selection(), 8)
    assert read.pictures.files == (picture(SMALL), picture(LARGE))


def with_words(data: bytes) -> bytes:
    """Return a PDF file with words over the picture of each page."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(data)))
    for page in writer.pages:
        page.merge_page(pdf("Read.").pages[0], expand=True)
    writer.write(file := BytesIO())
    return file.getvalue()


def scan(*sizes: Size, rotation: int = 0) -> bytes:
    """Return a PDF file with a page for each picture of such a size, which all differ."""
    writer = PdfWriter()
    for size in sizes:
        Image.new("1", size, 1).save(file := BytesIO(), "PDF")
        writer.append(file)
        writer.pages[-1].rotate(rotation)
    writer.write(file := BytesIO())
    return file.getvalue()


@pytest.mark.usefixtures("no_recognizer")
def test_of_a_scan_the_first_pages_are_given_even_if_later_ones_are_larger() -> None:
    read = document_text("a.pdf", scan((200, 300), (200, 310), (400, 500)), 2**20, "", Selection(), 60, 2)
    assert (read.problem, read.pictures.pages, read.pictures.count) == ("no-text", (1, 2), 3)
    assert [Image.open(BytesIO(file)).size for file in read.pictures.files] == [(600, 900), (600, 930)]


@pytest.mark.usefixtures("no_recognizer")
def test_a_page_without_text_comes_before_pages_with_pictures_beside_text() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(with_words(scan((210, 300), (220, 300))))))
    writer.append(BytesIO(scan((130, 110))))
    writer.write(file := BytesIO())
    assert given("a.pdf", file.getvalue(), 2) == ([(630, 900), (390, 330)], 3)


@pytest.mark.usefixtures("no_recognizer")
def test_a_scan_is_given_as_its_page_is_turned() -> None:
    assert given("a.pdf", scan((200, 300), rotation=90), 1) == ([(900, 600)], 1)


@pytest.mark.usefixtures("no_recognizer")
def test_a_scan_in_black_and_white_that_is_a_stencil_is_given() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(scan((200, 300)))))
    (drawn,) = writer.pages[0]["/Resources"]["/XObject"].values()
    drawn.get_object()[NameObject("/ImageMask")] = BooleanObject(True)
    del drawn.get_object()["/ColorSpace"]
    writer.write(file := BytesIO())
    assert given("a.pdf", file.getvalue(), 1) == ([(600, 900)], 1)
