"""Finds few steps from one list of rows to another, so that a view need not be reset. This module does not use Qt."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

# More steps than this cost a view more than a reset.
MOST_STEPS = 32


@dataclass(frozen=True)
class Remove:
    """Remove the rows from `first` to `last`."""

    first: int
    last: int


@dataclass(frozen=True)
class Insert:
    """Insert new rows, which then are the rows from `first` to `last`."""

    first: int
    last: int


@dataclass(frozen=True)
class Move:
    """Move a row, which then is row `target`."""

    source: int
    target: int


Step = Remove | Insert | Move


def steps_between(before: Sequence[Hashable], after: Sequence[Hashable], most: int = MOST_STEPS) -> list[Step] | None:
    """Return the steps that turn `before` into `after`, to be applied in order; None for more than `most`.

    The lists hold the keys of the rows; no list has a key twice.
    """
    start, end = _same_ends(before, after)
    now, wanted = list(before[start : len(before) - end]), list(after[start : len(after) - end])
    steps: list[Step] = []
    stay = set(wanted)
    for first, last in _runs([position for position, key in enumerate(now) if key not in stay])[::-1]:
        steps.append(Remove(start + first, start + last))
        del now[first : last + 1]
    there = set(now)
    fresh = _runs([position for position, key in enumerate(wanted) if key not in there])
    if len(steps) + len(fresh) > most or not _order([key for key in wanted if key in there], now, start, steps, most):
        return None
    steps += [Insert(start + first, start + last) for first, last in fresh]
    return steps if len(steps) <= most else None


def _same_ends(before: Sequence[Hashable], after: Sequence[Hashable]) -> tuple[int, int]:
    """Return how many rows are equal at the beginning and, of the remaining ones, at the end."""
    shorter = min(len(before), len(after))
    start = next((position for position in range(shorter) if before[position] != after[position]), shorter)
    rest = shorter - start
    return start, next((position for position in range(rest) if before[-1 - position] != after[-1 - position]), rest)


def _runs(positions: Sequence[int]) -> list[tuple[int, int]]:
    """Return the runs of consecutive numbers in `positions`, which are ascending, as (first, last)."""
    runs: list[tuple[int, int]] = []
    for position in positions:
        if runs and runs[-1][1] == position - 1:
            runs[-1] = (runs[-1][0], position)
        else:
            runs.append((position, position))
    return runs


def _order(wanted: Sequence[Hashable], now: list[Hashable], start: int, steps: list[Step], most: int) -> bool:
    """Add to `steps` the moves that bring `now` into the order of `wanted`; return False if they are too many."""
    position = 0
    while position < len(now):
        if now[position] == wanted[position]:
            position += 1
            continue
        if len(steps) >= most:
            return False
        # Move the row that is here or the one that should be here, whichever moves further.
        source, target = now.index(wanted[position], position), wanted.index(now[position], position)
        if target > source:
            source, target = position, target
        else:
            target = position
        now.insert(target, now.pop(source))
        steps.append(Move(start + source, start + target))
    return True
