"""What an answer has in angle brackets is on the terminal: only tags that set text are none of its words."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from app.cli.rendered import MarkdownText


@pytest.fixture(autouse=True)
def every_piece_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.cli.rendered._DRAW_EVERY_S", 0)
    monkeypatch.setenv("COLUMNS", "60")


def printed(pieces: Sequence[str]) -> list[str]:
    """Return the lines on the screen at the end; what is drawn anew leaves nothing in a stream that is no terminal."""
    stream = io.StringIO()
    growing = MarkdownText(stream)
    for piece in pieces:
        growing.write(piece)
    growing.end()
    return [line.rstrip() for line in stream.getvalue().strip("\n").split("\n")]


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("Run `git` clone <url>: a<b and c>d.", ["Run git clone <url>: a<b and c>d."]),
        ("<T> is a type, as in Vec<String>.", ["<T> is a type, as in Vec<String>."]),
        ("<div>hello</div>\n\nend", ["<div>hello</div>", "", "end"]),
        ("<name>\n<value>3</value>\n</name>", ["<name> <value>3</value> </name>"]),
        ("Press <kbd>K</kbd><br>and <b>wait</b>: H<sub>2</sub>O.", ["Press K", "and wait: H2O."]),
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("One.\n\n<!-- unseen\n\nunseen -->\n\nTwo.", ["One.", "", "Two."]),
        ("One.\n\n<!-- not\n\nclosed", ["One.", "", "<!-- not", "", "closed"]),
        ("| A<br>B |\n|---|\n| <x> |", [" A", " B", " ───", " <x>"]),
        ("<https://example.org>", ["https://example.org (https://example.org)"]),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_no_words_are_lost(answer: str, lines: list[str], size: int) -> None:
    assert printed([answer[at : at + size] for at in range(0, len(answer), size)]) == lines
