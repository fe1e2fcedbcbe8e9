"""The list's groups: pinned, today, yesterday, the week before, the month before, older. Pure; the clock is
given.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.conversations.records import Conversation

PINNED = "pinned"
TODAY = "today"
YESTERDAY = "yesterday"
LAST_WEEK = "last-week"
LAST_MONTH = "last-month"
OLDER = "older"
GROUPS = (PINNED, TODAY, YESTERDAY, LAST_WEEK, LAST_MONTH, OLDER)
# How many days ago each begins.
_BEGINNINGS = ((TODAY, 0), (YESTERDAY, 1), (LAST_WEEK, 7), (LAST_MONTH, 28))


@dataclass(frozen=True, slots=True)
class Group:
    """The chats of one of GROUPS, in the order in which they are shown; never empty."""

    name: str
    conversations: tuple[Conversation, ...]


def grouped(conversations: Iterable[Conversation], now: float, zone: tzinfo | None = None) -> list[Group]:
    """Sort chats into groups by the local date of their last use.

    `now` is seconds since 1970; `zone` None is the system's. LAST_WEEK is the six days before yesterday,
    LAST_MONTH the three weeks before those. A chat dated in the future (a clock set back) counts as today's.
    """
    today = datetime.fromtimestamp(now, zone).date()
    # Days as numbers: a time that no calendar has a date for, from a damaged disk, must not hide all the chats.
    begins = [(name, _beginning(today - timedelta(days=days), zone)) for name, days in _BEGINNINGS]
    members: dict[str, list[Conversation]] = {name: [] for name in GROUPS}
    for conversation in conversations:
        if conversation.pin_position is not None:
            members[PINNED].append(conversation)
        else:
            used = conversation.updated_at
            members[next((name for name, begin in begins if used >= begin), OLDER)].append(conversation)
    members[PINNED].sort(key=lambda conversation: (conversation.pin_position, conversation.id))
    for name in GROUPS[1:]:
        members[name].sort(key=lambda conversation: (-conversation.updated_at, -conversation.id))
    return [Group(name, tuple(chats)) for name, chats in members.items() if chats]


def _beginning(day: date, zone: tzinfo | None) -> float:
    return datetime.combine(day, time(), zone).timestamp()
