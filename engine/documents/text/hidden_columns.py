"""The columns of a sheet that are hidden, and which of them had something that is left out for it."""

from __future__ import annotations

from bisect import bisect_right


class HiddenColumns:
    """Numbers of columns, of which files name long ranges. `left_out` are those in which something was."""

    def __init__(self) -> None:
        # The first columns of the hidden ranges, and those after their last ones, both in order.
        self._firsts = list[int]()
        self._ends = list[int]()
        self.left_out = set[int]()

    def __bool__(self) -> bool:
        return bool(self._firsts)

    def __contains__(self, column: int) -> bool:
        place = bisect_right(self._firsts, column) - 1
        return place >= 0 and column < self._ends[place]

    def seen_between(self, first: int, end: int) -> int:
        """Return how many columns are not hidden, from `first` to the one before `end`."""
        ranges = zip(self._firsts, self._ends, strict=True)
        hidden = (min(end, last) - max(first, begin) for begin, last in ranges)
        return end - first - sum(count for count in hidden if count > 0)

    def add(self, first: int, end: int) -> None:
        """Hide the columns from `first` to the one before `end`; they are after those that were hidden before."""
        self._firsts.append(first)
        self._ends.append(end)
