"""The line on an answer where there is no panel: in the quick entry and in the window of a chat."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.session.answer import Answer
from app.session.chats import Chat, Turn
from app.speculation.answer_line import AnswerLine
from tests.app.scripts import FULL, PATTERN, PLAIN, STORY, Script, ScriptedRound, play
from tests.app.window_parts import names_in


@pytest.fixture
def shown(qtbot: QtBot) -> AnswerLine:
    shown = AnswerLine(None)  # type: ignore[arg-type]
    qtbot.addWidget(shown)
    shown.resize(600, 80)
    return shown


def answer_of(script: Script, events: int | None = None) -> Answer:
    answer = Answer()
    answer.apply(list(play(script))[:events])
    return answer


def show(line: AnswerLine, answer: Answer) -> None:
    line.show_newest(Chat(turns=[Turn("q", answer)]))


def test_it_says_what_drafts_gained_while_the_answer_streams_and_what_the_tints_mean(shown: AnswerLine) -> None:
    answer = answer_of(Script(STORY, PATTERN), 9)
    assert not answer.ended
    show(shown, answer)
    stats = answer.figures
    assert shown.line.text().startswith(f"{stats.accepted} of {stats.drafted} drafts accepted · ")
    assert " tokens a round instead of 1 · " in shown.line.text()
    assert names_in(shown.legend) == ["main", "draft", "prompt lookup"]


def test_it_takes_no_room_before_there_is_something_to_say(shown: AnswerLine) -> None:
    shown.show_newest(Chat())
    assert shown.isHidden()
    show(shown, answer_of(Script(STORY, (FULL,)), 4))
    assert shown.isHidden()
    show(shown, answer_of(Script(STORY, (PLAIN,))))
    assert not shown.isHidden()
    assert shown.legend.isHidden()
    assert shown.line.text().endswith(" tokens a second")


def test_of_an_answer_that_hardly_drafted_it_has_the_words_of_the_panel(shown: AnswerLine) -> None:
    script = Script(STORY, (ScriptedRound(3, 1), *[PLAIN] * 40))
    show(shown, answer_of(script))
    assert shown.line.text().endswith(" · 1 token came from drafts")
