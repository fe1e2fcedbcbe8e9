"""Caches of which other processes hold parts: whatever is done to these here has to be done there as well."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from engine.speculation.rounds.cache_rules import copies
from engine.speculation.rounds.rollback import Rollback
from engine.speculation.rounds.row_caches import RowCaches


class SharedCaches(list[Any]):
    """One text's caches, an entry a layer, whose owner follows every change to them."""

    @abstractmethod
    def rollback(self) -> Rollback:
        """Transactions over all parts of these caches."""

    @abstractmethod
    def copies(self) -> SharedCaches:
        """See `cache_rules.copies`."""

    @abstractmethod
    def rows(self) -> RowCaches:
        """Empty rows of these kinds of caches."""


def open_rollback(caches: Sequence[Any]) -> Rollback:
    """Transactions over `caches`, wherever their parts are. Raises `UnknownCacheKind`."""
    return caches.rollback() if isinstance(caches, SharedCaches) else Rollback(caches)


def copied(caches: Sequence[Any]) -> list[Any]:
    """Independent copies of `caches`: contents are shared until the first write."""
    return caches.copies() if isinstance(caches, SharedCaches) else copies(caches)


def open_rows(caches: Sequence[Any]) -> RowCaches:
    """Empty rows of the kinds of `caches`."""
    return caches.rows() if isinstance(caches, SharedCaches) else RowCaches(caches)
