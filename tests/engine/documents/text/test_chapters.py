"""Chapters of books and documents are parts that can be chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.document import DocumentText, document_text
from engine.documents.text.chapters import Chapter, PieceHeading, chapters_of, titles_of
from engine.documents.text.parts import Cut, Selection
from tests.engine.documents.office_files import office_file, relations, zipped

FILES = Path(__file__).parents[1] / "files"
NAV = '<nav epub:type="toc"><ol>{}</ol></nav><nav epub:type="page-list"><a href="c.xhtml">99</a></nav>'
NCX = "<ncx><navMap>{}</navMap></ncx>"


def test_what_is_before_the_first_title_belongs_to_it_and_titles_that_come_again_are_numbered() -> None:
    assert chapters_of(["", "A", "", "B", "A", "A", ""]) == [
        Chapter("A", 0, 3),
        Chapter("B", 3, 4),
        Chapter("A (2)", 4, 5),
        Chapter("A (3)", 5, 7),
    ]
    assert chapters_of(["A", "x" * 99])[1].name == "x" * 79 + "…"


@pytest.mark.parametrize("titles", [[], ["", ""], ["A", ""], list(map(str, range(999)))])
def test_one_chapter_or_too_many_are_no_choice(titles: list[str]) -> None:
    assert chapters_of(titles) == []


def test_titles_are_the_headings_of_the_highest_level_that_has_several_and_those_above() -> None:
    headings = [
        PieceHeading(1, "Report"),
        PieceHeading(),
        PieceHeading(3, "a"),
        PieceHeading(2, "B"),
        PieceHeading(2, ""),
        PieceHeading(2, "C"),
    ]
    assert titles_of(headings) == ["Report", "", "", "B", "", "C"]
    assert titles_of([PieceHeading(), PieceHeading(1, "Report"), PieceHeading(2, "A")]) == ["", "", ""]


def book(contents: str = "", kind: str = "", heading: str = "p") -> bytes:
    """Return a book of a cover and the pages a to d, with contents of a kind."""
    items = "".join(f'<item id="{name}" href="{name}.xhtml"/>' for name in "abcd")
    references = "".join(f'<itemref idref="{name}"/>' for name in "abcd")
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container><rootfile full-path="o.opf"/></container>',
        "o.opf": f'<package>{items}<item href="toc" {kind}/><spine>{references}</spine></package>',
        "toc": contents,
        **{f"{name}.xhtml": f"<{heading}>{name.upper()}</{heading}><p>text {name}</p>" for name in "acd"},
        "b.xhtml": "<p>more of a</p>",
    }
    return zipped(**{name: part.encode() for name, part in parts.items()})


def read(data: bytes, *chapters: str, most: int = 1000) -> DocumentText:
    return document_text("a.epub", data, most, "", Selection(chapters=chapters))


@pytest.mark.parametrize(
    ("data", "names"),
    [
        (
            book(
                NAV.format('<a href="a.xhtml">First <b>days</b></a><a href="a.xhtml#x">x</a><a href="c.xhtml">C</a>'),
                'properties="nav"',
            ),
            ("First days", "C"),
        ),
        (
            book(
                NCX.format(
                    '<navPoint><navLabel><text>Und &amp; so</text></navLabel><content src="a.xhtml"/><navPoint>'
                    '<navLabel><text>D</text></navLabel><content src="d.xhtml#x"/></navPoint></navPoint>'
                ),
                'media-type="application/x-dtbncx+xml"',
            ),
            ("Und & so", "D"),
        ),
        (book("<ncx", 'media-type="application/x-dtbncx+xml"', "h2"), ("A", "C", "D")),
        (book(heading="h1"), ("A", "C", "D")),
        (book(), ()),
    ],
    ids=["nav", "ncx", "damaged contents", "headings", "neither"],
)
def test_chapters_of_a_book_are_those_of_its_contents_or_its_first_headings(
    data: bytes, names: tuple[str, ...]
) -> None:
    whole = read(data)
    assert (whole.extent.names, whole.extent.is_whole, whole.left_out) == (names, True, ())
    assert [line for line in whole.text.split("\n\n") if line.startswith(("text", "more"))] == [
        "text a",
        "more of a",
        "text c",
        "text d",
    ]


def test_only_the_chapters_that_are_wanted_are_read() -> None:
    data = book(heading="h1")
    second = read(data, "A", "D")
    assert second.text == "# A\n\ntext a\n\nmore of a\n\n# D\n\ntext d\n\n[Left out: chapter 2]"
    assert (second.extent.kind, second.extent.numbers) == ("chapter", (1, 3))
    assert second.text[: second.extent.ends[0]].endswith("more of a")
    assert read(data, "No such").text == "[Left out: chapters 1 to 3]"


def test_a_chapter_that_is_too_long_is_read_as_far_as_it_fits() -> None:
    begun = read(book(heading="h1"), most=24)
    assert begun.text == "# A\n\ntext a\n\nmore of a\n\n# C\n\n[Left out: the end of chapter 2, chapter 3]"
    assert (begun.extent.numbers, begun.extent.cut) == ((1, 2), Cut())


def test_a_book_of_another_program_has_its_chapters() -> None:
    ebook = (FILES / "ebooklib.epub").read_bytes()
    assert read(ebook, "둘째 장").text == "# 둘째 장\n\n끝.\n\n[Left out: chapter 1]"


def letter(body: str, **others: str) -> bytes:
    """Return a DOCX file with a body, and other parts by their names."""
    parts = {"word/document.xml": f"<document><body>{body}</body></document>"}
    parts |= {f"word/{name}.xml": part for name, part in others.items()}
    parts["word/_rels/document.xml.rels"] = relations(
        **{f"{name}_{name.rstrip('1')}": f"{name}.xml" for name in others}
    )
    return office_file("word/document.xml", parts)


def paragraph(text: str, properties: str = "", more: str = "") -> str:
    return f"<p><pPr>{properties}</pPr><r><t>{text}</t></r>{more}</p>"


def heading(text: str, level: int = 1, more: str = "") -> str:
    return paragraph(text, f'<outlineLvl val="{level - 1}"/>', more)


def note(number: int) -> str:
    return f'<r><footnoteReference id="{number}"/></r>'


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (heading("A") + heading("a", 2) + heading("B"), ("A", "B")),
        (heading("Title") + heading("A", 2) + heading("", 2) + heading("B", 2), ("Title", "A", "B")),
        (f"<sdt><sdtPr/><sdtContent>{heading('A')}</sdtContent></sdt><sdt/>" + heading("B"), ("A", "B")),
        (heading("A", 1, "<del><r><t>x</t></r></del>") + heading("B <![CDATA[& c]]>"), ("A", "B & c")),
        (heading("A", 1, "<r><rPr><vanish/></rPr><t>x</t></r>") + heading("B"), ("A", "B")),
        (heading("A") + "<tbl><tr><tc>" + heading("B") + "</tc></tr></tbl>", ()),
        (paragraph("x") * 3, ()),
    ],
    ids=["highest", "below a title", "in controls", "deleted", "hidden", "in a table", "none"],
)
def test_chapters_of_a_document_begin_at_its_headings(body: str, names: tuple[str, ...]) -> None:
    whole = read(letter(body))
    assert (whole.extent.names, whole.extent.is_whole) == (names, True)


def test_a_chapter_of_a_document_has_its_numbers_its_notes_and_what_is_on_each_page() -> None:
    listed = '<numPr><ilvl val="0"/><numId val="1"/></numPr>'
    item = (
        f"<tbl><tr>{'<tc><p/></tc>' * 2}</tr><tr><tc>{paragraph('x', listed)}</tc><tc>{paragraph('y')}</tc></tr></tbl>"
    )
    numbers = (
        '<numbering><abstractNum abstractNumId="0"><lvl ilvl="0"><start val="1"/><numFmt val="decimal"/>'
        '<lvlText val="%1."/></lvl></abstractNum><num numId="1"><abstractNumId val="0"/></num></numbering>'
    )
    notes = "".join(f'<footnote id="{number}">{paragraph(f"note {number}")}</footnote>' for number in (1, 2))
    data = letter(
        paragraph("Before")
        + heading("A", 1, note(1))
        + item
        + heading("B", 1, note(2))
        + paragraph("z", listed)
        + '<sectPr><headerReference id="header1"/><footerReference id="footer1"/></sectPr>',
        numbering=numbers,
        footnotes=f"<footnotes>{notes}</footnotes>",
        header1=f"<hdr>{paragraph('Draft')}</hdr>",
        footer1=f"<ftr>{paragraph('Secret')}</ftr>",
    )
    first = "Draft\n\nSecret\n\nBefore\n\n# A[^1]\n\n| 1. x | y |\n| --- | --- |\n\n[^1]: note 1"
    whole = read(data)
    assert whole.text == f"{first}\n\n# B[^2]\n\n2. z\n[^2]: note 2"
    assert whole.text[: whole.extent.ends[0]] == first
    assert read(data, "B").text == ("Draft\n\nSecret\n\n# B[^1]\n\n2. z\n[^1]: note 2\n\n[Left out: chapter 1]")


def test_a_document_of_another_program_has_its_chapters() -> None:
    document = (FILES / "python-docx.docx").read_bytes()
    whole = read(document)
    assert whole.extent.names == ("Quarterly report", "판매 실적")
    second = read(document, "판매 실적").text
    assert second == f"{whole.text[whole.extent.ends[0] :].strip()}\n\n[Left out: chapter 1]"
