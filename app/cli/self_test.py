"""`tandem --self-test`: the real window, the real engine and the starter pair answer one question, and report.

It is how a build proves on a new machine that Qt, MLX, the models and the translations have all come along.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.system.display import has_display

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.session.answer import Answer
    from app.window.main_window import MainWindow
    from engine.errors import EngineError

QUESTION = "What is Tandem?"
LOAD_S, ANSWER_S = 120, 120
# Guesses of a fixed depth: whether they pay on a machine that is busy with something else is not what is tested.
SPECULATION = {"method": "draft", "depth": 4}
_PACKAGES = ("tandem-chat", "mlx", "mlx-lm", "PySide6-Essentials", "huggingface-hub")


def run(screenshot: str | None = None, language: str | None = None) -> int:
    """Ask the question, print one JSON object {"ok", "text", "stats", "versions"} and what failed; 0 if all is well."""
    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from app.widgets.application import Application

    application = Application(["tandem"], language or "system")
    report = _ask(application, Path(screenshot) if screenshot else None)
    print(json.dumps(report, ensure_ascii=False))
    return 0 if report["ok"] else 1


def _ask(application: Any, pictures: Path | None) -> dict[str, Any]:
    from app.window.startup import open_window

    # A folder of its own: the test leaves nothing among the user's chats.
    folder = tempfile.TemporaryDirectory(prefix="tandem-self-test-")
    window, session = open_window(application, chats=Path(folder.name) / "chats.db")
    try:
        _save(application, window, pictures, "loading.png")
        problems: list[EngineError] = []
        session.models.failed.connect(problems.append)
        # With its draft: the report is about guesses.
        _wait(lambda: (session.answers.ready and not session.models.pair.loading) or bool(problems), LOAD_S)
        if not session.answers.ready:
            return _report(None, str(problems[0]) if problems else "the starter pair did not load in time")
        _save(application, window, pictures, "welcome.png")
        session.settings.set_own(session.chat, "", SPECULATION)
        answer = session.answers.ask(QUESTION).answer
        _wait(lambda: answer.ended, ANSWER_S)
        _save(application, window, pictures, "answer.png")
        if pictures is not None:
            application.theme.set_mode("dark")
            _save(application, window, pictures, "answer-dark.png")
        return _report(answer, _problem_of(answer))
    finally:
        window.close()
        session.close()
        folder.cleanup()


def _problem_of(answer: Answer) -> str:
    """What is wrong with the answer, or ""."""
    if answer.error is not None:
        return str(answer.error)
    if not answer.ended:
        return "the answer did not end in time"
    if not answer.text.strip():
        return "the answer is empty"
    if not any(record.drafted for record in answer.rounds):
        return "no round speculated"
    return ""


def _report(answer: Answer | None, problem: str) -> dict[str, Any]:
    from dataclasses import asdict

    report: dict[str, Any] = {
        "ok": not problem,
        "text": answer.text if answer else "",
        "stats": asdict(answer.stats) if answer else None,
        "versions": versions(),
    }
    return report | {"problem": problem} if problem else report


def versions() -> dict[str, str]:
    """What is installed, by package; a checkout that is not installed has no version of its own."""
    found = {"python": platform.python_version(), "system": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _wait(ready: Callable[[], bool], seconds: int) -> None:
    from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer

    deadline, loop, tick = QDeadlineTimer(seconds * 1000), QEventLoop(), QTimer()
    tick.timeout.connect(lambda: loop.quit() if ready() or deadline.hasExpired() else None)
    tick.start(20)
    loop.exec()
    tick.stop()


def _save(application: Any, window: MainWindow, folder: Path | None, name: str) -> None:
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(5):
        application.processEvents()
    window.grab().save(str(folder / name))
