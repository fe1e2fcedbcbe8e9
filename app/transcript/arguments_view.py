"""The line that asks for a call, and the call's arguments: text that a stranger may have written, never as HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtGui import QFont, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QWidget

from app.tools.tool import visible
from app.transcript.auto_height_browser import PlainTextBrowser
from app.widgets.labels import fixed_font
from app.wording.call_questions import QuestionPiece
from app.wording.tools import written_out

# In pixels: how far several lines of a value stand to the right of its name.
_INDENT = 16


class QuestionLine(PlainTextBrowser):
    """Shows a line in pieces, of which some are bold. It wraps anywhere, so that all of an address is seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pieces: list[QuestionPiece] = []

    def show_pieces(self, pieces: Sequence[QuestionPiece]) -> None:
        if list(pieces) == self._pieces:
            return
        self._pieces = list(pieces)
        self.ensurePolished()
        self.clear()
        cursor = QTextCursor(self.document())
        for piece in pieces:
            cursor.insertText(piece.text, _weighted(piece.bold))
        self.fit()


class ArgumentsView(PlainTextBrowser):
    """Shows each argument as "name: value". A value of several lines, a list and an object are code below its name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._arguments: Mapping[str, Any] = {}

    def show_arguments(self, arguments: Mapping[str, Any]) -> None:
        if arguments == self._arguments:
            return
        self._arguments = arguments
        self.ensurePolished()
        self.clear()
        cursor = QTextCursor(self.document())
        for name, value in arguments.items():
            self._add(cursor, name, value)
        self.fit()

    def _add(self, cursor: QTextCursor, name: str, value: Any) -> None:
        """Add an argument at the end."""
        if not cursor.atStart():
            cursor.insertBlock(QTextBlockFormat())
        # A name or a value in the same line cannot look like another argument.
        cursor.insertText(f"{written_out(name)}: ", _weighted(True))
        if isinstance(value, str) and value and "\n" not in value:
            cursor.insertText(visible(value), _weighted(False))
            return
        is_text = isinstance(value, str) and bool(value)
        text = visible(value if is_text else json.dumps(value, ensure_ascii=False, indent=2))
        if "\n" not in text:
            cursor.insertText(text, _code())
            return
        for line in text.split("\n"):
            cursor.insertBlock(_indented())
            cursor.insertText(line, _code())


def _weighted(bold: bool) -> QTextCharFormat:
    """Return the format of text that is bold, or not."""
    text_format = QTextCharFormat()
    text_format.setFontWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return text_format


def _code() -> QTextCharFormat:
    text_format = QTextCharFormat()
    text_format.setFontFamilies([fixed_font().family()])
    return text_format


def _indented() -> QTextBlockFormat:
    block_format = QTextBlockFormat()
    block_format.setLeftMargin(_INDENT)
    return block_format
