"""The line below an answer of the Starter: what it offers is found off the Qt thread."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.session.answer import Answer, State
from app.session.chats import Turn
from app.session.help_matching import Meant
from app.session.tandem_help import known_facts
from app.transcript.starter_line import StarterLine
from tests.app.conftest import Show


def test_what_a_question_may_mean_is_found_on_another_thread_and_then_offered(
    show: Show[QWidget], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    finders: list[threading.Thread] = []
    first, second, *_ = known_facts()

    def find(_question: str) -> Meant:
        finders.append(threading.current_thread())
        return Meant("en", (first, second), False)

    monkeypatch.setattr("app.session.help_matching._meant_by", find)
    page = show(QWidget(), 700, 200)
    line = StarterLine(page, read_only=False)
    line.show_turn(Turn("asked in this test alone", Answer(State.DONE, "Something else.")))
    offered = {first.questions["en"], second.questions["en"]}
    qtbot.waitUntil(lambda: offered <= {button.text() for button in line.findChildren(QPushButton)})
    assert threading.main_thread() not in finders
