"""A crash of the process leaves a report, which the next start finds once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from app.system.paths import data_folder
from tests.app.scripted_engine import ScriptedEngine

if TYPE_CHECKING:
    import pytest
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow

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


def test_a_program_that_was_killed_or_closed_leaves_no_report() -> None:
    run(KILLED)
    assert run(START) == ""
    assert list(data_folder().glob("crash-*.txt")) == []


def test_a_file_that_is_no_report_is_left_alone() -> None:
    data_folder().mkdir(parents=True)
    note = data_folder() / "crash-of-monday.txt"
    note.write_text("a note")
    assert run("from app.system import crash; print(crash.start_watching(), end=''); crash.stop_watching()") == "None"
    assert note.read_text() == "a note"


def test_the_report_is_offered_and_opened_on_request(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "app.window.notifications.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile())
    )
    window = open_window(ScriptedEngine())
    assert not window.is_enabled("show-report")
    window.notifications.show_crash_report(data_folder() / "last-crash.txt")
    qtbot.waitUntil(window.banner.isVisible)
    assert opened == []
    window.press_banner()
    assert opened == [str(data_folder() / "last-crash.txt")]
