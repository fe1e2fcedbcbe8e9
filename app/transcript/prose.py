"""The prose of an answer: Markdown with formulas typeset."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QMimeData, QPointF, QRect, QRectF, Qt, QUrl, Signal
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent, QTextBlock, QTextCursor, QTextOption
from PySide6.QtWidgets import QWidget

from app.text.formulas import Formula
from app.text.shown import Paragraph, shown
from app.text.utf16 import utf16_length
from app.transcript.auto_height_browser import AutoHeightTextBrowser, blocks_of
from app.transcript.document_writer import BARS, MARK, DocumentWriter
from app.transcript.formula_pictures import pictures
from app.transcript.formula_text import FormulaPainter, formula_size, source_of
from app.transcript.tints.painted_tints import BlockPlace
from app.transcript.tints.tints import AnswerTints, TintLayer
from app.widgets import theme
from app.widgets.theme_aware import ThemeAware

# The width of the bar beside a quotation, in pixels.
_QUOTE_BAR_WIDTH = 3
# Pixels between the mark of an item and its words.
_MARK_GAP = 8
# A text of more characters than this, while it grows, is not rendered again for each token.
_LONG_TEXT = 2500
# It is when it has grown by one part in this many of the characters beyond `_LONG_TEXT`.
_GROWN_PARTS = 200
# Up to this many blocks, all are gone through: a growing answer ends in a few of them.
_FEW_BLOCKS = 4
_ENCODED = QUrl.ComponentFormattingOption.FullyEncoded


class Prose(ThemeAware, AutoHeightTextBrowser):
    """Rendered Markdown.

    `link_chosen` carries the address of a clicked link. `rerendered` is emitted when the same text was rendered again,
    which drops the highlights in it.
    """

    link_chosen = Signal(str)
    rerendered = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.anchorClicked.connect(lambda url: self.link_chosen.emit(url.toString(_ENCODED)))
        self.markdown = ""
        # The arguments of `shown` after the text.
        self._shown_with: tuple[bool, int, str, int] = (False, 0, "", 0)
        self._marked = False
        self._tables = False
        # The formulas that are shown as LaTeX because they are not typeset yet.
        self._missing: list[Formula] = []
        pictures().ready.connect(self._take_formulas)
        self._painter = FormulaPainter(self.document())
        self._paragraphs: list[Paragraph] = []
        self.layer = TintLayer(self)
        # None until the text is written in the fonts and colours of now.
        self._writer: DocumentWriter | None = None
        self._text_size = 0
        self._colours = theme.colours()
        self.restyle()

    def show_markdown(
        self, text: str, plain: bool = False, after: int = 0, definitions: str = "", number: int = 0
    ) -> None:
        """Render a text, or show it literally if `plain`. The others are the parameters of `shown`."""
        shown_with = (plain, after, definitions, number)
        if shown_with == self._shown_with and text == self.markdown:
            return
        cursor = self.textCursor()
        selected = (cursor.anchor(), cursor.position(), self.document().toRawText()) if cursor.hasSelection() else None
        self._write(text, shown_with)
        if selected:
            self._select_again(*selected)

    def _write(self, text: str, shown_with: tuple[bool, int, str, int]) -> None:
        # A widget has the application's font until it is polished with the style sheet.
        self.ensurePolished()
        self.markdown = text
        self._shown_with = shown_with
        if self._writer is None:
            self._writer = DocumentWriter(self.document(), self.font())
            self._colours = theme.colours()
            self._text_size = self.font().pixelSize()
        paragraphs = shown(text, *shown_with)
        self._marked = any(paragraph.quotes or paragraph.mark for paragraph in paragraphs)
        self._tables = any(paragraph.rows for paragraph in paragraphs)
        self._missing = self._writer.write(paragraphs)
        # The same objects where they are equal, so that nobody compares their texts again.
        written = [paragraph for paragraph, _ in self._writer.written]
        self._paragraphs = [*written, *paragraphs[len(written) :]]
        self.fit()

    def tint(self, tints: AnswerTints, at: int) -> int:
        """Find this text in the text of the answer's tokens from `at` on, to tint it. Return where it ends there."""
        return self.layer.place_prose(tints, at, self._paragraphs, self._formula_length)

    def _formula_length(self, formula: Formula) -> int:
        """Return how many units a formula takes: one, or the length of its LaTeX while it is not typeset."""
        is_typeset = pictures().known.get((formula, formula_size(self.font()))) is not None
        return 1 if is_typeset else utf16_length(formula.source)

    def _select_again(self, anchor: int, position: int, before: str) -> None:
        """Select the same passage, whose bounds were these. Letters above it may have become a format or a formula."""
        old, now = (text.encode("utf-16-le", "surrogatepass") for text in (before, self.document().toRawText()))
        start = 2 * min(anchor, position)
        end = 2 * max(anchor, position)
        place = now.rfind(old[start:end], 0, end)
        moved = (place - start) // 2 if place >= 0 else 0
        cursor = self.textCursor()
        last = self.document().characterCount() - 1
        if (cursor.anchor(), cursor.position()) != (anchor + moved, position + moved):
            cursor.setPosition(min(anchor + moved, last))
            cursor.setPosition(min(position + moved, last), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    def fit(self) -> None:
        """Set the height that the text needs. Words of a table are never broken: one that is too wide is scrolled."""
        modes = QTextOption.WrapMode
        mode = modes.WordWrap if self._tables else modes.WrapAtWordBoundaryOrAnywhere
        if self.wordWrapMode() != mode:
            self.setWordWrapMode(mode)
            self.layer.forget_from(0)
        super().fit()

    def can_wait(self, text: str) -> bool:
        """Return whether a long text has grown by so little that rendering all of it again can wait for more."""
        if not text.startswith(self.markdown):
            return False
        grown = len(text) - len(self.markdown)
        return 0 < grown < (len(text) - _LONG_TEXT) // _GROWN_PARTS

    @property
    def waits(self) -> bool:
        """Whether a formula is being typeset."""
        return bool(self._missing)

    def _take_formulas(self) -> None:
        """Render again if a missing formula is known now. `ready` may concern other texts."""
        pixels = formula_size(self.font())
        if any((formula, pixels) in pictures().known for formula in self._missing):
            self._render_again(self._writer)

    def _render_again(self, writer: DocumentWriter | None = None) -> None:
        """Render the same text again, all of it or, with the writer, from the first missing formula on."""
        text, self.markdown, self._writer = self.markdown, "", writer
        self.show_markdown(text, *self._shown_with)
        self.layer.place_again(self._paragraphs, self._formula_length)
        self.rerendered.emit()

    def source_of_selection(self) -> str:
        """The selected text, with formulas as LaTeX."""
        return source_of(self.textCursor())

    def createMimeDataFromSelection(self) -> QMimeData:
        data = super().createMimeDataFromSelection()
        if (text := self.source_of_selection()) != data.text():
            data = QMimeData()
            data.setText(text)
        return data

    def first_block_in(self, area: QRect) -> QTextBlock:
        """Return the first block in an area of the view; of a row of a table, the first cell."""
        document = self.document()
        block = document.begin()
        if document.blockCount() > _FEW_BLOCKS:
            layout = document.documentLayout()
            at = layout.hitTest(QPointF(0, area.top()), Qt.HitTestAccuracy.FuzzyHit)
            block = document.findBlock(max(0, at))
            while block.previous().isValid() and layout.blockBoundingRect(block.previous()).bottom() >= area.top():
                block = block.previous()
        return block

    def blocks_from(self, block: QTextBlock) -> Iterator[tuple[QTextBlock, BlockPlace]]:
        """Yield a block and those below it, the cells of rows of tables among them, with their places."""
        layout = self.document().documentLayout()
        while block.isValid():
            place: BlockPlace = layout.blockBoundingRect(block).getRect()  # type: ignore[assignment]
            yield block, place
            block = block.next()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.layer.follow_pointer(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.layer.follow_pointer(False)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.layer.is_shown:
            with QPainter(self.viewport()) as painter:
                painter.translate(-self.horizontalScrollBar().value(), 0)
                self.layer.paint(painter, self, event.rect())
        super().paintEvent(event)
        if self._marked:
            painter = QPainter(self.viewport())
            layout = self.document().documentLayout()
            painter.setFont(self.font())
            painter.translate(-self.horizontalScrollBar().value(), 0)
            for block in blocks_of(self.document()):
                following = block.next().blockFormat().property(BARS) or ()
                for left, number in block.blockFormat().property(BARS) or ():
                    bar = layout.blockBoundingRect(block)
                    # Two paragraphs of a quotation have one bar.
                    end = layout.blockBoundingRect(block.next()).top() if [left, number] in following else bar.bottom()
                    place = QRectF(left, bar.top(), _QUOTE_BAR_WIDTH, end - bar.top())
                    painter.fillRect(place, QColor(theme.colours().line))
                if (mark := block.blockFormat().property(MARK)) and block.layout().lineCount():
                    _paint_mark(painter, mark, block)

    def retranslate(self) -> None:
        if "[!" in self.markdown:
            self._render_again()

    def apply_theme(self) -> None:
        if self.markdown and self._colours is not theme.colours():
            self._render_again()

    def apply_text_size(self) -> None:
        if self.markdown and self.font().pixelSize() != self._text_size:
            self._render_again()


def _paint_mark(painter: QPainter, mark: str, block: QTextBlock) -> None:
    """Paint a bullet or the box of a task beside the first line of an item."""
    line = block.layout().lineAt(0)
    words = line.naturalTextRect().translated(block.layout().position())
    metrics = painter.fontMetrics()
    base = words.top() + line.ascent()
    is_box = mark in "☑☐"
    size = metrics.capHeight() + 2 if is_box else metrics.horizontalAdvance(mark)
    to_right = block.textDirection() is Qt.LayoutDirection.RightToLeft
    left = words.right() + _MARK_GAP if to_right else words.left() - _MARK_GAP - size
    painter.setPen(QColor(theme.colours().text))
    if not is_box:
        painter.drawText(QPointF(left, base), mark)
        return
    # The letters of boxes are crossed, or pictures in colours, in fonts of some systems.
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawRoundedRect(QRectF(left, base - size + 1, size, size), 2, 2)
    if mark == "☑":
        points = ((0.2, 0.5), (0.42, 0.72), (0.8, 0.26))
        painter.drawPolyline([QPointF(left + x * size, base + 1 - (1 - y) * size) for x, y in points])
