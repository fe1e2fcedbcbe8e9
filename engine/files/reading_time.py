"""The time that files of others may take to be read in a process with limits."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass, field


@dataclass(eq=False)
class ReadingTime:
    """The `seconds` of computing that the files of one request may take together, and those that are `left`.

    Set `abandoned` once nobody waits for them any more: the file that is being read is given up, and no other is begun.
    """

    seconds: float = math.inf
    left: float = field(init=False)
    abandoned: threading.Event = field(default_factory=threading.Event, init=False)

    def __post_init__(self) -> None:
        self.left = self.seconds
