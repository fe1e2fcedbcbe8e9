"""The items of answers, for requests that refer to them by their ids instead of sending them again.

They are in memory only, within limits, and end with the server. Only the caller that asked for an answer can refer to
its items.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, NamedTuple

# The most items that are kept, and the most characters that their texts have in all.
MOST_ITEMS = 8192
MOST_CHARACTERS = 2**24


class _KeptItem(NamedTuple):
    item: Mapping[str, Any]
    characters: int


class KeptItems:
    """Items by caller and id, those used last at the end. Used on the server's loop only."""

    def __init__(self) -> None:
        self._items: OrderedDict[tuple[str, str], _KeptItem] = OrderedDict()
        self._characters = 0

    def keep(self, caller: str, item_id: str, item: Mapping[str, Any], characters: int) -> None:
        """Keep an item as a request would have it, with a text of so many `characters`.

        Those that were not used for longest go if there are too many, or they are too long.
        """
        self._remove(caller, item_id)
        self._items[caller, item_id] = _KeptItem(item, characters)
        self._characters += characters
        while len(self._items) > 1 and (len(self._items) > MOST_ITEMS or self._characters > MOST_CHARACTERS):
            self._remove(*next(iter(self._items)))

    def get(self, caller: str, item_id: str) -> Mapping[str, Any] | None:
        """Return the item of this caller and id; None if it is not kept."""
        if (caller, item_id) not in self._items:
            return None
        self._items.move_to_end((caller, item_id))
        return self._items[caller, item_id].item

    def _remove(self, caller: str, item_id: str) -> None:
        removed = self._items.pop((caller, item_id), None)
        if removed is not None:
            self._characters -= removed.characters
