"""A message that is sent while an answer is being written waits in the composer until the answer has ended."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.session.chats import Chat
from engine.errors import EngineError
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver
from tests.engine.tiers import by_tier

ANSWERED = 1000


def queued(open_window: OpenWindow, first: Script) -> tuple[WindowDriver, ScriptedEngine]:
    """Return a window where a follow-up waits for an answer of `first`, whose engine waits at its gate."""
    engine = ScriptedEngine([first, Script("Blue.")], gate=threading.Semaphore(0))
    window = open_window(engine)
    window.ask("first")
    window.wait(lambda: len(engine.requests) == 1)
    window.ask("second")
    return window, engine


def test_a_follow_up_is_sent_when_the_answer_has_ended(open_window: OpenWindow) -> None:
    window, engine = queued(open_window, Script("Red."))
    assert window.context_text == "Queued until the answer has ended."
    assert window.unsent == "second"
    assert [turn.question for turn in window.session.chat.turns] == ["first"]
    assert window.send_button.toolTip().startswith("Stop the answer")
    engine.gate.release(ANSWERED)  # type: ignore[union-attr]
    window.wait(lambda: window.turns == [("first", "Red."), ("second", "Blue.")])
    assert [message["content"] for message in engine.requests[-1].messages] == ["first", "Red.", "second"]
    assert window.unsent == ""
    assert window.composer.recall.isHidden()


@pytest.mark.parametrize("take_back", by_tier(["button", "typing", "stop", "another chat"], ["button", "typing"]))
def test_a_follow_up_can_be_taken_back(open_window: OpenWindow, take_back: str) -> None:
    window, engine = queued(open_window, Script("Red."))
    kept = "second"
    if take_back == "button":
        assert window.composer.recall.isVisible()
        QTest.mouseClick(window.composer.recall, Qt.MouseButton.LeftButton)
    elif take_back == "typing":
        window.type("!")
        kept = "!second"
    elif take_back == "stop":
        window.press_send()
    else:
        window.session.chats.open(Chat())
        kept = ""
    engine.gate.release(ANSWERED)  # type: ignore[union-attr]
    window.wait(lambda: window.session.answers.is_idle)
    window.settle()
    assert "Queued" not in window.context_text
    assert window.unsent == kept
    assert len(engine.requests) == 1


def test_a_follow_up_of_an_answer_that_failed_stays_in_the_box(open_window: OpenWindow) -> None:
    window, engine = queued(open_window, Script("Red.", error=EngineError("no")))
    engine.gate.release(ANSWERED)  # type: ignore[union-attr]
    window.wait(lambda: window.session.answers.is_idle)
    window.settle()
    assert window.unsent == "second"
    assert len(engine.requests) == 1
