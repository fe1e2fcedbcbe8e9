"""How long the app takes from the start of its process to its window, its models and the first token of an answer.

Each start is a process of its own with settings and chats of its own. The question is asked as soon as it can be.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

STAGES = ("window", "models", "first_token")
_QUESTION = "What is Tandem?"
_LONGEST_S = 120.0
_LOOK_MS = 5


def measure(times: int) -> dict[str, Any]:
    """Medians in seconds of `times` starts after one to warm up; nothing in a bundle, which has no interpreter."""
    if getattr(sys, "frozen", False):
        return {"starts": 0}
    found = [one_start() for _ in range(times + 1)][1:]
    return {"starts": times, **{stage: statistics.median(one[stage] for one in found) for stage in STAGES}}


def line(figures: dict[str, Any]) -> list[str]:
    """The figures as text."""
    if not figures["starts"]:
        return []
    window, models, token = (figures[stage] for stage in STAGES)
    return [
        f"from the start of the process, median of {figures['starts']}: window painted {window:.2f} s, models ready "
        f"{models:.2f} s, first token {token:.2f} s"
    ]


def one_start() -> dict[str, float]:
    """Start the app in a process of its own; the seconds to each of `STAGES`."""
    began = time.time()
    run = subprocess.run(
        [sys.executable, "-m", __name__, repr(began)], stdout=subprocess.PIPE, check=True, timeout=_LONGEST_S
    )
    found: dict[str, float] = json.loads(run.stdout)
    return found


def _start(began: float, folder: Path) -> dict[str, float]:
    """Start the app here, in a process that `began` then; the seconds to each of `STAGES`."""
    from PySide6.QtCore import QEvent, QObject, QTimer

    from app.settings.store import SettingsStore
    from app.widgets.application import Application
    from app.window.startup import open_window

    reached: dict[str, float] = {}

    def reach(stage: str) -> None:
        reached.setdefault(stage, time.time() - began)

    class Painted(QObject):
        def eventFilter(self, _: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.UpdateRequest:
                # It is handled, and the window painted, before the next event.
                QTimer.singleShot(0, lambda: reach("window"))
            return False

    application = Application(["tandem"], "en")
    window, session = open_window(application, SettingsStore(folder / "settings.json"), folder / "chats.db")
    painted = Painted()
    window.installEventFilter(painted)

    def look() -> None:
        if "models" not in reached and session.answers.ready:
            reach("models")
            session.answers.ask(_QUESTION)
        if session.chat.turns and session.chat.turns[-1].answer.tokens:
            reach("first_token")
            application.quit()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(_LOOK_MS)
    application.exec()
    window.close()
    session.close()
    return reached


if __name__ == "__main__":
    os.environ.setdefault("QT_NO_GLIB", "1")
    with tempfile.TemporaryDirectory(prefix="tandem-start-") as name:
        print(json.dumps(_start(float(sys.argv[1]), Path(name))))
