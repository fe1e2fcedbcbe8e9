"""Cells that take several rows leave their text in each of them, and nothing after the last."""

from __future__ import annotations

from engine.documents.text.merged_cells import MergedCells


def test_a_text_is_in_each_row_that_its_cell_takes() -> None:
    merged = MergedCells()
    merged.keep(2, "North", 3)
    rows: list[list[str]] = [["a"], ["b", "under"], ["c"]]
    covered = [merged.fill(number, texts) for number, texts in enumerate(rows, 2)]
    assert (rows, covered) == ([["a", "North"], ["b", "North"], ["c"]], [0, 1, 0])


def test_a_long_text_is_not_repeated() -> None:
    merged = MergedCells()
    merged.keep(1, "x" * 1000, 2)
    texts = [""]
    merged.fill(2, texts)
    assert texts == [""]
