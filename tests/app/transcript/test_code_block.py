"""Code blocks are coloured off the Qt thread, and copied with one click."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QRect
from PySide6.QtGui import QGuiApplication, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.text.code_spans import spans
from app.transcript.answer_body import AnswerBody
from app.transcript.auto_height_browser import blocks_of
from app.transcript.code_block import CodeBlock
from tests.app.conftest import Show


def is_coloured(block: CodeBlock) -> bool:
    """Whether any letters have a colour of their own."""
    styles = (part.fragment().charFormat() for line in blocks_of(block.text_view.document()) for part in line)
    return any(style.hasProperty(QTextFormat.Property.ForegroundBrush) for style in styles)


@pytest.mark.first
def test_the_copy_button_copies_the_code(show: Show[CodeBlock]) -> None:
    block = show(CodeBlock())
    block.show_code("print('안녕')\n", "python", closed=True)
    block.findChild(QPushButton).click()
    assert QGuiApplication.clipboard().text() == "print('안녕')\n"


def test_known_languages_are_coloured_and_unknown_ones_are_not() -> None:
    assert spans("x = 'a'  # note\n", "python")
    assert spans("x = 1\n", "no-such-language") == ()
    assert spans("x = 1\n", "") == ()


def test_long_code_is_coloured_once_its_spans_are_known(qtbot: QtBot, show: Show[CodeBlock]) -> None:
    text = "def name(value):\n    return value  # note\n" * 40
    block = show(CodeBlock())
    block.show_code(text, "python", closed=False)
    assert not is_coloured(block)
    block.show_code(text, "python", closed=True)
    assert not is_coloured(block)
    qtbot.waitUntil(lambda: is_coloured(block))
    again = show(CodeBlock())
    again.show_code(text, "python", closed=True)
    assert is_coloured(again)
    cursor = QTextCursor(again.text_view.document())
    cursor.setPosition(2)
    assert cursor.charFormat().fontWeight() != 600
    cursor.setPosition(6)
    assert cursor.charFormat().fontWeight() == 600


def test_colours_fall_on_the_right_letters_after_wide_characters(qtbot: QtBot, show: Show[CodeBlock]) -> None:
    block = show(CodeBlock())
    block.show_code("a = '👩‍💻' # note\n", "python", closed=True)
    qtbot.waitUntil(lambda: is_coloured(block))
    document = block.text_view.document()
    cursor = QTextCursor(document)
    cursor.setPosition(document.toPlainText().encode("utf-16-le").find("#".encode("utf-16-le")) // 2 + 1)
    comment = cursor.charFormat().foreground().color()
    cursor.setPosition(2)
    assert cursor.charFormat().foreground().color() != comment


@pytest.mark.parametrize(("letters", "has_bar"), [(20, False), (120, True)])
def test_only_long_lines_have_a_scroll_bar_and_room_for_it(show: Show[AnswerBody], letters: int, has_bar: bool) -> None:
    body = show(AnswerBody())
    body.resize(100, 300)
    body.show_text(f"```\n{'x' * letters}\n```\n", True)
    QCoreApplication.processEvents()
    body.resize(600, 300)
    QCoreApplication.processEvents()
    view = body.findChild(CodeBlock).text_view
    assert view.horizontalScrollBar().isVisible() is has_bar
    line = view.blockBoundingRect(view.firstVisibleBlock()).height()
    assert view.viewport().height() >= line + 2 * view.document().documentMargin()


def test_lines_with_letters_of_another_font_are_higher_and_shown_whole(show: Show[CodeBlock]) -> None:
    block = show(CodeBlock(), 300, 400)
    view = block.text_view
    block.show_code("one\ntwo²\nthree²\nfour\n", "", closed=False)
    cursor = view.document().find("²")
    high = QTextCharFormat()
    high.setProperty(QTextFormat.Property.FontPixelSize, 60)
    cursor.mergeCharFormat(high)
    block.show_code("one\ntwo²\nthree²\nfour\nfive", "", closed=True)
    places = dict(enumerate(place for _, place in view.blocks_from(view.document().begin())))
    for number, (_, top, _, height) in places.items():
        place = view.cursorRect(QTextCursor(view.document().findBlockByNumber(number)))
        assert top <= place.top() + 1
        assert place.bottom() <= top + height + 1
    assert places[1][3] > 2 * places[0][3]
    _, top, _, height = places[4]
    assert top + height <= view.height()
    for number, (_, top, _, height) in places.items():
        area = QRect(0, round(top + height / 2), 9, 9)
        assert view.first_block_in(area).blockNumber() == number
