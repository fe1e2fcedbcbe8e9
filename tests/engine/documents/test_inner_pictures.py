"""The pictures in documents: the largest that are seen are given, in the order of the document."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from engine.documents.document import document_text
from engine.documents.parts import Selection
from engine.documents.reading import read_document
from engine.files.reading_time import ReadingTime
from tests.engine.documents.picture_documents import (
    LARGE,
    SMALL,
    Size,
    book,
    open_text,
    pages,
    picture,
    sheets,
    slides,
    word,
)

FILES = {
    "a.docx": word,
    "a.epub": book,
    "a.odt": open_text,
    "a.pdf": pages,
    "a.pptx": slides,
    "a.xlsx": sheets,
}


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


def test_pages_that_are_not_wanted_give_no_picture() -> None:
    assert given("a.pdf", pages(), 8, Selection(1, 1)) == ([SMALL], 1)


def test_a_damaged_picture_costs_neither_the_text_nor_others() -> None:
    data = word()
    begin = data.index(picture(LARGE)[16:24])
    damaged = data[:begin] + b"\0" * 8 + data[begin + 8 :]
    read = document_text("a.docx", damaged, 2**20, "", Selection(), 60, 8)
    assert read.text.startswith("x\n\nx")
    assert len(read.pictures.files) == 1


def test_a_stencil_is_no_picture() -> None:
    from pypdf import PdfReader, PdfWriter
    from pypdf.generic import BooleanObject, NameObject

    writer = PdfWriter(clone_from=PdfReader(BytesIO(pages())))
    (drawn,) = writer.pages[0]["/Resources"]["/XObject"].values()
    drawn.get_object()[NameObject("/ImageMask")] = BooleanObject(True)
    file = BytesIO()
    writer.write(file)
    assert given("a.pdf", file.getvalue(), 8) == ([LARGE], 1)


def test_the_sandbox_returns_the_files_of_pictures() -> None:
    read = read_document("a.docx", word(), 1000, "", ReadingTime(), Selection(), 8)
    assert read.pictures.files == (picture(SMALL), picture(LARGE))
