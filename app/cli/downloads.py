"""Downloads watched from a terminal: a bar on a screen, a line for each state in a log, objects for a program."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any

from engine.hub.download_state import DownloadStatus
from engine.hub.downloads import DownloadQueue

_SETTLED = ("ready", "paused", "failed")
_LOOK_S = 0.1
_REPORT_S = 1.0


def follow(queue: DownloadQueue, names: Sequence[str], as_json: bool) -> bool:
    """Show the downloads until all have settled; whether all are ready. Ctrl-C leaves what arrived for another time."""
    screen: _Json | _Bar | _Lines = _Json() if as_json else _Bar() if sys.stderr.isatty() else _Lines()
    try:
        while True:
            found = [status for name in names if (status := queue.status(name)) is not None]
            screen.show(found)
            if all(status.state in _SETTLED for status in found):
                screen.end(found)
                return bool(found) and all(status.state == "ready" for status in found)
            time.sleep(_LOOK_S)
    except KeyboardInterrupt:
        screen.interrupted()
        return False


class _Json:
    def __init__(self) -> None:
        self._last = 0.0
        self._states: dict[str, str] = {}

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


class _Lines:
    def __init__(self) -> None:
        self._states: dict[str, str] = {}

    def show(self, found: Sequence[DownloadStatus]) -> None:
        for status in found:
            if status.state != self._states.get(status.repository) and status.state not in _SETTLED:
                self._states[status.repository] = status.state
                print(f"{status.repository}: {status.state}", file=sys.stderr, flush=True)

    def end(self, found: Sequence[DownloadStatus]) -> None:
        _print_results(found)

    def interrupted(self) -> None:
        print("tandem: stopped; the same command goes on where it stopped.", file=sys.stderr)


class _Bar(_Lines):
    """One line that is drawn over itself: all downloads together."""

    def show(self, found: Sequence[DownloadStatus]) -> None:
        width = shutil.get_terminal_size().columns
        print("\r" + _bar(found, width - 1).ljust(width - 1), end="", file=sys.stderr, flush=True)

    def end(self, found: Sequence[DownloadStatus]) -> None:
        print(file=sys.stderr)
        super().end(found)

    def interrupted(self) -> None:
        print(file=sys.stderr)
        super().interrupted()


def _bar(found: Sequence[DownloadStatus], width: int) -> str:
    done, total = sum(one.bytes_done for one in found), sum(one.bytes_total for one in found)
    speed = sum(one.bytes_per_second for one in found)
    left = max((one.seconds_left for one in found if one.seconds_left is not None), default=None)
    attempt = max((one.attempt for one in found), default=0)
    words = f" {done / 1e6:,.0f} of {total / 1e6:,.0f} MB, {speed / 1e6:.1f} MB/s"
    if attempt:
        words += f", reconnecting ({attempt})"
    elif left is not None:
        words += f", {left // 60:.0f}:{left % 60:02.0f} left"
    cells = max(0, min(30, width - len(words) - 2))
    filled = cells * done // total if total else 0
    return (f"[{'#' * filled}{' ' * (cells - filled)}]{words}" if cells else words)[:width]


def _print_results(found: Sequence[DownloadStatus]) -> None:
    for status in found:
        if status.state == "ready":
            print(f"{status.repository} is ready: {status.path}")
        elif status.error is not None:
            print(f"tandem: {status.error}", file=sys.stderr)


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
