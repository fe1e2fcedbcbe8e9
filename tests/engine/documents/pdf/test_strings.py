"""Gaps between the strings of a PDF page part words, and strings that touch are one word, whatever places them.

ISO 32000-2 moves the place of the next glyph by its width and by spacing (`Tc`, `Tw`; 9.3.2, 9.3.3), both stretched by
`Tz` (9.3.4), by the numbers of `TJ` (9.4.3), and by what places a line: `Td`, `TD`, `Tm`, `T*`, `'` and `"` (9.4.2),
the matrix of the page (`cm`, 8.4.4), and the beginning of a text object (`BT`, 9.4.1).
"""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import PageFile, stream

# Digits of Helvetica are 0.556 of its size wide, spaces 0.278.
BEGIN = b"BT /F1 10 Tf 72 700 Td "
FLIPPED = b"q 1 0 0 -1 0 800 cm BT /F1 10 Tf 1 0 0 -1 0 0 Tm "


@pytest.mark.parametrize(
    "content",
    [
        BEGIN + b"[(0) -4000 (853)] TJ ET",
        BEGIN + b"[(0) -300 (853)] TJ ET",
        BEGIN + b"40 Tw (0 853) Tj ET",
        BEGIN + b"40 Tc [(08) 4000 (5) 4000 (3)] TJ ET",
        BEGIN + b"4 Tc [(08) 400 (5) 400 (3)] TJ ET",
        BEGIN + b"40 Tc [(08) 4000 (5) 4000 (3)] TJ 0 Tc [-9] TJ ET",
        BEGIN + b"40 Tc (0) Tj [(8) 4000 (5) 4000 (3)] TJ ET",
        BEGIN + b"40 Tc (0) Tj 0 Tc (853) Tj ET",
        BEGIN + b"40 Tc (0) Tj 45.56 0 Td 0 Tc (853) Tj ET",
        BEGIN + b'12 TL 0 12 Td 0 40 (0) " 0 Tc (853) Tj ET',
        BEGIN + b"50 Tz 40 Tc [(08) 4000 (5) 4000 (3)] TJ ET",
        b"BT 4 Tc 10 0 0 10 72 700 Tm /F1 1 Tf [(08) 4000 (5) 4000 (3)] TJ ET",
        BEGIN + b"(0) Tj 45.6 0 Td (853) Tj ET",
        BEGIN + b"(0) Tj 8.6 0 Td (853) Tj ET",
        BEGIN + b"(0) Tj 45.6 0 TD (853) Tj ET",
        BEGIN + b"(0) Tj 1 0 0 1 120 700 Tm (853) Tj ET",
        BEGIN + b"12 TL (0) Tj 45.6 12 Td T* (853) Tj ET",
        BEGIN + b"12 TL (0) Tj 45.6 12 Td (853) ' ET",
        BEGIN + b'12 TL (0) Tj 45.6 12 Td 0 0 (853) " ET',
        BEGIN + b"(0) Tj ET BT 120 700 Td (853) Tj ET",
        BEGIN + b"(0) Tj ET BT 1 0 0 1 0 0 Tm 120 700 Td (853) Tj ET",
        BEGIN + b"(0) Tj ET q 1 0 0 1 45.6 0 cm BT /F1 10 Tf 72 700 Td (853) Tj ET Q",
        b"q 1 0 0 1 72 700 cm BT /F1 10 Tf (0) Tj ET Q q 1 0 0 1 120 700 cm BT /F1 10 Tf (853) Tj ET Q",
        BEGIN + b"50 Tz (0) Tj 5.78 0 Td (853) Tj ET",
        BEGIN + b"200 Tz (0) Tj 20 0 Td (853) Tj ET",
        FLIPPED + b"72 -100 Td (0) Tj 45.6 0 Td (853) Tj ET Q",
        FLIPPED + b"72 -100 Td (0) Tj ET BT 1 0 0 -1 0 0 Tm 120 -100 Td (853) Tj ET Q",
    ],
)
def test_words_that_stand_apart_are_two(content: bytes) -> None:
    assert PageFile().read(content).text == "0 853"


