"""How soon a thread gets the interpreter while another one computes.

A thread that waits for the interpreter lock requests it only after the switch interval. At Python's default of 5 ms,
what waits for the engine's thread would wait longer than a round of a fast model takes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_S = 0.0005


@contextmanager
def quick_switching() -> Iterator[None]:
    """Meanwhile, threads of the whole process wait for each other no longer than `SWITCH_S`."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
