"""Items of answers by id and caller, within bounds."""

from __future__ import annotations

import pytest

from app.api import kept_items
from app.api.kept_items import KeptItems


def test_an_item_is_found_by_its_caller_alone() -> None:
    items = KeptItems()
    items.keep("Kim", "msg-1", {"type": "message"}, 5)
    assert items.get("Kim", "msg-1") == {"type": "message"}
    assert items.get("Lee", "msg-1") is None
    assert items.get("Kim", "msg-2") is None


def test_those_that_were_not_used_for_longest_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_items, "MOST_ITEMS", 3)
    items = KeptItems()
    for number in range(3):
        items.keep("", str(number), {}, 1)
    # A chat that goes on keeps its first items.
    items.get("", "0")
    items.keep("", "3", {}, 1)
    assert [items.get("", str(number)) is None for number in range(4)] == [False, True, False, False]


def test_long_items_make_room_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_items, "MOST_CHARACTERS", 100)
    items = KeptItems()
    items.keep("", "a", {"text": "a"}, 60)
    # The same one again, longer: an item that was stopped and then ended.
    items.keep("", "a", {"text": "ab"}, 70)
    items.keep("", "b", {}, 30)
    assert items.get("", "a") == {"text": "ab"}
    items.keep("", "c", {}, 1)
    assert items.get("", "b") is None
    # One that is larger than all that may be kept is kept alone.
    items.keep("", "d", {}, 1000)
    assert [items.get("", name) is None for name in "acd"] == [True, True, False]
