"""A code block of an answer: coloured while it is written, copied with one click; SVG is drawn, others are opened.

Pygments finds the spans, the theme has the colours. Lexing a long block and loading a lexer take longer than a frame.
Both happen off the Qt thread, and new lines stay plain until they are done.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cache

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFontDatabase,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QSizePolicy, QTextEdit, QWidget

from app.system.background import BackgroundCache
from app.text.code_spans import CodeSpans, language_of, spans
from app.transcript.auto_height_browser import is_sideways, only_sideways
from app.transcript.page_button import MermaidButton, PageButton, is_mermaid, is_page
from app.transcript.preview import Preview, is_drawing, previews
from app.transcript.tints.painted_tints import BlockPlace
from app.transcript.tints.tints import AnswerTints, TintLayer
from app.widgets import theme
from app.widgets.buttons import CopyButton
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware

# Code that is being written is coloured again when it has grown by one part in this many.
_GROWN_PARTS = 16
_MOST_CACHED_SPANS = 256
# Languages whose names are initials.
_CAPITALS = frozenset(("css", "csv", "html", "json", "php", "sql", "svg", "toml", "tsv", "xml", "yaml"))


@cache
def spans_cache() -> BackgroundCache[tuple[str, str], CodeSpans]:
    """Return the spans of the latest blocks, by (text, language)."""
    return BackgroundCache("highlight", lambda key: spans(*key), _MOST_CACHED_SPANS)


def highlight(document: QTextDocument, text: str, spans_now: CodeSpans, before: CodeSpans = ()) -> None:
    """Colour `document`, which begins with `text`, in the theme in use. Its spans `before` have their colours."""
    same = next((at for at, pair in enumerate(zip(spans_now, before, strict=False)) if pair[0] != pair[1]), len(before))
    colours = theme.colours()
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    # Qt counts UTF-16 units, Pygments characters; beyond the BMP a character is two units.
    wide = [index for index, letter in enumerate(text) if ord(letter) > 0xFFFF]
    if before[same:]:
        cursor.setPosition(before[same][0] + bisect_left(wide, before[same][0]))
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(QTextCharFormat())
    for start, length, role, bold in spans_now[same:]:
        style = QTextCharFormat()
        style.setForeground(QColor(getattr(colours, role)))
        if bold:
            style.setFontWeight(600)
        cursor.setPosition(start + bisect_left(wide, start))
        end = start + length
        cursor.setPosition(end + bisect_left(wide, end), QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(style)
    cursor.endEditBlock()


class CodeBlock(ThemeAware, QFrame):
    """A code block with its language and a button that copies it.

    Long lines scroll sideways. `grows` carries by how many pixels the height will grow, before it does.
    """

    grows = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("codeBlock")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._text = ""
        self._lexer = ""
        # The text whose spans are awaited, and the spans that have their colours.
        self._awaited: str | None = None
        self._coloured: CodeSpans = ()
        self._seen = 0
        self._indent = 0
        header = named(QFrame(self), "codeHeader")
        self._name = label(header, "muted")
        self._copy = CopyButton(header, lambda: self._text, "small")
        self.bound("Copy this code", self._copy, QWidget.setAccessibleName)
        self.preview_button = styled(QPushButton(header), "small")
        self.preview_button.hide()
        self.page_button = PageButton(header, lambda: self._text)
        self.page_button.hide()
        self.mermaid_button = MermaidButton(header, lambda: self._text)
        self.mermaid_button.hide()
        # What is drawn for the preview that was asked for.
        self._drawn: str | None = None
        buttons = (self.preview_button, self.page_button, self.mermaid_button, self._copy)
        fill(hbox(header, margins=(12, 2, 4, 2)), (self._name, 1), *buttons)
        self.text_view = self.bound("Code", _CodeView(self), QWidget.setAccessibleName)
        self.text_view.grows.connect(self.grows)
        self._preview = self.bound("Preview", Preview(self), QWidget.setAccessibleName)
        self.bound("Drawn without scripts and without loading anything", self._preview, QWidget.setToolTip)
        fill(vbox(self, margins=(1, 1, 1, 1), spacing=0), header, self.text_view, self._preview)
        self.text_view.fit()
        spans_cache().ready.connect(self._colour)
        previews().ready.connect(self._show_drawn)
        self.preview_button.clicked.connect(self._press_preview)
        self.text_view.searched.connect(self._show_text)
        self.restyle()

    def indent(self, pixels: int) -> None:
        """Place the block that far from the left, for code in a list or a quotation."""
        if pixels != self._indent:
            self._indent = pixels
            self.setStyleSheet(f"#codeBlock {{ margin-left: {pixels}px; }}")

    @property
    def needed_height(self) -> int:
        """The height that it will have when shown, which needs the style of its parts."""
        for part in (self._name, self._copy, self.text_view):
            part.ensurePolished()
        self.text_view.fit()
        return self.sizeHint().height()

    def show_code(self, text: str, language: str, closed: bool) -> None:
        """Show the code so far; `closed` says that no more will come."""
        self._name.setText(language.upper() if language.lower() in _CAPITALS else language)
        self.preview_button.setVisible(closed and is_drawing(text, language))
        self.page_button.setVisible(closed and is_page(text, language))
        self.mermaid_button.setVisible(closed and is_mermaid(text, language))
        if text != self._text:
            self._show_text()
            if text.startswith(self._text):
                self.text_view.append_text(text[len(self._text) :])
            else:
                self.text_view.setPlainText(text)
                self._coloured = ()
                self._awaited = None
            self._text = text
            self.text_view.fit()
        whole = text if closed else text[: text.rfind("\n") + 1]
        self._lexer = language_of(text, language)
        if self._lexer and (closed or (self._awaited is None and len(whole) > self._seen + len(text) // _GROWN_PARTS)):
            self._seen = len(whole)
            self._awaited = whole
            self._colour()

    def tint(self, tints: AnswerTints, at: int) -> int:
        """Find the code in the text of the answer's tokens from `at` on, to tint it. Return where it ends there."""
        return self.text_view.layer.place_code(tints, at, self._text)

    @property
    def previewed(self) -> bool:
        """Whether the preview is shown instead of the code."""
        return not self._preview.isHidden()

    def _press_preview(self) -> None:
        if self.previewed:
            self._show_text()
        else:
            self._drawn = self._text
            self._show_drawn()

    def _show_drawn(self) -> None:
        """Show the preview that was asked for, if it is drawn by now."""
        if self._drawn is None or self.previewed:
            return
        if previews().request(self._drawn):
            image = previews().known[self._drawn]
            if not image.isNull():
                self._preview.resize(self.text_view.size())
                self._preview.show_image(image)
                grown = self._preview.height() - self.text_view.height()
                if grown > 0:
                    self.grows.emit(grown)
                self.text_view.hide()
                self._preview.show()
        self._word_preview()

    def _show_text(self) -> None:
        """Show the code, not its preview."""
        self._drawn = None
        self._preview.hide()
        self.text_view.show()
        self._word_preview()

    def _word_preview(self) -> None:
        """Word the button that shows the preview or the code."""
        waits = self._drawn is not None and not self.previewed
        failed = waits and self._drawn in previews().known
        self.preview_button.setEnabled(not waits)
        if waits:
            self.preview_button.setText(self.tr("No preview") if failed else self.tr("Drawing…"))
        else:
            self.preview_button.setText(self.tr("Code") if self.previewed else self.tr("Preview"))

    def _colour(self) -> None:
        """Colour the text whose spans are awaited, if they are known."""
        text = self._awaited
        key = (self._awaited or "", self._lexer)
        if text is not None and spans_cache().request(key):
            known_spans = spans_cache().known[key]
            highlight(self.text_view.document(), text, known_spans, self._coloured)
            self._coloured = known_spans
            self._awaited = None

    def retranslate(self) -> None:
        self._word_preview()

    def apply_theme(self) -> None:
        self._awaited = self._text[: self._seen]
        self._coloured = ()
        self._colour()


