"""The window while models load, and when they cannot be loaded."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from engine.errors import ModelNotUsable
from engine.status import LoadedPair
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver


def test_closing_while_models_load_is_clean(open_window: OpenWindow) -> None:
    engine = ScriptedEngine(load_gate=threading.Event())
    window = open_window(engine, load=False)
    window.close()
    assert engine.closed


@pytest.mark.full
def test_the_window_can_be_used_while_models_load(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Hi there.")], load_gate=threading.Event())
    window = open_window(engine, load=False)
    assert "loading" in window.header.main.accessibleName()
    assert "Loading models" in window.context_text
    window.ask("hello")
    assert window.session.chat.turns == []
    assert (window.unsent, window.waiting) == ("", [("hello", "Waiting for the model")])
    engine.load_gate.set()  # type: ignore[union-attr]
    window.wait(lambda: bool(window.session.chat.turns))
    window.wait_until_answered()
    assert window.shown_text() == "Hi there."
    assert window.unsent == ""


def test_the_header_shows_at_every_width_how_much_of_a_model_is_loaded(open_window: OpenWindow) -> None:
    engine = ScriptedEngine(load_gate=threading.Event())
    window = open_window(engine, load=False)
    header = window.header
    engine.loading_progress = (1, 4)
    header.show_load_progress()
    assert (header.main.bar.value(), header.main.accessibleDescription()) == (25, "Loading… 25%")
    for width in range(640, 800):
        header.resize(width, header.height())
        # The name stays, and what does not fit is left out.
        words = [view.text() for view in header.findChildren(QLabel) if view.isVisible()]
        assert "Starter" in words, width
        assert {word for word in words if word.startswith("Loading")} <= {"Loading… 25%", "Loading…"}, width
        assert header.main.rect().contains(header.main.bar.geometry()), width
    size = header.main.sizeHint()
    engine.load_gate.set()  # type: ignore[union-attr]
    window.wait(lambda: not window.session.models.pair.loading)
    assert (header.main.bar.isVisible(), header.main.accessibleDescription()) == (False, "")
    assert header.main.sizeHint().height() == size.height()


def test_a_load_is_given_up_in_the_chip_and_the_models_from_before_stay(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Hi there.")])
    window = open_window(engine)
    before, header = window.session.models.pair, window.header
    assert not header.main.cancel.isVisible()
    for which, load in (
        ("main", lambda: window.session.models.load("models/other", None)),
        ("draft", lambda: window.session.models.set_draft("models/another")),
    ):
        engine.load_gate = threading.Event()
        load()
        chip = getattr(header, which)
        window.wait(chip.cancel.isVisible)
        assert chip.cancel.accessibleName() == "Cancel loading"
        chip.cancel.click()
        window.wait(lambda: not window.session.models.pair.loading)
        assert not chip.cancel.isVisible()
        after = window.session.models.pair
        assert (after.main, after.draft, after.draft_problem) == (before.main, before.draft, None)
        assert not window.banner.isVisible()
    window.ask_and_wait("hello")
    assert window.shown_text() == "Hi there."


def test_a_first_load_that_is_given_up_leaves_no_model(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine(load_gate=threading.Event()), load=False)
    window.header.main.cancel.click()
    window.wait(lambda: not window.session.models.pair.loading)
    assert window.session.models.pair.main is None
    assert not window.banner.isVisible()
    assert not window.is_enabled("send")


@pytest.fixture
def loading(open_window: OpenWindow) -> tuple[WindowDriver, ScriptedEngine, threading.Event]:
    """Return a window whose first model is being loaded, its engine, and what lets the load end."""
    gate = threading.Event()
    engine = ScriptedEngine([Script("Hi there."), Script("Red."), Script("Blue.")], load_gate=gate)
    return open_window(engine, load=False), engine, gate


@pytest.mark.full
def test_questions_wait_for_the_model_one_by_one(
    loading: tuple[WindowDriver, ScriptedEngine, threading.Event], tmp_path: Path
) -> None:
    window, _, gate = loading
    (tmp_path / "notes.txt").write_text("Notes.")
    window.paste(tmp_path / "notes.txt")
    window.wait(lambda: window.attached == ["notes.txt"])
    window.ask("hello")
    assert (window.unsent, window.attached) == ("", [])
    window.ask("which colour?")
    assert window.waiting == [("hello", "Waiting for the model"), ("which colour?", "Waiting for the answer")]
    window.write("not sent yet")
    gate.set()
    window.wait(lambda: window.turns == [("hello", "Hi there."), ("which colour?", "Red.")])
    window.settle()
    assert [len(turn.attachments) for turn in window.session.chat.turns] == [1, 0]
    assert (window.unsent, window.waiting) == ("not sent yet", [])


@pytest.mark.full
def test_a_question_waits_in_its_chat_while_another_one_is_begun(
    loading: tuple[WindowDriver, ScriptedEngine, threading.Event],
) -> None:
    window, engine, gate = loading
    window.ask("What is Tandem?")
    first = window.session.chat
    window.trigger("new-chat")
    assert window.session.chat is not first
    assert (window.unsent, window.waiting) == ("", [])
    window.ask("hi there")
    # A chat where a question waits is in the list, and leads to it.
    window.wait(lambda: len(window.titles) == 2)
    assert first.id is not None
    window.session.chats.open_id(first.id)
    window.wait(lambda: window.waiting == [("What is Tandem?", "Waiting for the model")])
    assert engine.requests == []
    gate.set()
    window.wait(lambda: len(engine.requests) == 2 and window.session.answers.is_idle)
    assert [request.messages[-1]["content"] for request in engine.requests] == ["What is Tandem?", "hi there"]
    assert window.turns == [("What is Tandem?", "Hi there.")]


def test_a_question_that_waits_is_taken_back(loading: tuple[WindowDriver, ScriptedEngine, threading.Event]) -> None:
    window, engine, gate = loading
    window.ask("hello")
    window.take_back()
    assert (window.unsent, window.waiting) == ("hello", [])
    gate.set()
    window.wait(lambda: window.session.answers.ready)
    window.settle()
    assert engine.requests == []
    assert window.titles == []


def test_a_question_that_waits_is_on_disk(
    loading: tuple[WindowDriver, ScriptedEngine, threading.Event],
) -> None:
    window, _, gate = loading
    window.ask("hello")
    window.ask("and goodbye")
    chat = window.session.chat
    window.wait(lambda: window.titles == ["hello"])
    stored = window.session.store.wait_for(lambda store: store.conversations.get(chat.id))
    assert (stored.unsent, stored.title) == ("hello\n\nand goodbye", "hello")
    gate.set()
    window.wait(lambda: [question for question, _ in window.turns] == ["hello", "and goodbye"])
    window.settle()
    assert window.session.store.wait_for(lambda store: store.conversations.get(chat.id)).unsent == ""


def test_questions_are_put_back_where_the_models_cannot_be_loaded(open_window: OpenWindow) -> None:
    engine = ScriptedEngine(loads=[ModelNotUsable("x", "missing")], load_gate=threading.Event())
    window = open_window(engine, load=False)
    window.ask("hello")
    other = window.session.chat
    window.trigger("new-chat")
    window.write("not sent")
    window.ask("goodbye")
    window.write("later")
    engine.load_gate.set()  # type: ignore[union-attr]
    window.wait(lambda: not window.session.models.pair.loading)
    assert (window.unsent, window.waiting) == ("goodbye\n\nlater", [])
    assert not window.is_enabled("send")
    assert window.banner.isVisible()
    assert (other.unsent, other.waiting) == ("hello", [])
    # The list leads to it.
    window.wait(lambda: "hello" in window.titles)


def test_the_model_before_does_not_answer_what_waited_for_one_that_cannot_be_loaded(open_window: OpenWindow) -> None:
    engine = ScriptedEngine(loads=[LoadedPair(model_info("main"), None), ModelNotUsable("x", "missing")])
    window = open_window(engine)
    engine.load_gate = threading.Event()
    window.session.models.load("other", None)
    window.ask("hello")
    assert window.waiting == [("hello", "Waiting for the model")]
    engine.load_gate.set()
    window.wait(lambda: not window.session.models.pair.loading)
    window.settle()
    assert (window.unsent, window.waiting, engine.requests) == ("hello", [], [])


def test_a_question_need_not_wait_for_the_draft(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Hi there.")], draft_gate=threading.Event())
    window = open_window(engine, load=False)
    session = window.session
    window.wait(lambda: session.answers.ready)
    assert session.models.pair.loading == "draft"
    # The answer is recorded as one of the pair that is on its way.
    assert session.models.pair.names == ("main", "starter/draft")
    assert "You can already ask" in window.header.draft.toolTip()
    assert not window.is_enabled("compare")
    window.ask("hello")
    window.wait_until_answered()
    assert window.shown_text() == "Hi there."
    assert session.models.pair.loading == "draft"
    engine.draft_gate.set()  # type: ignore[union-attr]
    window.wait(lambda: not session.models.pair.loading)
    assert session.models.pair.draft is not None


def test_models_that_take_more_memory_than_is_free_are_loaded_and_say_so_once(open_window: OpenWindow) -> None:
    crowded = LoadedPair(model_info("main"), None, crowded=True)
    window = open_window(ScriptedEngine(loads=[crowded, replace(crowded, crowded=False)]), load=False)
    window.wait(lambda: window.session.answers.ready)
    assert window.notices == ["The models take more memory than is free, so other apps may get slower."]
    window.close_notice()
    window.session.models.load("other", None)
    window.wait(lambda: not window.session.models.pair.loading)
    assert window.notices == []


def test_a_draft_that_fails_behind_its_main_model_says_why(open_window: OpenWindow) -> None:
    problem = ModelNotUsable("models/draft", "vocabulary", "32000 and 151936 ids")
    engine = ScriptedEngine(loads=[problem], draft_gate=threading.Event())
    window = open_window(engine, load=False)
    window.wait(lambda: window.session.answers.ready)
    assert window.banner.isHidden()
    engine.draft_gate.set()  # type: ignore[union-attr]
    window.wait(lambda: not window.session.models.pair.loading)
    assert "vocabulary differs" in window.banner_text
    assert window.banner_buttons[0] == "Choose draft model…"
    assert window.session.answers.ready


def test_a_broken_model_is_told_with_what_to_do(open_window: OpenWindow) -> None:
    problem = ModelNotUsable("models/big", "incomplete", "model.safetensors")
    engine = ScriptedEngine(loads=[problem])
    window = open_window(engine)
    assert window.banner.isVisible()
    assert "model.safetensors" in window.banner_text
    assert "No main model" in window.context_text
    assert not any("No main model" in shown.text() for shown in window.header.findChildren(QLabel))
    window.press_banner()
    window.wait(lambda: window.session.answers.ready)
    assert window.banner.isHidden()


def test_a_failed_change_keeps_the_models_that_were_there(open_window: OpenWindow) -> None:
    engine = ScriptedEngine()
    window = open_window(engine)
    engine.loads.append(ModelNotUsable("models/other", "missing"))
    window.session.models.load("models/other", None)
    window.wait(lambda: not window.session.models.pair.loading)
    assert window.session.answers.ready
    assert window.session.models.pair.draft is not None
    assert window.banner_buttons[0] == "Choose main model…"
