"""The time that a test waits for an event: long enough for a loaded machine, so that only a missing event fails."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 120.0


def wait_until(holds: Callable[[], object]) -> None:
    patience = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < patience, "it never happened"
        time.sleep(0.005)
