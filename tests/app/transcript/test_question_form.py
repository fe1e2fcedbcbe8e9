"""The question of a tool server in the window: in the card of its call, with its words, and the person's reply."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QWidget

from app.session.calls import CallState
from app.tools.questions import QuestionReply, ServerQuestion, form_question, page_question
from app.tools.tool import ToolResult
from app.transcript.call_card import CallCard
from tests.app.conftest import OpenWindow
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.tools.hostile_server import FORM
from tests.app.window_driver import WindowDriver


@pytest.fixture
def host(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> FakeHost:
    host = FakeHost()
    host.offered = [tool("now")]
    host.install(monkeypatch)
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)
    return host


@pytest.fixture
def card(open_window: OpenWindow, host: FakeHost) -> tuple[WindowDriver, CallCard]:
    """Return a window with the card of a call that runs."""
    scripts = [Script(call_text("clock_now", zone="UTC")), Script("Booked.")]
    window = open_window(ScriptedEngine(scripts, tool_format="json_tools"))
    set_up(window.session, "clock")
    window.ask("A table, please.")
    cards = window.window.findChildren
    window.wait(lambda: any(card.isVisible() and card.call.state is CallState.ASKS for card in cards(CallCard)))
    shown = next(card for card in window.window.findChildren(CallCard) if card.isVisible())
    shown.chosen.emit(shown.call, "once")
    window.wait(lambda: len(host.calls) == 1)
    return window, shown


def shown_words(form: QWidget) -> str:
    return " ".join(shown.text() for shown in form.findChildren(QLabel) if shown.isVisible())


def test_a_form_is_checked_and_sent(card: tuple[WindowDriver, CallCard], host: FakeHost) -> None:
    window, shown = card
    replies: list[QuestionReply] = []
    host.ask(form_question("clock", "Which table?\u202e", FORM["requestedSchema"]), replies.append)
    window.wait(lambda: shown.form is not None)
    form: Any = shown.form
    assert form.heading.text() == "“clock” asks you:"
    assert form.message.toPlainText() == "Which table?\\u202e"
    assert shown.state.text() == "Waiting for you"
    assert form.cancel.x() < form.decline.x() < form.accept.x()
    name, guests, outside, at = form.entries
    assert outside.controls[0].isChecked()
    name.controls[0].setText("Ada")
    guests.controls[0].setText("9")
    form.accept.click()
    assert "“guests” is too small or too large: 1–8." in form.problem.text()
    assert replies == []
    guests.controls[0].setText("2")
    at.controls[0].set_value("20")
    form.accept.click()
    content = {"name": "Ada", "guests": 2, "outside": True, "time": "20"}
    assert replies == [QuestionReply("accept", content)]
    assert shown.form is None
    host.calls[0][2].set_result(ToolResult("Done."))
    window.wait_until_answered()


def test_a_page_is_shown_whole_and_opened_by_a_click_only(
    card: tuple[WindowDriver, CallCard], host: FakeHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, shown = card
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or True)
    replies: list[QuestionReply] = []
    host.ask(page_question("clock", "Sign in.", "https://b\u0430nk.example/?" + "x" * 300), replies.append)
    window.wait(lambda: shown.form is not None)
    form: Any = shown.form
    assert form.address.toPlainText() == "https://xn--bnk-6cd.example/?" + "x" * 300
    assert "only if you know xn--bnk-6cd.example." in shown_words(form)
    assert "look like others" in shown_words(form)
    assert opened == []
    form.accept.click()
    assert len(opened) == 1
    assert replies == [QuestionReply("accept")]
    host.ask(page_question("clock", "Again.", "https://bank.example@other.example/bank"), replies.append)
    window.wait(lambda: shown.form is not None)
    form = shown.form
    assert "only if you know other.example." in shown_words(form)
    assert "look like others" not in shown_words(form)
    form.decline.click()
    assert replies[1:] == [QuestionReply("decline")]
    assert len(opened) == 1
    take_away = host.ask(ServerQuestion("clock", "Sign in.", waits_for_page=True), replies.append)
    assert take_away is not None
    window.wait(lambda: shown.form is not None)
    take_away()
    window.wait(lambda: shown.form is None)
    assert len(replies) == 2
    host.ask(ServerQuestion("clock", "Sign in.", waits_for_page=True), replies.append)
    window.wait(lambda: shown.form is not None)
    take_away()
    form = shown.form
    assert form.heading.text() == "“clock” waits until you have finished on the page:"
    assert form.accept.text() == "Continue"
    form.accept.click()
    assert replies[2].action == "accept"
    host.calls[0][2].set_result(ToolResult("Done."))
    window.wait_until_answered()
