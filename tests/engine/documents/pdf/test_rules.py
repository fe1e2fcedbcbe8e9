"""Cells of PDF tables that take several rows or columns give their text to each, where the lines around them say so."""

from __future__ import annotations

import pytest

from tests.engine.documents.pdf_pages import PageFile

# Where the columns of the table below begin, and its last one ends; and the heights of its lines.
SIDES = (70, 190, 310, 430)
ENDS = (715, 695, 675, 655)
CELLS = ((80, 700, "Region"), (200, 700, "City"), (320, 700, "Sum"), (80, 680, "North"), (200, 680, "Bergen"))
CELLS += ((320, 680, "11"), (200, 660, "Oslo"), (320, 660, "22"))
ALONE = "| Region | City | Sum |\n| --- | --- | --- |\n| North | Bergen | 11 |\n|  | Oslo | 22 |"
FILLED = ALONE.replace("|  |", "| North |")


def stroked(*lines: tuple[int, int, int, int]) -> str:
    """Return what draws lines: from the left and the bottom to the right and the top."""
    return "".join(f"{left} {bottom} m {right} {top} l S " for left, bottom, right, top in lines)


def filled(*lines: tuple[int, int, int, int]) -> str:
    """Return what draws lines as thin rectangles."""
    return "".join(
        f"{left} {bottom} {right - left or 0.5} {top - bottom or 0.5} re f " for left, bottom, right, top in lines
    )


LEVEL = [(SIDES[0], end, SIDES[-1], end) for end in ENDS]
UPRIGHT = [(side, ENDS[-1], side, ENDS[0]) for side in SIDES]
# The line between the last two rows begins beside the first column.
SHORT = (SIDES[1], ENDS[2], SIDES[-1], ENDS[2])
MERGED = (*LEVEL[:2], SHORT, LEVEL[3], *UPRIGHT)


def page_text(drawn: str, cells: tuple[tuple[int, int, str], ...] = CELLS) -> str:
    shown = "".join(f"1 0 0 1 {left} {bottom} Tm ({text}) Tj " for left, bottom, text in cells)
    return PageFile().read(f"0.5 w {drawn} BT /F1 12 Tf {shown}ET".encode()).text


@pytest.mark.parametrize(
    "drawn",
    [
        stroked(*MERGED),
        filled(*MERGED),
        stroked(*LEVEL[:2], (190, 675, 310, 675), (310, 675, 430, 675), LEVEL[3], *UPRIGHT),
        "70 655 360 60 re S " + stroked(LEVEL[1], SHORT, *UPRIGHT[1:3]),
    ],
    ids=["lines", "rectangles", "pieces", "frame"],
)
def test_a_cell_of_two_rows_gives_its_text_to_both(drawn: str) -> None:
    assert page_text(drawn) == FILLED


@pytest.mark.parametrize(
    "drawn",
    [
        "",
        stroked(*LEVEL, *UPRIGHT),
        stroked(*LEVEL[:2], LEVEL[3], *UPRIGHT),
        stroked(*LEVEL[:2], SHORT, *UPRIGHT),
        stroked(*LEVEL[:2], SHORT, LEVEL[3], *UPRIGHT[1:]),
        stroked(*MERGED, (70, 675, 110, 675)),
    ],
    ids=["no lines", "an empty cell", "lines of one row", "open below", "open beside", "half a line"],
)
def test_a_text_stays_alone_where_lines_do_not_say_what_its_cell_takes(drawn: str) -> None:
    assert page_text(drawn) == ALONE


def test_a_cell_of_two_columns_gives_its_text_to_both() -> None:
    cells = (*CELLS[:3], (80, 680, "Bonn"), (200, 680, "West"), (320, 680, "11"), (80, 660, "All"), (320, 660, "33"))
    text = "| Region | City | Sum |\n| --- | --- | --- |\n| Bonn | West | 11 |\n| All | %s | 33 |"
    # The upright line between the two ends above the last row.
    lines = (*LEVEL, UPRIGHT[0], (SIDES[1], ENDS[2], SIDES[1], ENDS[0]), *UPRIGHT[2:])
    assert page_text(stroked(*lines), cells) == text.replace("%s", "All")
    assert page_text(stroked(*LEVEL, UPRIGHT[0], *UPRIGHT[2:]), cells) == text.replace("%s", "")


def test_each_cell_may_have_a_border_of_its_own() -> None:
    """WeasyPrint fills what lies between two rectangles."""
    cells = [(left, bottom, left + 116, bottom + 16) for left in SIDES[:3] for bottom in (697, 677, 657)]
    borders = [cell for cell in cells if cell[:2] not in ((70, 677), (70, 657))] + [(70, 657, 186, 693)]
    drawn = "".join(
        f"{x + 1} {y + 1} {right - x - 2} {top - y - 2} re {x} {y} {right - x} {top - y} re f* "
        for x, y, right, top in borders
    )
    assert page_text(drawn) == FILLED


def test_a_cell_with_two_texts_gives_none_to_others() -> None:
    cells = (*CELLS[:6], (80, 660, "East"), *CELLS[6:])
    assert "| North | Bergen | 11 |\n| East | Oslo | 22 |" in page_text(stroked(*MERGED), cells)


def test_pages_with_very_many_lines_are_drawings() -> None:
    many = stroked(*((500, height, 590, height) for height in range(10, 210)))
    assert page_text(many * 25 + stroked(*MERGED)) == ALONE


def test_a_text_between_the_rows_of_its_cell_is_in_both() -> None:
    """ReportLab shows each cell by itself."""
    cells = (*CELLS[:3], (80, 674, "North"), *CELLS[4:])
    shown = "".join(
        f"q 1 0 0 1 {left} {bottom} cm BT /F1 12 Tf 12 TL 1 0 0 1 0 0 Tm ({text}) Tj T* ET Q "
        for left, bottom, text in cells
    )
    assert PageFile().read(f"0.5 w {stroked(*MERGED)} {shown}".encode()).text == FILLED
