"""A crash of the process leaves a report, which the next start finds once; the log of a run is kept in memory."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from app.system import crash
from app.system.log_buffer import MOST_LINES, LogBuffer
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine

DIE = "from app.system import crash; import faulthandler; crash.start_watching(); faulthandler._sigsegv()"
KILLED = "from app.system import crash; import os; crash.start_watching(); os.kill(os.getpid(), 9)"


START = """
from app.system import crash
found = crash.start_watching()
print(found.read_text() if found else "")
crash.stop_watching()
"""


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True).stdout.strip()


def test_the_next_start_finds_the_report_of_a_crash_once() -> None:
    run(DIE)
    assert "Segmentation fault" in run(START)
    assert run(START) == ""


def test_a_program_that_was_killed_or_closed_leaves_no_report_and_other_files_stay() -> None:
    data_folder().mkdir(parents=True)
    note = data_folder() / "crash-of-monday.txt"
    note.write_text("a note")
    run(KILLED)
    assert run(START) == ""
    assert list(data_folder().glob("crash-*.txt")) == [note]
    assert note.read_text() == "a note"


def test_only_the_owner_may_read_reports() -> None:
    before = os.umask(0o022)
    try:
        crash.start_watching()
        crash.report(ValueError("a word of a chat"))
        reports = list(data_folder().glob("*.txt"))
        assert [file.stat().st_mode & 0o077 for file in reports] == [0, 0]
    finally:
        os.umask(before)
        crash.stop_watching()


def test_the_report_is_offered_and_opened_on_request(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "app.window.notifications.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile())
    )
    window = open_window(ScriptedEngine())
    assert not window.is_enabled("show-report")
    window.notifications.show_crash_report(data_folder() / "last-crash.txt")
    window.wait(window.banner.isVisible)
    assert opened == []
    window.press_banner()
    assert opened == [str(data_folder() / "last-crash.txt")]


class Recursive(QObject):
    again = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.again.connect(self.recur)

    def recur(self) -> None:
        self.again.emit()


def test_an_endless_recursion_is_told_with_its_report(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(ScriptedEngine())
    told: list[Path | None] = []

    def notify(report: Path | None) -> None:
        told.append(report)
        window.notifications.show_error(report)

    # Where in the reaction to the error the stack ends depends on how deep the recursion began.
    def recur(calls: int) -> None:
        if calls:
            recur(calls - 1)
        else:
            Recursive().recur()

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    crash.catch_in_slots(notify)
    for depth in range(40):
        recur(depth)
        window.wait(lambda: told != [])
        assert told == [data_folder() / "last-error.txt"]
        told.clear()
    assert "Something unexpected" in window.banner_text


@pytest.mark.parametrize("broken", ["report", "notice", "slot"])
def test_an_error_is_told_once_even_if_that_fails(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], broken: str
) -> None:
    window = open_window(ScriptedEngine())
    told: list[Path | None] = []

    def fail(*_: object) -> None:
        raise RuntimeError(broken)

    def notify(report: Path | None) -> None:
        told.append(report)
        if broken == "notice":
            fail()
        window.notifications.show_error(report)

    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    crash.catch_in_slots(notify)
    if broken == "report":
        monkeypatch.setattr("app.system.crash.report", fail)
    if broken == "slot":
        window.notifications.report_changed.connect(fail)
    for count in (1, 2):
        sys.excepthook(ValueError, ValueError("half of 😀: \ud83d"), None)
        QApplication.processEvents()
        assert len(told) == count
    assert (f"RuntimeError: {broken}" in capfd.readouterr().err) == (broken != "report")
    assert ("Something unexpected" in window.banner_text) == (broken != "notice")
    assert (told[0] is None) == (broken == "report")


log = logging.getLogger("engine.something")


@pytest.fixture
def buffer() -> Iterator[LogBuffer]:
    """A buffer that keeps records, as in a running window."""
    buffer = LogBuffer()
    buffer.start()
    yield buffer
    buffer.stop()


def test_records_are_kept_from_info_on(buffer: LogBuffer) -> None:
    log.info("after")
    log.debug("too low")
    logging.getLogger("somebody.else").info("another package")
    [line] = buffer.text.splitlines()
    assert line.endswith("INFO     engine.something  after")


def test_only_the_latest_records_are_kept(buffer: LogBuffer) -> None:
    for number in range(MOST_LINES + 1):
        log.info("number %d", number)
    lines = buffer.text.splitlines()
    assert (len(lines), lines[0].split()[-1]) == (MOST_LINES, "1")


def test_other_handlers_keep_their_own_level() -> None:
    root, stream = logging.getLogger(), io.StringIO()
    terminal = logging.StreamHandler(stream)
    root.addHandler(terminal)
    buffer = LogBuffer()
    buffer.start()
    try:
        log.info("for the buffer only")
    finally:
        buffer.stop()
        root.removeHandler(terminal)
    log.info("after the end")
    assert buffer.text.endswith("for the buffer only")
    assert stream.getvalue() == ""
