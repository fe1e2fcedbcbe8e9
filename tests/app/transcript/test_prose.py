"""Prose: added words are inserted without rendering the text again, with the same result; code, quotes and tables."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.session.answer import Answer, State
from app.session.chats import Turn
from app.transcript.auto_height_browser import blocks_of
from app.transcript.prose import Prose
from app.widgets import theme
from app.widgets.layouts import settle_layouts
from tests.app.conftest import OpenWindow, Show
from tests.app.markdown_streams import stream
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(4, 40))]


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_grown_prose_looks_like_prose_that_was_shown_whole(seed: int, qtbot: QtBot) -> None:
    grown = Prose()
    qtbot.addWidget(grown)
    text = ""
    for piece in stream(1000 + seed):
        text += piece
        grown.show_markdown(text)
        whole = Prose()
        qtbot.addWidget(whole)
        whole.show_markdown(text)
        assert grown.document().toHtml() == whole.document().toHtml(), text


def test_a_selection_stays_while_words_are_added(show: Show[Prose]) -> None:
    prose = show(Prose())
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
        # It was moved once, by its growth, and before it grew, so that Qt could move the painted text.
        assert room == body.height() - height > 0
        assert body.y() == top - room


class _Painted(QObject):
    """Records the heights of the regions that a widget paints."""

    def __init__(self, watched: QWidget) -> None:
        super().__init__(watched)
        self.heights: list[int] = []
        watched.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent):
            self.heights.append(event.region().boundingRect().height())
        return False


def test_words_at_the_end_of_a_long_run_lay_out_and_paint_the_last_line_only(qtbot: QtBot, show: Show[Prose]) -> None:
    prose = show(Prose(), 700, 10)
    text = "\n\n".join(f"Paragraph {number} of some words." for number in range(30))
    prose.show_markdown(text)
    QCoreApplication.processEvents()
    prose.viewport().repaint()
    painted = _Painted(prose.viewport())
    first = prose.document().begin().layout()
    prose.show_markdown(text + " And more of them.")
    # Laid out anew, it would have lines again only once it is painted.
    assert first.lineCount() == 1
    qtbot.waitUntil(lambda: bool(painted.heights))
    assert max(painted.heights) < prose.height() // 4


@pytest.mark.parametrize("text", ["1. Sort:\n\n   ```\n   {}\n   ```", "> ```\n> {}\n> ```"])
def test_long_lines_of_code_in_lists_and_quotes_are_wrapped(text: str, show: Show[Prose]) -> None:
    prose = show(Prose())
    prose.show_markdown(text.format("answers += " * 40))
    prose.document().setTextWidth(300)
    assert prose.document().idealWidth() <= 300


TABLE = """\
| Function | What it does | When to use it | Cost |
|---|---|---|---|
| `heapq.nsmallest(n, iterable)` | Returns the n smallest items of an iterable, from the smallest on | When n is small \
beside the length of the iterable and you need them in order | O(m log n) |
"""


def cut_words(prose: Prose) -> list[str]:
    """Return the lines that end within a word."""
    lines = []
    for block in blocks_of(prose.document()):
        layout, text = block.layout(), block.text()
        ends = [layout.lineAt(row).textStart() + layout.lineAt(row).textLength() for row in range(layout.lineCount())]
        lines += [text[:end] for end in ends[:-1] if text[end - 1].isalnum() and text[end].isalnum()]
    return lines


@pytest.mark.parametrize("row", ["", "| `sorted` | Sorts all of it | When n is close to the length | O(m log m) |\n"])
def test_a_table_whose_words_do_not_fit_is_scrolled_sideways_and_cuts_none(row: str, show: Show[Prose]) -> None:
    prose = show(Prose(), 700, 100)
    bar = prose.horizontalScrollBar()
    for text in (TABLE, TABLE + row):
        prose.show_markdown(text)
        for width in (700, 480, 140, 480, 1000):
            prose.resize(width, 100)
            assert cut_words(prose) == []
            assert bar.isVisible() == (width == 140), width
            assert prose.height() >= prose.document().size().height() + (bar.height() if width == 140 else 0)
            assert bar.value() == 0
            # Sideways the wheel scrolls the table, and down the chat.
            for x, y in ((-120, 0), (0, -120)):
                delta = QPoint(x, y)
                event = QWheelEvent(
                    QPointF(9, 9), QPointF(9, 9), QPoint(), delta, Qt.MouseButton.NoButton,
                    Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
                )  # fmt: skip
                prose.wheelEvent(event)
                assert event.isAccepted() == (bool(x) and width == 140)
            assert (bar.value() > 0) == (width == 140)
            bar.setValue(0)
    shown = Prose()
    for length in range(60, len(TABLE), 20):
        shown.show_markdown(TABLE[:length])
    assert show(shown, 140, 100).horizontalScrollBar().value() == 0
    prose.show_markdown("A" * 200)
    assert prose.document().size().width() <= 1000


def test_only_paragraphs_of_one_quotation_share_its_bar(show: Show[Prose]) -> None:
    prose = show(Prose(), 400, 300)
    prose.show_markdown("> [!NOTE]\n> alert\n\n> quoted\n\n> other\n>\n> and more")
    picture = prose.viewport().grab().toImage()
    column = [picture.pixel(1, y) == QColor(theme.colours().line).rgb() for y in range(picture.height())]
    assert sum(bar and not above for bar, above in zip(column, [False, *column], strict=False)) == 3


def test_the_wheel_over_the_bar_below_a_wide_table_scrolls_the_chat(show: Show[Prose]) -> None:
    prose = show(Prose(), 140, 100)
    prose.show_markdown(TABLE)
    bar = prose.horizontalScrollBar()
    assert (bar.isVisible(), prose.cursorWidth()) == (True, 0)
    for x, y in ((0, -120), (-120, 0)):
        event = QWheelEvent(
            QPointF(5, 2), QPointF(5, 2), QPoint(), QPoint(x, y), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QCoreApplication.sendEvent(bar, event)
        assert event.isAccepted() == (bar.value() > 0) == bool(x)
