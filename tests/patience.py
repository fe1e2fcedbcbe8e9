"""Waiting for an event: long enough for a loaded machine, so that only a missing event fails a test."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE_S = 120.0


def wait_until(holds: Callable[[], object]) -> None:
    patience = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < patience, "it never happened"
        time.sleep(0.005)


def content_of(path: Path) -> bytes:
    """Return the content of a file that may be removed or replaced at any moment; b"" while there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
