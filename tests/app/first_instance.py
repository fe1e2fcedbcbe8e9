"""The app as a process, with a scripted engine and a window that is minimised at once.

    python -m tests.app.first_instance

It prints "minimised" when the window is minimised, and "raised" when it is in front again.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.window import startup
from app.window.main_window import MainWindow
from tests.app.scripted_engine import ScriptedEngine


def say(word: str) -> None:
    os.write(1, f"{word}\n".encode())


class FirstWindow(MainWindow):
    minimised = False

    def watch(self) -> None:
        """Minimise the window once the event loop runs and it listens, and report when it is back."""
        if not self.minimised:
            self.minimised = True
            self.showMinimized()
            say("minimised")
        elif not self.isMinimized() and self.isActiveWindow():
            say("raised")
            self.minimised = False
            QApplication.quit()
            return
        QTimer.singleShot(20, self, self.watch)


def open_window(*arguments: object) -> object:
    window, session = opened(*arguments)
    QTimer.singleShot(0, window, window.watch)
    return window, session


opened = startup.open_window
startup.MainWindow = FirstWindow
startup.Engine = ScriptedEngine
startup.open_window = open_window

if __name__ == "__main__":
    sys.exit(startup.show_window("en"))
