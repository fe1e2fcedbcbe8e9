"""Books of FictionBook, by the elements of its schema."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from engine.documents.formats import format_of

HEAD = (
    '<?xml version="1.0" encoding="{encoding}"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"'
    ' xmlns:l="http://www.w3.org/1999/xlink"><description><title-info><book-title>Маяк</book-title></title-info>'
    "</description>"
)
PICTURE = '<binary id="a.png" content-type="image/png">iVBORw0KGgo=</binary>'


def book_of(body: str, encoding: str = "utf-8") -> bytes:
    text = f"{HEAD.format(encoding=encoding)}<body>{body}</body>{PICTURE}</FictionBook>"
    return text.encode(encoding)


def text_of(body: str) -> str:
    return document_text("book.fb2", book_of(body), 10_000).text


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<title><p>The Lighthouse</p><p>A novel</p></title>", "# The Lighthouse A novel"),
        ("<section><title><p>One</p></title><p>Night.</p></section>", "## One\n\nNight."),
        ("<section><section><title><p>Deep</p></title></section></section>", "### Deep"),
        ("<section><subtitle>* * *</subtitle><p>a</p></section>", "###### * * *\n\na"),
        ("<p>x<sup>2</sup> and <strikethrough>gone</strikethrough></p>", "x^2 and ~~gone~~"),
        ("<p>a <emphasis>b</emphasis> <strong>c</strong> <style name='d'>d</style></p>", "a b c d"),
        ("<p>see <a l:href='https://e.org/'>here</a></p>", "see [here](https://e.org/)"),
        (
            "<poem><stanza><v>one</v><v>two</v></stanza><text-author>Ann</text-author></poem>",
            "one\n\ntwo\n\nAnn",
        ),
        ("<cite><p>said</p></cite><epigraph><p>first</p></epigraph>", "said\n\nfirst"),
        (
            "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "| a | b |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("<p>a</p><empty-line/><p>b</p>", "a\n\nb"),
        ("<image l:href='#a.png' alt='A tower'/>", "[A tower]"),
    ],
)
def test_elements_are_read_as_those_of_pages(body: str, expected: str) -> None:
    assert text_of(body) == expected


def test_notes_follow_the_text_and_pictures_are_no_text() -> None:
    notes = book_of("<p>Text.</p>").replace(b"</body>", b"</body><body name='notes'><p>A note.</p></body>")
    assert document_text("book.fb2", notes, 10_000).text == "Text.\n\nA note."


def test_old_encodings_and_other_names_are_known() -> None:
    book = book_of("<p>Ночь</p>", "windows-1251")
    assert document_text("book.fb2", book, 10_000).text == "Ночь"
    assert document_text("book.xml", book, 10_000).text == "Ночь"
    assert format_of("book.xml", b"<a/>") is None


def test_a_damaged_book_is_refused() -> None:
    assert document_text("book.fb2", book_of("<p>a")[:-30], 10_000).problem
