"""The button below an answer that is beyond the Starter: another model is loaded if need be, and asked the same."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from app.session import answer
from app.transcript import answer_texts
from app.transcript.answer_texts import Note
from app.wording.sources import recorded_name
from engine.errors import ModelNotUsable
from tests.app.conftest import OpenShown
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shown_library import FOREIGN, ShownLibrary, bare, downloading, path_of, stocked
from tests.app.window_driver import WindowDriver

PAIR = ("starter/main", "starter/draft")
QUESTION = "What is 17*23?"
# As the Starter declines.
REFUSED = "That is beyond me: I'm only a tiny guide to Tandem."


def note(window: WindowDriver) -> Note:
    shown = window.turn().view.findChild(Note)
    assert isinstance(shown, Note)
    return shown


def button(window: WindowDriver) -> QPushButton:
    window.wait(note(window).isVisible)
    (only,) = [one for one in note(window).findChildren(QPushButton) if one.isVisible()]
    return only


def press(window: WindowDriver) -> None:
    QTest.mouseClick(button(window), Qt.MouseButton.LeftButton)


def refuse(window: WindowDriver, engine: ScriptedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask what the Starter cannot answer; the next answer is another model's."""
    for module in (answer, answer_texts):
        monkeypatch.setattr(module, "STARTER", window.session.models.pair.names[0])
    engine.scripts = [Script(REFUSED), Script("391")]
    window.ask_and_wait(QUESTION)
    assert window.turns == [(QUESTION, REFUSED)]
    assert "only knows Tandem" in note(window).findChild(QLabel).text()


def wait_for_the_other(window: WindowDriver) -> None:
    window.wait(lambda: window.turns == [(QUESTION, "391")])
    window.wait_until_answered()
    assert window.session.chat.turns[-1].version_node.count == 2
    assert note(window).isHidden()


def install(library: ShownLibrary) -> None:
    """As a scan does after a download."""
    library.inventory = stocked()
    library.models_changed.emit()


def test_the_button_stands_below_the_sentence_where_it_would_leave_it_no_room(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _, engine = open_shown(bare(), PAIR)
    refuse(window, engine, monkeypatch)
    sentence, offer = note(window).findChild(QLabel), button(window)
    for width, is_below in ((1440, False), (560, True), (1440, False)):
        window.resize(width, 700)
        window.wait(lambda is_below=is_below: (offer.y() >= sentence.geometry().bottom()) == is_below)
        assert sentence.width() >= 30 * sentence.fontMetrics().averageCharWidth()
        assert note(window).rect().contains(offer.geometry())


def test_an_installed_model_is_loaded_and_answers_and_goes_on_answering(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, library, engine = open_shown(stocked(), PAIR)
    refuse(window, engine, monkeypatch)
    name = next(entry.name for entry in window.models.not_in_use())
    assert button(window).text() == f"Ask {name}"
    press(window)
    wait_for_the_other(window)
    assert library.asked == []
    assert engine.requests[-1].messages[-1]["content"] == QUESTION
    assert not window.session.models.is_starter
    window.ask_and_wait("And 17*24?")
    assert engine.requests[-1].main is None


def test_the_model_that_was_loaded_since_answers_at_once(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _, engine = open_shown(stocked(), PAIR)
    refuse(window, engine, monkeypatch)
    window.session.models.load(path_of(FOREIGN), None)
    window.wait(lambda: not window.session.models.pair.loading)
    window.wait(lambda: button(window).text() == f"Ask {recorded_name(FOREIGN)}")
    press(window)
    wait_for_the_other(window)
    assert len(engine.requests) == 2
    assert window.answer().model == window.session.models.pair.names[0]


def test_the_best_model_to_download_answers_once_it_is_here(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, library, engine = open_shown(bare(), PAIR)
    refuse(window, engine, monkeypatch)
    offered = bare().offers[0]
    assert button(window).text().replace("\u00a0", " ") == f"Ask {offered.name} (1.8 GB download)"
    press(window)
    assert library.asked == [("add", offered.id), ("add", offered.draft)]
    library.show(downloading(offered.id))
    window.settle()
    assert window.turns == [(QUESTION, REFUSED)]
    install(library)
    for id_ in (offered.id, offered.draft):
        library.settled.emit(downloading(id_, "ready"))
    wait_for_the_other(window)


def test_what_was_asked_since_is_not_replaced_when_the_model_is_here(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, library, engine = open_shown(bare(), PAIR)
    refuse(window, engine, monkeypatch)
    press(window)
    window.ask_and_wait("What is Tandem?")
    before, asked = window.turns, len(engine.requests)
    offered = bare().offers[0]
    install(library)
    for id_ in (offered.id, offered.draft):
        library.settled.emit(downloading(id_, "ready"))
    window.settle()
    assert (window.turns, len(engine.requests)) == (before, asked)
    assert window.session.models.is_starter


def test_a_model_that_cannot_be_loaded_is_not_tried_again(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _, engine = open_shown(stocked(), PAIR)
    refuse(window, engine, monkeypatch)
    engine.loads.append(ModelNotUsable("models/x", "missing"))
    press(window)
    window.wait(lambda: bool(window.banner_text))
    window.settle()
    assert window.turns == [(QUESTION, REFUSED)]
    assert len(engine.requests) == 1
