"""What is open when a part of a document breaks off ends with it, and what comes later is read."""

from __future__ import annotations

import pytest

from engine.documents.text.letters import Letters
from engine.documents.text.looks import PLAIN_LOOK, WHITE, Look, LookedRun
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.roles import (
    Footnote,
    HeadingBlock,
    Link,
    MergedDown,
    ParagraphBlock,
    Table,
    TableCell,
    TableRow,
)


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


def table_of(*rows: list[tuple[TableCell, str]]) -> MarkedText:
    text = MarkedText(2**14)
    text.start(Table())
    for cells in rows:
        text.start(TableRow())
        for cell, words in cells:
            text.start(cell)
            text.add(words)
            text.end(cell)
    text.end(Table())
    return text


PLAIN, BEGINS, GOES_ON = (TableCell(merged=merged) for merged in MergedDown)


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ([[(TableCell(rows=2), "x"), (PLAIN, "y")], [(PLAIN, "z")]], "| x | z |"),
        ([[(TableCell(2, 2), "x"), (PLAIN, "y")], [(PLAIN, "z")]], "| x |  | z |"),
        ([[(PLAIN, "x"), (TableCell(rows=2), "y")], [(PLAIN, "z")]], "| z | y |"),
        ([[(BEGINS, "x"), (PLAIN, "y")], [(GOES_ON, ""), (PLAIN, "z")]], "| x | z |"),
        ([[(PLAIN, "x"), (PLAIN, "y")], [(GOES_ON, ""), (PLAIN, "z")]], "|  | z |"),
        ([[(TableCell(2), "x"), (PLAIN, "y")], [(PLAIN, ""), (GOES_ON, ""), (PLAIN, "z")]], "|  |  | z |"),
        ([[(TableCell(rows=2), "x"), (TableCell(rows=2), "y")], []], "| --- | --- |"),
        ([[(TableCell(rows=2), "x" * 300), (PLAIN, "y")], [(PLAIN, "z")]], "|  | z |"),
    ],
    ids=["rows", "columns", "last", "marks", "none above", "beside", "only from above", "long"],
)
def test_a_merged_cell_has_its_text_in_each_row(rows: list[list[tuple[TableCell, str]]], last: str) -> None:
    assert str(table_of(*rows)).split("\n")[-1] == last


def test_what_is_under_a_merged_cell_is_counted() -> None:
    text = table_of([(BEGINS, "x"), (PLAIN, "y")], [(GOES_ON, "unseen"), (PLAIN, "z")])
    assert str(text).endswith("| x | z |\n\n[Left out: 1 hidden passage]")


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


def test_words_that_nobody_sees_are_one_passage_until_others_or_a_block_come() -> None:
    text = MarkedText(1000)
    text.add("Seen ")
    with text.shown_as(Look(colour=WHITE, background=WHITE)):
        text.add("one ")
        text.start(Link("https://example.com"))
        text.add("passage")
        text.end(Link("https://example.com"))
    text.add(" ")
    with text.shown_as(Look(is_hidden=True)):
        text.add("still")
    text.leave_out("deleted-text", "gone")
    text.leave_out("hidden-text", " ")
    with text.shown_as(Look(Letters(struck=True), points=1)):
        text.add("another")
    text.start(ParagraphBlock())
    text.leave_out("hidden-text", "a third")
    text.finish()
    assert str(text) == "Seen\n\n[Left out: 3 hidden passages, 1 deleted passage]"


def test_a_note_does_not_look_like_the_words_around_it() -> None:
    text = MarkedText(1000)
    with text.shown_as(Look(Letters(struck=True), points=1)):
        text.add("unseen")
        text.start(Footnote())
        text.add("seen")
        text.end(Footnote())
        text.add("unseen")
    text.finish()
    assert str(text) == "[^1]\n\n[^1]: seen\n\n[Left out: 2 hidden passages]"


def test_a_cell_has_the_runs_that_are_seen() -> None:
    text = MarkedText(1000)
    runs = [LookedRun("10", PLAIN_LOOK), LookedRun("6", Look(Letters(raised=True)))]
    assert text.seen_words([*runs, LookedRun("x", Look(is_hidden=True)), LookedRun("y", Look(points=1))]) == "10^6"
    assert text.left_out == {"hidden-text": 1}
