"""Measures the time from the start of the app's process to its window, its models and the first token of an answer.

Each start is a new process with its own settings and chats, and asks its question as soon as it can. For comparison it
also measures the libraries alone, in turn: an empty window, and mlx-lm's first token of the same model.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

STAGES = ("window", "models", "first_token")
FLOORS = ("bare_window", "mlx_lm_first_token")
_QUESTION = "What is Tandem?"
_LONGEST_S = 120.0
_LOOK_MS = 5
_BARE_WINDOW = """
import sys, time
from PySide6.QtWidgets import QApplication, QMainWindow
application = QApplication(["bare"])
window = QMainWindow()
window.show()
window.repaint()
print(time.time() - float(sys.argv[1]))
"""
# `engine` has the same BLAS loaded as the app has.
_MLX_LM = """
import sys, time
import engine
from mlx_lm import load, stream_generate
model, tokenizer = load(str(engine.starter_pair()[0]))
prompt = tokenizer.apply_chat_template([{"role": "user", "content": sys.argv[2]}], add_generation_prompt=True)
next(stream_generate(model, tokenizer, prompt, max_tokens=8))
print(time.time() - float(sys.argv[1]))
"""


def measure(times: int) -> dict[str, Any]:
    """Return medians in seconds of `times` starts after one to warm up."""
    # Imported here because a process whose start is measured imports this module.
    from statistics import median

    found = [one_start() | floors() for _ in range(times + 1)][1:]
    return {"starts": times, **{stage: median(one[stage] for one in found) for stage in STAGES + FLOORS}}


def line(figures: dict[str, Any]) -> list[str]:
    """Format the figures."""
    window, models, token = (figures[stage] for stage in STAGES)
    return [
        f"from the start of the process, median of {figures['starts']}: window painted {window:.2f} s, models ready "
        f"{models:.2f} s, first token {token:.2f} s",
        f"the libraries alone: an empty window {figures['bare_window']:.2f} s, mlx-lm's first token "
        f"{figures['mlx_lm_first_token']:.2f} s",
    ]


def one_start() -> dict[str, float]:
    """Start the app in a new process, and return the seconds to each of `STAGES`."""
    found: dict[str, float] = json.loads(_started("-m", "tests.benchmarks.starts"))
    return found


def floors() -> dict[str, float]:
    """Start a new process for each of `FLOORS`, and return the seconds to each."""
    return dict(zip(FLOORS, (float(_started("-c", script)) for script in (_BARE_WINDOW, _MLX_LM)), strict=True))


def _started(*program: str) -> bytes:
    """Run a program with the time of its start and the question, and return what it prints."""
    import subprocess

    # Compiled files are kept for the next start, as for any user.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, *program, repr(time.time()), _QUESTION]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, timeout=_LONGEST_S).stdout


def _start(began: float, folder: Path) -> dict[str, float]:
    """Start the app in this process, which `began` then, and return the seconds to each of `STAGES`."""
    # As the command does before it imports the window.
    gc.disable()
    from PySide6.QtCore import QEvent, QObject, QTimer

    from app.settings.store import SettingsStore
    from app.widgets.application import Application
    from app.window.startup import open_window

    reached: dict[str, float] = {}

    def reach(stage: str) -> None:
        reached.setdefault(stage, time.time() - began)

    class Painted(QObject):
        def eventFilter(self, _: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                # The window's content is painted with it, before the timer.
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


def main() -> None:
    """Print the figures of five starts, or in a process that is measured, those of its own start."""
    if len(sys.argv) == 1:
        print("\n".join(line(measure(5))))
        return
    os.environ.setdefault("QT_NO_GLIB", "1")
    with tempfile.TemporaryDirectory(prefix="tandem-start-") as name:
        print(json.dumps(_start(float(sys.argv[1]), Path(name))))


if __name__ == "__main__":
    main()
