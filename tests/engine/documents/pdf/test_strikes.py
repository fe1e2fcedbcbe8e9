"""Struck words of PDF pages are marked where a line surely strikes them, and other lines mark nothing."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import HELVETICA, PageFile, stream

# A font of which each glyph is half as wide as it is high.
EVEN = {**HELVETICA, "FirstChar": 32, "LastChar": 126, "Widths": [500] * 95}
# "Price 100 EUR 80 EUR": glyphs of 5 points, so that "100 EUR" takes the points from 102 to 137.
PRICES = b"BT /F1 10 Tf 72 700 Td (Price 100 EUR 80 EUR) Tj ET "


def page_text(content: bytes, font: dict[str, object] = EVEN) -> str:
    file = PageFile()
    file.add("Font", "F1", font)
    file.add("ExtGState", "Clear", {"CA": 0, "ca": 0})
    return file.read(content).text


@pytest.mark.parametrize(
    "content",
    [
        PRICES + b"102 703 m 137 703 l S",
        PRICES + b"137 703 m 102 703 l S",
        b"102 703 m 137 703 l S " + PRICES,
        PRICES + b"102 702.5 35 0.6 re f",
        PRICES + b"1 0 0 RG 101 703 m 138 703 l S",
        PRICES + b"102 702 m 137 702 l S 102 704 m 137 704 l S",
        PRICES + b"102 703 m 117 703 l S 117 703 m 137 703 l S",
        PRICES + b"102 703 m 142 703 l S",
        PRICES + b"q 1 0 0 1 102 700 cm 0 3 m 35 3 l S Q",
        b"BT /F1 10 Tf 72 700 Td [(Price ) (100 E) -0.1 (UR) ( 80 EUR)] TJ ET 102 703 m 137 703 l S",
        b"BT /F1 10 Tf 72 700 Td (Price 100) Tj ( EUR 80 EUR) Tj ET 102 703 m 137 703 l S",
        b"BT /F1 10 Tf 72 712 Td 12 TL (Price 100 EUR 80 EUR) ' ET 102 703 m 137 703 l S",
        b"BT /F1 1 Tf 10 0 0 10 72 700 Tm (Price 100 EUR 80 EUR) Tj ET 102 703 m 137 703 l S",
        b"BT /F1 20 Tf 50 Tz 72 700 Td (Price 100 EUR 80 EUR) Tj ET 102 706 m 137 706 l S",
        b"BT /F1 8 Tf 1 Tc 72 700 Td (Price 100 EUR 80 EUR) Tj ET 102 703 m 136 703 l S",
        b"BT /F1 10 Tf 72 700 Td (Price 100) Tj 5 Tw ( ) Tj 0 Tw (EUR 80 EUR) Tj ET 102 703 m 142 703 l S",
    ],
)
def test_struck_words_are_marked(content: bytes) -> None:
    assert page_text(content) == "Price ~~100 EUR~~ 80 EUR"


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"102 699 m 137 699 l S",
        b"102 701 m 137 701 l S",
        b"102 711 m 137 711 l S",
        b"50 703 m 550 703 l S",
        b"102 703 m 300 703 l S",
        b"109 703 m 110 703 l S",
        b"1 1 1 RG 102 703 m 137 703 l S",
        b"/Clear gs 102 703 m 137 703 l S",
        b"102 700 m 137 706 l S",
        b"500 703 m 535 703 l S",
        b"0 0 60 800 re W n 102 703 m 137 703 l S",
    ],
    ids=lambda line: line.decode() or "nothing",
)
def test_other_lines_mark_nothing(line: bytes) -> None:
    assert page_text(PRICES + line) == "Price 100 EUR 80 EUR"


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("Helvetica", 97.56, 138.13),
        ("Helvetica-BoldOblique", 99.24, 139.81),
        ("Times-Italic", 96.16, 133.1),
        ("Courier", 108, 150),
    ],
)
def test_fonts_that_every_reader_has_need_no_widths_in_the_file(name: str, left: float, right: float) -> None:
    """The places are those at which ReportLab draws its lines through the words."""
    line = f"{left} 702.5 m {right} 702.5 l S ".encode()
    assert page_text(line + PRICES, {**HELVETICA, "BaseFont": f"/{name}"}) == "Price ~~100 EUR~~ 80 EUR"


def test_glyphs_of_composite_fonts_are_struck_by_their_own_widths() -> None:
    file = PageFile()
    mapped = b"1 beginbfrange <0041> <0044> <0041> endbfrange"
    glyphs = {"Subtype": "/CIDFontType2", "DW": 500, "W": [0x41, [1000], 0x42, 0x43, 2000]}
    font = {"Subtype": "/Type0", "Encoding": "/Identity-H", "DescendantFonts": [glyphs]}
    file.add("Font", "F1", {**font, "ToUnicode": file.refer(stream(mapped))})
    # A has 10 points, B and C 20 each, D has 5.
    words = b"BT /F1 10 Tf 72 700 Td <0041004200430044> Tj ET "
    assert file.read(words + b"82 703 m 122 703 l S").text == "A~~BC~~D"


def test_struck_words_of_a_table_are_marked_in_its_cells() -> None:
    cells = ((72, 700, b"Fee"), (300, 700, b"Monthly"), (72, 680, b"Hose"), (300, 680, b"Yearly"))
    shown = b"".join(b"BT /F1 10 Tf %d %d Td (%b) Tj ET " % cell for cell in cells)
    text = page_text(shown + b"300 703 m 335 703 l S")
    assert text == "| Fee | ~~Monthly~~ |\n| --- | --- |\n| Hose | Yearly |"
