"""Time limit for reading untrusted files of one request."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadSoFar:
    """How far a file is read: `done` of `count` of its parts of a `kind`, such as "page"."""

    kind: str
    done: int
    count: int


class ReadingTime:
    """The `seconds` of computing that the files of one request may take together, and those that are `left_s`.

    Any thread may look at `read_so_far`, which is None as long as the file that is being read says nothing of it.

    Set `abandoned` once nobody waits for them any more: the file that is being read is given up, and no other is begun.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = self.left_s = seconds
        self.abandoned = threading.Event()
        self.read_so_far: ReadSoFar | None = None
