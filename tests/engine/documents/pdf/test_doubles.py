"""Text that a PDF page draws several times at nearly the same place is read once: bold letters, shadows, outlines.

A copy may be placed in each way in which text is placed, as a whole or letter by letter, at once or at the end.
"""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import PageFile, stream

# Capitals of Courier are 0.6 of its size wide, as all its glyphs.
COURIER = {"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Courier", "Encoding": "/WinAnsiEncoding"}
BEGIN = b"BT /F2 10 Tf 72 700 Td "
TITLE = BEGIN + b"(Total: 485) Tj ET "
OTHER = b"BT /F2 10 Tf 72 650 Td (Other) Tj ET "


def page_text(content: bytes) -> str:
    file = PageFile()
    file.add("Font", "F2", COURIER)
    form = stream(TITLE, Subtype="/Form", BBox=[0, 0, 600, 800])
    file.add("XObject", "Form", file.refer(form))
    return file.read(content).text


@pytest.mark.parametrize(
    "content",
    [
        TITLE + TITLE,
        TITLE + BEGIN + b"0.4 0 Td (Total: 485) Tj ET",
        BEGIN + b"(Total: 485) Tj 0.4 0 Td (Total: 485) Tj -0.4 0.4 Td (Total: 485) Tj 0.4 0 Td (Total: 485) Tj ET",
        BEGIN + b"(Total: 485) Tj 1 0 0 1 71.8 699.8 Tm (Total: 485) Tj ET",
        TITLE + b"q 1 0 0 1 0.3 0.3 cm " + TITLE + b"Q",
        TITLE + b"q 1 0 0 1 0.3 0 cm /Form Do Q",
        TITLE + b"0.8 g " + TITLE + b"0 g 1 Tr " + TITLE,
        b"0.8 g q 1 0 0 1 0.9 -0.9 cm " + TITLE + b"Q 0 g " + TITLE,
        BEGIN + b"[(Total: 485) 5970 (Total: 485)] TJ ET",
        BEGIN + b"[(T) 580 (T) 20 (o) 580 (o) 20 (t) 580 (t) 20 (al: 485)] TJ ET",
        BEGIN + b"[(Total: ) 580] TJ 0.4 0 Td (Total: ) Tj (485) Tj ET",
        BEGIN + b"(Total:) Tj 0.4 0 Td (Total:) Tj 41.6 0 Td (485) Tj 0.4 0 Td (485) Tj ET",
        BEGIN + b"1 Tc (Total: 485) Tj 0.4 0 Td (Total: 485) Tj ET",
        BEGIN + b"50 Tz (Total: 485) Tj 0.2 0 Td (Total: 485) Tj ET",
        BEGIN + b"(Total: 48) Tj 0.4 0 Td (Total: 48) Tj 53.6 0 Td (5) Tj 0.4 0 Td (5) Tj ET",
        BEGIN + b" ".join(b"(%c) Tj 0.3 0 Td (%c) Tj 5.7 0 Td" % (letter, letter) for letter in b"Total: 485") + b" ET",
        b" ".join(
            b"BT /F2 10 Tf %g 700 Td (%c) Tj ET BT /F2 10 Tf %g 700.2 Td (%c) Tj ET"
            % (72 + 6 * place, letter, 72.3 + 6 * place, letter)
            for place, letter in enumerate(b"Total: 485")
        ),
    ],
)
def test_text_that_is_drawn_again_at_nearly_the_same_place_is_read_once(content: bytes) -> None:
    assert page_text(content) == "Total: 485"


def test_a_copy_at_the_end_of_the_page_is_left_out() -> None:
    assert page_text(TITLE + OTHER + TITLE) == "Total: 485\nOther"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (BEGIN + b"(coo) Tj (ooo) Tj ET", "cooooo"),
        (BEGIN + b"[(l) -10 (l) -10 (l)] TJ ET", "lll"),
        (TITLE + b"q 1 0 0 1 100 0 cm " + TITLE + b"Q", "Total: 485 Total: 485"),
        (TITLE + b"q 1 0 0 1 0 -12 cm " + TITLE + b"Q", "Total: 485\nTotal: 485"),
        (BEGIN + b"(10) Tj 0 4 Td (10) Tj ET", "1010"),
    ],
    ids=["touching", "close", "beside", "below", "above"],
)
def test_the_same_letters_elsewhere_are_read(content: bytes, text: str) -> None:
    assert page_text(content) == text


@pytest.mark.parametrize("hidden", [b"3 Tr ", b"1 g ", b"1 1 1 rg 2 Tr 1 G "])
def test_a_copy_of_what_nobody_sees_is_read(hidden: bytes) -> None:
    """An outline of a title in white lies behind it, and text that was recognised behind what a program draws."""
    found = page_text(OTHER + b"q " + hidden + TITLE + b"Q " + TITLE)
    assert found == "Other\nTotal: 485"


def test_a_copy_of_what_is_painted_over_is_read() -> None:
    painted = b"1 1 0.9 rg 60 690 200 30 re f 0 g "
    assert page_text(TITLE + painted + TITLE) == "Total: 485"


def test_text_in_a_font_of_unknown_widths_is_read_once() -> None:
    file = PageFile()
    file.add("Font", "F2", {"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Foo"})
    assert file.read(TITLE + b"q 1 0 0 1 0.3 0 cm " + TITLE + b"Q").text == "Total: 485"
