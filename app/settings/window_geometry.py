"""Where the window was and which panes it showed, from one run to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.settings.declarations import SettingsValues

# A title bar's worth of the window has to be on a screen for the place to be used again.
_SEEN = 80
# In pixels: no desk has a screen further away, and no window is larger.
_FARTHEST, _LARGEST = 2**24, 2**15


def geometry_of(window: QWidget) -> tuple[int, ...]:
    """x, y, width and height, as `restore_geometry` takes them."""
    place = window.normalGeometry() if window.isMaximized() or window.isFullScreen() else window.geometry()
    return (place.x(), place.y(), place.width(), place.height())


def restore_geometry(window: QWidget, place: tuple[int, ...]) -> None:
    """Give the window its place again, unless the screen that it was on is gone; the size is kept in any case."""
    if len(place) != 4 or not all(0 < side <= _LARGEST for side in place[2:]):
        return
    left, top = (max(-_FARTHEST, min(part, _FARTHEST)) for part in place[:2])
    wanted = QRect(left, top, *place[2:])
    for screen in QGuiApplication.screens():
        seen = screen.availableGeometry().intersected(QRect(wanted.x(), wanted.y(), wanted.width(), _SEEN))
        if seen.width() >= _SEEN and seen.height() >= _SEEN // 2:
            window.setGeometry(wanted)
            return
    window.resize(wanted.size())


def wanted_panes(values: SettingsValues) -> dict[str, bool | None]:
    """Whether the user wants each pane shown; None where there has been no choice."""
    words = {"shown": True, "hidden": False}
    return {"sidebar": words.get(values.sidebar), "panel": words.get(values.panel)}
