"""Changed settings take effect in the window, and choices in the window are there at the next start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.session.session import Session
from app.settings.engine_settings import choice_of_sampling
from app.settings.store import SettingsStore
from app.widgets.application import Application
from app.window.main_window import MainWindow
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shown_library import ShownLibrary
from tests.app.window_driver import WindowDriver


class Desk:
    """Opens windows with one file of settings."""

    def __init__(self, qapp: Application, qtbot: QtBot, folder: Path) -> None:
        self.qapp, self.qtbot, self.folder, self.opened = qapp, qtbot, folder, []

    def open(self) -> WindowDriver:
        library = ShownLibrary(self.folder / "library")
        library.settings = self.settings = SettingsStore(self.folder / "settings.json")
        self.session = Session(lambda: ScriptedEngine([Script("Hello.")]), STARTER)
        window = MainWindow(self.session, self.qapp, library)
        self.opened.append(window)
        window.show()
        return WindowDriver(window, self.session, self.qtbot.waitUntil)


@pytest.fixture
def desk(qapp: Application, qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qapp, qtbot, tmp_path)
    yield desk
    for window in desk.opened:
        window.close()
        window.deleteLater()
    qapp.theme.set_text_size(100)


def test_sampling_and_limits_reach_the_next_request_and_the_engine(desk: Desk, qtbot: QtBot) -> None:
    SettingsStore(desk.folder / "settings.json").change(kv_bits=8, overflow="shorten")
    desk.open()
    desk.session.models.load_starter()
    qtbot.waitUntil(lambda: desk.session.answers.ready)
    desk.settings.change(temperature=0.7, seed=5, max_tokens=77, method="ngram", depth=3, acceptance="rejection")
    turn = desk.session.answers.ask("question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    request = desk.session.models.engine.requests[-1]
    assert (request.sampling.temperature, request.sampling.seed, request.max_tokens) == (0.7, 5, 77)
    chosen = request.speculation
    assert (chosen.method, chosen.depth, chosen.acceptance) == ("ngram", 3, "rejection")
    engine = desk.session.models.engine
    assert (engine.settings.kv_bits, engine.settings.overflow) == (8, "shorten")
    desk.settings.change(unload_after_min=10, memory_limit_gb=20.0, allow_oversize=True)
    now = engine.settings
    assert (now.kv_bits, now.draft_kv_bits, now.unload_after_s) == (8, 8, 600)
    assert (now.memory_limit, now.allow_oversize) == (20_000_000_000, True)


def test_another_answer_keeps_a_temperature_of_0_that_was_chosen(desk: Desk, qtbot: QtBot) -> None:
    desk.open()
    session = desk.session
    # As the starter pair does.
    session.models.engine.recommended = (("temperature", 0.0),)
    session.models.load_starter()
    qtbot.waitUntil(lambda: session.answers.ready)
    for chosen in ({}, choice_of_sampling(desk.settings.values, {"temperature": 0.0})):
        desk.settings.change(**chosen)
        turn = session.answers.ask("question")
        qtbot.waitUntil(lambda turn=turn: turn.answer.ended and session.answers.ready)
        session.answers.ask_again(turn)
        qtbot.waitUntil(lambda: session.answers.ready and session.answers.is_idle)
    temperatures = [request.sampling.temperature for request in session.models.engine.requests]
    assert [one > 0.0 for one in temperatures] == [False, True, False, False]


def test_theme_text_size_and_the_send_key_change_at_once(desk: Desk, qtbot: QtBot) -> None:
    window = desk.open()
    before = window.edit.fontMetrics().height()
    desk.settings.change(theme="dark", text_size=130, language="ja")
    assert desk.qapp.theme.is_dark
    assert desk.qapp.language.code == "ja"
    assert window.edit.fontMetrics().height() > before
    desk.settings.change(theme="light", language="en")
    desk.session.models.load_starter()
    qtbot.waitUntil(lambda: desk.session.answers.ready)
    desk.settings.change(send_key="modifier")
    edit = window.edit
    edit.setFocus()
    QTest.keyClicks(edit, "one")
    QTest.keyClick(edit, Qt.Key.Key_Return)
    QTest.keyClicks(edit, "two")
    assert edit.toPlainText() == "one\ntwo"
    assert "Enter for a new line" in window.key_hint
    QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: bool(desk.session.chat.turns))
    assert desk.session.chat.turns[0].question == "one\ntwo"
    qtbot.waitUntil(lambda: desk.session.chat.turns[0].answer.ended)


def test_the_window_comes_back_as_it_was_left(desk: Desk) -> None:
    window = desk.open()
    window.window.setGeometry(30, 40, 1200, 600)
    # The panel comes with the first question, unless a person shows it before.
    assert window.panel.isHidden()
    window.trigger("toggle-panel")
    window.trigger("speculation-off")
    window.close()
    again = desk.open()
    assert (again.window.width(), again.window.height()) == (1200, 600)
    assert not again.panel.isHidden()
    assert desk.session.settings.speculation.method == "off"


def test_a_damaged_file_is_told_of_in_the_window(desk: Desk) -> None:
    (desk.folder / "settings.json").write_text("{")
    window = desk.open()
    assert window.banner_text
    assert str(desk.settings.backup) in window.banner_text
