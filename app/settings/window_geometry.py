"""Restores the window's position and panes from the last run."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

from app.settings.declarations import SettingsValues

# The size of the first window, if the screen is large enough.
_FIRST = QSize(1440, 900)
# The height of the system's title bar above the content, in pixels.
_TITLE_BAR = 32
# This much of the title bar has to be on a screen for the position to be restored, in pixels.
_SEEN = 80
# The largest coordinate and side that a window can have, in pixels; a damaged file may hold any number.
_FARTHEST, _LARGEST = 2**24, 2**15
_STATES = {"maximized": Qt.WindowState.WindowMaximized, "full-screen": Qt.WindowState.WindowFullScreen}


def geometry_of(window: QWidget) -> tuple[int, ...]:
    """Return x, y, width and height of the window when it is neither maximised nor in full screen."""
    rect = window.geometry()
    if state_of(window) != "normal":
        normal = window.normalGeometry()
        # Some window managers report none for a window that was maximised from the start.
        rect = normal if normal.width() >= window.minimumWidth() and normal.height() >= window.minimumHeight() else rect
    return (rect.x(), rect.y(), rect.width(), rect.height())


def state_of(window: QWidget) -> str:
    """Return the setting `window_state`: "normal", "maximized" or "full-screen"."""
    return next((name for name, state in _STATES.items() if window.windowState() & state), "normal")


def restore_geometry(window: QWidget, values: SettingsValues) -> None:
    """Restore the size, the position and the state of the last run, within the present screens.

    The first window is centred and not larger than the screen.
    """
    geometry = values.window_place
    if len(geometry) != 4 or not all(0 < side <= _LARGEST for side in geometry[2:]):
        free = _for_content(QGuiApplication.primaryScreen())
        first = QRect(free.topLeft(), _FIRST.boundedTo(free.size()))
        first.moveCenter(free.center())
        window.setGeometry(first)
    else:
        left, top = (max(-_FARTHEST, min(part, _FARTHEST)) for part in geometry[:2])
        _restore(window, QRect(left, top, *geometry[2:]))
    if state := _STATES.get(values.window_state):
        window.setWindowState(state)


def _for_content(screen: QScreen) -> QRect:
    """Return the part of the screen that the content of a maximised window fills."""
    return screen.availableGeometry().adjusted(0, _TITLE_BAR, 0, 0)


def _restore(window: QWidget, wanted: QRect) -> None:
    for screen in QGuiApplication.screens():
        free = _for_content(screen)
        seen = screen.availableGeometry().intersected(QRect(wanted.x(), wanted.y(), wanted.width(), _SEEN))
        if seen.width() >= _SEEN and seen.height() >= _SEEN // 2:
            if wanted.width() > free.width() or wanted.height() > free.height():
                # The screen of the last run was larger.
                wanted.setSize(wanted.size().boundedTo(free.size()))
                wanted.moveTopLeft(free.topLeft())
            window.setGeometry(wanted)
            return
    # The screen of the last run is gone.
    free = _for_content(QGuiApplication.primaryScreen())
    window.setGeometry(QRect(free.topLeft(), wanted.size().boundedTo(free.size())))
