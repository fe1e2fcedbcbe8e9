"""Opens the main window on a real engine, and stays until it is closed."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.application import Application
from app.main_window import MainWindow
from app.session import Session
from engine import Engine, starter_pair

if TYPE_CHECKING:
    from pathlib import Path


def open_window(application: Application, chats: Path | None = None) -> tuple[MainWindow, Session]:
    """The window with its session. The starter pair begins to load once the window has been painted.

    `chats` is the file of the chats; None is the user's own.
    """
    session = Session(Engine, starter_pair(), chats)
    window = MainWindow(session, application)
    window.show()
    QTimer.singleShot(0, session, session.load_starter)
    return window, session


def show_window(language: str | None = None) -> int:
    """Run the application until the window is closed; returns the exit code."""
    application = Application(sys.argv[:1], language or "system")
    # Python sees a Ctrl-C in the terminal only when Qt next calls into it; the default action ends the program at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _window, session = open_window(application)
    code = application.exec()
    session.close()
    return code