@pytest.mark.parametrize(
    "content",
    [
        BEGIN + b"[(0) -40 (853)] TJ ET",
        BEGIN + b"1 Tc [(08) 100 (53)] TJ ET",
        BEGIN + b"-1 Tc (0853) Tj ET",
        BEGIN + b"40 Tc (0) Tj [4000 (8) 4000 (5) 4000 (3)] TJ ET",
        BEGIN + b"40 Tc (0) Tj -20 0 Td 25.56 0 Td [(8) 4000 (5) 4000 (3)] TJ ET",
        BEGIN + b"5 Tc (0853) Tj ET",
        BEGIN + b"2 Tc (0) Tj (8) Tj (53) Tj ET",
        BEGIN + b"/F1 0 Tf 40 Tc ( ) Tj /F1 10 Tf 0 Tc (0853) Tj ET",
        BEGIN + b"(0) Tj 5.56 0 Td (853) Tj ET",
        BEGIN + b"5.56 0 Td (0) Tj -20 0 Td 25.56 0 Td (853) Tj ET",
        BEGIN + b"(0) Tj 1 0 0 1 77.6 700 Tm (853) Tj ET",
        BEGIN + b"12 TL (0) Tj 5.56 12 Td T* (853) Tj ET",
        BEGIN + b"(0) Tj ET BT 77.6 700 Td (853) Tj ET",
        BEGIN + b"(0) Tj ET BT 1 0 0 1 0 0 Tm 77.6 700 Td (853) Tj ET",
        BEGIN + b"(0) Tj ET q 1 0 0 1 5.56 0 cm BT /F1 10 Tf 72 700 Td (853) Tj ET Q",
        b"q 1 0 0 1 72 700 cm BT /F1 10 Tf (0) Tj ET Q q 1 0 0 1 77.56 700 cm BT /F1 10 Tf (853) Tj ET Q",
        BEGIN + b"50 Tz (0) Tj 2.78 0 Td (853) Tj ET",
        BEGIN + b"200 Tz (0) Tj 11.12 0 Td (853) Tj ET",
        FLIPPED + b"72 -100 Td (0) Tj 5.56 0 Td (853) Tj ET Q",
        FLIPPED + b"72 -100 Td (0) Tj ET BT 1 0 0 -1 0 0 Tm 77.56 -100 Td (853) Tj ET Q",
    ],
)
def test_strings_that_touch_are_one_word(content: bytes) -> None:
    assert PageFile().read(content).text == "0853"


def test_cells_that_only_spacing_parts_are_a_table() -> None:
    """macOS writes the gap to the next column as the spacing of the string that begins before it."""
    rows = "".join(
        f"BT 4.11 Tc 10 0 0 10 72 {height} Tm /F1 1 Tf [(0{first}) 4125 (,) 4125 (8) 4125 (5) 4125 (3)] TJ 0 Tc ET "
        f"BT -0.014 Tc 10 0 0 10 200 {height} Tm /F1 1 Tf [(31) -2624 (4,) -27 (052)] TJ ET "
        for height, first in ((700, 6), (688, 7))
    )
    text = "| 0 | 6,853 | 31 | 4,052 |\n| --- | --- | --- | --- |\n| 0 | 7,853 | 31 | 4,052 |"
    assert PageFile().read(rows.encode()).text == text


def test_gaps_by_spacing_part_glyphs_of_two_bytes() -> None:
    file = PageFile()
    glyphs = {"Type": "/Font", "Subtype": "/CIDFontType0", "BaseFont": "/A", "DW": 1000}
    font = {"Type": "/Font", "Subtype": "/Type0", "BaseFont": "/A", "Encoding": "/KSCms-UHC-H"}
    file.add("Font", "F1", {**font, "DescendantFonts": [file.refer(glyphs)]})
    assert file.read(BEGIN + "40 Tc [(계산) 4000 (서)] TJ ET".encode("cp949")).text == "계 산서"


def test_a_line_in_two_fonts_is_one_line() -> None:
    """Skia (Google Docs, Chrome) shows two scripts in two fonts, and places each piece by `Tm` and then by `Td`."""
    capitals = {0x14: "W", 0x15: "I", 0x16: "F", 0x17: "G"}
    small = {0x0A: "a", 0x0B: "n", 0x0C: "o", 0x0D: "e"}
    file = PageFile()
    for name, ascent, letters in (("F4", 880, capitals), ("F5", 1160, small)):
        glyphs = {
            "Type": "/Font",
            "Subtype": "/CIDFontType2",
            "BaseFont": f"/{name}",
            "DW": 1000,
            "FontDescriptor": {"Type": "/FontDescriptor", "FontName": f"/{name}", "Ascent": ascent},
        }
        mapped = "\n".join(f"<{code:04x}> <{ord(letter):04x}>" for code, letter in letters.items())
        font = {
            "Type": "/Font",
            "Subtype": "/Type0",
            "BaseFont": f"/{name}",
            "Encoding": "/Identity-H",
            "DescendantFonts": [file.refer(glyphs)],
            "ToUnicode": file.refer(stream(f"{len(letters)} beginbfchar\n{mapped}\nendbfchar".encode())),
        }
        file.add("Font", name, font)
    codes = {letter: ("F4", code) for code, letter in capitals.items()}
    codes |= {letter: ("F5", code) for code, letter in small.items()}
    content = "1 0 0 -1 0 800 cm q .75 0 0 .75 0 0 cm 1 1 1 RG 1 1 1 rg /G0 gs "
    for line, words in enumerate(("WaInFoGe", "IaF")):
        for place, letter in enumerate(words):
            font_name, code = codes[letter]
            down = 120 + 20 * line + (0.25 if font_name == "F5" else 0)
            shown = f"1 0 0 -1 0 0 Tm {96 + 16 * place} {-down} Td <{code:04x}> Tj"
            content += f"0 0 0 rg BT /{font_name} 16 Tf {shown} ET "
    assert file.read(f"{content} Q".encode()).text == "WaInFoGe\nIaF"
