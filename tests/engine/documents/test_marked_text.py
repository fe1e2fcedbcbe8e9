"""What is open when a part of a document breaks off ends with it, and what comes later is read."""

from __future__ import annotations

import pytest

from engine.documents.marked_text import MarkedText
from engine.documents.roles import Footnote, HeadingBlock, Link, ParagraphBlock, Table, TableCell, TableRow


def test_words_after_a_link_that_broke_off_are_read() -> None:
    text = MarkedText(2**10)
    text.start(Link("https://example.org"))
    text.add("first")
    text.finish()
    text.add_blocks("second")
    assert str(text) == "[first](https://example.org)\n\nsecond"


def test_a_note_in_a_cell_that_broke_off_is_a_note() -> None:
    text = MarkedText(2**10)
    text.start(Table())
    text.start(TableRow())
    for words in ("a", "b"):
        text.start(TableCell())
        text.add(words)
    text.start(Footnote())
    text.add("why")
    text.finish()
    assert str(text) == "| a | b[^1] |\n| --- | --- |\n\n[^1]: why"


@pytest.mark.parametrize(("columns", "rows"), [(1, 2), (2, 2)])
def test_cells_of_earlier_rows_keep_their_columns(columns: int, rows: int) -> None:
    text = MarkedText(2**10)
    text.start(Table())
    for cells in ([TableCell(columns, rows), TableCell()], [TableCell()]):
        text.start(TableRow())
        for cell in cells:
            text.start(cell)
            text.add("x")
            text.end(cell)
    text.end(Table())
    empty = " |" + "  |" * columns
    assert str(text).split("\n")[2] == f"{empty[1:]} x |"


def test_a_heading_goes_on_after_a_note() -> None:
    text = MarkedText(2**10)
    heading = HeadingBlock(2, "1.")
    text.start(heading)
    text.add("Price")
    text.start(Footnote())
    text.add("net")
    text.end(Footnote())
    text.add(" list")
    text.end(heading)
    text.finish()
    assert str(text) == "## 1. Price[^1] list\n\n[^1]: net"


def test_a_heading_whose_link_has_a_block_stays_a_heading() -> None:
    """As `<h2><a href="..."><div>Title</div></a></h2>`, which pages of news have."""
    text = MarkedText(2**10)
    heading = HeadingBlock(2, "")
    link = Link("https://example.org")
    text.start(heading)
    text.start(link)
    text.start(ParagraphBlock())
    text.add("Title")
    text.end(ParagraphBlock())
    text.end(link)
    text.end(heading)
    text.finish()
    assert str(text) == "## [Title](https://example.org)"
