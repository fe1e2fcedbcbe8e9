"""The tokens and rounds of answers that come from the disk."""

from __future__ import annotations

import sqlite3

import pytest

from app.session.answer import State
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script


def test_the_panel_shows_the_rounds_of_a_stored_answer_and_a_click_finds_its_tokens(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask_and_wait("Tell me a story")
    before = window.answer().rounds
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.turns) and bool(window.answer().rounds))
    kept = window.answer().rounds
    assert [(kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in kept] == [
        (kind.number, kind.source, kind.drafted, kind.accepted, kind.reason) for kind in before
    ]
    assert [record.at_s for record in kept] == pytest.approx([record.at_s for record in before], abs=1e-6)
    panel = window.panel
    assert panel.strip.visible_rounds() == kept[-panel.strip.columns :]
    panel.details.fold.click()
    assert "Acceptance by position" in window.panel_text
    panel.strip.chosen.emit(3)
    assert window.turn().tinted == window.answer().text_of_round(3)
    assert panel.strip.marked == frozenset({3})


def test_turning_to_another_stored_answer_shows_its_rounds(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(f"{number}. {STORY}") for number in range(3)]))
    window.ask_and_wait(*(f"Story {number}" for number in range(3)))
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: len(window.turns) == 3)
    first, second, _ = (turn.answer for turn in window.session.chat.turns)
    # A selection that is made before the tokens are read marks its rounds.
    prose = window.turn(1).blocks[0]
    passage = STORY.split(".")[0][:20]
    prose.setTextCursor(prose.document().find(passage))  # type: ignore[attr-defined]
    prose.setFocus()
    window.wait(lambda: bool(second.tokens))
    panel = window.panel
    assert panel.strip.marked == second.rounds_of(passage) != frozenset()
    assert first.rounds == []
    window.turn(0).click()
    window.wait(lambda: bool(first.rounds))
    assert panel.strip.visible_rounds() == first.rounds[-panel.strip.columns :]
    assert "Answer 1 of 3" in window.panel_text
    panel.strip.chosen.emit(2)
    assert window.turn(0).tinted.strip() == first.text_of_round(2).strip()
    window.session.answers.ask("One more")
    assert "This answer" in window.panel_text
    window.wait_until_answered()


@pytest.mark.full
def test_a_continued_stored_answer_keeps_its_first_rounds(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("Once upon a time", reason="length")]))
    window.ask_and_wait("Tell me a story")
    first = len(window.answer().rounds)
    window.close()
    window = open_window(ScriptedEngine([Script(" there was a draft.")]))
    window.wait(lambda: bool(window.turns))
    window.trigger("continue-answer")
    window.wait(lambda: window.answer().state is State.DONE)
    numbers = [record.number for record in window.answer().rounds]
    assert numbers == list(range(len(numbers)))
    assert len(numbers) > first
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.turns) and len(window.answer().rounds) == len(numbers))


@pytest.mark.full
def test_an_answer_whose_rounds_were_never_kept_says_so(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    window.ask_and_wait("Tell me a story")
    window.close()
    with sqlite3.connect(data_folder() / "chats.db") as connection:
        connection.execute("UPDATE token_views SET rounds = x''")
    connection.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: bool(window.turns) and bool(window.answer().tokens))
    assert not window.panel.strip.isVisibleTo(window.panel)
    assert "No round data" in window.panel_text
