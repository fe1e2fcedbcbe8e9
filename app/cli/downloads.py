"""Shows downloads in a terminal: a bar on a screen, a line for each state in a log, JSON objects for a program."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, wait
from typing import Any

from msgspec.structs import replace

from app.cli.pair_options import explained
from app.cli.terminal import say, terminal_of
from engine.client import EngineClient
from engine.hub.download_state import DownloadStatus
from engine.hub.downloads import DownloadQueue
from engine.hub.failures import HubError
from engine.status import LoadedPair

_STATES = {
    "queued": "waiting",
    "resolving": "asking Hugging Face what to download",
    "downloading": "downloading",
    "verifying": "checking the files",
}
# Reasons after which the same command can resume the download.
_RESUMABLE = ("offline", "too-slow", "slow-file", "server-error", "rate-limited", "no-space", "disk-full")
_POLL_S = 0.1
_REPORT_S = 1.0


def follow(queue: DownloadQueue, names: Sequence[str], as_json: bool) -> bool:
    """Show the downloads until all have ended; return whether all are ready.

    Raises `KeyboardInterrupt` for Ctrl-C; what has arrived is kept.
    """
    try:
        statuses = _as_objects(queue, names) if as_json else _on_a_screen(queue, names)
    except KeyboardInterrupt:
        if as_json:
            print(json.dumps({"event": "paused"}), flush=True)
        else:
            say("\ntandem: stopped; run the same command to resume.")
        raise
    return bool(statuses) and all(status.state == "ready" for status in statuses)


def follow_loading(engine: EngineClient, loading: Future[LoadedPair]) -> None:
    """Show on a screen how much of a model has been read, or of a GGUF file converted, until that has ended.

    Nothing is written about a model that is loaded at once. Before anything has been read, the bar runs to and fro
    without a figure: the libraries load then, for longer than a small model.
    """
    if wait([loading], _POLL_S).done:
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    console = Console(file=terminal_of(sys.stderr))
    # The first and the third move also where the figures do not, as while a GGUF file's header is read.
    words = TextColumn("{task.description}")
    columns = (SpinnerColumn(), words, TimeElapsedColumn(), BarColumn(30), TaskProgressColumn())
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as progress:
        bar = progress.add_task("Loading", total=None)
        while not wait([loading], _POLL_S).done:
            done, total = engine.loading_progress
            progress.update(bar, completed=done, total=total if done else None, refresh=True)


def _statuses(
    queue: DownloadQueue, names: Sequence[str]
) -> Iterator[tuple[list[DownloadStatus], list[DownloadStatus]]]:
    """Yield the present downloads, and those in a new state, again and again, until all have ended."""
    states: dict[str, str] = {}
    while True:
        statuses = [_ended_without_network(status) for name in names if (status := queue.status(name)) is not None]
        yield statuses, [status for status in statuses if states.get(status.repository) != status.state]
        states = {status.repository: status.state for status in statuses}
        if not any(status.runs for status in statuses):
            return
        time.sleep(_POLL_S)


def _ended_without_network(status: DownloadStatus) -> DownloadStatus:
    """Return the status, failed if it waits for a network: a command that a script runs must end."""
    if not status.waits_for_network:
        return status
    return replace(status, state="failed", error=HubError("offline", status.repository))


def _on_a_screen(queue: DownloadQueue, names: Sequence[str]) -> list[DownloadStatus]:
    # Not at the top: the window's start imports this module to declare the commands.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    is_screen = sys.stderr.isatty()
    statuses = list[DownloadStatus]()
    columns = (BarColumn(30), TextColumn("{task.description}", markup=False))
    console = Console(file=terminal_of(sys.stderr))
    # Only the loop draws, not a thread of rich.
    with Progress(*columns, console=console, auto_refresh=False, disable=not is_screen) as progress:
        bar = progress.add_task("", total=None)
        for statuses, changed in _statuses(queue, names):
            done = sum(status.bytes_done for status in statuses)
            total = sum(status.bytes_total for status in statuses)
            # Without a total the bar would pulse, as if data arrived.
            words = _describe(statuses, done, total)
            progress.update(bar, completed=done, total=max(total, 1), description=words, refresh=True)
            for status in changed:
                if not is_screen and status.state in _STATES:
                    say(f"{status.repository}: {_STATES[status.state]}")
    for status in statuses:
        if status.state == "ready":
            print(f"{status.repository} is ready: {status.path}")
        elif status.error is not None:
            again = " The same command resumes the download." if status.error.reason in _RESUMABLE else ""
            say(f"tandem: {explained(status.error)}{again}")
    return statuses


def _as_objects(queue: DownloadQueue, names: Sequence[str]) -> list[DownloadStatus]:
    """Print an object for each new state, and every second."""
    last = 0.0
    statuses = list[DownloadStatus]()
    for statuses, changed in _statuses(queue, names):
        due = time.monotonic() - last >= _REPORT_S
        for status in statuses if due else changed:
            _print_status("progress", status)
        last = time.monotonic() if due else last
    for status in statuses:
        _print_status(status.state, status)
    return statuses


def _describe(statuses: Sequence[DownloadStatus], done: int, total: int) -> str:
    speed = sum(status.bytes_per_second for status in statuses)
    left = max((status.seconds_left for status in statuses if status.seconds_left is not None), default=None)
    attempt = max((status.attempt for status in statuses), default=0)
    words = f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB, {speed / 1e6:.1f} MB/s"
    if not total:
        return _STATES["resolving"]
    if attempt:
        return f"{words}, reconnecting ({attempt})"
    return words if left is None else f"{words}, {left // 60:.0f}:{left % 60:02.0f} left"


def _print_status(event: str, status: DownloadStatus) -> None:
    content: dict[str, Any] = {
        "event": event,
        "id": status.repository,
        "state": status.state,
        "bytes_done": status.bytes_done,
        "bytes_total": status.bytes_total,
        "bytes_per_second": round(status.bytes_per_second),
        "seconds_left": None if status.seconds_left is None else round(status.seconds_left),
        "attempt": status.attempt,
        "path": str(status.path) if status.path else None,
        "reason": status.error.reason if status.error else None,
        "message": explained(status.error) if status.error else None,
    }
    print(json.dumps(content, ensure_ascii=False), flush=True)
