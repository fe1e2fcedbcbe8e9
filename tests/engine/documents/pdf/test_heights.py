"""Raised and lowered digits of PDF pages change no number."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import PageFile

# Those of Helvetica, in sizes of the font; digits and most letters have the same.
WIDTHS = {" ": 0.278, ".": 0.278, "I": 0.278, "-": 0.333, "m": 0.833, "x": 0.5}


def page_text(*pieces: tuple[str, int, int]) -> str:
    """Return what is read of words that follow each other: each with its size, and how far it is raised."""
    shown = ""
    left = 72.0
    for words, size, raised in pieces:
        shown += f"/F1 {size} Tf 1 0 0 1 {left} {700 + raised} Tm ({words}) Tj "
        left += size * sum(WIDTHS.get(letter, 0.556) for letter in words)
    return PageFile().read(f"BT {shown}ET".encode()).text


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        ([("3 x 10", 12, 0), ("5", 8, 5), (" per mL", 12, 0)], "3 x 10^5 per mL"),
        ([("10", 12, 0), ("-9", 8, 5), (" M", 12, 0)], "10^-9 M"),
        ([("101", 12, 0), ("2", 8, -3)], "101_2"),
        ([("H", 12, 0), ("2", 8, -3), ("O", 12, 0)], "H2O"),
        ([("10", 12, 0), ("5", 12, 0)], "105"),
        ([("10", 12, 0), ("th", 8, 5)], "10th"),
        ([("10", 12, 0), ("5", 8, 0)], "105"),
        ([("See x", 12, 0), ("4, 5", 8, 5), (" there", 12, 0)], "See x^(4, 5) there"),
    ],
    ids=["raised", "with a sign", "lowered", "letter", "alike", "word", "only small", "words"],
)
def test_digits_above_and_below_the_line_are_marked(pieces: list[tuple[str, int, int]], text: str) -> None:
    assert page_text(*pieces) == text


def test_digits_that_are_raised_above_their_own_line_are_marked() -> None:
    raised = b"BT /F1 12 Tf 72 700 Td (Count 10) Tj /F1 7 Tf 4 Ts (6) Tj 0 Ts /F1 12 Tf ( cells) Tj ET"
    assert PageFile().read(raised).text == "Count 10^6 cells"


def test_digits_after_a_full_stop_of_a_number_are_not_of_it() -> None:
    assert page_text(("In 2019.", 12, 0), ("3", 8, 5), (" Then", 12, 0)) == "In 2019.^3 Then"
    assert page_text(("40 m", 12, 0), ("2", 8, 5), (" of floor", 12, 0)) == "40 m^2 of floor"
