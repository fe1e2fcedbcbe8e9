"""Downloads watched from a terminal: a bar that keeps to its width, and a cursor that comes back."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from app.cli import downloads
from engine.hub.download_state import DownloadStatus

LOADING = DownloadStatus("org/m", "downloading", 5 * 10**8, 10**9, 2.5e7)
READY = replace(LOADING, state="ready", bytes_done=10**9, path=Path("/cache/org/m"))
SHOW_CURSOR = "\x1b[?25h"


class Queue:
    """Two downloads, "a" and "b", that go through these states together."""

    def __init__(self, *states: DownloadStatus) -> None:
        self.states = list(states)

    def status(self, name: str) -> DownloadStatus:
        state = self.states[0]
        if name == "b" and len(self.states) > 1:
            self.states.pop(0)
        return replace(state, repository=name)


def follow(queue: Queue, monkeypatch: pytest.MonkeyPatch, sleep: Callable[[float], None] = lambda _: None) -> bool:
    """Watch both downloads on a terminal, with no time between two polls."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(downloads, "time", SimpleNamespace(sleep=sleep))
    return downloads.follow(queue, ["a", "b"], as_json=False)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [20, 120])
def test_the_bar_keeps_to_its_width(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert follow(Queue(LOADING, READY), monkeypatch)
    out, err = capsys.readouterr()
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", err)
    assert all(len(line) <= width for line in re.split(r"[\r\n]", drawn))
    assert width < 120 or "1,000 of 2,000 MB, 50.0 MB/s, 0:20 left" in drawn
    assert out.splitlines() == ["a is ready: /cache/org/m", "b is ready: /cache/org/m"]
    assert SHOW_CURSOR in err


def test_the_bar_says_that_it_connects_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert follow(Queue(replace(LOADING, attempt=2), READY), monkeypatch)
    assert "reconnecting (2)" in capsys.readouterr().err


def test_ctrl_c_gives_the_cursor_back(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follow(Queue(LOADING), monkeypatch, sleep=interrupt)
    err = capsys.readouterr().err
    assert SHOW_CURSOR in err
    assert err.splitlines()[-1].endswith("run the same command to resume.")


@pytest.mark.parametrize(("reached", "figure"), [((1, 4), "25%"), ((0, 0), ""), ((0, 4), "")])
def test_a_load_is_watched_until_it_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], reached: tuple[int, int], figure: str
) -> None:
    """No figure stands before anything is read."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    loading: Future[Any] = Future()

    class Loading:
        """An engine whose model is loaded once its progress was asked for."""

        @property
        def loading_progress(self) -> tuple[int, int]:
            loading.set_result(None)
            return reached

    downloads.follow_loading(Loading(), loading)  # type: ignore[arg-type]
    err = capsys.readouterr().err
    assert figure in err
    assert ("%" in err) is bool(figure)
    assert "Loading" in err
    assert SHOW_CURSOR in err
