"""A throttle runs at once if it is due, and later otherwise."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from app.widgets.throttle import Throttle


def test_requests_that_come_too_soon_are_shown_once_and_later(qtbot: QtBot) -> None:
    owner, shown = QObject(), []
    throttle = Throttle(3_600_000, lambda: shown.append(1), owner)
    for _ in range(3):
        throttle.request()
        assert shown == [1]
    [delay] = throttle.findChildren(QTimer)
    assert delay.isActive()
    # As if the hour had passed.
    delay.start(0)
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert not delay.isActive()


def test_a_request_that_was_shown_at_once_is_not_shown_again(qtbot: QtBot) -> None:  # noqa: ARG001
    owner, shown = QObject(), []
    throttle = Throttle(0, lambda: shown.append(1), owner)
    for _ in range(3):
        throttle.request()
    assert shown == [1, 1, 1]
