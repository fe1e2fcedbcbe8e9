"""Writes the paragraphs of a Markdown text into a document, with fonts, spacing, lists, tables and formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextList,
    QTextListFormat,
    QTextTableFormat,
)

from app.text.formulas import Formula
from app.text.shown import OpenList, Paragraph, Spans, is_right_to_left, rows_from_left
from app.transcript.auto_height_browser import LINE_HEIGHT
from app.transcript.formula_text import formula_size, insert_formula
from app.widgets import theme

QUOTE_INDENT = 16
LIST_INDENT = 24
# The property of a block with the bars beside a quotation, each with its place in pixels and its number.
BARS = QTextFormat.Property.UserProperty + 10
# The property of a block with the mark of an item without a number.
MARK = QTextFormat.Property.UserProperty + 11
# In pixels, above a paragraph, an item of a list and a heading.
_PARAGRAPH_SPACE = 12
_ITEM_SPACE = 4
_ABOVE_HEADING = 8
# Qt drops most of the margin below a paragraph that a table follows.
_ABOVE_TABLE = 10
_HEADING_SCALE = {"h1": 1.6, "h2": 1.3, "h3": 1.1}
# By the number of lists around.
_BULLETS = "•◦▪"
_ALIGNMENTS = {"left": Qt.AlignmentFlag.AlignLeft, "center": Qt.AlignmentFlag.AlignHCenter}
_ALIGNMENTS |= {"right": Qt.AlignmentFlag.AlignRight}
_VERTICAL = {
    "sub": QTextCharFormat.VerticalAlignment.AlignSubScript,
    "sup": QTextCharFormat.VerticalAlignment.AlignSuperScript,
}
_ALERTS = {"note": "main_text", "important": "main_text", "tip": "draft_text", "warning": "lookup_text"}
_ALERTS |= {"caution": "problem"}
_LINE_SEPARATOR = "\u2028"


class DocumentWriter:
    """Writes a document that grows: the paragraphs at its beginning that are the same as before stay as they are."""

    def __init__(self, document: QTextDocument, font: QFont) -> None:
        self.cursor = QTextCursor(document)
        self._pixels = font.pixelSize()
        self._formula_pixels = formula_size(font)
        self._lists: dict[OpenList, QTextList] = {}
        self._missing: list[Formula] = []
        # The paragraphs above the first formula that is not typeset, each with the one below it, and where they end.
        self.written: list[tuple[Paragraph, Paragraph | None]] = []
        self._ends: list[int] = []
        self._is_first = True
        self._styles: dict[tuple[frozenset[str], str, int, bool], QTextCharFormat] = {}

    def write(self, paragraphs: Sequence[Paragraph]) -> list[Formula]:
        """Write the text of a document. Return the formulas that are not typeset yet and are shown as LaTeX."""
        pairs = list(zip(paragraphs, [*paragraphs[1:], None], strict=True))
        same = (number for number, pair in enumerate(zip(pairs, self.written, strict=False)) if pair[0] != pair[1])
        unchanged = next(same, min(len(pairs), len(self.written)))
        is_last = unchanged + 1 == len(pairs) == len(self.written)
        if is_last and (more := _words_added(self.written[-1][0], pairs[-1][0])):
            self.cursor.movePosition(QTextCursor.MoveOperation.End)
            # Qt would shape all of its letters again for each paint. A paragraph that is finished is a new block.
            self.cursor.block().layout().setCacheEnabled(True)
            self.cursor.insertText(more.replace("\n", _LINE_SEPARATOR))
            # The same spans where they are equal, so that nobody compares their texts again.
            before = self.written[-1][0]
            self.written[-1] = replace(before, spans=(*before.spans[:-1], pairs[-1][0].spans[-1])), None
            self._ends[-1] = self.cursor.position()
            return self._missing
        # An empty block takes the format of what is removed below it.
        while unchanged and not any(span.text or span.formula for span in pairs[unchanged - 1][0].spans):
            unchanged -= 1
        self._missing = []
        self._cut(unchanged)
        for pair in pairs[unchanged:]:
            self._write(*pair)
            if not self._missing:
                self.written.append(pair)
                self._ends.append(self.cursor.position())
        self.cursor.endEditBlock()
        return self._missing

    def _cut(self, count: int) -> None:
        """Remove all but the first `count` paragraphs, and begin to edit."""
        self.written = self.written[:count]
        self._ends = self._ends[:count]
        self._is_first = not count
        begun = {paragraph.lists[-1] for paragraph, _ in self.written if paragraph.mark}
        self._lists = {key: items for key, items in self._lists.items() if key in begun}
        if not count:
            self.cursor.document().clear()
            self.cursor.document().setIndentWidth(LIST_INDENT)
        self.cursor.beginEditBlock()
        if count:
            self.cursor.setPosition(self._ends[-1])
            self.cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            self.cursor.removeSelectedText()

    def _write(self, paragraph: Paragraph, following: Paragraph | None) -> None:
        if paragraph.kind == "table":
            self._write_table(paragraph)
            return
        block = self._block(paragraph.spans)
        block.setLeftMargin(len(paragraph.quotes) * QUOTE_INDENT)
        if paragraph.quotes:
            block.setProperty(QTextFormat.Property.BlockQuoteLevel, len(paragraph.quotes))
            quotes = enumerate(paragraph.quotes)
            block.setProperty(BARS, [[level * QUOTE_INDENT + of[0] * LIST_INDENT, of[1]] for level, of in quotes])
        if following is not None:
            belong = (paragraph.mark and following.mark) or paragraph.kind == "title"
            block.setBottomMargin(_ITEM_SPACE if belong else _PARAGRAPH_SPACE)
        pixels = 0
        if paragraph.kind[1:].isdigit():
            block.setHeadingLevel(int(paragraph.kind[1:]))
            block.setTopMargin(0 if self._is_first else _ABOVE_HEADING)
            pixels = round(self._pixels * _HEADING_SCALE.get(paragraph.kind, 1.0))
        elif paragraph.kind == "hr":
            block.setProperty(QTextFormat.Property.BlockTrailingHorizontalRulerWidth, 1)
            block.setBackground(QColor(theme.colours().line))
        self._insert_block(block, paragraph)
        typeset = self._insert(paragraph.spans, pixels)
        if paragraph.kind == "formula" and typeset and not paragraph.mark:
            block.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            block.setIndent(0)
            block.setTopMargin(_ITEM_SPACE)
            block.setBottomMargin(_PARAGRAPH_SPACE if following else _ITEM_SPACE)
            self.cursor.setBlockFormat(block)

    def _block(self, spans: Spans) -> QTextBlockFormat:
        block = QTextBlockFormat()
        # Otherwise Qt takes that of the first letter.
        to_right = is_right_to_left([spans])
        block.setLayoutDirection(Qt.LayoutDirection.RightToLeft if to_right else Qt.LayoutDirection.LeftToRight)
        height = QTextBlockFormat.LineHeightTypes.MinimumHeight.value
        block.setLineHeight(LINE_HEIGHT * self._pixels, height)
        return block

    def _insert_block(self, block: QTextBlockFormat, paragraph: Paragraph) -> None:
        """Begin a paragraph. One that begins an item belongs to its list; another one is only indented."""
        items = self._lists.get(paragraph.lists[-1]) if paragraph.mark else None
        if items is not None:
            block.setObjectIndex(items.objectIndex())
        elif not paragraph.mark:
            block.setIndent(len(paragraph.lists))
        if paragraph.mark and not paragraph.mark[0].isdigit():
            bullet = _BULLETS[min(len(paragraph.lists), len(_BULLETS)) - 1]
            block.setProperty(MARK, bullet if paragraph.mark == "•" else paragraph.mark)
        if self._is_first:
            self.cursor.setBlockFormat(block)
        else:
            self.cursor.insertBlock(block, QTextCharFormat())
        self._is_first = False
        if paragraph.mark and items is None:
            self._lists[paragraph.lists[-1]] = self.cursor.createList(_list_format(paragraph))

    def _insert(self, spans: Spans, pixels: int = 0, head: bool = False) -> bool:
        """Insert text; `pixels` is the size of a heading. Return whether all formulas are typeset."""
        typeset = True
        for span in spans:
            key = span.style, span.link, pixels, head
            if (style := self._styles.get(key)) is None:
                style = self._styles[key] = _style_of(*key)
            if span.formula is None:
                self.cursor.insertText(span.text.replace("\n", _LINE_SEPARATOR), style)
            elif not insert_formula(self.cursor, span.formula, self._formula_pixels, style, self._missing):
                typeset = False
        return typeset

    def _write_table(self, paragraph: Paragraph) -> None:
        """Write a table with one thin line between cells, and padding around the text."""
        style = QTextTableFormat()
        style.setBorderCollapse(True)
        style.setBorder(1)
        style.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        style.setBorderBrush(QColor(theme.colours().line))
        style.setCellSpacing(0)
        style.setCellPadding(6)
        style.setTopMargin(0 if self._is_first else _ABOVE_TABLE)
        style.setBottomMargin(_PARAGRAPH_SPACE)
        aligns = paragraph.aligns
        if is_right_to_left(spans for row in paragraph.rows for spans in row):
            aligns = aligns[::-1]
            style.setAlignment(Qt.AlignmentFlag.AlignRight)
        else:
            style.setLeftMargin(len(paragraph.quotes) * QUOTE_INDENT + len(paragraph.lists) * LIST_INDENT)
        self.cursor.insertTable(len(paragraph.rows), len(paragraph.aligns), style)
        for number, row in enumerate(rows_from_left(paragraph)):
            for cell, align in zip(row, aligns, strict=True):
                block = self._block(cell)
                if align:
                    block.setAlignment(_ALIGNMENTS[align])
                self.cursor.setBlockFormat(block)
                self._insert(cell, head=number == 0)
                self.cursor.movePosition(QTextCursor.MoveOperation.NextBlock)
        # Qt needs this empty block, which has no height.
        self.cursor.setBlockFormat(QTextBlockFormat())
        self._is_first = False


def _words_added(before: Paragraph, now: Paragraph) -> str:
    """Return the words by which the last span of a paragraph grew; "" if anything else of it changed."""
    if not (before.spans and now.spans):
        return ""
    old = before.spans[-1].text
    last = now.spans[-1]
    same = replace(now, spans=(*now.spans[:-1], replace(last, text=old))) == before
    goes_on = same and last.text.startswith(old) and is_right_to_left([now.spans]) == is_right_to_left([before.spans])
    return last.text.removeprefix(old) if goes_on else ""


def _style_of(names: frozenset[str], link: str, pixels: int, head: bool) -> QTextCharFormat:
    """Return the format of a span of text in today's theme.

    `names` are elements of HTML, or the kind of an alert in its title. `link` is an address, or "". `pixels` is the
    size of a heading, 0 elsewhere. `head` is true in the first row of a table.
    """
    style = QTextCharFormat()
    if pixels:
        style.setProperty(QTextFormat.Property.FontPixelSize, pixels)
        style.setFontWeight(QFont.Weight.DemiBold)
    elif head or "strong" in names:
        style.setFontWeight(QFont.Weight.Bold)
    if "em" in names:
        style.setFontItalic(True)
    if "s" in names:
        style.setFontStrikeOut(True)
    if "u" in names:
        style.setFontUnderline(True)
    if "mark" in names:
        style.setBackground(QColor(theme.colours().lookup_tint))
    if not names.isdisjoint(("code", "kbd")):
        style.setFontFamilies(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families())
        style.setFontFixedPitch(True)
        style.setBackground(_code_background())
    for name in names & _VERTICAL.keys():
        style.setVerticalAlignment(_VERTICAL[name])
    for name in names & _ALERTS.keys():
        style.setForeground(QColor(getattr(theme.colours(), _ALERTS[name])))
    if link:
        style.setAnchor(True)
        style.setAnchorHref(link)
        style.setForeground(QGuiApplication.palette().link())
    return style


def _code_background() -> QColor:
    """Return a translucent colour that gives code its background on the window. It lets the tints of tokens through."""
    below = QColor(theme.colours().window)
    shown = QColor(theme.colours().selection)
    # At half the opacity, twice the difference is needed.
    red = 2 * shown.red() - below.red()
    green = 2 * shown.green() - below.green()
    blue = 2 * shown.blue() - below.blue()
    return QColor(red, green, blue, 128)


def _list_format(paragraph: Paragraph) -> QTextListFormat:
    style = QTextListFormat()
    style.setIndent(len(paragraph.lists))
    # Other marks are painted by the widget: Qt's are of one kind, and too close to the words.
    style.setStyle(QTextListFormat.Style.ListStyleUndefined)
    if paragraph.mark[:-1].isdigit():
        style.setStyle(QTextListFormat.Style.ListDecimal)
        style.setStart(int(paragraph.mark[:-1]))
        style.setNumberSuffix(paragraph.mark[-1])
    return style
