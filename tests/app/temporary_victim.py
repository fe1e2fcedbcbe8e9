"""A window that shows a temporary chat with files, and waits to be killed once their question is answered.

python -m tests.app.temporary_victim QUESTION FILE...
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop
from PySide6.QtGui import QAction

from app.session.session import Session
from app.widgets.application import Application
from app.window.main_window import MainWindow
from tests.app.conversations.surviving import say
from tests.app.picture_files import RULES
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script


def main(question: str, files: list[str]) -> None:
    application = Application(["tandem"], "en")
    engine = ScriptedEngine([Script(f"You asked: {question}")], pictures=RULES)
    session = Session(lambda: engine, (Path("starter/main"), Path("starter/draft")))
    window = MainWindow(session, application)
    window.show()
    session.models.load_starter()

    def wait(holds: Callable[[], object]) -> None:
        while not holds():
            application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)

    wait(lambda: session.answers.ready)
    window.findChild(QAction, "new-temporary-chat").trigger()
    window.parts.attachments.attach(files, window.parts.composer.files)
    wait(lambda: len(window.parts.composer.files.attachments) == len(files))
    window.parts.composer.edit.setPlainText(question)
    window.parts.composer.send()
    wait(lambda: session.chat.turns and session.chat.turns[0].answer.ended and not session.busy)
    window.grab()
    say(answered=len(engine.requests[0].pictures))
    application.exec()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
