"""Positions of tokens in texts with pictures, for models that turn queries and keys by three coordinates (M-RoPE).

A token has a time, a row and a column. In text all three are one number. All tokens of a picture have the time at which
the picture begins, and its grid's rows and columns from there on. The text after it continues behind the largest of
these, so that its positions are smaller than its indices. Wang et al., Qwen2-VL, arXiv:2409.12191. Importing this
module imports no MLX.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import mlx.core as mx


@dataclass(frozen=True, slots=True)
class Axes:
    """The coordinate by which each pair of numbers of a query or key is turned.

    The coordinates follow each other, or are `interleaved` from the first pair on, as far as rows and columns reach:
    with sections (2, 1, 1), the pairs are turned by time, time, row, column, or by time, row, column, time.
    """

    # How many pairs are turned by time, by row and by column.
    sections: tuple[int, int, int]
    interleaved: bool

    @property
    def dims(self) -> int:
        """How many numbers of a query or key are turned."""
        return 2 * sum(self.sections)

    def of_numbers(self, size: int) -> mx.array:
        """Return the coordinate (size,) of each number of a query or key; numbers that are not turned have 0."""
        import mlx.core as mx

        axes = np.repeat(np.arange(3), self.sections)
        if self.interleaved:
            axes[:] = 0
            for axis in (1, 2):
                axes[axis : 3 * self.sections[axis] : 3] = axis
        return mx.array(np.pad(np.tile(axes, 2), (0, size - self.dims)))


@dataclass(frozen=True, slots=True)
class Grid:
    """The `rows` x `columns` tokens of a picture, the first of which has the index `start` in its text."""

    start: int
    rows: int
    columns: int


class _Latest(NamedTuple):
    """The coordinates (3, length) of `length` tokens from index `first` on."""

    first: int
    length: int
    coordinates: mx.array


class Positions:
    """The positions of the tokens of one text, whose pictures have `grids`, in ascending order.

    A picture of 2 x 3 tokens after 4 tokens of text: these have the positions 0 to 3, the picture's tokens the time 4,
    the rows 4 and 5 and the columns 4 to 6, and the text after it goes on with 7, at index 10.
    """

    def __init__(self, axes: Axes, grids: Sequence[Grid]) -> None:
        self.axes = axes
        # The index and the position of the token after those that have coordinates so far.
        index = 0
        place = 0
        parts = [np.zeros((3, 0), np.int32)]
        for grid in grids:
            parts.append(_text(place, grid.start - index))
            place += grid.start - index
            inside = np.indices((1, grid.rows, grid.columns), np.int32).reshape(3, -1)
            parts.append(place + inside)
            place += max(grid.rows, grid.columns)
            index = grid.start + grid.rows * grid.columns
        # Time, row and column (3, tokens) up to the end of the last picture.
        self._table = np.concatenate(parts, axis=1)
        # The indices of the first picture and behind the last one, behind which positions are smaller by `lag`.
        self.first = grids[0].start if grids else 0
        self.end = index
        self.lag = index - place
        # The latest answer of `of`, as all layers of a pass ask for the same.
        self._latest: _Latest | None = None

    def of(self, first: int, count: int) -> mx.array:
        """Return time, row and column (3, count) of the tokens from index `first` on."""
        import mlx.core as mx

        latest = self._latest
        if latest is None or (latest.first, latest.length) != (first, count):
            known = self._table[:, first : first + count]
            behind = max(first, self.end)
            coordinates = np.concatenate([known, _text(behind - self.lag, count - known.shape[1])], axis=1)
            latest = _Latest(first, count, mx.array(coordinates))
            self._latest = latest
        return latest.coordinates


def _text(place: int, count: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    """Return the coordinates (3, count) of text from position `place` on."""
    return np.tile(np.arange(place, place + count, dtype=np.int32), (3, 1))
