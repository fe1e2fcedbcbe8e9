"""The time left is said once it can be known, and falls between two steps."""

from __future__ import annotations

from app.session.time_left import TimeLeft


def test_the_time_left_follows_the_measured_rate_once_it_is_known() -> None:
    now = 0.0
    left = TimeLeft(lambda: now)
    seen = []
    for now, done in ((0.0, 0), (10.0, 100), (20.0, 200), (25.0, 200), (30.0, 400), (90.0, 400)):  # noqa: B007
        seen.append(left.note(done, 1000))
    assert seen == [None, None, 80.0, 75.0, 45.0, 0.0]


def test_steps_that_come_at_once_and_another_load_give_none() -> None:
    now = 0.0
    left = TimeLeft(lambda: now)
    assert [left.note(done, 1000) for done in (0, 100, 200, 300)] == [None] * 4
    now = 10.0
    assert left.note(400, 1000) == 15.0
    assert left.note(0, 1000) is None
    assert left.note(400, 2000) is None
