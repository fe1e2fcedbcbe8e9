"""The tokens and rounds of answers that come from the disk."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from app.session.answer import State
from app.system.paths import data_folder
from tests.app.scripted_engine import STORY, Script, ScriptedEngine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver


def reopened(open_window: OpenWindow, qtbot: QtBot, questions: int) -> WindowDriver:
    """A window on a chat of so many answers that an earlier one wrote."""
    window = open_window(ScriptedEngine([Script(f"{number}. {STORY}") for number in range(questions)]))
    for number in range(questions):
        window.ask(f"Story {number}")
        window.wait_until_answered()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: len(window.turns) == questions)
    return window


def test_the_panel_shows_the_rounds_of_a_stored_answer(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    before, depth = window.answer().rounds, window.panel.depth_figure.text
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.turns) and bool(window.answer().rounds))
    kept = window.answer().rounds
    assert [(kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in kept] == [
        (kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in before
    ]
    assert [record.at_s for record in kept] == pytest.approx([record.at_s for record in before], abs=1e-6)
    panel = window.panel
    assert panel.strip.visible_rounds() == kept[-panel.strip.columns :]
    assert panel.depth_figure.text == depth
    assert "Acceptance by position" in window.panel_text


def test_a_click_in_the_strip_finds_the_tokens_of_a_stored_answer(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 1)
    qtbot.waitUntil(lambda: bool(window.answer().rounds))
    window.panel.strip.chosen.emit(3)
    tokens = window.turn().tokens
    assert tokens.isVisible()
    assert tokens.textCursor().selectedText().replace("\u2029", "\n") == window.answer().text_of_round(3)
    assert window.panel.strip.marked == frozenset({3})


def test_turning_to_another_stored_answer_shows_its_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 3)
    first = window.session.chat.turns[0]
    assert first.answer.rounds == []
    window.turn(0).click()
    qtbot.waitUntil(lambda: bool(first.answer.rounds))
    panel = window.panel
    assert panel.strip.visible_rounds() == first.answer.rounds[-panel.strip.columns :]
    assert "Acceptance rate, answer 1 of 3" in window.panel_text
    panel.strip.chosen.emit(2)
    assert window.turn(0).tokens.textCursor().selectedText().strip() == first.answer.text_of_round(2).strip()
    window.session.answers.ask("One more")
    assert "Acceptance rate, this answer" in window.panel_text
    window.wait_until_answered()


def test_a_selection_made_before_the_tokens_are_read_marks_its_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = reopened(open_window, qtbot, 2)
    first = window.session.chat.turns[0]
    prose = window.turn(0).blocks[0]
    passage = STORY.split(".")[0][:20]
    prose.setTextCursor(prose.document().find(passage))  # type: ignore[attr-defined]
    prose.setFocus()
    qtbot.waitUntil(lambda: bool(first.answer.tokens))
    assert window.panel.strip.marked == first.answer.rounds_of(passage) != frozenset()


def test_a_continued_stored_answer_keeps_its_first_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Once upon a time", reason="length")]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    first = len(window.answer().rounds)
    window.close()
    window = open_window(ScriptedEngine([Script(" there was a draft.")]))
    qtbot.waitUntil(lambda: bool(window.turns))
    window.trigger("continue-answer")
    qtbot.waitUntil(lambda: window.answer().state is State.DONE)
    numbers = [record.number for record in window.answer().rounds]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > first
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.turns) and len(window.answer().rounds) == len(numbers))


def test_an_answer_whose_rounds_were_never_kept_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask("Tell me a story")
    window.wait_until_answered()
    window.settle()
    window.close()
    with sqlite3.connect(data_folder() / "chats.db") as connection:
        connection.execute("UPDATE token_views SET rounds = x''")
    connection.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.turns) and bool(window.answer().tokens))
    assert not window.panel.strip.isVisibleTo(window.panel)
    assert "No round data" in window.panel_text
