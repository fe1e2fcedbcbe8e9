"""Groups the list of chats: pinned, today, yesterday, the week before, the month before, older."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo
from time import localtime, tzset

from app.conversations.database.records import Conversation, list_order

PINNED = "pinned"
TODAY = "today"
YESTERDAY = "yesterday"
LAST_WEEK = "last-week"
LAST_MONTH = "last-month"
OLDER = "older"
# Days since the beginning of each group.
_BEGINNINGS = ((TODAY, 0), (YESTERDAY, 1), (LAST_WEEK, 7), (LAST_MONTH, 28))


@dataclass(frozen=True, slots=True)
class Group:
    """The chats of one group, in the order in which they are shown; never empty."""

    name: str
    conversations: tuple[Conversation, ...]


def grouped(conversations: Iterable[Conversation], now: float, zone: tzinfo | None = None) -> list[Group]:
    """Sort chats into groups by the local date of their last use; empty groups are left out.

    `now` is in seconds since 1970; `zone` None is the system's. LAST_WEEK is the six days before yesterday, LAST_MONTH
    the three weeks before those. A chat dated in the future (a clock set back) counts as today's.
    """
    today = datetime.fromtimestamp(now, zone).date()
    # Compare seconds, not dates: a damaged time that no calendar has must not hide all chats.
    midnight = datetime.combine(today, time(), zone)
    begins = [(name, (midnight - timedelta(days=days)).timestamp()) for name, days in _BEGINNINGS]
    chats = sorted(conversations, key=list_order)
    start = sum(chat.pin_position is not None for chat in chats)
    groups = [Group(PINNED, tuple(chats[:start]))]
    for name, begin in [*begins, (OLDER, float("-inf"))]:
        end = bisect_right(chats, -begin, start, key=lambda chat: -chat.updated_at)
        groups.append(Group(name, tuple(chats[start:end])))
        start = end
    return [group for group in groups if group.conversations]


def utc_offset() -> int:
    """Return the current UTC offset in seconds. A process does not notice a change of time zone by itself."""
    tzset()
    return localtime().tm_gmtoff
