"""The list's groups: pinned, today, yesterday, the week before, the month before, older. Pure; the clock is
given.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
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
    members: dict[str, list[Conversation]] = {name: [] for name in GROUPS}
    for conversation in conversations:
        if conversation.pin_position is not None:
            members[PINNED].append(conversation)
        else:
            used = datetime.fromtimestamp(conversation.updated_at, zone).date()
            members[_group_of(used, today)].append(conversation)
    members[PINNED].sort(key=lambda conversation: (conversation.pin_position, conversation.id))
    for name in GROUPS[1:]:
        members[name].sort(key=lambda conversation: (-conversation.updated_at, -conversation.id))
    return [Group(name, tuple(chats)) for name, chats in members.items() if chats]


def _group_of(used: date, today: date) -> str:
    if used >= today:
        return TODAY
    if used == today - timedelta(days=1):
        return YESTERDAY
    if used >= today - timedelta(days=7):
        return LAST_WEEK
    if used >= today - timedelta(days=28):
        return LAST_MONTH
    return OLDER
