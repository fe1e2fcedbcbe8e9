"""Of a table, the rows that fit are shown; the others are counted, and so are columns far to the right."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from engine.documents.text.fitting_rows import MOST_COLUMNS, FittingRows

TABLE = "| a | b |\n| --- | --- |\n| c\\|d |  |\n| e |  |"


@pytest.mark.parametrize("most", range(len(TABLE) + 2))
def test_as_many_lines_are_shown_as_fit(most: int) -> None:
    rows = FittingRows(most)
    for row in (["a", "b", ""], ["", " "], ["c|d"], ["e", "\n"]):
        rows.add(row)
    whole = TABLE.split("\n")
    fitting = [count for count in (0, 2, 3, 4) if len("\n".join(whole[:count])) <= most]
    assert (rows.lines(most), rows.count) == (whole[: fitting[-1]], 3)


def test_columns_beyond_those_that_are_shown_are_counted() -> None:
    cells = "<td>" * MOST_COLUMNS
    page = f"<table><tr><td>a<td>b{cells}c<tr><td>d<td>e</table>".encode()
    text = document_text("a.html", page, 2**20).text
    assert text.endswith("\n\n[Left out: 2 hidden columns]")


def test_a_table_that_only_places_things_keeps_the_lines_of_its_texts() -> None:
    rows = FittingRows(100)
    rows.add(["", "a\n\nb"])
    assert (rows.is_table, rows.blocks) == (False, ["a\n\nb"])
