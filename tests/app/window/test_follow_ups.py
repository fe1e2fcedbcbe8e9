"""A message that is sent while an answer is being written waits at the end of the chat until the answer has ended."""

from __future__ import annotations

import threading

import pytest

from app.session.chats import Chat
from engine.errors import EngineError
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver

ANSWERED = 1000


def follow_up(
    start_chat: StartChat, first: Script, *questions: str
) -> tuple[WindowDriver, ScriptedEngine, threading.Semaphore]:
    """Return a window where follow-ups wait for an answer of `first`, its engine, and the gate at which that waits."""
    gate = threading.Semaphore(0)
    engine = ScriptedEngine([first, Script("Blue."), Script("Green.")], gate=gate)
    window = start_chat(engine)
    window.ask("first")
    window.wait(lambda: len(engine.requests) == 1)
    for question in questions:
        window.ask(question)
    return window, engine, gate


@pytest.mark.first
def test_follow_ups_are_asked_one_after_the_other_when_the_answer_has_ended(open_window: OpenWindow) -> None:
    window, engine, gate = follow_up(open_window, Script("Red."), "second", "third")
    assert window.waiting == [("second", "Waiting for the answer"), ("third", "Waiting for the answer")]
    assert window.unsent == ""
    assert [turn.question for turn in window.session.chat.turns] == ["first"]
    assert window.send_button.toolTip().startswith("Stop the answer")
    gate.release(ANSWERED)
    window.wait(lambda: window.turns == [("first", "Red."), ("second", "Blue."), ("third", "Green.")])
    window.settle()
    assert [message["content"] for message in engine.requests[-1].messages[::2]] == ["first", "second", "third"]
    assert window.waiting == []


@pytest.mark.full
def test_what_is_written_meanwhile_stays_in_the_box(open_window: OpenWindow) -> None:
    window, _, gate = follow_up(open_window, Script("Red."), "second")
    window.write("a third one")
    gate.release(ANSWERED)
    window.wait(lambda: window.turns == [("first", "Red."), ("second", "Blue.")])
    window.settle()
    assert window.unsent == window.session.chat.unsent == "a third one"


def test_a_follow_up_is_taken_back_into_the_box(open_window: OpenWindow) -> None:
    window, engine, gate = follow_up(open_window, Script("Red."), "second", "third")
    window.write("and a fourth")
    window.take_back()
    assert window.unsent == "second\n\nand a fourth"
    assert window.waiting == [("third", "Waiting for the answer")]
    gate.release(ANSWERED)
    window.wait(lambda: window.turns == [("first", "Red."), ("third", "Blue.")])
    window.settle()
    assert len(engine.requests) == 2


def test_a_follow_up_of_a_stopped_answer_is_put_back_into_the_box(open_window: OpenWindow) -> None:
    window, engine, gate = follow_up(open_window, Script("Red."), "second")
    window.press_send()
    gate.release(ANSWERED)
    window.wait(lambda: window.session.answers.is_idle)
    window.settle()
    assert (window.unsent, window.waiting) == ("second", [])
    assert len(engine.requests) == 1


def test_follow_ups_of_an_answer_that_failed_are_put_back_into_the_box(open_window: OpenWindow) -> None:
    window, engine, gate = follow_up(open_window, Script("Red.", error=EngineError("no")), "second", "third")
    gate.release(ANSWERED)
    window.wait(lambda: window.session.answers.is_idle)
    window.settle()
    assert (window.unsent, window.waiting) == ("second\n\nthird", [])
    assert len(engine.requests) == 1


def test_a_follow_up_is_asked_while_another_chat_is_shown(open_window: OpenWindow) -> None:
    window, engine, gate = follow_up(open_window, Script("Red."), "second")
    first = window.session.chat
    window.session.chats.open(Chat())
    assert (window.unsent, window.waiting) == ("", [])
    gate.release(ANSWERED)
    window.wait(lambda: len(engine.requests) == 2 and window.session.answers.is_idle)
    assert [turn.question for turn in first.turns] == ["first", "second"]
    assert window.session.chat.turns == []
