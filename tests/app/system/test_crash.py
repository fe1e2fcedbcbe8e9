"""A crash of the program itself is written down, and told at the next start."""

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

DIE = "from app.system import crash; import faulthandler; crash.watch(); faulthandler._sigsegv()"
KILLED = "from app.system import crash; import os; crash.watch(); os.kill(os.getpid(), 9)"


START = (
    "from app.system import crash; found = crash.watch(); print(found.read_text() if found else ''); crash.end_watch()"
)


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True).stdout.strip()


def test_a_crash_is_told_at_the_next_start_and_not_again() -> None:
    run(DIE)
    assert "Segmentation fault" in run(START)
    assert run(START) == ""


def test_a_program_that_was_killed_or_closed_leaves_no_report() -> None:
    run(KILLED)
    assert run(START) == ""
    assert list(data_folder().glob("crash-*.txt")) == []


def test_a_file_of_somebody_else_is_left_alone() -> None:
    data_folder().mkdir(parents=True)
    note = data_folder() / "crash-of-monday.txt"
    note.write_text("a note")
    assert run("from app.system import crash; print(crash.watch(), end=''); crash.end_watch()") == "None"
    assert note.read_text() == "a note"


def test_the_report_is_offered_and_opened_on_request(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        "app.window.notifications.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile())
    )
    window = open_window(ScriptedEngine())
    assert not window._actions["show-report"].isEnabled()
    window.notifications.show_crash_report(data_folder() / "last-crash.txt")
    qtbot.waitUntil(window._banner.isVisible)
    assert opened == []
    window._banner._button.click()
    assert opened == [str(data_folder() / "last-crash.txt")]
