"""Shows downloads in a terminal: a bar on a screen, a line for each state in a log, JSON objects for a program."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from app.cli.terminal_text import terminal_of
from engine.hub.download_state import DownloadStatus
from engine.hub.downloads import DownloadQueue

_ENDED = ("ready", "paused", "failed")
_STATES = {
    "queued": "waiting",
    "resolving": "asking Hugging Face what to download",
    "downloading": "downloading",
    "verifying": "checking the files",
}
# Reasons after which the same command can resume the download.
_RESUMABLE = ("no-network", "offline", "too-slow", "server-error", "rate-limited", "no-space", "disk-full")
_POLL_S = 0.1
_REPORT_S = 1.0


def follow(queue: DownloadQueue, names: Sequence[str], as_json: bool) -> bool:
    """Show the downloads until all have ended; return whether all are ready.

    Raises `KeyboardInterrupt` for Ctrl-C; what has arrived is kept.
    """
    screen = _Json() if as_json else _Bar() if sys.stderr.isatty() else _Lines()
    try:
        while True:
            found = [status for name in names if (status := queue.status(name)) is not None]
            screen.show(found)
            if all(status.state in _ENDED for status in found):
                screen.close()
                screen.end(found)
                return bool(found) and all(status.state == "ready" for status in found)
            time.sleep(_POLL_S)
    except KeyboardInterrupt:
        screen.close()
        screen.interrupted()
        raise
    finally:
        # Rich hides the cursor until it is stopped.
        screen.close()


class _Lines:
    def __init__(self) -> None:
        self._states: dict[str, str] = {}

    def show(self, found: Sequence[DownloadStatus]) -> None:
        for status in found:
            if status.state != self._states.get(status.repository) and status.state not in _ENDED:
                self._states[status.repository] = status.state
                print(f"{status.repository}: {_STATES[status.state]}", file=sys.stderr, flush=True)

    def end(self, found: Sequence[DownloadStatus]) -> None:
        for status in found:
            if status.state == "ready":
                print(f"{status.repository} is ready: {status.path}")
            elif status.error is not None:
                again = "; then run the same command to resume" if status.error.reason in _RESUMABLE else ""
                print(f"tandem: {status.error}{again}", file=sys.stderr)

    def interrupted(self) -> None:
        print("\ntandem: stopped; run the same command to resume.", file=sys.stderr)

    def close(self) -> None:
        """Nothing is open."""


class _Json(_Lines):
    def __init__(self) -> None:
        super().__init__()
        self._last = 0.0

    def show(self, found: Sequence[DownloadStatus]) -> None:
        due = time.monotonic() - self._last >= _REPORT_S
        for status in found:
            if due or self._states.get(status.repository) != status.state:
                self._states[status.repository] = status.state
                print(json.dumps(_as_json(status), ensure_ascii=False), flush=True)
        if due:
            self._last = time.monotonic()

    def end(self, found: Sequence[DownloadStatus]) -> None:
        for status in found:
            print(json.dumps(_as_json(status) | {"event": status.state}, ensure_ascii=False), flush=True)

    def interrupted(self) -> None:
        print(json.dumps({"event": "paused"}), flush=True)


class _Bar(_Lines):
    """One bar for all downloads. Only `show` draws it, not a thread of rich."""

    def __init__(self) -> None:
        super().__init__()
        # Not at the top: the window's start imports this module to declare the commands.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (BarColumn(30), TextColumn("{task.description}", markup=False))
        self._progress = Progress(*columns, console=Console(file=terminal_of(sys.stderr)), auto_refresh=False)
        self._bar = self._progress.add_task("", total=None)
        self._progress.start()

    def show(self, found: Sequence[DownloadStatus]) -> None:
        done, total = sum(one.bytes_done for one in found), sum(one.bytes_total for one in found)
        # Without a total the bar would pulse, as if data arrived.
        self._progress.update(
            self._bar, completed=done, total=max(total, 1), description=_describe(found, done, total), refresh=True
        )

    def close(self) -> None:
        self._progress.stop()


def _describe(found: Sequence[DownloadStatus], done: int, total: int) -> str:
    speed = sum(one.bytes_per_second for one in found)
    left = max((one.seconds_left for one in found if one.seconds_left is not None), default=None)
    attempt = max((one.attempt for one in found), default=0)
    words = f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB, {speed / 1e6:.1f} MB/s"
    if not total:
        return _STATES["resolving"]
    if attempt:
        return f"{words}, reconnecting ({attempt})"
    return words if left is None else f"{words}, {left // 60:.0f}:{left % 60:02.0f} left"


def _as_json(status: DownloadStatus) -> dict[str, Any]:
    return {
        "event": "progress",
        "id": status.repository,
        "state": status.state,
        "bytes_done": status.bytes_done,
        "bytes_total": status.bytes_total,
        "bytes_per_second": round(status.bytes_per_second),
        "seconds_left": None if status.seconds_left is None else round(status.seconds_left),
        "attempt": status.attempt,
        "path": str(status.path) if status.path else None,
        "reason": status.error.reason if status.error else None,
        "message": str(status.error) if status.error else None,
    }
