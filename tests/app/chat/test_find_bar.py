"""Finding in a chat: every hit counts, each is marked, and one after the other is brought into view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from app.chat.prose import Prose
from app.chat.search_highlights import hit_colours
from app.chat.shown_text import ShownTexts, shown_texts
from app.conversations.search import highlights, parse_phrase
from app.session.answer import Answer, State
from app.session.chats import Turn
from tests.app.chats_shown import settle, view
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import ask, wait_for_end

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.window.main_window import MainWindow
    from tests.app.conftest import OpenWindow

ZOO = """A **dra**ft, a `draft` and a [draft](https://example.org/draft).

# Draft &amp; more

- one draft
- two _drafts_
  1. a nested draft

| draft | b |
|---|---|
| x | draft |

```python
draft = "draft"  # draft
```

After it, $draft$ in a formula, and <b>draft</b> in HTML.

> A quoted draft 🙂 draft

~~~
draft
~~~
"""


def find(window: MainWindow, text: str) -> None:
    window._actions["find-in-chat"].trigger()
    window._find.edit.setText(text)


def answered(window: MainWindow, qtbot: QtBot, *questions: str) -> None:
    for question in questions:
        ask(window, question)
        wait_for_end(window, qtbot)
    settle(window, qtbot)


def marked(window: MainWindow, place: int = -1) -> list[str]:
    """What is marked in a turn, from top to bottom."""
    return [
        mark.cursor.selectedText()
        for text_view in view(window, place)._text_views()
        for mark in text_view.extraSelections()
    ]


def current_place(window: MainWindow) -> QRect:
    """Where the hit that is looked at stands in the viewport."""
    turn, place = window._find.current
    turn_view = window._transcript.view(turn)
    found = turn_view.place_of_hit(place)
    return found.translated(turn_view.mapTo(window._transcript.viewport(), QPoint(0, 0)))


@pytest.mark.parametrize("text", [ZOO, "<think>\nA draft of a draft.\n\n```\ndraft\n```\n</think>\n\nOne draft.",
                                  "draft " * 3000, "draft\n\n" * 1500])  # fmt: skip
def test_what_is_counted_is_what_is_marked(open_window: OpenWindow, qtbot: QtBot, text: str) -> None:
    window = open_window(ScriptedEngine([Script(text)]))
    answered(window, qtbot, "What is a draft?")
    qtbot.waitUntil(lambda: not any(prose._waits for prose in view(window).findChildren(Prose)))
    find(window, "draft")
    total = len(marked(window))
    assert window._find.count.text() == f"{total:,} of {total:,}"
    assert len(marked(window)) > 3


def test_texts_are_those_of_the_widgets(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(f"<think>\nHm, *hm*.\n</think>\n\n{ZOO}")]))
    answered(window, qtbot, "What?")
    turn_view, turn = view(window), window._session.chat.turns[-1]
    turn_view.thinking.unfold()
    qtbot.waitUntil(lambda: not any(prose._waits for prose in turn_view.findChildren(Prose)))
    shown = [text_view.toPlainText() for text_view in turn_view._text_views()]
    counted = shown_texts(turn, False)
    query = parse_phrase("draft")
    assert query is not None
    assert len(shown) == len(counted)
    assert [len(highlights(text, query)) for text in shown] == [len(highlights(text, query)) for text in counted]


def test_enter_goes_from_hit_to_hit_and_each_comes_into_view(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(
        ScriptedEngine([Script("\n\n".join(["A draft here."] + ["Many words."] * 60) + "\n\nA draft.")])
    )
    answered(window, qtbot, "First?", "Second?")
    find(window, "draft")
    viewport = window._transcript.viewport().rect()
    seen = []
    for _ in range(5):
        seen.append(window._find.count.text())
        assert viewport.contains(current_place(window))
        QTest.keyClick(window._find.edit, Qt.Key.Key_Return)
    assert seen == ["4 of 4", "3 of 4", "2 of 4", "1 of 4", "4 of 4"]
    QTest.keyClick(window._find.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    window._actions["find-previous"].trigger()
    window._actions["find-next"].trigger()
    assert window._find.count.text() == "4 of 4"


def test_the_hit_that_is_looked_at_looks_another_way(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A draft, a draft.")]))
    answered(window, qtbot, "A draft?")

    def looks() -> list[bool]:
        marks = [mark for text_view in view(window)._text_views() for mark in text_view.extraSelections()]
        return [mark.format.background().color() == hit_colours(True)[0] for mark in marks]

    find(window, "draft")
    assert looks() == [False, False, True]
    window._find.step(-1)
    assert looks() == [False, True, False]
    window._find.step(-1)
    assert looks() == [True, False, False]


def test_a_long_question_is_scrolled_to_the_hit(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    answered(window, qtbot, "\n".join(f"line {number}" for number in range(200)))
    for wanted in ("line 3", "line 190", "line 100"):
        find(window, f'"{wanted}"')
        assert window._find.count.text() == "1 of 1"
        assert window._transcript.viewport().rect().contains(current_place(window))


def test_tokens_are_searched_where_they_are_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A **draft** and [draft](https://draft.example).")]))
    answered(window, qtbot, "What?")
    find(window, "draft")
    assert window._find.count.text() == "2 of 2"
    window._actions["show-tokens"].trigger()
    assert window._find.count.text() == "2 of 3"
    assert marked(window) == ["draft"] * 3
    window._actions["show-text"].trigger()
    assert marked(window) == ["draft"] * 2
    window._find.close_bar()
    for text_view in view(window).findChildren(QTextEdit) + view(window).findChildren(QPlainTextEdit):
        assert text_view.extraSelections() == []


def test_an_answer_that_ends_is_counted(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A draft."), Script("Two drafts, draft.")]))
    answered(window, qtbot, "One?")
    find(window, "draft")
    ask(window, "Two?")
    wait_for_end(window, qtbot)
    assert window._find.count.text() == "1 of 3"
    assert marked(window) == ["draft", "draft"]


def test_words_are_found_where_they_stand_together(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A draft model. The model has a draft. A draft-model! == and ->")]))
    answered(window, qtbot, "What?")
    for text, count in (("draft model", 2), ("draft mod", 2), ('"model" draft', 6), ("->", 1), ("=", 2), ("!!", 0)):
        find(window, text)
        assert window._find.count.text() == (f"{count} of {count}" if count else "Not found")


def test_marks_stay_when_the_theme_or_the_language_changes(open_window: OpenWindow, qtbot: QtBot, qapp) -> None:  # type: ignore[no-untyped-def]
    window = open_window(ScriptedEngine([Script("A draft, $x^2$.\n\n```\ndraft\n```\n")]))
    answered(window, qtbot, "What?")
    find(window, "draft")
    qapp.theme.set_mode("dark")
    qtbot.waitUntil(lambda: len(marked(window)) == 2)
    qapp.language.choose("ko")
    qtbot.waitUntil(lambda: window._find.count.text() == "2개 중 2번째")
    assert len(marked(window)) == 2


def test_a_found_message_is_shown_at_its_first_hit(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("초안이 먼저, 초안이 나중.")]))
    answered(window, qtbot, "초안이 뭐예요?")
    chat = window._session.chat
    place = chat.turns[0].answer_node.id
    window._session.chats.new_chat()
    window._chats.search.setText("초안")
    settle(window, qtbot)
    window._commands.show_hit(chat.id, place)
    qtbot.waitUntil(lambda: window._find.count.text() == "2 of 3")
    window._commands.show_hit(chat.id, chat.turns[0].question_node.id)
    qtbot.waitUntil(lambda: window._find.count.text() == "1 of 3")


def test_hits_of_turns_that_are_far_away_are_counted_without_their_widgets() -> None:
    texts, query = ShownTexts(), parse_phrase("초안")
    assert query is not None
    turn = Turn("초안?", Answer(State.DONE, "**초안**과 초**안**, ~~초안~~"))
    assert texts.count(turn, query, False) == 4
    turn.answer.text += " 초안"
    assert texts.count(turn, query, False) == 5
    assert texts.count(Turn("아니요", Answer(State.DONE, "없음")), query, False) == 0


@pytest.mark.parametrize(
    ("typed", "words"),
    [("a [draft](https://example.org) model", "draft model"), ("1 &lt; 2 &amp; 3", "<"), ("1. one\n2. two", "one two")],
)
def test_what_only_stands_together_as_it_is_shown_is_found(typed: str, words: str) -> None:
    query = parse_phrase(words)
    assert query is not None
    assert ShownTexts().count(Turn("What?", Answer(State.DONE, typed)), query, False) == 1


def test_an_answer_that_ends_is_looked_at_anew() -> None:
    texts, query = ShownTexts(), parse_phrase("<thi")
    assert query is not None
    turn = Turn("What?", Answer(State.WRITING, "<thi"))
    assert texts.count(turn, query, False) == 0
    turn.answer.state = State.DONE
    assert texts.count(turn, query, False) == 1
