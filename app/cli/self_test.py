"""`tandem --self-test`: asks one question in the real window with the starter pair, and reports.

Then it tries every part that a build could have left out: Qt, MLX, the models and the translations.
"""

from __future__ import annotations

import json
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from PySide6.QtCore import QDeadlineTimer, QEventLoop, QTimer

from app.cli.command import DONE, FAILED
from app.cli.included_parts import device, try_parts
from app.session.answer import Answer
from app.system.display import has_display
from app.system.language import LANGUAGES
from app.system.versions import versions
from app.widgets.application import Application
from app.window.main_window import MainWindow
from app.window.startup import open_window
from app.wording.errors import error_sentence
from engine.errors import EngineError, FileRefused, as_engine_error
from engine.machine.macos import has_accelerator_kernels

QUESTION = "What is Tandem?"
LOAD_S = 120
ANSWER_S = 120
# A fixed depth, because on a busy machine the controller may choose plain decoding.
SPECULATION = {"method": "draft", "depth": 4}


def run(screenshot: str | None = None, language: str | None = None) -> int:
    """Ask the question and print one JSON object: ok, text, stats, parts, device, nax, versions, the problem, if any.

    Returns the exit code. `screenshot` is the folder that pictures of the window are saved in.
    """
    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application = Application(["tandem"], language or "system")
    report = _ask(application, Path(screenshot) if screenshot else None)
    print(json.dumps(report, ensure_ascii=False))
    return DONE if report["ok"] else FAILED


def _ask(application: Application, pictures: Path | None) -> dict[str, Any]:
    # A temporary folder, so that the user's chats do not change.
    folder = tempfile.TemporaryDirectory(prefix="tandem-self-test-")
    if problem := _problem_in(Path(folder.name)):
        folder.cleanup()
        return _report(None, problem)
    window, session = open_window(application, chats=Path(folder.name) / "chats.db")
    try:
        problems: list[EngineError] = []
        session.models.failed.connect(problems.append)
        # Saving handles events, and a load may fail meanwhile.
        _save(application, window, pictures, "loading.png")
        # Wait for the draft model as well: the report is about speculation.
        _wait(lambda: (session.answers.ready and not session.models.pair.loading) or bool(problems), LOAD_S)
        if problems or not session.answers.ready:
            return _report(None, error_sentence(problems[0]) if problems else "the starter pair did not load in time")
        _save(application, window, pictures, "welcome.png")
        session.settings.set_own(session.chat, "", SPECULATION)
        answer = session.answers.ask(QUESTION).answer
        _wait(lambda: answer.ended, ANSWER_S)
        _save(application, window, pictures, "answer.png")
        if pictures is not None:
            application.theme.set_mode("dark")
            _save(application, window, pictures, "answer-dark.png")
            for language in LANGUAGES:
                application.language.choose(language)
                _save(application, window, pictures, f"answer-{language}.png")
        parts = try_parts(Path(folder.name), application.language, session.models.engine)
        missing = [f"{name}: {problem}" for name, problem in parts.items() if problem]
        return _report(answer, _problem_of(answer) or "; ".join(missing)) | {"parts": parts, "device": device()}
    finally:
        window.quit()
        session.close()
        folder.cleanup()


def _problem_in(folder: Path) -> str:
    """Return why chats cannot be kept in `folder`, or "": with some umasks not even new files can be used.

    Without this, the answer would never begin, because its question cannot be stored.
    """
    try:
        inner = folder / "written"
        inner.mkdir()
        probe = inner / "file"
        probe.write_text(QUESTION, encoding="utf-8")
        probe.read_text(encoding="utf-8")
    except OSError as error:
        return error_sentence(FileRefused.of(error) or as_engine_error(error))
    return ""


def _problem_of(answer: Answer) -> str:
    """Return the fault of the answer in words, or ""."""
    if answer.error is not None:
        return error_sentence(answer.error)
    if not answer.ended:
        return "the answer did not end in time"
    if not answer.text.strip():
        return "the answer is empty"
    if not any(record.drafted for record in answer.rounds):
        return "no round speculated"
    return ""


def _report(answer: Answer | None, problem: str) -> dict[str, Any]:
    report: dict[str, Any] = {
        "ok": not problem,
        "text": answer.text if answer else "",
        "stats": to_builtins(answer.stats) if answer else None,
        "nax": has_accelerator_kernels(),
        "versions": {"python": platform.python_version(), "system": platform.platform(), **versions()},
    }
    return report | {"problem": problem} if problem else report


def _wait(ready: Callable[[], bool], seconds: int) -> None:
    deadline = QDeadlineTimer(seconds * 1000)
    loop = QEventLoop()
    tick = QTimer()
    tick.timeout.connect(lambda: loop.quit() if ready() or deadline.hasExpired() else None)
    tick.start(20)
    loop.exec()
    tick.stop()


def _save(application: Application, window: MainWindow, folder: Path | None, name: str) -> None:
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    for _ in range(5):
        application.processEvents()
    window.grab().save(str(folder / name))
