"""The positions of a batch's rows in their buffers: slots to write to, masks, and moves when a buffer is full."""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub
from typing import Any

import mlx.core as mx

# Buffers grow by this many slots. A window has this many beyond its size, and moves its rows when they are full.
STEP = 256


class RowLayout:
    """The positions of rows in the buffers of all caches with the same `window` (None: full attention).

    The first slot of row b holds position `starts[b]`; `size` is the number of slots, and no row uses any from `end`
    on. For one pass it has the slots to write to, and the masks. `spare` rows after the `rows` in use are written to as
    well.
    """

    def __init__(self, window: int | None) -> None:
        self.window = window
        self.starts: list[int] = []
        self.size = 0
        self.end = 0
        self.rows = self.spare = 0
        self.slots: Any = None
        self._masks: dict[int | None, mx.array] = {}

    def moves(self, positions: Sequence[int], width: int) -> list[int] | None:
        """Make room for `width` tokens after each of `positions`; returns by how many slots each row moves to the left.

        None if no row has to move. Grow buffers to `size` first.
        """
        needed = max(map(sub, positions, self.starts), default=0) + width
        if needed <= self.size:
            return None
        if self.window is None or needed <= self.window + STEP:
            self.size = -(-needed // STEP) * STEP
            return None
        oldest = [max(start, at - self.window + 1) for at, start in zip(positions, self.starts, strict=True)]
        moves = [new - old for new, old in zip(oldest, self.starts, strict=True)]
        self.starts = oldest
        needed = max(at - start for at, start in zip(positions, oldest, strict=True)) + width
        self.size = max(self.size, -(-needed // STEP) * STEP)
        return moves

    def begin(self, positions: Sequence[int], width: int, spare: int) -> None:
        """Begin a pass of `width` tokens a row, from `positions` on."""
        # No comprehensions in what runs for every token: up to Python 3.11 each is a call.
        first = list(map(sub, positions, self.starts))
        self.end = max(first) + width
        self.rows = len(first)
        self.spare = spare
        slots = mx.array(first + [0] * spare)
        if width == 1:
            self.slots = mx.expand_dims(slots, (1, 2, 3))
        else:
            self.slots = (slots[:, None] + mx.arange(width))[:, None, :, None]
        self._masks = {}

    def filled(self, new: mx.array) -> mx.array:
        """Return what a pass writes, (rows, ...), padded with zeros for the spare rows."""
        return mx.pad(new, [(0, self.spare), (0, 0), (0, 0), (0, 0)]) if self.spare else new

    def mask(self, window: int | None) -> mx.array:
        """Return the mask (rows, 1, width, end), true for the slots that a token attends to."""
        if window is None or (self.window is not None and self.window < window):
            window = self.window
        if window not in self._masks:
            own = self.slots[: self.rows] if self.spare else self.slots
            slots = mx.arange(self.end)
            mask = slots <= own
            self._masks[window] = mask if window is None else mask & (slots > own - window)
        return self._masks[window]
