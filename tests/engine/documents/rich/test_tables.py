"""Cells of RTF tables are in their columns, which the ends of all cells make, and merged cells repeat their text."""

from __future__ import annotations

import pytest

from engine.documents.document import document_text


def row(*cells: str, ends: str) -> str:
    """Return a row whose cells end where `ends` says, each number after the words about its cell."""
    shape = "".join(f"\\cellx{end} " if end.isdigit() else f"\\{end} " for end in ends.split())
    return f"\\trowd {shape}\\pard\\intbl " + "".join(f"{cell}\\cell " for cell in cells) + "\\row "


WIDE = row("Wide", "C", ends="800 1200")
TALL = row("tall", "1", "2", ends="clvmgf 500 800 1200")
GOES_ON = row("", "3", "4", ends="clvmrg 500 800 1200")


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        (WIDE + TALL + GOES_ON, "| Wide |  | C |\n| --- | --- | --- |\n| tall | 1 | 2 |\n| tall | 3 | 4 |"),
        (row("a", "b", ends="490 1210") + row("c", "d", ends="500 1200"), "| a | b |\n| --- | --- |\n| c | d |"),
        (
            row("a", "b", ends="500 1200") + row("c", ends="trleft500 1200"),
            "| a | b |\n| --- | --- |\n|  | c |",
        ),
        (
            row("a", "b", ends="500 900") + "\\pard between\\par " + row("c", "d", ends="700 900"),
            "| a | b |\n| --- | --- |\n\nbetween\n\n| c | d |\n| --- | --- |",
        ),
    ],
    ids=["merged", "nearly the same ends", "begins later", "two tables"],
)
def test_cells_are_in_their_columns(rows: str, lines: str) -> None:
    text = document_text("a.rtf", f"{{\\rtf1 {rows}\\pard End.}}".encode(), 2**20).text
    assert text == f"{lines}\n\nEnd."
