"""The positions of a batch's rows in their buffers: slots to write to, masks, and making room when a buffer is full.

It only counts. The caches in the module `row_kinds` have the arrays, and `row_caches` changes them as it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import sub
from typing import Any

import mlx.core as mx

# Buffers grow by this many slots. A window has this many beyond its size, and shifts its rows when they are full.
GROWTH_SLOTS = 256


@dataclass(frozen=True, slots=True)
class Room:
    """What the caches of a layout have to do, in this order, before more tokens are written.

    First, if `grown`, they enlarge their buffers to the layout's new `size`. Then they shift the contents of each row
    by `shifts[row]` slots to the left; an empty tuple means that no row is shifted.
    """

    grown: bool
    shifts: tuple[int, ...] = ()


class RowLayout:
    """The positions of rows in the buffers of all caches with the same `window` (None: full attention).

    The first slot of row b holds position `starts[b]`; `size` is the number of slots. No row uses a slot from `end` on,
    which `begin` sets and `RowCaches.add` raises. For one pass it has the slots to write to, and the masks. The buffers
    have `spare` more rows than the `rows` in use, reserved for texts that join later; a pass writes zeros to them.

    Two rows with `starts` [0, 0] hold 5 and 3 tokens, at `positions` [5, 3]. After `begin([5, 3], width=2, spare=0)`
    row 0 writes to slots 5 and 6, row 1 to slots 3 and 4, and `end` is 7.
    """

    def __init__(self, window: int | None) -> None:
        self.window = window
        # `row_caches.RowCaches` adds and removes these with its rows.
        self.starts: list[int] = []
        self.size = 0
        self.end = 0
        self.rows = 0
        self.spare = 0
        # The slots that the pass under way writes to, int32 (rows + spare, 1, width, 1).
        self.slots: Any = None
        # The masks of the pass under way, by window.
        self._masks: dict[int | None, mx.array] = {}

    def make_room(self, positions: Sequence[int], width: int) -> Room:
        """Make room for `width` more tokens in each row; `positions[b]` is the position of row b's next token.

        May raise `size`. If a window would need more than GROWTH_SLOTS slots beyond its size, it gives up what lies
        before each row's window instead, and changes `starts`. No array is touched: the caller does what the result
        says, for all caches of this layout.
        """
        size_before = self.size
        needed = _most_slots(positions, self.starts) + width
        if needed <= self.size:
            return Room(grown=False)
        if self.window is None or needed <= self.window + GROWTH_SLOTS:
            self.size = _rounded_up(needed)
            return Room(grown=True)
        # The oldest position that the next token of each row still attends to.
        oldest = [max(start, at - self.window + 1) for at, start in zip(positions, self.starts, strict=True)]
        shifts = tuple(new - old for new, old in zip(oldest, self.starts, strict=True))
        self.starts = oldest
        needed = _most_slots(positions, self.starts) + width
        self.size = max(self.size, _rounded_up(needed))
        return Room(grown=self.size > size_before, shifts=shifts if any(shifts) else ())

    def begin(self, positions: Sequence[int], width: int, spare: int) -> None:
        """Begin a pass of `width` tokens a row: sets `slots` and `end`, and drops the masks of the pass before.

        `positions[b]` is the position of row b's first token in it. There must be room for them (`make_room`).
        """
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
        """Return what a pass writes, (rows, heads, width, size), padded with zeros to (rows + spare, ...)."""
        return mx.pad(new, [(0, self.spare), (0, 0), (0, 0), (0, 0)]) if self.spare else new

    def mask(self, window: int | None) -> mx.array:
        """Return the mask of the pass under way, bool (rows, 1, width, end): true for what a token attends to.

        `window` is what the layer asks for, None for full attention. A model may ask a cache of full attention for a
        window. If the layout has a window, too, the narrower of the two applies.
        """
        if window is None or (self.window is not None and self.window < window):
            window = self.window
        if window not in self._masks:
            written = self.slots[: self.rows] if self.spare else self.slots
            slots = mx.arange(self.end)
            mask = slots <= written
            self._masks[window] = mask if window is None else mask & (slots > written - window)
        return self._masks[window]


def _most_slots(positions: Sequence[int], starts: Sequence[int]) -> int:
    """Return how many slots the longest row uses; 0 without rows."""
    return max(map(sub, positions, starts), default=0)


def _rounded_up(slots: int) -> int:
    """Return the next multiple of GROWTH_SLOTS."""
    return -(-slots // GROWTH_SLOTS) * GROWTH_SLOTS
