"""Lines of a growing text break between words on a terminal, a real pty, and nowhere else."""

from __future__ import annotations

import fcntl
import io
import itertools
import os
import pty
import struct
import sys
import termios
from collections.abc import Iterable
from typing import TextIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from app.cli.answers import TextOutput
from app.cli.word_wrap import WrappedText, say
from engine import Finished, RequestStats

PROSE = "A small draft model proposes tokens, and the main model keeps those that it would have written itself."


def terminal_of(columns: int) -> tuple[int, int]:
    """Both ends of a pty of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    return ours, theirs


def received(ours: int, stream: TextIO) -> list[str]:
    """The lines that were written to the other end."""
    stream.flush()
    # What was written comes before the mark.
    os.write(stream.fileno(), b"\x04")
    found = b""
    while not found.endswith(b"\x04"):
        found += os.read(ours, 65536)
    os.close(ours)
    return found[:-1].decode().replace("\r\n", "\n").split("\n")


def on_screen(pieces: Iterable[str], columns: int) -> list[str]:
    """The lines that a terminal of this width is sent."""
    ours, theirs = terminal_of(columns)
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        text = WrappedText(stream)
        for piece in pieces:
            text.write(piece)
        text.end()
        return received(ours, stream)


def test_no_word_is_broken_at_the_right_edge() -> None:
    lines = on_screen(PROSE, 24)
    assert max(map(len, lines)) <= 24
    assert len(lines) == 5
    assert " ".join(lines) == PROSE


def test_a_message_is_not_broken_either(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = terminal_of(24)
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        say(PROSE)
        *lines, last = received(ours, stream)
    assert max(map(len, lines)) <= 24
    assert (" ".join(lines), last) == (PROSE, "")


def test_a_word_that_ends_at_the_edge_stays_on_its_line() -> None:
    assert on_screen(["abc def", " ghi"], 7) == ["abc def", "ghi"]
    assert on_screen(["abc ", "defg"], 7) == ["abc", "defg"]


def test_a_word_that_is_wider_than_the_terminal_is_left_to_it() -> None:
    assert on_screen(["see https://example.org/a/long/path or not"], 9) == [
        "see",
        "https://example.org/a/long/path or",
        "not",
    ]


def test_code_is_left_as_it_is() -> None:
    code = "```python\nreturn [value for value in values]\n```"
    assert "\n".join(on_screen(f"So:\n{code}\nand words after it", 12)) == f"So:\n{code}\nand words\nafter it"


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("下書きのトークン。", 8, ["下書きの", "トーク", "ン。"]),
        ("草稿模型生成草稿 token。", 10, ["草稿模型生", "成草稿", "token。"]),
        ("초안 모델은 작아요.", 9, ["초안", "모델은", "작아요."]),
    ],
)
def test_wide_characters_take_two_columns_and_break_as_their_language_does(
    text: str, columns: int, lines: list[str]
) -> None:
    assert on_screen(text, columns) == lines


@settings(max_examples=40, deadline=None)
@given(
    text=st.text(alphabet="ab  \n。漢한`", max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=6),
    columns=st.integers(3, 20),
)
def test_the_lines_do_not_depend_on_the_pieces_and_nothing_is_lost(text: str, cuts: list[int], columns: int) -> None:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    lines = on_screen((text[start:end] for start, end in itertools.pairwise(places)), columns)
    assert lines == on_screen([text], columns)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        assert cell_len(line) <= columns or "```" in text or max(map(cell_len, line.split())) > columns


def test_an_answer_and_its_figures_are_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    stats = RequestStats(generated_tokens=40, drafted=30, accept_rate=0.5, tokens_per_round=3.1, ttft_s=0.05)
    ours, theirs = terminal_of(30)
    with os.fdopen(theirs, "w") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        monkeypatch.setattr("sys.stderr", stream)
        TextOutput().event(Finished("stop", PROSE, (), stats))
        lines = received(ours, stream)
    assert max(map(len, lines)) <= 30
    assert " ".join(lines) == (
        f"{PROSE} [40 tokens, 50% accepted, 3.1 tokens per round instead of 1, first token 0.05 s] "
    )


def test_a_pipe_gets_the_text_as_it_is() -> None:
    stream = io.StringIO()
    text = WrappedText(stream)
    for piece in (PROSE[:7], PROSE[7:], "  \n"):
        text.write(piece)
        assert PROSE.startswith(stream.getvalue()) or stream.getvalue() == f"{PROSE}  \n"
    text.end()
    assert stream.getvalue() == f"{PROSE}  \n"
