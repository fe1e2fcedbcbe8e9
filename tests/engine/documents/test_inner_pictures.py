"""The pictures in documents: the largest that are seen are given, in the order of the document."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import pytest
from PIL import Image

from engine.documents.document import document_text
from engine.documents.parts import Selection
from engine.documents.reading import read_document
from engine.files.reading_time import ReadingTime
from tests.engine.documents.office_files import office_file, open_document, relations, zipped

Size = tuple[int, int]
SMALL, LARGE, HIDDEN, DECORATION = (150, 120), (300, 200), (400, 400), (20, 300)
SIZES = (SMALL, LARGE, HIDDEN, DECORATION)


def picture(size: Size) -> bytes:
    file = BytesIO()
    Image.new("L", size, size[0] % 200).save(file, "PNG")
    return file.getvalue()


def with_pictures(data: bytes, folder: str) -> bytes:
    """Return an archive with the pictures of `SIZES` as 0.png to 3.png in a folder."""
    file = BytesIO(data)
    with ZipFile(file, "a") as archive:
        for number, size in enumerate(SIZES):
            archive.writestr(f"{folder}/{number}.png", picture(size))
    return file.getvalue()


def references(folder: str) -> str:
    return relations(**{f"p{number}_image": f"{folder}/{number}.png" for number in range(len(SIZES))})


def word() -> bytes:
    def run(number: int, look: str = "") -> str:
        return f'<p><r><rPr>{look}</rPr><drawing><inline><blip embed="p{number}"/></inline></drawing><t>x</t></r></p>'

    body = f"{run(0)}{run(1)}{run(2, '<vanish/>')}{run(3)}{run(0)}"
    parts = {
        "word/document.xml": f"<document><body>{body}</body></document>",
        "word/_rels/document.xml.rels": references("media"),
    }
    return with_pictures(office_file("word/document.xml", parts), "word/media")


def slides() -> bytes:
    def slide(number: int, hidden: bool) -> str:
        shown = ' show="0"' if hidden else ""
        shape = f'<pic><nvPicPr><cNvPr/></nvPicPr><blipFill><blip embed="p{number}"/></blipFill></pic>'
        return f"<sld{shown}><cSld><spTree>{shape}</spTree></cSld></sld>"

    numbers = range(len(SIZES))
    entries = "".join(f'<sldId id="s{number}"/>' for number in numbers)
    parts = {
        "ppt/presentation.xml": f"<presentation><sldIdLst>{entries}</sldIdLst></presentation>",
        "ppt/_rels/presentation.xml.rels": relations(**{f"s{number}_slide": f"s/{number}.xml" for number in numbers}),
    }
    for number in numbers:
        parts[f"ppt/s/{number}.xml"] = slide(number, SIZES[number] == HIDDEN)
        parts[f"ppt/s/_rels/{number}.xml.rels"] = references("media")
    return with_pictures(office_file("ppt/presentation.xml", parts), "ppt/s/media")


def sheets() -> bytes:
    def shown(number: int) -> str:
        hidden = ' hidden="1"' if SIZES[number] == HIDDEN else ""
        return f'<pic><nvPicPr><cNvPr{hidden}/></nvPicPr><blipFill><blip embed="p{number}"/></blipFill></pic>'

    drawing = "".join(map(shown, range(len(SIZES))))
    parts = {
        "xl/workbook.xml": '<workbook><sheets><sheet name="A" id="a"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(a_worksheet="a.xml"),
        "xl/a.xml": '<worksheet><row><c t="str"><v>x</v></c></row></worksheet>',
        "xl/_rels/a.xml.rels": relations(d_drawing="d.xml"),
        "xl/d.xml": f"<wsDr>{drawing}</wsDr>",
        "xl/_rels/d.xml.rels": references("media"),
    }
    return with_pictures(office_file("xl/workbook.xml", parts), "xl/media")


def open_text() -> bytes:
    def paragraph(number: int) -> str:
        name = "hidden" if SIZES[number] == HIDDEN else "plain"
        image = f'<draw:frame><draw:image xlink:href="Pictures/{number}.png"/></draw:frame>'
        return f'<text:p text:style-name="{name}">x{image}</text:p>'

    hidden = '<style:style style:name="hidden" style:family="paragraph"><style:text-properties text:display="none"/>'
    body = "".join(map(paragraph, range(len(SIZES))))
    return with_pictures(open_document("text", body, f"{hidden}</style:style>"), "Pictures")


def book() -> bytes:
    hidden = ' style="display: none"'
    pages = "".join(
        f'<p{hidden if size == HIDDEN else ""}>x<img src="../media/{number}.png"/></p>'
        for number, size in enumerate(SIZES)
    )
    parts = {
        "META-INF/container.xml": '<container><rootfile full-path="book.opf"/></container>',
        "book.opf": '<package><item id="a" href="t/a.html"/><itemref idref="a"/></package>',
        "t/a.html": f"<html><body>{pages}</body></html>",
    }
    return with_pictures(zipped(**{name: part.encode() for name, part in parts.items()}), "media")


def pages() -> bytes:
    """Return a PDF file with a picture on each page; it shows all."""
    file = BytesIO()
    first, *others = (Image.open(BytesIO(picture(size))) for size in SIZES if size != HIDDEN)
    first.save(file, "PDF", save_all=True, append_images=others)
    return file.getvalue()


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
