"""The list's groups follow the calendar where the user is."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from app.conversations.grouping import grouped

if TYPE_CHECKING:
    from app.conversations.store import ConversationStore
    from tests.app.conversations.conftest import Clock

SEOUL = ZoneInfo("Asia/Seoul")


def test_chats_are_grouped_by_the_local_day_of_their_last_use(store: ConversationStore, clock: Clock) -> None:
    midnight = datetime(2026, 3, 10, tzinfo=SEOUL)
    ages = {"today": 0, "yesterday": 1, "last-week": 2, "last-week-end": 7, "last-month": 8, "older": 29}
    for title, days in ages.items():
        clock.now = (midnight - timedelta(days=days)).timestamp()
        store.conversations.create(title=title)
    clock.now = midnight.timestamp() + 60
    store.conversations.pin(store.conversations.create(title="pinned"))
    groups = grouped(store.conversations.view(), clock.now, SEOUL)
    assert [(group.name, [chat.title for chat in group.conversations]) for group in groups] == [
        ("pinned", ["pinned"]),
        ("today", ["today"]),
        ("yesterday", ["yesterday"]),
        ("last-week", ["last-week", "last-week-end"]),
        ("last-month", ["last-month"]),
        ("older", ["older"]),
    ]


def test_a_time_that_no_calendar_has_hides_no_chat(store: ConversationStore, clock: Clock) -> None:
    for when in (9e11, 1e300, -9e11):
        chat = store.conversations.create()
        store.database.execute("UPDATE conversations SET updated_at = ? WHERE id = ?", (when, chat))
    groups = grouped(store.conversations.view(), clock.now, SEOUL)
    assert [(group.name, len(group.conversations)) for group in groups] == [("today", 2), ("older", 1)]
