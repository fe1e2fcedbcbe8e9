"""The choices of method, depth and acceptance rule in the live panel."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.speculation.chat_controls import ChatControls
from app.speculation.forms import SpeculationForm
from tests.app.conftest import OpenShown


def test_the_controls_beside_the_figures_reach_the_next_answer(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, library, engine = open_shown()
    qtbot.waitUntil(lambda: window.session.answers.ready)
    window.panel.findChild(ChatControls).fold.click()
    controls = window.panel.findChild(SpeculationForm)
    for key, value in (("method", "ngram"), ("depth", 4), ("acceptance", "rejection")):
        controls.choosers[key].setCurrentIndex(controls.choosers[key].findData(value))
        controls.choosers[key].activated.emit(0)
    turn = window.session.answers.ask("question")
    qtbot.waitUntil(lambda: turn.answer.ended)
    asked = engine.requests[-1].speculation
    assert (asked.method, asked.depth, asked.acceptance) == ("ngram", 4, "rejection")
    assert library.settings.values.depth == 4
    window.trigger("speculation-off")
    method = controls.choosers["method"]
    assert method.currentData() is None
    assert method.placeholderText() == "Off"
    # The switch above turns it off: one place is enough.
    assert method.findData("off") < 0
    controls.choosers["depth"].setCurrentIndex(0)
    controls.choosers["depth"].activated.emit(0)
    assert window.session.settings.speculation.method == "off"


def test_labels_stand_at_the_height_of_their_fields(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, _, _ = open_shown()
    window.panel.details.set_open(True)
    controls = window.panel.findChild(ChatControls)
    controls.fold.click()
    form = controls.findChild(SpeculationForm)
    chooser = form.choosers["acceptance"]
    qtbot.waitUntil(lambda: chooser.mapTo(controls, chooser.rect().topLeft()).y() > controls.fold.height())
    name = next(label for label in controls.findChildren(QLabel) if label.buddy() is chooser)
    assert name.geometry().right() < chooser.x(), "the form has wrapped: there is nothing to compare"
    assert abs(name.geometry().center().y() - chooser.geometry().center().y()) <= 1
