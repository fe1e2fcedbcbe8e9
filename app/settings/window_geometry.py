"""Restores the places and states of windows from the last run, and holds windows within the screen."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication, QScreen
from PySide6.QtWidgets import QWidget

# The size of the first window, if the screen is large enough.
_FIRST = QSize(1440, 900)
# The height of the system's title bar above the content, in pixels.
_TITLE_BAR = 32


def geometry_of(window: QWidget) -> str:
    """Return where the window is, and whether it is maximised or in full screen, as `restore_geometry` takes it."""
    return bytes(window.saveGeometry().toBase64().data()).decode()


def restore_geometry(window: QWidget, stored: str) -> None:
    """Restore the place and the state of the last run, within the present screens.

    `stored` is what the window's place and state were kept as, "" before the first run. The first window, and one from
    a screen of another size, is centred and not larger than the screen.
    """
    if not restored(window, stored):
        screen = QGuiApplication.primaryScreen()
        first = QRect(QPoint(), _FIRST.boundedTo(_free(screen).size()))
        first.moveCenter(_free(screen).center())
        window.setGeometry(first)


def restored(window: QWidget, stored: str) -> bool:
    """Restore what `geometry_of` returned, within the present screens. Return False if `stored` is nothing of it."""
    return window.restoreGeometry(QByteArray.fromBase64(stored.encode()))


def within(place: QRect, screen: QScreen) -> QRect:
    """Return a window's place moved, and made smaller where it must be, so that the screen shows all of the window."""
    free = _free(screen)
    size = place.size().boundedTo(free.size())
    left = max(free.left(), min(place.left(), free.right() + 1 - size.width()))
    top = max(free.top(), min(place.top(), free.bottom() + 1 - size.height()))
    return QRect(QPoint(left, top), size)


def _free(screen: QScreen) -> QRect:
    """Return where the content of a window can be, without the system's bars and the title bar."""
    return screen.availableGeometry().adjusted(0, _TITLE_BAR, 0, 0)
