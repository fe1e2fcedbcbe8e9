"""Another model than the loaded one answers a question again; its answer is a sibling of the one before."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import pytest
from PySide6.QtWidgets import QMenu

from app.tools.tool import Tool
from engine.errors import ModelNotUsable
from tests.app.conftest import OpenShown
from tests.app.scripted_engine import model_info
from tests.app.scripts import Script
from tests.app.shown_library import DRAFT, FOREIGN, MAIN, path_of
from tests.app.window_driver import WindowDriver


def others(window: WindowDriver) -> QMenu:
    """Return the submenu of other models in the menu of the last answer."""
    window.window.parts.turns.fill_menu(window.session.chat.turns[-1])
    rows = window.window.parts.turns.menu.actions()
    return next(row.menu() for row in rows if row.text() == "Answer again with")  # type: ignore[return-value]


def choose(window: WindowDriver, path: str) -> None:
    names = [model.path for model in window.models.other_models()]
    others(window).actions()[names.index(path)].trigger()


def test_the_menu_offers_installed_models_those_in_memory_first(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    window.ask_and_wait("first")
    found = [model.path for model in window.models.other_models()]
    assert {path_of(DRAFT), path_of(FOREIGN)} <= set(found)
    assert path_of(MAIN) not in found
    assert len(others(window).actions()) == len(found)
    window.session.models.load_additional(found[-1], None, lambda _: None, lambda _: None)
    window.wait(lambda: bool(engine.beside))
    window.session.models.refresh_resident_models()
    window.wait(lambda: window.models.other_models()[0].path == found[-1])


def test_another_model_answers_as_a_branch_and_the_loaded_one_stays(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    window.ask_and_wait("first")
    before = window.session.models.pair
    engine.scripts = [Script("Bonjour.")]
    choose(window, path_of(FOREIGN))
    window.wait(lambda: window.turns == [("first", "Bonjour.")])
    window.wait_until_answered()
    window.settle()
    assert engine.requests[-1].main == path_of(FOREIGN)
    assert engine.beside[0].main == model_info(path_of(FOREIGN))
    assert window.session.models.pair == before
    assert window.answer().model == FOREIGN
    turn = window.session.chat.turns[-1]
    assert turn.version_node.count == 2
    stored = window.session.store.wait_for(lambda store: store.messages.get(turn.answer_node.id).source)
    assert (stored.main_model, stored.draft_model) == (FOREIGN, "")
    # The next question goes to the loaded model again.
    window.ask_and_wait("second")
    assert engine.requests[-1].main is None


@pytest.mark.parametrize("stops", [False, True])
def test_a_model_that_cannot_be_loaded_or_is_not_waited_for_ends_the_answer(open_shown: OpenShown, stops: bool) -> None:
    window, _, engine = open_shown()
    window.ask_and_wait("first")
    engine.load_gate = threading.Event()
    if not stops:
        engine.loads.append(ModelNotUsable("models/x", "missing"))
    choose(window, path_of(FOREIGN))
    window.wait(lambda: window.answer().model == FOREIGN and window.answer().state.value == "waiting")
    if stops:
        window.trigger("stop")
    engine.load_gate.set()
    window.wait(lambda: window.session.answers.is_idle)
    assert window.answer().state.value == ("cancelled" if stops else "failed")
    assert len(engine.requests) == 1


def test_an_answer_that_is_stopped_while_servers_start_loads_no_other_model(
    open_shown: OpenShown, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, _, engine = open_shown()
    window.ask_and_wait("first")
    started: list[Callable[[Sequence[Tool]], object]] = []
    monkeypatch.setattr(window.session.tools, "gather", lambda _chat, then: started.append(then))
    choose(window, path_of(FOREIGN))
    window.wait(lambda: bool(started))
    window.trigger("stop")
    window.wait(lambda: window.session.answers.is_idle)
    started[0]([])
    window.settle()
    assert window.answer().state.value == "cancelled"
    assert engine.beside == ()
    assert len(engine.requests) == 1
