"""Measures a first start: the app opens on an empty home, and a question is typed at once.

    python -m tests.app.first_start

It prints a JSON object with the answer and the seconds from the start of the process to the window, to models that can
answer, and to the answer's first token and end. The question is typed as soon as the window is shown, so it waits for
the models.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "What is Tandem?"
STARTED = "TANDEM_FIRST_START"


def measure() -> dict[str, object]:
    """Start the app in a process with an empty home, and return its measurements."""
    with tempfile.TemporaryDirectory(prefix="tandem-first-") as home:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("XDG_")}
        environment |= {"HOME": home, STARTED: repr(time.time())}
        environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        done = subprocess.run(
            [sys.executable, "-m", "tests.app.first_start", "--inside"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            check=True,
            timeout=300,
        )
        found: dict[str, object] = json.loads(done.stdout.decode().splitlines()[-1])
        return found


def _walk() -> None:
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest

    from app.chat.composer import Composer
    from app.settings.store import SettingsStore
    from app.system.paths import settings_folder
    from app.widgets.application import Application
    from app.window import startup

    started, times = float(os.environ[STARTED]), {}

    def note(what: str) -> None:
        times.setdefault(what, round(time.time() - started, 2))

    application = Application(["tandem"], "en")
    window, session = startup.open_window(application, SettingsStore(settings_folder() / "settings.json"))
    composer = window.findChild(Composer)

    def ask() -> None:
        note("window")
        QTest.keyClicks(composer.edit, QUESTION)
        QTest.keyClick(composer.edit, Qt.Key.Key_Return)

    def look() -> None:
        if session.answers.ready or session.chat.streaming:
            note("ready")
        if session.chat.turns and (answer := session.chat.turns[-1].answer).text:
            note("first_token")
            if answer.ended:
                note("answer")
                times["text"] = answer.text
                window.close()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(10)
    QTimer.singleShot(0, window, ask)
    application.exec()
    session.close()
    print(json.dumps(times))


if __name__ == "__main__":
    if "--inside" in sys.argv:
        _walk()
    else:
        print(json.dumps(measure(), ensure_ascii=False))
