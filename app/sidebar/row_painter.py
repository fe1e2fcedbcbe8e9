"""The view of the chats in the left pane, and how it paints a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QLocale,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPen,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.conversations.database.records import Folder
from app.conversations.search import MessageHit, TitleHit
from app.sidebar.list_model import COUNT, FOLLOWS, INSIDE, ROW, SENT, STREAMS, RowIndex
from app.sidebar.row_menu import MOVE_DOWN, MOVE_UP
from app.text.utf16 import utf16_length
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.search_field import TextField
from app.widgets.theme import scaled

# In pixels at the normal text size, like all constants below.
_ROW_MARGIN = 10
_LINE_HEIGHT = 20
_ROW_HEIGHT = 32
_HIT_ROW_HEIGHT = 52
# The indent of chats below their folder.
_FOLDER_INDENT = 22
# The size of the folder's marks.
_FOLDER_MARK = 14
# The sizes of letters: of titles, of the titles of found messages, of their words, and of headings.
_TITLE_PIXELS = 14
_HIT_TITLE_PIXELS = 13
_SMALL_PIXELS = 12
_HEADING_PIXELS = 11


class RowPainter(QStyledItemDelegate):
    """Paints rows from their data, and places the editor of a title over its row."""

    def sizeHint(self, option: QStyleOptionViewItem, index: RowIndex) -> QSize:
        names_its_chat = isinstance(index.data(ROW), MessageHit) and not index.data(FOLLOWS)
        return QSize(option.rect.width(), scaled(_HIT_ROW_HEIGHT if names_its_chat else _ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: RowIndex) -> None:
        row = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inner = option.rect.adjusted(_ROW_MARGIN, 0, -_ROW_MARGIN, 0)
        if isinstance(row, str):
            font = option.font
            font.setPixelSize(scaled(_HEADING_PIXELS))
            painter.setFont(font)
            painter.setPen(QColor(theme.colours().faint))
            place = Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft
            painter.drawText(inner.adjusted(0, 0, 0, -6), place, index.data())
        else:
            self._ground(painter, option)
            if index.data(STREAMS):
                painter.setBrush(QColor(theme.colours().draft))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.drawEllipse(inner.right() - 8, inner.center().y() - 3, 8, 8)
                inner.adjust(0, 0, -16, 0)
            if index.data(INSIDE):
                inner.adjust(scaled(_FOLDER_INDENT), 0, 0, 0)
            if isinstance(row, Folder):
                self._folder(painter, option.font, inner, row, index.data(COUNT))
            elif isinstance(row, MessageHit):
                self._message(painter, option.font, inner, index)
            else:
                spans = row.spans if isinstance(row, TitleHit) else ()
                self._line(painter, option.font, _middle(inner), index.data(), spans, _TITLE_PIXELS, muted=False)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: RowIndex) -> QWidget:  # noqa: ARG002
        return TextField(parent)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: RowIndex) -> None:
        assert isinstance(editor, TextField)
        editor.commit_preedit()
        super().setModelData(editor, model, index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # While composing, keys belong to the input method and must not close the editor.
        is_key = event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
        is_composing = isinstance(watched, TextField) and watched.composing
        if is_key and is_composing:
            return False
        return super().eventFilter(watched, event)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: RowIndex) -> None:  # noqa: ARG002
        editor.setGeometry(option.rect)

    def _folder(self, painter: QPainter, font: QFont, area: QRect, folder: Folder, count: int) -> None:
        """Paint a mark for open or closed, the name, and the number of chats in the folder."""
        size = scaled(_FOLDER_MARK)
        mark = QRect(area.x() - 2, area.y() + (area.height() - size) // 2, size, size)
        icon("chevron-right" if folder.closed else "chevron-down").paint(painter, mark)
        icon("folder").paint(painter, mark.translated(size + 4, 0))
        line = _middle(area)
        self._line(
            painter, font, line.adjusted(2 * size + 10, 0, -scaled(36), 0), folder.name, (), _TITLE_PIXELS, muted=False
        )
        self._at_end(painter, font, line, QLocale().toString(count))

    def _message(self, painter: QPainter, font: QFont, area: QRect, index: RowIndex) -> None:
        """Paint the words around a hit and when they were sent, below the title of the chat if the row names it."""
        hit = index.data(ROW)
        line = _middle(area)
        if not index.data(FOLLOWS):
            title = QRect(area.x(), area.y() + scaled(6), area.width(), scaled(_LINE_HEIGHT))
            self._line(painter, font, title, index.data(), (), _HIT_TITLE_PIXELS, muted=False)
            line = title.translated(0, scaled(_LINE_HEIGHT))
        sent_width = self._at_end(painter, font, line, index.data(SENT))
        around = _around(hit.snippet.text, hit.snippet.spans)
        words = line.adjusted(0, 0, -sent_width - scaled(_ROW_MARGIN), 0)
        self._line(painter, font, words, *around, _SMALL_PIXELS, muted=True)

    def _at_end(self, painter: QPainter, font: QFont, line: QRect, text: str) -> int:
        """Paint small words at the end of a line, and return their width in pixels."""
        small = QFont(font)
        small.setPixelSize(scaled(_SMALL_PIXELS))
        painter.setFont(small)
        painter.setPen(QColor(theme.colours().muted))
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        return painter.fontMetrics().horizontalAdvance(text)

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected or option.state & QStyle.StateFlag.State_MouseOver:
            ground = QColor(theme.colours().selection)
            ground.setAlpha(255 if selected else 140)
            painter.setBrush(ground)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(option.rect.adjusted(0, 1, 0, -1), 8, 8)
        if option.state & QStyle.StateFlag.State_HasFocus and option.widget.property("keyboardFocus"):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.colours().main), 2))
            painter.drawRoundedRect(option.rect.adjusted(1, 2, -1, -2), 7, 7)

    def _line(
        self,
        painter: QPainter,
        font: QFont,
        area: QRect,
        text: str,
        spans: Sequence[tuple[int, int]],
        pixels: int,
        muted: bool,
    ) -> None:
        """Paint one line of text, elided at its end, with the hits highlighted."""
        colours = theme.colours()
        font = QFont(font)
        font.setPixelSize(scaled(pixels))
        painter.setFont(font)
        painter.setPen(QColor(colours.muted if muted else colours.text))
        # Hits are bolder and thus wider than the text around them.
        heavy = QFont(font)
        heavy.setWeight(QFont.Weight.DemiBold)
        hits = [text[start:end] for start, end in spans]
        metrics = painter.fontMetrics()
        heavier = QFontMetrics(heavy)
        extra = sum(heavier.horizontalAdvance(hit) - metrics.horizontalAdvance(hit) for hit in hits)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width() - max(0, extra))
        layout = QTextLayout(shown, font)
        one_line = QTextOption()
        one_line.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(one_line)
        layout.setFormats([_mark(shown, start, end) for start, end in spans if start < len(shown) - 1])
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(area.width())
        layout.endLayout()
        layout.draw(painter, QPointF(area.x(), area.y() + (area.height() - line.height()) / 2))


def _middle(area: QRect) -> QRect:
    """Return the rectangle of one line of text, vertically centred in a row."""
    height = scaled(_LINE_HEIGHT)
    return QRect(area.x(), area.y() + (area.height() - height) // 2, area.width(), height)


def _around(text: str, spans: Sequence[tuple[int, int]], lead: int = 10) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Return the text from just before its first hit, if possible from the start of a word, and the shifted spans."""
    if not spans or spans[0][0] <= lead:
        return text, tuple(spans)
    cut = spans[0][0] - lead
    space = text.find(" ", cut, spans[0][0])
    cut = space + 1 if space >= 0 else cut
    return "…" + text[cut:], tuple((start - cut + 1, end - cut + 1) for start, end in spans)


