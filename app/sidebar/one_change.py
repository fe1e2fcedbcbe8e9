"""The rows of the list where one chat was used, renamed or added since they were arranged.

An answer changes the list in this way. The other rows stay as they are, and none of them is looked at in Python.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import Any, NamedTuple

from app.conversations.database.records import Conversation
from app.conversations.grouping import TODAY, grouped
from engine.tokenizers.prompts import shared_prefix


class ChangedRows(NamedTuple):
    """The new rows with their keys, and the chat that changed."""

    rows: list[Any]
    keys: list[Hashable]
    chat: Conversation


def with_one_change(
    before: Sequence[Conversation],
    chats: Sequence[Conversation],
    rows: Sequence[Any],
    keys: Sequence[Hashable],
    folders: Collection[int],
    now: float,
) -> ChangedRows | None:
    """Return the rows of `chats` if only one of them differs from `before`, which has the `rows` with these `keys`.

    None if more differs, and for a chat that is pinned or in a folder, or that goes elsewhere than to the top of today:
    then all rows have to be arranged. A key is the row's class with its id, or with the words of a heading. `folders`
    are the ids of the listed folders.
    """
    first = shared_prefix(before, chats)
    last = shared_prefix(before[::-1], chats[::-1])
    if first == len(chats) or len(chats) - len(before) not in (0, 1):
        return None
    chat = chats[first]
    # The chats before it are pinned or in folders, so that none of them is above it below the days.
    all_elsewhere = all(above.pin_position is not None or above.folder_id in folders for above in chats[:first])
    if not _is_below_days(chat) or not all_elsewhere:
        return None
    old = None
    if len(chats) == len(before):
        old = _moved_up(before, chats, first, len(before) - last - 1)
        if old is None:
            return None
    elif first + last < len(before):
        return None
    if _group(chat, now) != TODAY or (str, TODAY) not in keys:
        return None
    changed = list(rows)
    names = list(keys)
    top = names.index((str, TODAY)) + 1
    if old is not None:
        place = names.index((Conversation, old.id))
        if place == top:
            changed[top] = chat
            return ChangedRows(changed, names, chat)
        _remove(changed, names, place)
    changed.insert(top, chat)
    names.insert(top, (Conversation, chat.id))
    return ChangedRows(changed, names, chat)


def _remove(rows: list[Any], keys: list[Hashable], place: int) -> None:
    """Remove a row, and the heading above it if nothing else is below that."""
    del rows[place], keys[place]
    ends = place == len(rows) or isinstance(rows[place], str)
    if ends and place and isinstance(rows[place - 1], str):
        del rows[place - 1], keys[place - 1]


def _is_below_days(chat: Conversation) -> bool:
    """Return whether a chat is listed below a day, not among the pins or in a folder."""
    return chat.pin_position is None and chat.folder_id is None


def _group(chat: Conversation, now: float) -> str:
    return grouped([chat], now)[0].name


def _moved_up(
    before: Sequence[Conversation], chats: Sequence[Conversation], top: int, place: int
) -> Conversation | None:
    """Return the chat that was at `place` and is now at `top`, as it was; None if something else has changed, too."""
    if place < top:
        return None
    old = before[place]
    if old.id != chats[top].id or not _is_below_days(old):
        return None
    # The chats between its new and its old place must only have moved down by one.
    passed = before[top:place]
    moved_down = chats[top + 1 : place + 1]
    return old if passed == moved_down else None
