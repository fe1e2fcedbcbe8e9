"""Thoughts of reasoning models: told apart from the answer, folded, with their length in tokens and time."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QGuiApplication

from app.chat.thinking import Parts, parts_of
from tests.app.chats_shown import view
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.test_window import answer_of, ask, shown_text, wait_for_end

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow

THOUGHT = "The user wants a number. Two and two is four."
TEXT = f"<think>\n{THOUGHT}\n</think>\n\nIt is 4."


@pytest.mark.parametrize(
    ("text", "thought", "reply"),
    [
        ("It is 4.", None, "It is 4."),
        ("<think>Hm.</think>\n\nIt is 4.", "Hm.", "It is 4."),
        ("\n<think>\nHm.", "Hm.", ""),
        ("[THINK]Hm.[/THINK]It is 4.", "Hm.", "It is 4."),
        ("Hm.\n</think>\n\nIt is 4.", "Hm.", "It is 4."),
        ("Write `</think>` at the end.", None, "Write `</think>` at the end."),
        ("```xml\n<think>\nx\n</think>\n```", None, "```xml\n<think>\nx\n</think>\n```"),
        ("<thin", None, "<thin"),
    ],
)
def test_thoughts_are_told_from_the_reply(text: str, thought: str | None, reply: str) -> None:
    parts = parts_of(text)
    assert (parts.thought, parts.reply) == (thought, reply)


def test_half_a_mark_is_not_shown_while_more_may_come() -> None:
    assert parts_of("<thin", ended=False) == Parts("", "", 5, closed=False)


def test_thoughts_are_folded_and_their_length_is_told(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(TEXT)]))
    ask(window, "2 + 2?")
    wait_for_end(window, qtbot)
    fold = view(window).thinking
    answer = answer_of(window)
    tokens, seconds = answer.thinking_figures(parts_of(answer.text))
    assert "".join(token.text for token in answer.tokens[:tokens]).startswith(f"<think>\n{THOUGHT}\n</think>")
    assert seconds
    assert fold.head.text() == f"Thought for {seconds:.2f} s, {tokens} tokens"
    assert not fold.body.isVisible()
    assert shown_text(window) == "It is 4."
    fold.head.click()
    assert fold.body.views[0].toPlainText() == THOUGHT  # type: ignore[attr-defined]


def test_thoughts_are_counted_while_they_come(open_window: OpenWindow, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script(TEXT)], gate=threading.Semaphore(5))
    window = open_window(engine)
    ask(window, "2 + 2?")
    qtbot.waitUntil(lambda: len(answer_of(window).tokens) > 4)
    assert view(window).thinking.head.text() == f"Thinking… {len(answer_of(window).tokens)} tokens"
    engine.gate.release(1000)  # type: ignore[union-attr]
    wait_for_end(window, qtbot)


def test_a_stored_answer_has_its_thoughts_and_their_tokens(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(TEXT)]))
    ask(window, "2 + 2?")
    wait_for_end(window, qtbot)
    tokens, _ = answer_of(window).thinking_figures(parts_of(TEXT))
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window._session.chat.turns))
    qtbot.waitUntil(lambda: f"{tokens} tokens" in view(window).thinking.head.text())


def test_what_is_copied_is_the_reply(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(TEXT)]))
    ask(window, "2 + 2?")
    wait_for_end(window, qtbot)
    window._actions["copy-answer"].trigger()
    assert QGuiApplication.clipboard().text() == "It is 4."


def test_a_search_that_finds_a_thought_unfolds_it(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(TEXT)]))
    ask(window, "2 + 2?")
    wait_for_end(window, qtbot)
    window._find.open()
    window._find.edit.setText("wants")
    assert view(window).thinking.body.isVisible()
