"""The text that a PDF file names for glyphs stands in their place (ISO 32000-2, 14.9.4), however it is written.

A text string is in UTF-16 or UTF-8 with a byte order mark, or in PDFDocEncoding (7.9.2.2), and a string is written in
brackets or in hexadecimal digits (7.3.4). A list of properties stands in the content, or among the resources (14.6.2).
"""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import PageFile

BEGIN = b"BT /F1 12 Tf 72 700 Td "


def page_text(content: bytes, file: PageFile | None = None) -> str:
    return (file or PageFile()).read(BEGIN + content + b" ET").text


@pytest.mark.parametrize(
    "properties",
    [
        b"<</ActualText <FEFF006600660069>>>",
        b"<</ActualText (\\376\\377\\000f\\000f\\000i)>>",
        b"<</ActualText <EFBBBF666669>>>",
        b"<</ActualText (ffi)>>",
        b"<</Lang (en) /ActualText (ffi)>>",
        b"/Own",
    ],
)
@pytest.mark.parametrize("glyphs", [b"(\\200) Tj", b"(xq9) Tj", b"(x) Tj (q9) Tj", b"[(x) -20 (q9)] TJ"])
def test_a_text_that_the_file_names_stands_for_glyphs(properties: bytes, glyphs: bytes) -> None:
    file = PageFile()
    file.add("Properties", "Own", {"ActualText": b"ffi"})
    assert page_text(b"(O) Tj /Span %s BDC %s EMC (ce hours) Tj" % (properties, glyphs), file) == "Office hours"


def test_a_named_text_in_a_marked_paragraph_stands_for_its_glyphs_only() -> None:
    content = b"/P <</MCID 0>> BDC (The ) Tj /Span <</ActualText (fisk)>> BDC (xq9) Tj EMC ( is due.) Tj EMC"
    assert page_text(content) == "The fisk is due."


def test_a_text_without_letters_takes_none_away() -> None:
    assert page_text(b"/Span <</ActualText ()>> BDC (Total 5) Tj EMC") == "Total 5"


def test_a_hyphen_that_the_file_names_soft_joins_the_parts_of_a_word() -> None:
    content = b"(Elec) Tj /Span <</ActualText <FEFF00AD>>> BDC (-) Tj EMC 0 -14 Td (tricity costs 12 EUR) Tj"
    assert page_text(content) == "Electricity costs 12 EUR"


def test_a_gap_between_named_texts_parts_words() -> None:
    """LibreOffice names the text of each word of Korean, and has no spaces."""
    shown = b"".join(
        b"/Span <</ActualText (%s)>> BDC 1 0 0 1 %d 700 Tm (%s) Tj EMC " % (word, 72 + 31 * place, word)
        for place, word in enumerate((b"four", b"cars"))
    )
    assert page_text(shown) == "four cars"
