"""Two homes on this computer as two computers, set up through the window; one is disturbed while it drafts."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.session.answer import State
from app.session.session import Session
from app.widgets.application import Application
from app.widgets.controls import Chooser
from app.window.main_window import MainWindow
from engine import Engine, starter_pair
from engine.ahead import drafting_ahead as aheads
from engine.stats import RequestStats
from tests.app.window_driver import WindowDriver
from tests.engine.ahead.runners import REACHED, slow_verification
from tests.patience import wait_until

pytestmark = [pytest.mark.campaign, pytest.mark.qt_log_ignore("This plugin does not support")]

ROOT = Path(__file__).resolve().parents[2]
# Another computer for ssh, though at this one's only address: macOS can bind no other of 127.0.0.0/8.
NAME = "studio@127.0.0.1"
QUESTION = "What is speculative decoding?"
# What the other computer's shell does before it starts anything.
FULL_DISK = "ulimit -f 0"


class OtherComputer:
    """A home of its own, and all processes in it. An `ssh` on PATH runs commands there."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "studio"
        self.home.mkdir()
        self._programs = folder / "bin"
        self._programs.mkdir()
        self._write("tandem", f'exec {sys.executable} -m app "$@"')
        self.begin_with(":")

    def begin_with(self, command: str) -> None:
        """Let each shell there begin with a command."""
        folders = " ".join(
            f"XDG_{kind}_HOME={self.home / kind.lower()}" for kind in ("DATA", "CACHE", "CONFIG", "STATE")
        )
        self._write("ssh", f'for last; do :; done\n{command}\nexec env HOME={self.home} {folders} /bin/sh -c "$last"')

    @property
    def processes(self) -> list[psutil.Process]:
        """The processes that run there."""
        return [process for process in psutil.process_iter() if self._is_there(process)]

    def signal(self, number: int) -> None:
        for process in self.processes:
            process.send_signal(number)

    def _is_there(self, process: psutil.Process) -> bool:
        try:
            running = process.status() != psutil.STATUS_ZOMBIE
            return running and process.environ().get("HOME") == str(self.home)
        except psutil.Error:
            return False

    def _write(self, name: str, command: str) -> None:
        file = self._programs / name
        file.write_text(f"#!/bin/sh\n{command}\n")
        file.chmod(0o755)


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OtherComputer]:
    """The other computer; a test fails if anything is left running there."""
    computer = OtherComputer(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    yield computer
    wait_until(lambda: not computer.processes)


@pytest.fixture
def window(
    studio: OtherComputer, qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> Iterator[WindowDriver]:
    """The window with the starter pair and a plain answer, after which the other computer drafts ahead."""
    del studio
    # Longer than a message takes on a loaded computer, where a round of the starter pair is over before it is there.
    monkeypatch.setattr(aheads, "HANDOVER_S", 0.1)
    slow_verification(monkeypatch)
    session = Session(Engine, starter_pair())
    driver = WindowDriver(MainWindow(session, qapp), session, qtbot.waitUntil)
    driver.show()
    session.models.load_starter()
    driver.wait(lambda: session.answers.ready and not session.models.pair.loading)
    driver.trigger("toggle-panel")
    driver.settings_page("generation").settings.change(temperature=1.5, seed=7, depth=4, max_tokens=96)
    yield driver
    driver.close()
    session.close()


def add_computer(window: WindowDriver) -> None:
    """Type the other computer's name in Multiple Macs, and choose it below the drafts in their picker."""
    page = window.settings_page("machines")
    field = page.control("machines")
    QTest.keyClicks(field, NAME)
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.settings.close()
    QTest.mouseClick(window.header.draft, Qt.MouseButton.LeftButton)
    choose(window.picker("draft").picker.ahead.chooser, f"On {NAME}")
    window.picker("draft").close()


def choose(chooser: Chooser, text: str) -> None:
    """Open a choice, and click the row with a text."""
    chooser.showPopup()
    row = chooser.model().index(chooser.findText(text), chooser.modelColumn())
    QTest.mouseClick(chooser.view().viewport(), Qt.MouseButton.LeftButton, pos=chooser.view().visualRect(row).center())


def ask(window: WindowDriver, meanwhile: Callable[[], object] | None = None) -> tuple[str, RequestStats]:
    """Ask in a new chat; once some text is there, something happens. Return the answer's text and figures."""
    window.trigger("new-chat")
    window.ask(QUESTION)
    window.wait(lambda: len(window.answer().tokens) > 8)
    if meanwhile is not None:
        meanwhile()
    window.wait_until_answered()
    window.settle()
    answer = window.answer()
    assert answer.state is State.DONE
    return answer.text, answer.stats


def ask_until_ready(window: WindowDriver) -> tuple[str, RequestStats]:
    """Ask until the other computer is ready, and once more: it may have become ready in the last round."""
    while ask(window)[1].ahead == "starting":
        pass
    return ask(window)


@pytest.fixture
def plain(window: WindowDriver) -> str:
    """The answer's text before any other computer is known; afterwards that one drafts ahead."""
    text, stats = ask(window)
    assert not stats.ahead
    add_computer(window)
    return text


def test_the_other_computer_drafts_and_is_killed_while_it_streams(
    window: WindowDriver, studio: OtherComputer, plain: str
) -> None:
    text, stats = ask_until_ready(window)
    assert text == plain
    assert stats.ahead in REACHED
    assert stats.ahead_host == NAME
    assert stats.ahead_used > 0
    assert "rounds the draft was ready, which hid" in window.panel_text
    text, stats = ask(window, lambda: studio.signal(signal.SIGKILL))
    assert text == plain
    # It starts again once.
    text, stats = ask_until_ready(window)
    assert text == plain
    assert stats.ahead in REACHED
    text, stats = ask(window, lambda: studio.signal(signal.SIGKILL))
    assert (text, stats.ahead) == (plain, "ended")
    text, stats = ask(window)
    assert text == plain
    assert f"the connection to {NAME} was lost twice" in window.panel_text


def test_the_other_computer_hangs_while_it_streams_and_goes_on(
    window: WindowDriver, studio: OtherComputer, plain: str
) -> None:
    assert ask_until_ready(window)[0] == plain
    text, stats = ask(window, lambda: studio.signal(signal.SIGSTOP))
    assert text == plain
    assert stats.ahead_late > 0
    assert ask(window)[0] == plain
    studio.signal(signal.SIGCONT)
    assert ask_until_ready(window)[0] == plain


def test_nothing_runs_there_after_the_other_computer_hung_and_the_window_closed(
    window: WindowDriver, studio: OtherComputer, plain: str
) -> None:
    assert ask_until_ready(window)[0] == plain
    assert ask(window, lambda: studio.signal(signal.SIGSTOP))[0] == plain
    window.session.close()
    wait_until(lambda: not studio.processes)


def test_the_models_are_changed_and_the_window_is_closed_while_it_streams(
    window: WindowDriver, studio: OtherComputer, plain: str
) -> None:
    assert ask_until_ready(window)[0] == plain
    main, draft = starter_pair()
    window.trigger("new-chat")
    window.ask(QUESTION)
    window.wait(lambda: len(window.answer().tokens) > 8)
    window.session.models.load(main, None)
    window.wait_until_answered()
    window.wait(lambda: not window.session.models.pair.loading)
    assert plain.startswith(window.answer().text)
    wait_until(lambda: not studio.processes)
    assert ask(window)[0] == plain
    window.session.models.load(main, draft)
    window.wait(lambda: not window.session.models.pair.loading)
    text, stats = ask_until_ready(window)
    assert text == plain
    assert stats.ahead in REACHED
    window.trigger("new-chat")
    window.ask(QUESTION)
    window.wait(lambda: len(window.answer().tokens) > 8)
    window.session.close()
    wait_until(lambda: not studio.processes)


def test_a_full_disk_on_the_other_computer_changes_nothing(
    window: WindowDriver, studio: OtherComputer, plain: str
) -> None:
    studio.begin_with(FULL_DISK)
    text, stats = ask_until_ready(window)
    assert text == plain
    assert stats.ahead in REACHED
    assert stats.ahead_used > 0
