"""Walks through a window with the Tab key, and records the stops and whether each shows the focus."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.app.reach import name_of

# An upper bound on the stops of a window.
MOST = 200
# The focus ring may be drawn this far around a widget, in pixels.
AROUND = 16


@dataclass(frozen=True)
class Stop:
    """A widget that Tab reaches. `place` is in its window; `shows` is True if the focus changes its picture."""

    widget: QWidget
    name: str
    place: QRect
    shows: bool


def walk(window: QWidget, *, backwards: bool = False) -> list[Stop]:
    """Return the stops of the window, beginning at the widget with the focus, until Tab returns to it.

    `backwards` walks with Shift and Tab, and does not look at what is painted.
    """
    # The caret of a text shows the focus, and must not be in the dark half of its blink when it is looked at.
    QApplication.setCursorFlashTime(0)
    window.activateWindow()
    QApplication.processEvents()
    stops: list[Stop] = []
    first = QApplication.focusWidget()
    assert first is not None
    while len(stops) < MOST:
        widget = QApplication.focusWidget()
        assert widget is not None
        if stops and widget is first:
            return stops
        QApplication.processEvents()
        place = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
        stops.append(Stop(widget, name_of(widget), place, backwards or _shows_focus(window, widget, place)))
        QTest.keyClick(widget, Qt.Key.Key_Backtab if backwards else Qt.Key.Key_Tab)
    raise AssertionError(f"Tab does not come back: {[stop.name for stop in stops]}")


def _shows_focus(window: QWidget, widget: QWidget, place: QRect) -> bool:
    around = place.adjusted(-AROUND, -AROUND, AROUND, AROUND).intersected(window.rect())
    focused = window.grab(around).toImage()
    widget.clearFocus()
    QApplication.processEvents()
    shows = focused != window.grab(around).toImage()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    return shows
