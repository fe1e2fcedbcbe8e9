"""Time limit for reading untrusted files of one request."""

from __future__ import annotations

import math
import threading


class ReadingTime:
    """The `seconds` of computing that the files of one request may take together, and those that are `left`.

    Set `abandoned` once nobody waits for them any more: the file that is being read is given up, and no other is begun.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.seconds = self.left = seconds
        self.abandoned = threading.Event()
