"""An answer as rich text for the clipboard, as plain text, and as text to read aloud."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

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
from app.text.blocks import Code, Splitter
from app.text.fences import FENCED_BLOCK
from app.text.formulas import with_formulas
from app.text.pieces import weight_of_markdown

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

# A longer text is rendered block by block, off the Qt thread.
AT_ONCE = 20_000


def is_long(markdown: str) -> bool:
    """Whether rendering would block the window."""
    return len(markdown) > AT_ONCE or weight_of_markdown(markdown) > AT_ONCE


def _block_by_block(markdown: str, render: Callable[[str], str], between: str) -> str:
    """Render a text, a long one in parts, because a rendering thread blocks the others."""
    if not is_long(markdown):
        return render(markdown)
    splitter = Splitter()
    splitter.feed(markdown)
    splitter.finish()
    parts = (block.text if isinstance(block, Code) or block.plain else render(block.text) for block in splitter.frozen)
    return between.join(part.strip("\n") for part in parts)


def _rendered(markdown: str) -> str:
    document = QTextDocument()
    formulas = read_into(document, markdown)
    return with_formulas(document.toPlainText(), formulas, lambda formula: formula.latex)


def spoken_text(markdown: str) -> str:
    """Render Markdown without code blocks as plain text, to be read aloud. May be called on any thread."""
    return _block_by_block(_CODE.sub("", _LINE_END.sub("\n", markdown)), _rendered, "\n").strip()


def shown_parts(markdown: str) -> tuple[str, str]:
    """Render Markdown as (HTML, plain text). May be called on any thread."""
    # Imports a parser, which only the first copied text needs.
    from app.conversations.exports.rendering import as_html

    return as_html(markdown, as_latex=True), arranged_text(markdown)


def mime_of(html: str, text: str) -> QMimeData:
    """Return both forms for the clipboard: other programs choose."""
    data = QMimeData()
    data.setHtml(html)
    data.setText(text)
    return data


def arranged_text(markdown: str) -> str:
    """Render Markdown with marks of lists, tabs between table cells and empty lines between paragraphs."""
    return _block_by_block(markdown, _arranged, "\n\n")


def _arranged(markdown: str) -> str:
    document = QTextDocument()
    formulas = read_into(document, markdown)
    text, before = "", ""
    for line, kind in _lines(document.rootFrame()):
        if text:
            text += "\n" if kind and kind == before else "\n\n"
        text, before = text + line, kind
    return with_formulas(text, formulas, lambda formula: formula.latex)


def _lines(frame: QTextFrame) -> Iterator[tuple[str, str]]:
    """Yield the lines of a frame, each with the kind of its block: "list", "code", "table" or ""."""
    part = frame.begin()
    while not part.atEnd():
        if isinstance(inner := part.currentFrame(), QTextTable):
            yield from ((row, "table") for row in _rows(inner))
        elif inner is not None:
            yield from _lines(inner)
        elif (block := part.currentBlock()).isValid():
            line, kind = _line(block)
            # Qt leaves empty blocks around tables, but a line of code may be empty.
            if line or kind:
                yield line, kind
        part += 1


def _line(block: QTextBlock) -> tuple[str, str]:
    text, marks = block.text().replace("\u2028", "\n"), block.textList()
    if block.blockFormat().hasProperty(QTextFormat.Property.BlockCodeFence):
        return text, "code"
    # PySide returns None outside of lists, contrary to its annotations.
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
