"""The search in a chat counts and highlights every match, and scrolls to one after the other."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, QRect, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.conversations.search import Query, parse_phrase
from app.session.answer import Answer, State
from app.session.chats import Turn
from app.transcript.prose import Prose
from app.transcript.search_highlights import match_colours
from app.transcript.shown_text import AT_ONCE, ShownTexts
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver
from tests.patience import PATIENCE_S

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


def phrase(text: str) -> Query:
    query = parse_phrase(text)
    assert query is not None
    return query


def answered(window: WindowDriver, *questions: str) -> None:
    """Ask, and wait until the formulas of the last answer are typeset, which renders it again."""
    window.ask_and_wait(*questions)
    window.wait(lambda: not any("$" in prose.toPlainText() for prose in window.turn().view.findChildren(Prose)))


def current_rect(window: WindowDriver) -> QRect:
    """Return the place of the current match in the viewport."""
    turn, index = window.find_bar.current
    view = window.transcript.view(turn)
    return view.highlights.rect_of(index, view).translated(view.mapTo(window.transcript.viewport(), QPoint(0, 0)))


THOUGHT = "<think>\nA draft of a draft.\n\n```\ndraft\n```\n</think>\n\nOne draft."
SLICES, BLOCKS = "A draft and more words. " * 420, "draft\n\n" * 150


@pytest.mark.full
@pytest.mark.parametrize(
    "text", [SLICES, *(pytest.param(text, marks=pytest.mark.full) for text in (ZOO, THOUGHT, BLOCKS))]
)
def test_every_match_that_is_counted_is_highlighted(start_chat: StartChat, text: str) -> None:
    window = start_chat(ScriptedEngine([Script(text)]))
    answered(window, "What is a draft?")
    window.find_in_chat("draft")
    # Go to the first match, whose blocks have no widgets yet. They are made in slices.
    window.find_bar.search_for("draft", window.session.chat.turns[0], False)
    window.wait(lambda: window.found_text.endswith(f" of {len(window.turn().highlighted):,}"))
    assert len(window.turn().highlighted) > 3


def test_enter_goes_from_match_to_match_and_scrolls_to_each(start_chat: StartChat) -> None:
    # Lines that are equal would be a loop.
    lines = [f"{number} words." for number in range(60)]
    window = start_chat(ScriptedEngine([Script("\n\n".join(["A draft here.", *lines, "A draft."]))]))
    answered(window, "First?", "Second?")
    window.transcript.verticalScrollBar().setValue(0)
    window.find_in_chat("draft")
    viewport = window.transcript.viewport().rect()
    seen = []
    for _ in range(5):
        seen.append(window.found_text)
        assert viewport.contains(current_rect(window))
        QTest.keyClick(window.find_bar.edit, Qt.Key.Key_Return)
    assert seen == ["1 of 4", "2 of 4", "3 of 4", "4 of 4", "1 of 4"]
    QTest.keyClick(window.find_bar.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert window.found_text == "1 of 4"
    window.trigger("find-previous")
    window.trigger("find-next")
    assert window.found_text == "1 of 4"


@pytest.mark.first
def test_the_search_begins_at_the_first_match_of_the_chat(start_chat: StartChat) -> None:
    paragraphs = [f"Paragraph {number} has a draft." for number in range(1, 81)]
    window = start_chat(
        ScriptedEngine([Script("\n\n".join(paragraphs)), Script("\n\n".join(paragraphs).replace("draft", "word"))])
    )
    answered(window, "One?", "Two?")
    bar, viewport = window.transcript.verticalScrollBar(), window.transcript.viewport().rect()
    # The chat is at its end, then among the matches: both begin at the first one, and scroll to it.
    for share in (1.0, 0.25):
        bar.setValue(round(share * bar.maximum()))
        window.settle()
        window.find_in_chat("draft")
        assert window.found_text == "1 of 80"
        assert viewport.contains(current_rect(window))
        assert bar.value() < 0.1 * bar.maximum()
        window.find_bar.close_bar()
    # Another letter begins there again.
    window.find_in_chat("draft")
    window.trigger("find-next")
    assert window.found_text == "2 of 80"
    window.find_in_chat("drafts")
    assert window.found_text == "Not found"
    window.find_in_chat("a draft")
    assert window.found_text == "1 of 80"


@pytest.mark.full
def test_the_search_begins_after_the_last_letter_and_lets_the_window_go_on(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("A draft here.")]))
    answered(window, *"1234567")
    searched: list[str] = []
    count = ShownTexts.count

    def slow(texts: ShownTexts, turn: Turn, query: Query) -> int:
        searched.append(turn.question)
        time.sleep(0.003)
        return count(texts, turn, query)

    monkeypatch.setattr(ShownTexts, "count", slow)
    window.trigger("find-in-chat")
    QTest.keyClicks(window.find_bar.edit, "draft")
    assert searched == []
    QTest.qWait(1)
    most = 0
    while window.found_text == "":
        before = len(searched)
        QCoreApplication.processEvents()
        most = max(most, len(searched) - before)
    assert (window.found_text, searched) == ("1 of 7", list("1234567"))
    assert most < 5


def test_the_current_match_has_another_colour(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("A draft, a draft.")]))
    answered(window, "A draft?")

    def is_current() -> list[bool]:
        marks = [mark for text_view in window.turn().text_views for mark in text_view.extraSelections()]
        return [mark.format.background().color() == match_colours(True)[0] for mark in marks]

    window.find_in_chat("draft")
    assert is_current() == [True, False, False]
    window.trigger("find-next")
    assert is_current() == [False, True, False]
    window.trigger("find-next")
    assert is_current() == [False, False, True]


def test_a_tinted_answer_is_searched_as_it_is_shown(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("A **draft** and [draft](https://draft.example).")]))
    answered(window, "What?")
    window.find_in_chat("draft")
    window.trigger("show-tokens")
    assert window.found_text == "1 of 2"
    assert window.turn().highlighted == ["draft"] * 2
    window.trigger("show-text")
    assert window.turn().highlighted == ["draft"] * 2
    QTest.keyClick(window.find_bar.edit, Qt.Key.Key_Escape)
    assert window.turn().highlighted == []


def test_an_answer_that_ends_is_counted_and_escape_in_the_message_box_ends_the_search(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("A draft."), Script("Two drafts, draft.")]))
    answered(window, "One?")
    window.find_in_chat("draft")
    window.ask_and_wait("Two?")
    assert window.found_text == "1 of 3"
    assert window.turn().highlighted == ["draft", "draft"]
    window.edit.setFocus()
    window.press(Qt.Key.Key_Escape)
    assert window.find_bar.isHidden()
    window.find_in_chat("no such words")
    assert window.found_text == "Not found"


def test_a_message_found_in_all_chats_is_shown_at_its_first_match(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script("초안이 먼저, 초안이 나중.")]))
    answered(window, "초안이 뭐예요?")
    chat = window.session.chat
    turn = chat.turns[0]
    window.trigger("new-chat")
    window.search("초안")
    for node, wanted in ((turn.answer_node, "2 of 3"), (turn.question_node, "1 of 3")):
        window.sidebar.pane.hit_chosen.emit(chat.id, node.id)
        window.wait(lambda text=wanted: window.found_text == text)


# Words, signs and spaces as they are typed, and how often a text has them.
WITHIN = [
    ("A sentence about sentences.", "entence", 2),
    ("A needle, a Needle.", "eedle", 2),
    ("A needle, a Needle.", "NEEDLE", 2),
    ("`bisect_left(a, x)` is left of `bisect_right`.", "_left", 1),
    ("`bisect_left(a, x)` is left of `bisect_right`.", "left(", 1),
    ("`bisect_left(a, x)` is left of `bisect_right`.", "t_r", 1),
    ("Un décaféiné, un cafe\u0301.", "cafe", 2),
    ("Un decafeine.", "café", 1),
    ("ＸＱＷＥＮ３ and xqwen3", "qwen", 2),
    ("MLX 엔진과 MLX엔진", "lx엔", 2),
    ("초안모델과 초안 모델", "초안 모델", 2),
    ("ﾄﾞﾗﾌﾄとドラフト", "ラフ", 2),
    ("草稿模型猜测", "稿模", 1),
    ("It isn\u2019t, isn't it?", "sn't", 2),
    ('`print("hello")` says hello.', '("hello"', 1),
    ('`{"name": 3}`, a name', '"name": 3', 1),
    ("Emoji 🎉🚀!", "🚀!", 1),
    ("a **very** *long*\nline", "ery long l", 1),
    ("See [the drafts](https://example.org/x) now", "afts no", 1),
    ("un<b>draft</b>ed", "ndrafte", 1),
    ("1. first\n2. second", "irst sec", 1),
    ("C++ and C# and a.b.c", "+", 2),
    ("C++ and C# and a.b.c", ".b.", 1),
    ("(sum) [1] {x} ^$ a|b", "[1]", 1),
    ("No such word.", "needle", 0),
]


@pytest.mark.parametrize(("typed", "words", "count"), WITHIN)
def test_words_are_found_inside_of_words_and_signs_as_they_stand(typed: str, words: str, count: int) -> None:
    assert ShownTexts().count(Turn("", Answer(State.DONE, typed)), phrase(words)) == count


TOGETHER = "A draft model. The model has a draft. A draft-model! == and ->"


@pytest.mark.parametrize(
    ("typed", "words", "count"),
    [
        ("**초안**과 초**안**, ~~초안~~", "초안", 4),
        # These words stand together only once they are rendered.
        ("a [draft](https://example.org) model", "draft model", 1),
        ("1 &lt; 2 &amp; 3", "<", 1),
        ("1. one\n2. two", "one two", 1),
        *[(TOGETHER, "draft model", 2), (TOGETHER, "draft mod", 2), (TOGETHER, '"model" draft', 6)],
        *[(TOGETHER, "->", 1), (TOGETHER, "=", 2), (TOGETHER, "!!", 0)],
    ],
)
def test_matches_in_turns_far_from_the_view_are_counted_without_widgets(typed: str, words: str, count: int) -> None:
    texts, turn = ShownTexts(), Turn("초안이 뭐예요?", Answer(State.DONE, typed))
    assert texts.count(turn, phrase(words)) == count
    turn.answer.text = "없음"
    assert texts.count(turn, phrase(words)) == (1 if words == "초안" else 0)


def test_a_huge_answer_is_searched_on_another_thread(qtbot: QtBot) -> None:
    paragraphs = [f"A *draft* and {'hay' if number % 9 else 'a needle'}, {number}.\n\n" for number in range(1000)]
    text = "".join(paragraphs)
    assert len(text) > AT_ONCE
    turn, query = Turn("What?", Answer(State.DONE, text)), phrase("needle")
    texts = ShownTexts()
    with qtbot.waitSignal(texts.ready, timeout=1000 * PATIENCE_S):
        began = time.thread_time()
        assert texts.count(turn, query) == 0
        assert time.thread_time() - began < 0.1
    assert texts.count(turn, query) == sum("needle" in paragraph for paragraph in paragraphs)
    assert texts.count(turn, phrase("draft")) == 1000
