"""The notification about a long answer that ended while another app is in front."""

from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.session.tool_calls import ONCE
from app.tools.questions import page_question
from app.tools.tool import ToolResult
from app.widgets import outside
from app.window.chat_parts import answer_notice
from engine.errors import EngineError
from tests.app.conftest import OpenWindow, Tray
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script


@pytest.fixture
def in_background(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another app is in front, and every answer counts as a long one."""
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))
    monkeypatch.setattr(answer_notice, "LEAST_S", 0.0)


@pytest.mark.qt_log_ignore("This plugin does not support raise")
@pytest.mark.usefixtures("in_background")
def test_a_notice_tells_nothing_of_the_chat_and_leads_to_it(
    open_window: OpenWindow, trays: list[Tray], numbers: list[int]
) -> None:
    window = open_window(ScriptedEngine([Script("A secret answer.")]))
    window.ask_and_wait("A secret question")
    (tray,) = trays
    assert (tray.notified, tray.visible, numbers[-1]) == ([("Tandem", "Your answer is ready.")], True, 1)
    chat_id = window.session.chat.id
    window.trigger("new-chat")
    window.showMinimized()
    tray.messageClicked.emit()
    window.settle()
    assert (window.session.chat.id, tray.visible, numbers[-1]) == (chat_id, False, 0)
    assert not window.isMinimized()


@pytest.mark.usefixtures("in_background")
def test_a_notice_says_that_an_answer_is_paused(open_window: OpenWindow, trays: list[Tray]) -> None:
    window = open_window(ScriptedEngine([Script("Again and again. " * 900)], pace_s=0.001))
    window.ask_and_wait("A question")
    assert [tray.notified for tray in trays] == [[("Tandem", "An answer repeats itself and is paused.")]]


@pytest.mark.usefixtures("in_background")
def test_where_macos_may_show_no_notice_the_icon_bounces(
    open_window: OpenWindow, trays: list[Tray], numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    bounced: list[object] = []
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(outside, "in_bundle", lambda: False)
    monkeypatch.setattr(QApplication, "alert", staticmethod(lambda window, _ms: bounced.append(window)))
    window = open_window(ScriptedEngine([Script("An answer."), Script("Another.")]))
    window.ask_and_wait("A question")
    (tray,) = trays
    assert (tray.notified, bounced, numbers[-1]) == ([], [window.window], 1)
    # macOS knows Tandem.app, but Qt's notifications are of a kind that it gave up.
    monkeypatch.setattr(outside, "in_bundle", lambda: True)
    window.ask_and_wait("Another question")
    assert (len(tray.notified), len(bounced)) == (1, 2)
    QApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert numbers[-1] == 0


@pytest.mark.usefixtures("in_background")
def test_coming_back_to_the_app_takes_the_notice_away(
    open_window: OpenWindow, trays: list[Tray], numbers: list[int]
) -> None:
    window = open_window(ScriptedEngine([Script("One.", error=EngineError("no")), Script("Two.")]))
    window.ask_and_wait("first", "second")
    (tray,) = trays
    assert [sentence for _, sentence in tray.notified] == ["An answer stopped with an error.", "Your answer is ready."]
    assert numbers[-1] == 2
    QApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert (tray.visible, numbers[-1]) == (False, 0)


@pytest.mark.full
def test_no_notice_without_a_reason(
    open_window: OpenWindow, trays: list[Tray], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = open_window(engine)
    # The app is in front.
    monkeypatch.setattr(answer_notice, "LEAST_S", 0.0)
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: window.window))
    window.ask_and_wait("question")
    # It took no time.
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))
    monkeypatch.setattr(answer_notice, "LEAST_S", 60.0)
    window.ask_and_wait("question")
    # It is switched off.
    monkeypatch.setattr(answer_notice, "LEAST_S", 0.0)
    window.settings_page("general").settings.change(notify_answers=False)
    window.ask_and_wait("question")
    assert trays == []


@pytest.mark.usefixtures("in_background")
def test_an_answer_that_was_stopped_needs_no_notice(open_window: OpenWindow, trays: list[Tray]) -> None:
    engine = ScriptedEngine([Script(STORY)])
    engine.gate = threading.Semaphore(5)
    window = open_window(engine)
    window.ask("question")
    window.wait(lambda: bool(window.session.chat.turns) and bool(window.answer().text))
    window.trigger("stop")
    engine.gate.release(1000)
    window.wait_until_answered()
    window.settle()
    assert trays == []


@pytest.mark.usefixtures("in_background")
def test_a_call_that_waits_for_consent_is_told_once_even_if_it_came_soon(
    open_window: OpenWindow, trays: list[Tray], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = FakeHost()
    host.offered = [tool("now")]
    host.results = {"now": ToolResult("12:00")}
    host.install(monkeypatch)
    monkeypatch.setattr(answer_notice, "LEAST_S", 60.0)
    both = call_text("clock_now", zone="Asia/Seoul") + call_text("clock_now", zone="UTC")
    engine = ScriptedEngine([Script(both), Script("Noon.")], tool_format="json_tools")
    window = open_window(engine)
    set_up(window.session, "clock")
    window.ask("What time is it?")
    window.wait(lambda: bool(trays))
    turn = window.session.chat.turns[0]
    window.session.answers.choose(turn, turn.calls[0], ONCE)
    assert trays[0].notified == [("Tandem", "A tool is waiting for your permission.")]
    window.session.answers.choose(turn, turn.calls[1], ONCE)
    window.wait_until_answered()
    assert len(trays[0].notified) == 1


@pytest.mark.usefixtures("in_background")
def test_a_question_of_a_tool_server_is_told(
    open_window: OpenWindow, trays: list[Tray], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = FakeHost()
    host.offered = [tool("now")]
    host.install(monkeypatch)
    window = open_window(
        ScriptedEngine([Script(call_text("clock_now", zone="UTC")), Script("Noon.")], tool_format="json_tools")
    )
    set_up(window.session, "clock")
    window.ask("What time is it?")
    window.wait(lambda: bool(trays))
    turn = window.session.chat.turns[0]
    window.session.answers.choose(turn, turn.calls[0], ONCE)
    host.ask(page_question("clock", "Sign in.", "https://clock.example/"), lambda _: None)
    window.wait(lambda: len(trays[0].notified) == 2)
    assert trays[0].notified[-1] == ("Tandem", "A tool is waiting for your reply.")
    host.calls[0][2].set_result(ToolResult("12:00"))
    window.wait_until_answered()
