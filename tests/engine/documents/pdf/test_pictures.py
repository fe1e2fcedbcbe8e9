"""Pages of PDF files that show more than their text says are given as pictures, as a person sees them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, NameObject, NumberObject

from engine.documents.pdf.file import open_pdf
from engine.documents.pdf.pictures import note_page
from engine.documents.text.inner_pictures import InnerPictures, LargestPictures
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.parts import PAGE, PartsRead, Selection
from tests.engine.documents.pdf_pages import HELVETICA, made, objects, stream

WORDS = b"BT /F1 12 Tf 72 700 Td (Annual report) Tj ET\n"
RED = (255, 0, 0)


class Page(NamedTuple):
    """A page of 600 by 800 points, or of another size in points, with a content and annotations, all of them red."""

    content: bytes = WORDS
    annotations: Sequence[dict[str, object]] = ()
    has_text: bool = True
    size: tuple[float, float] = (600, 800)
    rotation: int = 0


def file_of(*pages: Page) -> bytes:
    """Return a file with pages, which may draw /Picture, /Form (with this picture) and /Shade."""
    writer = PdfWriter()
    pixel = stream(b"\xff\0\0", Subtype="/Image", Width=1, Height=1, BitsPerComponent=8, ColorSpace="/DeviceRGB")
    picture = writer._add_object(pixel)
    inner = {"XObject": {"Picture": picture}}
    form = stream(b"q 200 0 0 200 0 0 cm /Picture Do Q", Subtype="/Form", BBox=[0, 0, 200, 200], Resources=inner)
    function = {"FunctionType": 2, "Domain": [0, 1], "C0": [1, 0, 0], "C1": [0, 0, 1], "N": 1}
    shade = {"ShadingType": 2, "ColorSpace": "/DeviceRGB", "Coords": [0, 0, 600, 0], "Function": function}
    resources = made(
        {
            "Font": {"F1": HELVETICA},
            "XObject": {"Picture": picture, "Form": writer._add_object(form)},
            "Shading": {"Shade": shade},
        }
    )
    for page in pages:
        new = writer.add_blank_page(*page.size)
        new[NameObject("/Resources")] = resources
        new[NameObject("/Contents")] = writer._add_object(stream(page.content))
        new[NameObject("/Rotate")] = NumberObject(page.rotation)
        look = writer._add_object(stream(b"1 0 0 rg 0 0 200 100 re f", Subtype="/Form", BBox=[0, 0, 200, 100]))
        notes = ArrayObject(
            writer._add_object(objects(Rect=[100, 100, 300, 200], F=4, AP={"N": look}, **entries))
            for entries in page.annotations
        )
        new[NameObject("/Annots")] = notes
    writer.write(file := io.BytesIO())
    return file.getvalue()


def given(*pages: Page, most: int = 8, selection: Selection | None = None) -> LargestPictures:
    """Return the pictures that a model gets of a file with such pages."""
    data = file_of(*pages)
    parts = PartsRead(selection or Selection())
    text = MarkedText(1000, parts=parts, pictures=InnerPictures(most, stops_at=float("inf")))
    with open_pdf(data) as document:
        for number in text.wanted_parts(PAGE, [""] * len(pages)):
            note_page(document[number - 1], number, data, text, has_text=pages[number - 1].has_text)
    return text.pictures.files()


def picture_of(page: Page) -> Image.Image:
    """Return the picture of the only page of a file."""
    (file,) = given(page).files
    return Image.open(io.BytesIO(file))


def is_given(page: Page) -> bool:
    """Return whether a page is given that a page with a picture follows."""
    return given(page, PHOTO).pages == (1, 2)


PHOTO = Page(WORDS + b"q 300 0 0 300 100 100 cm /Picture Do Q")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"72 690 200 1 re f 72 670 150 1 re f 72 650 90 1 re f",
        b"72 100 m 500 100 l S 72 120 m 500 120 l S 72 100 m 72 120 l S",
        b"0.9 g 72 600 100 20 re f 172 600 200 20 re f 72 580 100 20 re f",
        b"1 g 72 600 30 20 re f 72 500 30 60 re f 112 600 30 40 re f 152 600 30 60 re f",
        b"q 80 0 0 40 72 740 cm /Picture Do Q",
        b"72 500 m 76 505 80 505 84 500 c f",
    ],
    ids=["text", "underlines", "ruled table", "shaded cells", "white cells", "logo", "bullet"],
)
def test_a_page_of_text_and_tables_is_not_given(content: bytes) -> None:
    assert not is_given(Page(WORDS + content))


@pytest.mark.parametrize(
    "content",
    [
        b"q 300 0 0 300 100 100 cm /Picture Do Q",
        b"q 0 -300 300 0 100 500 cm /Picture Do Q",
        b"q 1 0 0 1 100 100 cm /Form Do Q",
        b"q 100 100 200 200 re W n /Shade sh Q",
        b"100 100 m 150 180 l 300 140 l 500 400 l S",
        b"300 300 m 400 300 400 400 300 400 c 200 400 200 300 300 300 c f",
        b"100 100 30 80 re f 150 100 30 140 re f 200 100 30 60 re f",
        b"100 100 80 20 re f 100 140 140 20 re f 100 180 60 20 re f",
        b" ".join(b"q 20 0 0 40 %d 300 cm /Picture Do Q" % left for left in range(50, 550, 20)),
    ],
    ids=["photo", "turned photo", "form", "shading", "line chart", "pie", "bars", "level bars", "picture in strips"],
)
def test_a_page_with_pictures_drawings_or_charts_is_given(content: bytes) -> None:
    assert is_given(Page(WORDS + content))


@pytest.mark.parametrize("kind", ["/Ink", "/Stamp", "/Highlight", "/StrikeOut", "/Line", "/Circle", "/Redact"])
def test_a_page_is_given_on_which_somebody_drew(kind: str) -> None:
    assert is_given(Page(annotations=[{"Subtype": kind}]))


@pytest.mark.parametrize("kind", ["/Text", "/Link", "/Popup", "/FreeText", "/Widget"])
def test_notes_and_fields_which_are_read_do_not_make_a_page_a_picture(kind: str) -> None:
    assert not is_given(Page(annotations=[{"Subtype": kind}]))


def test_a_page_without_text_is_given_unless_nothing_is_on_it() -> None:
    assert is_given(Page(has_text=False))
    assert not is_given(Page(b"", has_text=False))


def test_the_only_page_of_a_file_is_given() -> None:
    assert given(Page()).pages == (1,)
    assert given(Page(), Page()).pages == ()


def test_pages_that_a_person_chose_are_given() -> None:
    pages = given(PHOTO, Page(), Page(), Page(), selection=Selection(2, 3))
    assert (pages.pages, pages.count) == ((2, 3), 2)


def test_of_many_pages_those_without_text_are_given_first_and_all_in_their_order() -> None:
    pages = given(PHOTO, PHOTO, Page(), Page(has_text=False), PHOTO, most=3)
    assert (pages.pages, pages.count, len(pages.files)) == ((1, 2, 4), 4, 3)


def test_nothing_is_given_unless_pictures_are_wanted() -> None:
    assert given(PHOTO, most=0) == LargestPictures()


def test_a_page_is_given_as_it_is_turned() -> None:
    picture = picture_of(Page(b"1 0 0 rg 0 700 600 100 re f", rotation=90))
    assert picture.size[0] > picture.size[1]
    right, left = (picture.getpixel((x, picture.height // 2)) for x in (picture.width - 9, 9))
    assert is_red(right)
    assert not is_red(left)


@pytest.mark.parametrize(
    ("size", "has_text", "most"),
    [
        ((595, 842), True, 2_000_000),
        ((595, 842), False, 4_000_000),
        ((14_400, 14_400), True, 2_000_000),
        ((226, 6000), False, 4_000_000),
    ],
)
def test_a_picture_has_as_many_pixels_as_models_see(size: tuple[float, float], has_text: bool, most: int) -> None:
    picture = picture_of(Page(size=size, has_text=has_text))
    assert 0.99 * most < picture.width * picture.height < 1.01 * most
    assert picture.width / picture.height == pytest.approx(size[0] / size[1], rel=0.02)


def test_a_small_page_is_not_blown_up() -> None:
    assert picture_of(Page(size=(100, 50))).size == (300, 150)


def test_what_was_filled_in_and_drawn_on_a_page_is_in_its_picture() -> None:
    for annotation in ({"Subtype": "/Stamp"}, {"Subtype": "/Widget", "FT": "/Tx", "T": "a", "V": "x"}):
        picture = picture_of(Page(annotations=[annotation]))
        assert is_red(picture.getpixel((picture.width * 200 // 600, picture.height * 650 // 800)))


def is_red(colour: object) -> bool:
    """Return whether a colour is `RED`, as far as JPEG keeps it."""
    assert isinstance(colour, tuple)
    return all(abs(share - wanted) < 9 for share, wanted in zip(colour, RED, strict=True))
