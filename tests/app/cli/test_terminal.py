"""Text of models, the Hub and files reaches a terminal, a real pty, without control characters; tables fit."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from app.cli.terminal import format_bytes, print_table, shown, shown_on_terminals
from tests.app.cli.terminal import ATTACKED_CHAT, DRAWING, controls, on_a_terminal


def test_every_control_character_is_shown_as_a_sign() -> None:
    assert controls(shown("".join(map(chr, range(0x3000))))) == set()
    assert shown("a\tb\nc\r\nd") == "a\tb\nc\nd"
    assert shown("\x1b[2J") == "␛[2J"
    assert shown("한글 café 👩‍👩‍👧 עברית") == "한글 café 👩‍👩‍👧 עברית"


@pytest.mark.parametrize("kind", ["dumb", "xterm"])
def test_an_answer_reaches_a_terminal_without_control_characters(kind: str) -> None:
    code, written = on_a_terminal([sys.executable, "-c", ATTACKED_CHAT, "chat", "Hi"], kind)
    assert code == 0
    assert "PWNED" in written
    assert controls(DRAWING.sub("", written)) == set()


@pytest.mark.parametrize(
    "wrong", [*(pytest.param(name, marks=pytest.mark.full) for name in ("model", "prompts")), "argument"]
)
def test_errors_with_a_strangers_words_reach_a_terminal_without_control_characters(wrong: str, tmp_path: Path) -> None:
    arguments = {
        "model": ["chat", "Hi", "--main", f"{tmp_path}/\x1b[2J\x9b31m"],
        "prompts": ["bench", "--prompts", f"{tmp_path}/\x1b[2J\x9b31m"],
        "argument": ["chat", "Hi", "--method", "\x1b[2J\x9b31m"],
    }[wrong]
    code, written = on_a_terminal([sys.executable, "-m", "app", *arguments])
    assert code in (1, 2)
    # A bar may come before the error.
    said = written[written.index("tandem") :]
    assert "[2J" in said
    assert controls(said) == set()


def test_a_stream_that_is_no_terminal_stays_what_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    with shown_on_terminals():
        assert sys.stdout is out


ROWS = [("org/[model]", "4.6 GB", "main or draft"), ("한국어/모델", "1 kB", "")]


def test_in_a_pipe_every_row_is_one_line_without_trailing_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("MODEL", "SIZE", "USE"), [*ROWS, ("x" * 300, "?", "")], figures=("SIZE",))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split() for line in lines] == [
        ["MODEL", "SIZE", "USE"],
        ["org/[model]", "4.6", "GB", "main", "or", "draft"],
        ["한국어/모델", "1", "kB"],
        ["x" * 300, "?"],
    ]
    assert all(line == line.rstrip() for line in lines)


def test_figures_are_aligned_right_and_words_left(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("ARM", "tokens/s"), [("plain", "9.5"), ("draft, depth 4", "120.0")], figures=("tokens/s",))
    assert capsys.readouterr().out.splitlines() == [
        "ARM             tokens/s",
        "plain                9.5",
        "draft, depth 4     120.0",
    ]


def test_on_a_screen_a_long_cell_is_folded_and_nothing_is_cut(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    print_table(("MODEL", "SIZE"), [("x" * 60, "1 kB")])
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert sum(line.count("x") for line in lines) == 60


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_600, "1.0 MB"), (4_620_000_000, "4.6 GB"), (None, "-")],
)
def test_sizes_are_written_as_the_finder_writes_them(count: int | None, text: str) -> None:
    assert format_bytes(count) == text
