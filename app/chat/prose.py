"""Prose of an answer: Markdown rendered by Qt, with raw HTML shown literally, in the spacing of the look, and with its
formulas set.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextListFormat,
    QTextTable,
    QTextTableFormat,
)

from app.chat.auto_height_browser import LINE_HEIGHT, AutoHeightTextBrowser
from app.chat.formula_pictures import pictures
from app.chat.formula_text import FormulaPainter, formula_size, put_formulas, source_of
from app.text.blocks import continues_line
from app.text.formulas import Formula, with_signs
from app.text.qt_markdown import for_qt
from app.widgets import theme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QWidget

# How answers are read: what looks like HTML is text.
MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_HEADING_SCALE = {1: 1.4, 2: 1.25, 3: 1.1}
_PARAGRAPH_SPACE = 12
# Of the room that a paragraph has below it, Qt leaves next to nothing above a table.
_ABOVE_TABLE = 10
# What may mean something in Markdown inside a line.
_SIGNS = frozenset("\\`*_~$<>[](){}&|#@/=^\ufffc")
_ENCODED = QUrl.ComponentFormattingOption.FullyEncoded
_OBJECT_SIGN = "\ufffc"
_MARKS = (
    QTextFormat.Property.FontPixelSize,
    QTextFormat.Property.FontSizeAdjustment,
    QTextFormat.Property.FontWeight,
    QTextFormat.Property.FontItalic,
    QTextFormat.Property.FontStrikeOut,
    QTextFormat.Property.FontFixedPitch,
    QTextFormat.Property.IsAnchor,
    QTextFormat.Property.ObjectType,
)


class Prose(AutoHeightTextBrowser):
    """Read-only rendered Markdown. `link_chosen` carries the address of a clicked link; `shown_anew` follows when the
    same text was rendered once more, for then what was marked in it is not any more.
    """

    link_chosen = Signal(str)
    shown_anew = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.anchorClicked.connect(lambda url: self.link_chosen.emit(url.toString(_ENCODED)))
        self._markdown = ""
        self._waits = False
        self._painter: FormulaPainter | None = None

    @property
    def markdown(self) -> str:
        return self._markdown

    def show_markdown(self, text: str) -> None:
        if text == self._markdown or self._append(text):
            return
        self._markdown = text
        # Before its first showing a widget has the application's font; the style sheet's comes with the polish.
        self.ensurePolished()
        document = self.document()
        with _laid_out_once(document):
            formulas = read_into(document, text)
            _space(document, self.font())
            if formulas:
                if self._painter is None:
                    self._painter = FormulaPainter(document)
                self._wait(not put_formulas(document, formulas, formula_size(self.font())))
            else:
                self._wait(False)
        self.fit()

    def _append(self, text: str) -> bool:
        """Write only what is new, where that are plain words at the end of a plain line; whether it was so."""
        before = self._markdown
        added = text[len(before) :]
        if not before or self._waits or not text.startswith(before) or not _adds_words(before, added):
            return False
        cursor = QTextCursor(self.document())
        # Outside of an edit, a cursor looks for its place on the screen wherever it goes.
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        goes_on = cursor.block().text().endswith(_last_word(before)) and _is_plain(cursor.charFormat())
        if goes_on:
            self._markdown = text
            # Spaces at the end of a line are not shown before there is something behind them.
            cursor.insertText(text.rstrip(" ")[len(before.rstrip(" ")) :])
        cursor.endEditBlock()
        if goes_on:
            self.fit()
        return goes_on

    def _wait(self, waits: bool) -> None:
        """Whether some formulas are still being set, and stand there as they were written."""
        if waits != self._waits:
            self._waits = waits
            if waits:
                pictures().ready.connect(self._show_again)
            else:
                pictures().ready.disconnect(self._show_again)

    def _show_again(self) -> None:
        text, self._markdown = self._markdown, ""
        self.show_markdown(text)
        self.shown_anew.emit()

    def source_of_selection(self) -> str:
        """The selected text, with formulas as they were written."""
        return source_of(self.textCursor())

    def createMimeDataFromSelection(self) -> QMimeData:
        data = super().createMimeDataFromSelection()
        if self._painter is not None:
            data = QMimeData()
            data.setText(self.source_of_selection())
        return data

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and self._markdown:
            self._show_again()


@contextmanager
def _laid_out_once(document: QTextDocument) -> Iterator[None]:
    """Lay a document out at the end, and not after each change: of a long table that takes 10 ms."""
    document.setLayoutEnabled(False)
    try:
        yield
    finally:
        document.setLayoutEnabled(True)


def read_into(document: QTextDocument, markdown: str) -> list[Formula]:
    """Give a document what an answer says, with one sign for each formula, and return the formulas."""
    marked, formulas = with_signs(markdown)
    document.setMarkdown(for_qt(marked), MARKDOWN)
    if "![" in markdown:
        _name_pictures(document)
    return formulas


def rendered_text(markdown: str) -> str:
    """What `Prose` shows of a text, with one sign for each formula."""
    document = QTextDocument()
    read_into(document, markdown)
    return document.toPlainText()


def _name_pictures(document: QTextDocument) -> None:
    """Pictures are never fetched: what they show in words is a link to each of them."""
    cursor = document.find(_OBJECT_SIGN)
    while not cursor.isNull():
        picture = cursor.charFormat()
        if picture.isImageFormat():
            link = QTextCharFormat()
            link.setAnchor(True)
            link.setAnchorHref(picture.toImageFormat().name())
            link.setForeground(QGuiApplication.palette().link())
            cursor.insertText(str(picture.property(QTextFormat.Property.ImageAltText)), link)
        cursor = document.find(_OBJECT_SIGN, cursor)


def _adds_words(before: str, added: str) -> bool:
    """Whether the last line of `before` with `added` behind it says the same as both, one after the other."""
    if not _SIGNS.isdisjoint(added) or not continues_line(before, added) or before.rstrip() != before.rstrip(" "):
        return False
    last_word = _last_word(before)
    # Bare addresses become links, and signs that are half a pair may become formats.
    return _SIGNS.isdisjoint(last_word) and "www" not in (last_word + added).lower() and "  " not in before[-2:] + added


def _last_word(text: str) -> str:
    """The last word of a text that has one."""
    return text.rsplit(maxsplit=1)[-1]


def _is_plain(style: QTextCharFormat) -> bool:
    return not any(style.hasProperty(mark) for mark in _MARKS)


def _space(document: QTextDocument, font: QFont) -> None:
    """Line height, room between blocks, calm headings, and lists that do not stand far out."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    block, line_height = document.begin(), LINE_HEIGHT * font.pixelSize()
    while block.isValid():
        cursor.setPosition(block.position())
        style = QTextBlockFormat(block.blockFormat())
        style.setLineHeight(line_height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        in_table = cursor.currentTable() is not None
        last = not block.next().isValid()
        in_list = block.textList() is not None
        style.setTopMargin(0)
        below = 4 if in_list and block.next().textList() else _PARAGRAPH_SPACE
        style.setBottomMargin(0 if last or in_table else below)
        level = style.headingLevel()
        if level:
            style.setTopMargin(0 if block == document.begin() else 8)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            heading = cursor.charFormat()
            heading.setProperty(QTextFormat.Property.FontSizeAdjustment, 0)
            heading.setProperty(
                QTextFormat.Property.FontPixelSize, round(font.pixelSize() * _HEADING_SCALE.get(level, 1.0))
            )
            heading.setFontWeight(QFont.Weight.DemiBold)
            cursor.mergeCharFormat(heading)
            cursor.setPosition(block.position())
        cursor.setBlockFormat(style)
        block = block.next()
    _indent_lists(document)
    _draw_tables(document)
    cursor.endEditBlock()


def _indent_lists(document: QTextDocument) -> None:
    document.setIndentWidth(24)
    block = document.begin()
    while block.isValid():
        text_list = block.textList()
        if text_list is not None and text_list.itemNumber(block) == 0:
            style = QTextListFormat(text_list.format())
            if style.indent() < 1:
                style.setIndent(1)
                text_list.setFormat(style)
        block = block.next()


def _draw_tables(document: QTextDocument) -> None:
    """One thin line between cells, with air around the text."""
    for frame in document.rootFrame().childFrames():
        if not isinstance(frame, QTextTable):
            continue
        style = QTextTableFormat(frame.format())
        style.setBorderCollapse(True)
        style.setBorder(1)
        style.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        style.setBorderBrush(QColor(theme.colours().line))
        style.setCellSpacing(0)
        style.setCellPadding(6)
        style.setTopMargin(_ABOVE_TABLE if frame.firstPosition() > 2 else 0)
        style.setBottomMargin(_PARAGRAPH_SPACE)
        frame.setFormat(style)
