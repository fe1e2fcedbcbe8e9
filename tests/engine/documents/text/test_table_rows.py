"""Cells that take later rows do not make rows longer without end."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text
from engine.documents.text import table_rows


def test_rows_below_many_cells_that_take_all_later_rows_have_a_limited_number_of_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else each row would be longer than the one before, and such a page cost the square of its rows."""
    monkeypatch.setattr(table_rows, "MOST_COLUMNS", 4)
    rows = "".join(f"<tr><td rowspan=30000>a{number}<td>b{number}" for number in range(9))
    text = document_text("a.html", f"<table>{rows}</table>".encode(), 2**20).text
    assert text.splitlines()[-1] == "| a0 | a1 | a2 | a3 | a8 | b8 |"
    assert [number for number in range(9) if f"a{number} | b{number} |" not in text] == []
