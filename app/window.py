"""Opens the main window on a real engine, and stays until it is closed."""

from __future__ import annotations

import signal
import sys
from concurrent.futures import ThreadPoolExecutor

from PySide6.QtCore import QTimer

from app import crash
from app.application import Application
from app.main_window import MainWindow
from app.models.library import Library
from app.places import settings_folder
from app.preferences.effects import load_first_pair
from app.preferences.preference_file import PreferenceFile
from app.record import RECORD
from app.session import Session
from engine import Engine, starter_pair


def open_window(application: Application, preferences: PreferenceFile | None = None) -> tuple[MainWindow, Session]:
    """The window with its session. The first pair begins to load once the window has been painted."""
    session = Session(Engine, starter_pair())
    library = Library(preferences or PreferenceFile(settings_folder() / "settings.json"))
    window = MainWindow(session, application, library)
    window.show()
    QTimer.singleShot(0, session, lambda: load_first_pair(session, library.preferences))
    QTimer.singleShot(0, library, library.start)
    return window, session


def show_window(language: str | None = None) -> int:
    """Run the application until the window is closed; returns the exit code."""
    disk = ThreadPoolExecutor(1, thread_name_prefix="preferences")
    preferences = PreferenceFile(settings_folder() / "settings.json", later=disk.submit)
    application = Application(sys.argv[:1], language or preferences.values.language)
    application.theme.set_mode(preferences.values.theme)
    RECORD.start()
    # Python sees a Ctrl-C in the terminal only when Qt next calls into it; the default action ends the program at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window, session = open_window(application, preferences)
    crash.catch_in_slots(window.show_crash)
    code = application.exec()
    session.close()
    disk.shutdown()
    return code
