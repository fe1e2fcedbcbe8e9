"""Text that grows by words is not parsed again, and is shown as if it were."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from app.chat.prose import Prose
from app.session.answer import Answer, State
from app.session.chats import Turn
from app.text.blocks import Splitter
from app.widgets.layouts import settle_layouts
from tests.app.scripted_engine import Script, ScriptedEngine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow

_PLAIN = (
    "word ",
    "a line of words ",
    "wo",
    "rd, and ",
    "more. ",
    "한국어 문장이 ",
    "이어집니다. ",
    "中文，字。",
    "  ",
    " ",
)
_BLOCKS = ("\n", "\n\n", "\n", "1", ". ", "2. two ", "- ", "* ", "# ", "> ", "    ", "| a | b |", "a | b", "\n--|--\n")
_PAIRS = (
    "**",
    "*",
    "_",
    "`",
    "~~",
    "```\n",
    "```",
    "===",
    "---",
    "$$",
    "$",
    "x^2",
    "\\(",
    "\\)",
    "[",
    "]",
    "](",
    ")",
    "]: ",
)
_ODD = ("http://", "www.", "example.org", "me@", "&amp", ";", "<b>", "</b>", "\\", "!", "5", ": ", "'title'", "(", "\t")


def _stream(seed: int) -> list[str]:
    """Pieces of Markdown, with plain words as the most frequent ones."""
    draw = random.Random(seed)
    return [draw.choice(_PLAIN if draw.random() < 0.6 else _BLOCKS + _PAIRS + _ODD) for _ in range(40)]


@pytest.mark.parametrize("seed", range(60))
def test_blocks_are_those_of_a_splitter_that_parses_every_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    quick, thorough = Splitter(), Splitter()
    monkeypatch.setattr(thorough, "_only_longer", lambda _delta: False)
    for piece in _stream(seed):
        quick.feed(piece)
        thorough.feed(piece)
        assert (quick.frozen, quick.tail) == (thorough.frozen, thorough.tail)


@pytest.mark.parametrize("seed", range(30))
def test_rows_of_a_long_table_are_those_of_a_splitter_that_parses_every_time(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick, thorough = Splitter(), Splitter()
    monkeypatch.setattr(thorough, "_only_longer", lambda _delta: False)
    monkeypatch.setattr(thorough, "_only_a_row", lambda _delta: False)
    draw = random.Random(seed)
    signs = ("| ", " | ", "a", "\\|", "`", "\n", "\n| ", "|\n", " ", "**", "b ")
    pieces = [draw.choice(signs if draw.random() < 0.9 else _BLOCKS + _ODD) for _ in range(60)]
    for piece in ["| a | b |\n|---|---|\n", "| one | two |\n" * draw.randrange(8, 102), *pieces]:
        quick.feed(piece)
        thorough.feed(piece)
        assert (quick.frozen, quick.tail) == (thorough.frozen, thorough.tail)


def test_a_sentence_is_parsed_only_as_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    splitter, parsed = Splitter(), []
    settle = splitter._settle_prose
    monkeypatch.setattr(splitter, "_settle_prose", lambda: parsed.append(1) or settle())
    for word in ["A draft model ", "guesses ", "several ", "tokens, ", "and so on."]:
        splitter.feed(word)
    assert len(parsed) == 1


@pytest.mark.parametrize("seed", range(40))
def test_grown_prose_looks_like_prose_that_was_shown_whole(seed: int, qtbot: QtBot) -> None:
    grown = Prose()
    qtbot.addWidget(grown)
    text = ""
    for piece in _stream(1000 + seed):
        text += piece
        grown.show_markdown(text)
        whole = Prose()
        qtbot.addWidget(whole)
        whole.show_markdown(text)
        assert grown.document().toHtml() == whole.document().toHtml(), text


def test_a_selection_stays_while_words_are_added(qtbot: QtBot) -> None:
    prose = Prose()
    qtbot.addWidget(prose)
    prose.show_markdown("A draft model guesses")
    cursor = prose.textCursor()
    cursor.setPosition(2)
    cursor.setPosition(7, cursor.MoveMode.KeepAnchor)
    prose.setTextCursor(cursor)
    prose.show_markdown("A draft model guesses several tokens")
    assert prose.textCursor().selectedText() == "draft"
    assert prose.toPlainText() == "A draft model guesses several tokens"


def test_a_line_at_the_end_of_a_long_chat_does_not_paint_the_chat_again(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Hello.")]))
    first = window.session.answers.ask("Say hello")
    qtbot.waitUntil(lambda: first.answer.ended)
    transcript = window.transcript
    text = "\n\n".join(f"Paragraph {number} of some words." for number in range(60)) + "\n\n```python\nx = 1\n"
    answer = Answer(State.WRITING, text)
    turn = Turn("Write a lot", answer)
    transcript.add_turn(turn)
    bar, body = transcript.verticalScrollBar(), transcript.widget()
    settle_layouts()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    for more in ("y = 2\nz = 3\n", "```\n\nA new paragraph", " of words that go on and on" * 8, "\n\n```c\n"):
        top, height = body.y(), body.height()
        answer.text += more
        transcript.refresh(turn)
        room = top - body.y()
        settle_layouts()
        # It was moved once, by what it grew, and before it grew: so what was painted could be moved with it.
        assert room == body.height() - height > 0
        assert body.y() == top - room


class _Painted(QObject):
    """The heights of what a widget paints."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.heights: list[int] = []
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.heights.append(event.region().boundingRect().height())
        return False


def test_words_at_the_end_of_a_long_run_lay_out_and_paint_the_last_line_only(qtbot: QtBot) -> None:
    prose = Prose()
    qtbot.addWidget(prose)
    prose.resize(700, 10)
    text = "\n\n".join(f"Paragraph {number} of some words." for number in range(30))
    prose.show_markdown(text)
    prose.show()
    qtbot.waitExposed(prose)
    qtbot.wait(50)
    painted = _Painted(prose.viewport())
    first = prose.document().begin().layout()
    prose.show_markdown(text + " And more of them.")
    # Laid out anew, it would have lines again only once it is painted.
    assert first.lineCount() == 1
    qtbot.waitUntil(lambda: bool(painted.heights))
    assert max(painted.heights) < prose.height() // 4
