"""The letters of PDF text: what fonts only draw in another way is read as the letters that it stands for."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import HELVETICA, PageFile, stream

LINE = b"BT /F1 12 Tf 72 700 Td 14 TL "


def mapped_text(content: bytes, characters: dict[str, str]) -> str:
    """Return what is read of a content whose font maps some of its letters to other characters."""
    lines = "\n".join(f"<{ord(code):02x}> <{text.encode('utf-16-be').hex()}>" for code, text in characters.items())
    file = PageFile()
    to_unicode = file.refer(stream(f"1 beginbfchar\n{lines}\nendbfchar".encode()))
    file.add("Font", "F1", {**HELVETICA, "ToUnicode": to_unicode})
    return file.read(LINE + content + b" ET").text


@pytest.mark.parametrize(
    ("ligature", "letters"),
    [
        ("\ufb00", "ff"),
        ("\ufb01", "fi"),
        ("\ufb02", "fl"),
        ("\ufb03", "ffi"),
        ("\ufb04", "ffl"),
        ("\ufb05", "ſt"),
        ("\ufb06", "st"),
    ],
)
def test_ligatures_are_read_as_their_letters(ligature: str, letters: str) -> None:
    assert mapped_text(b"(de1n) Tj", {"1": ligature}) == f"de{letters}n"


def test_glyphs_of_small_capitals_and_old_style_digits_are_read_as_letters_and_digits() -> None:
    names = ["/Csmall", "/twooldstyle", "/Eacutesmall", "/ff"]
    file = PageFile()
    file.add("Font", "F1", {**HELVETICA, "Encoding": {"Differences": [ord("1"), *names]}})
    assert file.read(LINE + b"(A1 202 3 o4) Tj ET").text == "Ac 202 é off"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"(Wert~papier) Tj", "Wertpapier"),
        (b"(Po~) Tj T* (litik in Kiel) Tj", "Politik in Kiel"),
        (b"(Po~ ) Tj T* (litik) Tj", "Politik"),
        (b"(WERT~) Tj T* (PAPIER) Tj", "WERTPAPIER"),
        (b"(\xc4~) Tj T* (\xf6d) Tj", "Äöd"),
        (b"(2030~2031) Tj", "2030-2031"),
        (b"(~5) Tj", "-5"),
        (b"(3 ~ 5) Tj", "3 - 5"),
        (b"(2030~) Tj T* (2031) Tj", "2030-\n2031"),
        (b"(Baden~) Tj T* (W\xfcrttemberg) Tj", "Baden-\nWürttemberg"),
        (b"(E~Mail) Tj", "E-Mail"),
        (b"(Po~) Tj", "Po-"),
    ],
    ids=[
        "within a word",
        "at the end of a line",
        "before a space",
        "capitals",
        "letters with marks",
        "between numbers",
        "before a number",
        "alone",
        "between numbers of two lines",
        "before a name",
        "after one letter",
        "at the end of the page",
    ],
)
def test_soft_hyphens_join_the_parts_of_a_word_and_are_hyphens_elsewhere(content: bytes, text: str) -> None:
    assert mapped_text(content, {"~": "\u00ad"}) == text


def test_a_word_keeps_the_hyphen_at_the_end_of_a_line_that_it_has_elsewhere() -> None:
    content = b"(We fine-tune all fine-) Tj T* (tuning and fine-) Tj T* (tune trans-) Tj T* (formers) Tj"
    assert mapped_text(content, {}) == "We fine-tune all finetuning and fine-tune transformers"


@pytest.mark.parametrize("content", [b"(Baden-) Tj T* (Berlin) Tj", b"(2030-) Tj T* (2031) Tj"])
def test_a_hyphen_at_the_end_of_a_line_stays_before_names_and_numbers(content: bytes) -> None:
    assert mapped_text(content, {}).replace("\n", "") in ("Baden-Berlin", "2030-2031")


@pytest.mark.parametrize("named", [{}, {"BaseFont": "/ABCDEF+DejaVuSans", "Name": "/ABCDEF+DejaVuSans"}])
def test_letters_of_fonts_that_are_drawings_are_read(named: dict[str, str]) -> None:
    """Programs that draw charts, such as Matplotlib, write their labels in such fonts, without a map (Type 3)."""
    file = PageFile()
    glyph = file.refer(stream(b"500 0 0 0 500 700 d1 0 0 500 700 re f"))
    font = {
        "Type": "/Font",
        "Subtype": "/Type3",
        "FontBBox": [0, 0, 500, 700],
        "FontMatrix": [0.001, 0, 0, 0.001, 0, 0],
        "FirstChar": 48,
        "LastChar": 97,
        "Widths": [500] * 50,
        "Encoding": {"Type": "/Encoding", "Differences": [48, "/zero", "/one", 97, "/a"]},
        "CharProcs": dict.fromkeys(("zero", "one", "a"), glyph),
        **named,
    }
    file.add("Font", "F2", font)
    assert file.read(b"BT /F2 12 Tf 72 700 Td (a10) Tj ET").text == "a10"


def test_a_very_long_word_beside_a_soft_hyphen_is_read_within_bounds() -> None:
    """Chinese and Japanese have no spaces: what begins anew at each letter of a line takes the square of its length."""
    found = mapped_text(b"(Po~) Tj T* (litik) Tj T* (%s) Tj" % (b"a" * 200_000), {"~": "\u00ad"})
    assert found.startswith("Politik\naaa")
