"""Lines and tables of PDF pages are found however the file places their words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.documents.pdf_pages import PageFile

ROWS = (("Ann", "Monday"), ("Bob", "Tuesday"))
TABLE = "| Ann | Monday |\n| --- | --- |\n| Bob | Tuesday |"


def moved(first: str, second: str, height: int) -> str:
    return f"1 0 0 1 50 {height} Tm ({first}) Tj 1 0 0 1 250 {height} Tm ({second}) Tj "


def kerned(first: str, second: str, height: int) -> str:
    return f"1 0 0 1 50 {height} Tm [({first}) -12000 ({second})] TJ "


def uneven(first: str, second: str, height: int) -> str:
    return f"1 0 0 1 50 {height} Tm ({first}) Tj 1 0 0 1 250 {height + 1} Tm ({second}) Tj "


@pytest.mark.parametrize("row", [moved, kerned, uneven])
def test_a_table_is_found_however_its_cells_are_placed(row: Callable[[str, str, int], str]) -> None:
    content = "".join(row(*cells, 700 - 20 * number) for number, cells in enumerate(ROWS))
    assert PageFile().read(f"BT /F1 12 Tf {content} ET".encode()).text == TABLE


@pytest.mark.parametrize(
    "shown",
    [
        "14 TL (one) Tj T* (two) Tj T* (three) Tj",
        "(one) Tj 0 -14 Td (two) Tj 0 -14 Td (three) Tj",
        "[(o) -30 (ne)] TJ 0 -14 TD [(two)] TJ T* [(three)] TJ",
        "14 TL (one) Tj (two) ' (three) '",
    ],
    ids=["next lines", "moves", "kerned", "with their own moves"],
)
def test_lines_are_lines_however_they_are_placed(shown: str) -> None:
    found = PageFile().read(f"BT /F1 12 Tf 50 700 Td {shown} ET".encode())
    assert found.text == "one\ntwo\nthree"


@pytest.mark.parametrize(
    "matrix", ["0 1 -1 0 50 100", "0 -1 1 0 50 400", "-1 0 0 -1 300 400", "0.7 0.7 -0.7 0.7 50 100"]
)
def test_turned_lines_are_read(matrix: str) -> None:
    shown = f"BT /F1 12 Tf {matrix} Tm 14 TL (turned words) Tj T* (and a line) Tj ET"
    assert PageFile().read(shown.encode()).text == "turned words\nand a line"


def test_lines_of_a_page_that_is_turned_are_in_their_order() -> None:
    for degrees, matrix in ((90, "0 1 -1 0 100 100"), (180, "-1 0 0 -1 500 700"), (270, "0 -1 1 0 100 700")):
        file = PageFile()
        file.page.rotate(degrees)
        shown = "".join(f"(the line with the number {number}) Tj T* " for number in range(4))
        text = file.read(f"BT /F1 12 Tf {matrix} Tm 30 TL {shown}ET".encode()).text
        assert text == "\n".join(f"the line with the number {number}" for number in range(4)), degrees


def test_turned_words_over_columns_are_read_from_the_left() -> None:
    heads = "".join(f"0 -1 1 0 {100 + 30 * place} 700 Tm ({name}) Tj " for place, name in enumerate(("Dutch", "Welsh")))
    assert PageFile().read(f"BT /F1 10 Tf {heads}ET".encode()).text == "Dutch\nWelsh"