class _CodeView(QPlainTextEdit):
    """Read-only code, as high as its text.

    `grows` is the signal of its `CodeBlock`; `searched` says that it contains matches.
    """

    grows = Signal(int)
    searched = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("code")
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(12)
        # Whether all lines are of one height: those with letters of another font are higher.
        self._is_even = True
        # Where lines begin below the top of the first one, as far as they were measured; unused if they are even.
        self._tops = [0.0]
        self.document().contentsChange.connect(self._forget_tops)
        self.layer = TintLayer(self)
        # The colours of code move its letters where their font has another width in bold.
        self.document().contentsChange.connect(lambda position, _removed, _added: self.layer.forget_from(position))
        only_sideways(self)
        # Only now is it known whether the lines need a scroll bar.
        self.horizontalScrollBar().rangeChanged.connect(lambda: self.fit())

    def setPlainText(self, text: str) -> None:
        self._is_even = text.isascii()
        super().setPlainText(text)

    def append_text(self, text: str) -> None:
        self._is_even = self._is_even and text.isascii()
        cursor = QTextCursor(self.document())
        # Without an edit block, the cursor computes its position on the screen at each move.
        cursor.beginEditBlock()
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text, QTextCharFormat())
        cursor.endEditBlock()

    def setExtraSelections(self, selections: Sequence[QTextEdit.ExtraSelection]) -> None:
        super().setExtraSelections(selections)
        if selections:
            self.searched.emit()

    def fit(self) -> None:
        lines = max(1, self.blockCount() - (0 if self.document().lastBlock().text() else 1))
        bar = self.horizontalScrollBar().sizeHint().height() if self.horizontalScrollBar().maximum() else 0
        margins = 2 * math.ceil(self.document().documentMargin())
        height = math.ceil(self._top_of(lines)) + margins + bar
        if height > self.height() and self.isVisible():
            self.grows.emit(height - self.height())
        self.setFixedHeight(height)

    def first_block_in(self, area: QRect) -> QTextBlock:
        """Return the first line of code in an area of the view."""
        top = area.top() - self._top_of_text()
        number = int(top / self._usual_height()) if self._is_even else bisect_right(self._measured(), top) - 1
        return self.document().findBlockByNumber(min(max(0, number), self.blockCount() - 1))

    def blocks_from(self, block: QTextBlock) -> Iterator[tuple[QTextBlock, BlockPlace]]:
        """Yield a line of code and those below it, laid out, with their places: their width moves no letters."""
        left = self.blockBoundingGeometry(block).translated(self.contentOffset()).x()
        top = self._top_of_text() + self._top_of(block.blockNumber())
        while block.isValid():
            # This lays out the block: a line that has got its colours has no layout before.
            height = self.blockBoundingRect(block).height()
            yield block, (left, top, 0.0, height)
            block = block.next()
            top += height

    def _usual_height(self) -> float:
        return self.blockBoundingRect(self.firstVisibleBlock()).height()

    def _top_of_text(self) -> float:
        """Return where the first line of the code begins in the view, which may be above it."""
        first = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(first).translated(self.contentOffset()).y()
        return top - self._top_of(first.blockNumber())

    def _top_of(self, number: int) -> float:
        """Return where the line with a number begins, or where the last line ends, below the top of the first one."""
        return number * self._usual_height() if self._is_even else self._measured()[number]

    def _measured(self) -> list[float]:
        """Return where all lines begin and where the last one ends. Only those that are new are measured."""
        block = self.document().findBlockByNumber(len(self._tops) - 1)
        while block.isValid():
            self._tops.append(self._tops[-1] + self.blockBoundingRect(block).height())
            block = block.next()
        return self._tops

    def _forget_tops(self, position: int, _removed: int, _added: int) -> None:
        """Forget where the lines below a position begin, because something has changed there."""
        del self._tops[self.document().findBlock(position).blockNumber() + 1 :]

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._tops = [0.0]

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.layer.is_shown:
            with QPainter(self.viewport()) as painter:
                self.layer.paint(painter, self, event.rect())
        super().paintEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.layer.follow_pointer(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.layer.follow_pointer(False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if is_sideways(event):
            super().wheelEvent(event)
        else:
            event.ignore()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())
