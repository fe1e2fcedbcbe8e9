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


def test_a_line_in_two_fonts_is_one_line() -> None:
    """Skia (Google Docs, Chrome) shows kanji and kana in two fonts, and places each piece by `Tm` and then by `Td`."""
    kanji = {0x14: "私", 0x15: "冬", 0x16: "餌", 0x17: "集"}
    kana = {0x0A: "は", 0x0B: "の", 0x0C: "を", 0x0D: "め"}
    file = PageFile()
    for name, ascent, letters in (("F4", 880, kanji), ("F5", 1160, kana)):
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
            "ToUnicode": file.refer(stream(f"1 beginbfchar\n{mapped}\nendbfchar".encode())),
        }
        file.add("Font", name, font)
    codes = {letter: ("F4", code) for code, letter in kanji.items()}
    codes |= {letter: ("F5", code) for code, letter in kana.items()}
    content = "1 0 0 -1 0 800 cm q .75 0 0 .75 0 0 cm 1 1 1 RG 1 1 1 rg /G0 gs "
    for line, words in enumerate(("私は冬の餌を集め", "冬は餌")):
        for place, letter in enumerate(words):
            font_name, code = codes[letter]
            down = 120 + 20 * line + (0.25 if font_name == "F5" else 0)
            shown = f"1 0 0 -1 0 0 Tm {96 + 16 * place} {-down} Td <{code:04x}> Tj"
            content += f"0 0 0 rg BT /{font_name} 16 Tf {shown} ET "
    assert file.read(f"{content} Q".encode()).text == "私は冬の餌を集め\n冬は餌"
