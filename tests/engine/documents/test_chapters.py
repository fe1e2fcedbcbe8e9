"""Chapters of books and documents are parts that can be chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.documents.chapters import Chapter, chapters_of
from engine.documents.document import DocumentText, document_text
from engine.documents.parts import Cut, Selection
from tests.engine.documents.office_files import zipped

FILES = Path(__file__).parent / "files"
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