def _mark(text: str, start: int, end: int) -> QTextLayout.FormatRange:
    """Return the highlight of a span. Spans count characters, Qt counts UTF-16 units."""
    highlight = QTextLayout.FormatRange()
    highlight.start = utf16_length(text[:start])
    highlight.length = utf16_length(text[start:end])
    style = QTextCharFormat()
    style.setForeground(QColor(theme.colours().main_text))
    style.setFontWeight(QFont.Weight.DemiBold)
    highlight.format = style
    return highlight


class _VisibleRow(NamedTuple):
    """A row in sight: its place in the model, which follows it, its top in pixels, and its number in the list."""

    place: QPersistentModelIndex
    top: int
    number: int


class RowView(QListView):
    """The list of chats. Leaves the keys that move a folder to the pane; QListView would move the selection.

    `pressed_mark` says whether the last click was on the mark of a folder that opens or closes it. `left` is emitted
    when the pointer leaves the list. Its rows are as wide with a scroll bar as without one.
    """

    left = Signal()
    pressed_mark = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.verticalScrollBar().rangeChanged.connect(self._keep_width)
        self._keep_width(0, 0)

    def _keep_width(self, _least: int, most: int) -> None:
        """Leave the place of the scroll bar empty while there is none."""
        self.setViewportMargins(0, 0, 0 if most else self.verticalScrollBar().sizeHint().width(), 0)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if QKeySequence(event.keyCombination()) in (MOVE_UP, MOVE_DOWN):
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        left = self.visualRect(self.indexAt(at)).left()
        self.pressed_mark = at.x() - left < _ROW_MARGIN + scaled(_FOLDER_MARK) + 2
        super().mousePressEvent(event)

    def dataChanged(self, first: RowIndex, last: RowIndex, roles: Sequence[int] = ()) -> None:
        # The height of a row does not depend on its text, so skip QListView, which measures all rows again.
        QAbstractItemView.dataChanged(self, first, last, list(roles))

    @contextmanager
    def anchored(self) -> Iterator[None]:
        """Keep what is in view where it is while the body changes rows.

        At its top the list stays there, so that new rows are seen.
        """
        bar = self.verticalScrollBar()
        before = self._visible_rows() if bar.value() else []
        yield
        left = [row for row in before if row.place.isValid()]
        if left:
            # The row whose number changed least is the anchor.
            anchor = min(left, key=lambda row: abs(row.place.row() - row.number))
            bar.setValue(bar.value() + self.visualRect(anchor.place).top() - anchor.top)

    def _visible_rows(self) -> list[_VisibleRow]:
        """Return the visible rows, from top to bottom."""
        first = self.indexAt(QPoint(1, 1))
        rows = []
        bottom = self.viewport().height()
        for number in range(first.row(), self.model().rowCount()) if first.isValid() else ():
            index = self.model().index(number, 0)
            top = self.visualRect(index).top()
            if top >= bottom:
                break
            rows.append(_VisibleRow(QPersistentModelIndex(index), top, number))
        return rows
