"""Markdown as it is on the screen of a terminal that draws every piece of it."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest

from app.cli.rendered import MarkdownText


@pytest.fixture
def every_piece_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand for a terminal of 60 columns on which every piece is drawn."""
    monkeypatch.setattr("app.cli.rendered._DRAW_EVERY_S", 0)
    for name, value in {"COLUMNS": "60", "LINES": "25", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)


def printed(pieces: Sequence[str]) -> str:
    """Return what is on the screen at the end; what is drawn anew leaves nothing in a stream that is no terminal."""
    stream = io.StringIO()
    growing = MarkdownText(stream)
    for piece in pieces:
        growing.write(piece)
    growing.end()
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


def printed_lines(pieces: Sequence[str]) -> list[str]:
    """Return the lines on the screen, from the first that is not empty to the last."""
    return printed(pieces).strip("\n").split("\n")
