"""Questions of any length are shown without blocking the Qt thread, very long ones only up to a point."""

from __future__ import annotations

import time

import pytest
from PySide6.QtWidgets import QWidget

from app.session.answer import Answer
from app.session.chats import Turn
from app.text.pieces import weight
from app.transcript.question_bubble import LONGEST_QUESTION, QuestionBubble, shown_question
from app.widgets.layouts import vbox
from tests.app.conftest import Show

HUGE = {
    "one word": lambda: "q" * 5_000_000,
    "lines": lambda: "x = 1\n" * 1_000_000,
    "pictures": lambda: "\U0001f468" * 1_000_000,
    "words that nearly fit": lambda: ("q" * 3999 + " ") * 100,
    "new lines": lambda: "\n" * 1_000_000,
}


@pytest.mark.parametrize("name", HUGE)
def test_a_huge_question_is_shown_up_to_a_point(name: str, show: Show[QWidget]) -> None:
    text, parent = HUGE[name](), show(QWidget())
    began = time.thread_time()
    bubble = QuestionBubble(Turn(text, Answer()), parent)
    took = time.thread_time() - began
    shown = bubble.text.toPlainText()
    assert shown == shown_question(text)
    assert text.startswith(shown)
    assert 0 < weight(shown) <= LONGEST_QUESTION
    [note] = [label for label in bubble.children() if getattr(label, "text", str)() and label is not bubble.text]
    assert "Only the beginning" in note.text()
    assert took < 1.0


@pytest.mark.parametrize("size", [13, 14, 20, 28])
@pytest.mark.parametrize("word", ["history", "fjord yy", "wolf", "if", "W", "한글", "日本語。"])
def test_a_short_question_is_on_one_line(word: str, size: int, show: Show[QWidget]) -> None:
    parent = show(QWidget())
    parent.setStyleSheet(f"QTextBrowser {{ font-size: {size}px }}")
    parent.resize(600, 200)
    bubble = QuestionBubble(Turn(word, Answer()), parent)
    vbox(parent).addWidget(bubble)
    bubble.show()
    bubble.text.fit()
    assert bubble.width() < 600
    assert bubble.text.document().firstBlock().layout().lineCount() == 1
