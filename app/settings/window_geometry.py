"""Where the window was and which panes it showed, from one run to the next."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.settings.declarations import SettingsValues

# This much of the title bar has to be on a screen for the position to be restored, in pixels.
_SEEN = 80
# The largest coordinate and side that a window can have, in pixels; a damaged file may hold any number.
_FARTHEST, _LARGEST = 2**24, 2**15


def geometry_of(window: QWidget) -> tuple[int, ...]:
    """x, y, width and height, as `restore_geometry` takes them."""
    rect = window.normalGeometry() if window.isMaximized() or window.isFullScreen() else window.geometry()
    return (rect.x(), rect.y(), rect.width(), rect.height())


def restore_geometry(window: QWidget, geometry: tuple[int, ...]) -> None:
    """Restore size and position, or only the size if the screen it was on is gone."""
    if len(geometry) != 4 or not all(0 < side <= _LARGEST for side in geometry[2:]):
        return
    left, top = (max(-_FARTHEST, min(part, _FARTHEST)) for part in geometry[:2])
    wanted = QRect(left, top, *geometry[2:])
    for screen in QGuiApplication.screens():
        seen = screen.availableGeometry().intersected(QRect(wanted.x(), wanted.y(), wanted.width(), _SEEN))
        if seen.width() >= _SEEN and seen.height() >= _SEEN // 2:
            window.setGeometry(wanted)
            return
    window.resize(wanted.size())


def wanted_panes(values: SettingsValues) -> dict[str, bool | None]:
    """Whether the user wants each pane shown; None without a choice."""
    words = {"shown": True, "hidden": False}
    return {"sidebar": words.get(values.sidebar), "panel": words.get(values.panel)}
