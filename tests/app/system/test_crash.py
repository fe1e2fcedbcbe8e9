"""A crash of the process leaves a report, which the next start finds once."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
