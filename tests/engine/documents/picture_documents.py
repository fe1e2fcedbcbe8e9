"""Documents of each format with the same pictures: two that are seen, a hidden one and a decoration."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

from PIL import Image

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


def word(text: str = "x") -> bytes:
    def run(number: int, look: str = "") -> str:
        return (
            f'<p><r><rPr>{look}</rPr><drawing><inline><blip embed="p{number}"/></inline></drawing><t>{text}</t></r></p>'
        )

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
