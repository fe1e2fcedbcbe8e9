"""Caches that are divided among processes: every change made here has to be made in the others as well.

`engine.cluster` implements them. The functions at the end let callers open transactions, copies and rows without
knowing whether caches are shared.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from engine.speculation.caches.cache_rules import copies
from engine.speculation.caches.rollback import Rollback
from engine.speculation.caches.row_caches import RowCaches


class SharedCaches(list[Any]):
    """One text's caches, an entry for each layer; the subclass repeats every change in the other processes."""

    @abstractmethod
    def rollback(self) -> Rollback:
        """Return transactions over all parts of these caches."""

    @abstractmethod
    def copies(self) -> SharedCaches:
        """See `cache_rules.copies`."""

    @abstractmethod
    def rows(self) -> RowCaches:
        """Return empty rows of these kinds of caches."""


def open_rollback(caches: Sequence[Any]) -> Rollback:
    """Return transactions over `caches`, shared or not. Raises `UnknownCacheKind`."""
    return caches.rollback() if isinstance(caches, SharedCaches) else Rollback(caches)


def copied(caches: Sequence[Any]) -> list[Any]:
    """Return independent copies of `caches`, which share their contents until the first write."""
    return caches.copies() if isinstance(caches, SharedCaches) else copies(caches)


def open_rows(caches: Sequence[Any]) -> RowCaches:
    """Return empty rows of the kinds of `caches`."""
    return caches.rows() if isinstance(caches, SharedCaches) else RowCaches(caches)
