"""An answer as it is shown, for the clipboard; as plain text; and as text to read aloud."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QMimeData
from PySide6.QtGui import (
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextListFormat,
    QTextTable,
    QTextTableCell,
)

from app.chat.prose import read_into
from app.conversations.exports.rendering import as_html
from app.text.fences import FENCED_BLOCK
from app.text.formulas import with_formulas

_CODE = re.compile(rf"^[ \t]*{FENCED_BLOCK}", re.DOTALL | re.MULTILINE)
_LINE_END = re.compile(r"\r\n?")
_NUMBERED = (
    QTextListFormat.Style.ListDecimal,
    QTextListFormat.Style.ListLowerAlpha,
    QTextListFormat.Style.ListUpperAlpha,
    QTextListFormat.Style.ListLowerRoman,
    QTextListFormat.Style.ListUpperRoman,
)
_BOXES = {QTextBlockFormat.MarkerType.Checked: "☑", QTextBlockFormat.MarkerType.Unchecked: "☐"}


def plain_text(markdown: str) -> str:
    """What a reader sees of Markdown, with formulas as LaTeX."""
    document = QTextDocument()
    formulas = read_into(document, markdown)
    return with_formulas(document.toPlainText(), formulas, lambda formula: formula.latex)


def spoken_text(markdown: str) -> str:
    """The same without code blocks, which cannot be followed by ear."""
    return plain_text(_CODE.sub("", _LINE_END.sub("\n", markdown))).strip()


def as_shown(markdown: str) -> QMimeData:
    """What a reader sees of Markdown, for other programs: formatted where they can take that, else as plain text."""
    data = QMimeData()
    data.setHtml(as_html(markdown, as_latex=True))
    data.setText(arranged_text(markdown))
    return data


def arranged_text(markdown: str) -> str:
    """As `plain_text`, with what a line of text can show of lists (their marks), tables (tabs) and paragraphs."""
    document = QTextDocument()
    formulas = read_into(document, markdown)
    text, before = "", ""
    for line, kind in _lines(document.rootFrame()):
        if text:
            text += "\n" if kind and kind == before else "\n\n"
        text, before = text + line, kind
    return with_formulas(text, formulas, lambda formula: formula.latex)


def _lines(frame: QTextFrame) -> Iterator[tuple[str, str]]:
    """The lines of a frame, each with the kind of block that it belongs to: "list", "code", "table" or ""."""
    part = frame.begin()
    while not part.atEnd():
        if isinstance(inner := part.currentFrame(), QTextTable):
            yield from ((row, "table") for row in _rows(inner))
        elif inner is not None:
            yield from _lines(inner)
        elif (block := part.currentBlock()).isValid():
            line, kind = _line(block)
            # Qt leaves empty blocks around tables; a line of code may well be empty.
            if line or kind:
                yield line, kind
        part += 1


def _line(block: QTextBlock) -> tuple[str, str]:
    text, marks = block.text().replace("\u2028", "\n"), block.textList()
    if block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
        return text, "code"
    # PySide says None where there is no list, its annotations do not.
    if marks is None:
        return text, ""
    numbered = marks.format().style() in _NUMBERED
    mark = _BOXES.get(block.blockFormat().marker()) or (marks.itemText(block) if numbered else "•")
    return f"{'  ' * (marks.format().indent() - 1)}{mark} {text}", "list"


def _rows(table: QTextTable) -> Iterator[str]:
    for row in range(table.rows()):
        cells = (table.cellAt(row, column) for column in range(table.columns()))
        yield "\t".join(_text_of(cell) for cell in cells)


def _text_of(cell: QTextTableCell) -> str:
    cursor = cell.firstCursorPosition()
    cursor.setPosition(cell.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
    return cursor.selection().toPlainText().replace("\n", " ").strip()
