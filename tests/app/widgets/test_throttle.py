"""A pace shows at once what is due, and the rest later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.widgets.throttle import Throttle

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def test_the_first_wish_is_granted_at_once(qtbot: QtBot) -> None:  # noqa: ARG001
    owner, shown = QObject(), []
    Throttle(3_600_000, lambda: shown.append(1), owner).ask()
    assert shown == [1]


def test_wishes_that_come_too_soon_are_granted_once_and_later(qtbot: QtBot) -> None:
    owner, shown = QObject(), []
    pace = Throttle(3_600_000, lambda: shown.append(1), owner)
    for _ in range(3):
        pace.ask()
    assert shown == [1]
    [rest] = pace.findChildren(QTimer)
    assert rest.isActive()
    # As if the hour had passed.
    rest.start(0)
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert not rest.isActive()


def test_a_granted_wish_leaves_nothing_for_later(qtbot: QtBot) -> None:  # noqa: ARG001
    owner, shown = QObject(), []
    pace = Throttle(0, lambda: shown.append(1), owner)
    for _ in range(3):
        pace.ask()
    assert shown == [1, 1, 1]
