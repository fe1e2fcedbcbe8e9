"""The prose of an answer: Markdown rendered by Qt with spacing added, HTML shown literally, formulas typeset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QMimeData, QRectF, QUrl, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextListFormat,
    QTextOption,
    QTextTable,
    QTextTableFormat,
)
from PySide6.QtWidgets import QWidget

from app.chat.auto_height_browser import LINE_HEIGHT, AutoHeightTextBrowser, blocks_of
from app.chat.formula_pictures import pictures
from app.chat.formula_text import FormulaPainter, formula_size, put_formulas, source_of
from app.text.blocks import continues_line
from app.text.formulas import Formula, with_signs
from app.text.qt_markdown import for_qt
from app.widgets import theme
from app.widgets.restyled import Restyled

# The dialect of answers: HTML is text.
MARKDOWN = QTextDocument.MarkdownFeature.MarkdownDialectGitHub | QTextDocument.MarkdownFeature.MarkdownNoHTML
_HEADING_SCALE = {1: 1.4, 2: 1.25, 3: 1.1}
_PARAGRAPH_SPACE = 12
# Qt drops most of the margin below a paragraph that a table follows.
_ABOVE_TABLE = 10
_QUOTE_INDENT, _QUOTE_BAR = 16, 3
# Characters that may have a meaning in Markdown inside a line.
_SYNTAX = frozenset("\\`*_~$<>[](){}&|#@/=^\ufffc")
_ENCODED = QUrl.ComponentFormattingOption.FullyEncoded
_OBJECT_LETTER = "\ufffc"
_FORMATS = (
    QTextFormat.Property.FontPixelSize,
    QTextFormat.Property.FontSizeAdjustment,
    QTextFormat.Property.FontWeight,
    QTextFormat.Property.FontItalic,
    QTextFormat.Property.FontStrikeOut,
    QTextFormat.Property.FontFixedPitch,
    QTextFormat.Property.IsAnchor,
    QTextFormat.Property.ObjectType,
)


class Prose(Restyled, AutoHeightTextBrowser):
    """Rendered Markdown. `link_chosen` carries the address of a clicked link.

    `rerendered` is emitted when the same text was rendered again, which drops the highlights in it.
    """

    link_chosen = Signal(str)
    rerendered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.anchorClicked.connect(lambda url: self.link_chosen.emit(url.toString(_ENCODED)))
        self.markdown = ""
        self._plain = self._quotes = self._tables = False
        # The formulas that are shown as LaTeX because they are not typeset yet.
        self._missing: list[Formula] = []
        pictures().ready.connect(self._take_formulas)
        self._painter: FormulaPainter | None = None
        self._text_size = 0
        self.restyle()

    def show_markdown(self, text: str, plain: bool = False) -> None:
        """Render a text, or show it literally if `plain`."""
        if plain == self._plain and (text == self.markdown or self._append(text)):
            return
        self.markdown, self._plain = text, plain
        # A widget has the application's font until it is polished with the style sheet.
        self.ensurePolished()
        self._text_size = self.font().pixelSize()
        document = self.document()
        with _laid_out_once(document):
            formulas = [] if plain else read_into(document, text)
            if plain:
                document.setPlainText(text.strip("\n"))
            _space(document, self.font())
            if "`" in text and not plain:
                _tint_code(document)
            self._quotes = ">" in text and not plain
            self._tables = bool(document.rootFrame().childFrames())
            if formulas and self._painter is None:
                self._painter = FormulaPainter(document)
            self._missing = put_formulas(document, formulas, formula_size(self.font())) if formulas else []
        self.fit()

    def fit(self) -> None:
        """Set the height that the text needs. Words of a table are never broken: one that is too wide is scrolled."""
        modes = QTextOption.WrapMode
        mode = modes.WordWrap if self._tables else modes.WrapAtWordBoundaryOrAnywhere
        if self.wordWrapMode() != mode:
            self.setWordWrapMode(mode)
        super().fit()

    def _append(self, text: str) -> bool:
        """Insert only the new text, if it is plain words at the end of a plain line. Returns whether it was."""
        before = self.markdown
        added = text[len(before) :]
        if not before or self._missing or self._plain or not text.startswith(before) or not _adds_words(before, added):
            return False
        cursor = QTextCursor(self.document())
        # Without an edit block, the cursor computes its position on the screen at each move.
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        is_plain = not any(cursor.charFormat().hasProperty(name) for name in _FORMATS)
        continues = is_plain and cursor.block().text().endswith(_last_word(before))
        if continues:
            self.markdown = text
            # Spaces at the end of a line are rendered only once something follows them.
            cursor.insertText(text.rstrip(" ")[len(before.rstrip(" ")) :])
        cursor.endEditBlock()
        if continues:
            self.fit()
        return continues

    def _take_formulas(self) -> None:
        """Render again if a missing formula is known now. `ready` may concern other texts."""
        pixels = formula_size(self.font())
        if any((formula, pixels) in pictures().known for formula in self._missing):
            self._render_again()

    def _render_again(self) -> None:
        text, self.markdown = self.markdown, ""
        self.show_markdown(text, self._plain)
        self.rerendered.emit()

    def source_of_selection(self) -> str:
        """The selected text, with formulas as LaTeX."""
        return source_of(self.textCursor())

    def createMimeDataFromSelection(self) -> QMimeData:
        data = super().createMimeDataFromSelection()
        if self._painter is not None:
            data = QMimeData()
            data.setText(self.source_of_selection())
        return data

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._quotes:
            painter, layout = QPainter(self.viewport()), self.document().documentLayout()
            painter.translate(-self.horizontalScrollBar().value(), 0)
            for block in blocks_of(self.document()):
                bar = layout.blockBoundingRect(block)
                for level in range(_quote_level(block)):
                    place = QRectF(level * _QUOTE_INDENT, bar.top(), _QUOTE_BAR, bar.height())
                    painter.fillRect(place, QColor(theme.colours().line))

    def apply_theme(self) -> None:
        if self.markdown:
            self._render_again()

    def apply_text_size(self) -> None:
        if self.markdown and self.font().pixelSize() != self._text_size:
            self._render_again()


@contextmanager
def _laid_out_once(document: QTextDocument) -> Iterator[None]:
    """Lay a document out once at the end instead of after each change, which is slow for a long table."""
    document.setLayoutEnabled(False)
    try:
        yield
    finally:
        document.setLayoutEnabled(True)


def read_into(document: QTextDocument, markdown: str) -> list[Formula]:
    """Render Markdown into a document, with a placeholder for each formula, and return the formulas."""
    marked, formulas = with_signs(markdown)
    document.setMarkdown(for_qt(marked), MARKDOWN)
    if "![" in markdown:
        _link_pictures(document)
    return formulas


def rendered_text(markdown: str, plain: bool = False) -> str:
    """Return the text that `Prose` shows, with a placeholder for each formula."""
    if plain:
        return markdown.strip("\n")
    document = QTextDocument()
    read_into(document, markdown)
    return document.toPlainText()


def _link_pictures(document: QTextDocument) -> None:
    """Replace pictures, which are never fetched, by links with their alternative texts."""
    cursor = document.find(_OBJECT_LETTER)
    while not cursor.isNull():
        picture = cursor.charFormat()
        if picture.isImageFormat():
            link = QTextCharFormat()
            link.setAnchor(True)
            link.setAnchorHref(picture.toImageFormat().name())
            link.setForeground(QGuiApplication.palette().link())
            cursor.insertText(str(picture.property(QTextFormat.Property.ImageAltText)), link)
        cursor = document.find(_OBJECT_LETTER, cursor)


def _adds_words(before: str, added: str) -> bool:
    """Whether rendering `before + added` appends `added` as plain words to the last line of `before`."""
    if not _SYNTAX.isdisjoint(added) or not continues_line(before, added) or before.rstrip() != before.rstrip(" "):
        return False
    last_word = _last_word(before)
    # Bare addresses become links, and half a pair of delimiters may become a format.
    is_address = "www" in (last_word + added).lower()
    return _SYNTAX.isdisjoint(last_word) and not is_address and "  " not in before[-2:] + added


def _last_word(text: str) -> str:
    """Return the last word of a text that is not blank."""
    return text.rsplit(maxsplit=1)[-1]


def _space(document: QTextDocument, font: QFont) -> None:
    """Set line heights, margins between blocks, the size of headings and the indent of lists."""
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    line_height = LINE_HEIGHT * font.pixelSize()
    _level_cells(document)
    for block in blocks_of(document):
        cursor.setPosition(block.position())
        style = QTextBlockFormat(block.blockFormat())
        style.setLineHeight(line_height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        # Code within a list or a quote has no scroll bar of its own.
        style.setNonBreakableLines(False)
        in_table = cursor.currentTable() is not None
        last = not block.next().isValid()
        in_list = block.textList() is not None
        style.setTopMargin(0)
        if quote := _quote_level(block):
            style.setLeftMargin(quote * _QUOTE_INDENT)
            style.setRightMargin(0)
        below = 4 if in_list and block.next().textList() else _PARAGRAPH_SPACE
        style.setBottomMargin(0 if last or in_table else below)
        level = style.headingLevel()
        if level:
            style.setTopMargin(0 if block == document.begin() else 8)
            _enlarge(cursor, block, round(font.pixelSize() * _HEADING_SCALE.get(level, 1.0)))
        cursor.setBlockFormat(style)
    _indent_lists(document)
    _draw_tables(document)
    cursor.endEditBlock()


def _enlarge(cursor: QTextCursor, block: QTextBlock, pixels: int) -> None:
    """Set the size of a heading, and leave the cursor at its start."""
    run, fragments = block.begin(), []
    while not run.atEnd():
        fragments.append(run.fragment())
        run += 1
    for found in fragments:
        heading = found.charFormat()
        # Next to it, Qt ignores every other size.
        heading.clearProperty(QTextFormat.Property.FontSizeAdjustment)
        heading.setProperty(QTextFormat.Property.FontPixelSize, pixels)
        heading.setFontWeight(QFont.Weight.DemiBold)
        cursor.setPosition(found.position())
        cursor.setPosition(found.position() + found.length(), QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(heading)
    cursor.setPosition(block.position())


def _quote_level(block: QTextBlock) -> int:
    return block.blockFormat().intProperty(QTextFormat.Property.BlockQuoteLevel)


def _tint_code(document: QTextDocument) -> None:
    """Give code within a line a background."""
    tint = QTextCharFormat()
    tint.setBackground(QColor(theme.colours().selection))
    cursor = QTextCursor(document)
    # Without an edit block, the cursor computes its position on the screen at each move.
    cursor.beginEditBlock()
    for block in blocks_of(document):
        part = block.begin()
        while not part.atEnd():
            fragment = part.fragment()
            part += 1
            if fragment.charFormat().fontFixedPitch():
                cursor.setPosition(fragment.position())
                cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(tint)
    cursor.endEditBlock()


def _indent_lists(document: QTextDocument) -> None:
    document.setIndentWidth(24)
    for block in blocks_of(document):
        text_list = block.textList()
        if text_list is not None and text_list.itemNumber(block) == 0:
            style = QTextListFormat(text_list.format())
            if style.indent() < 1:
                style.setIndent(1)
                text_list.setFormat(style)


def _level_cells(document: QTextDocument) -> None:
    """Remove the empty line that Qt puts into the first cell of a table after code or a quote."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            cell = frame.cellAt(0, 0)
            if cell.firstCursorPosition().block() != cell.lastCursorPosition().block():
                cell.firstCursorPosition().deleteChar()


def _draw_tables(document: QTextDocument) -> None:
    """Draw one thin line between cells, with padding around the text."""
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
