"""Deleting a message of the chat on screen, and undoing it."""

from __future__ import annotations

import pytest

from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import entry

TURN, ANSWER, REST = (
    "Delete the message and its answer",
    "Delete the answer",
    "Delete the answer and everything after it",
)


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("One."), Script("Two."), Script("Three.")])


@pytest.fixture
def window(start_chat: StartChat, engine: ScriptedEngine) -> WindowDriver:
    window = start_chat(engine)
    window.ask_and_wait("first", "second", "third")
    return window


def delete(window: WindowDriver, index: int, words: str) -> None:
    entry(window.turn(index).menu(), words).trigger()
    window.settle()


def stored(window: WindowDriver) -> list[str]:
    chat_id = window.session.chat.id
    return window.in_store(lambda store: [message.content for message in store.messages.path(chat_id)])


def test_a_message_in_the_middle_goes_and_comes_back(window: WindowDriver, engine: ScriptedEngine) -> None:
    delete(window, 1, TURN)
    assert window.turns == [("first", "One."), ("third", "Three.")]
    assert stored(window) == ["first", "One.", "third", "Three."]
    assert window.banner_text == "2 messages deleted."
    assert engine.forgotten == {window.session.chat.uid}
    window.press_banner()
    window.settle()
    assert window.turns == [("first", "One."), ("second", "Two."), ("third", "Three.")]
    assert stored(window) == ["first", "One.", "second", "Two.", "third", "Three."]
    delete(window, 1, TURN)
    window.ask_and_wait("fourth")
    # The model is not told what was deleted.
    assert [m["content"] for m in engine.requests[-1].messages] == ["first", "One.", "third", "Three.", "fourth"]


def test_an_answer_goes_with_what_follows_it(window: WindowDriver) -> None:
    delete(window, 1, REST)
    assert window.turns == [("first", "One."), ("second", "")]
    assert window.banner_text == "3 messages deleted."
    window.trigger("ask-again")
    window.wait_until_answered()
    window.settle()
    window.trigger("restore-chat")
    window.settle()
    # The new answer stays as the other version.
    assert window.turns == [("first", "One."), ("second", "Two."), ("third", "Three.")]
    assert window.turn(1).answer_version == "1/2"


def test_the_last_message_leaves_an_empty_chat_that_can_be_undone(window: WindowDriver) -> None:
    for _ in range(3):
        delete(window, -1, TURN)
    assert (window.turns, window.titles) == ([], [])
    for _ in range(3):
        window.trigger("restore-chat")
        window.settle()
    assert window.turns == [("first", "One."), ("second", "Two."), ("third", "Three.")]
    assert not window.is_enabled("restore-chat")
    # Undo comes back to the chat that was left.
    delete(window, -1, ANSWER)
    window.trigger("new-chat")
    window.trigger("restore-chat")
    window.settle()
    assert window.turns[-1] == ("third", "Three.")


def test_nothing_is_deleted_while_an_answer_is_written(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("One."), Script("Two. " * 400)], pace_s=0.01))
    window.ask_and_wait("first")
    window.ask("second")
    window.wait(lambda: bool(window.answer().text))
    assert not entry(window.turn(0).menu(), TURN).isEnabled()
    window.trigger("stop")
    window.wait_until_answered()
    window.settle()
    assert entry(window.turn(0).menu(), TURN).isEnabled()


def test_a_branch_and_the_archive_say_what_happened(window: WindowDriver) -> None:
    window.turn(0).press("branch")
    window.settle()
    assert window.turns == [("first", "One.")]
    assert window.banner_text == "This is a copy of the chat up to that answer."
    window.trigger("archive-chat")
    window.settle()
    assert window.banner_text == "“first 2” was archived."
