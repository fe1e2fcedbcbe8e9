"""The choices of method, depth and acceptance rule in the live panel."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.speculation.chat_controls import ChatControls
from tests.app.conftest import OpenShown


def test_the_controls_beside_the_figures_reach_the_next_answer(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, library, engine = open_shown()
    qtbot.waitUntil(lambda: window.session.answers.ready)
    controls = window.panel.findChild(ChatControls)
    for key, value in (("method", "ngram"), ("depth", 4), ("acceptance", "rejection")):
        controls.choosers[key].setCurrentIndex(controls.choosers[key].findData(value))
        controls.choosers[key].activated.emit(0)
    turn = window.session.answers.ask("question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    asked = engine.requests[-1].speculation
    assert (asked.method, asked.depth, asked.acceptance) == ("ngram", 4, "rejection")
    assert library.settings.values.depth == 4
    window.trigger("speculation-off")
    assert controls.choosers["method"].currentData() == "off"
