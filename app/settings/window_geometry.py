"""Restores the window's place and state from the last run."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

# The size of the first window, if the screen is large enough.
_FIRST = QSize(1440, 900)
# The height of the system's title bar above the content, in pixels.
_TITLE_BAR = 32


def geometry_of(window: QWidget) -> str:
    """Return where the window is, and whether it is maximised or in full screen, as `restore_geometry` takes it."""
    return bytes(window.saveGeometry().toBase64().data()).decode()


def restore_geometry(window: QWidget, kept: str) -> None:
    """Restore the place and the state of the last run, within the present screens.

    The first window, and one from a screen of another size, is centred and not larger than the screen.
    """
    if not window.restoreGeometry(QByteArray.fromBase64(kept.encode())):
        free = QGuiApplication.primaryScreen().availableGeometry().adjusted(0, _TITLE_BAR, 0, 0)
        first = QRect(free.topLeft(), _FIRST.boundedTo(free.size()))
        first.moveCenter(free.center())
        window.setGeometry(first)
