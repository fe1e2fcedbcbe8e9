"""Tables: one line a row in a pipe, within the width of a terminal."""

from __future__ import annotations

import sys

import pytest

from app.cli.tables import format_bytes, print_table

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
