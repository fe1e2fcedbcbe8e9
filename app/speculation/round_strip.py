"""The round strip: one column a round.

From the bottom up: accepted tokens filled, then the main model's own token, then rejected tokens hollow. All cells have
one size; above rounds of more tokens than fit stands how many more they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.session.answer import Answer
from app.widgets import theme
from app.widgets.colours import Colours
from app.widgets.keyboard_focus import FocusRing
from app.wording.figures import number, round_text
from app.wording.sources import role_of
from engine.stats import RoundRecord

# Pixels.
CELL = 7
GAP = 2
PITCH = CELL + GAP
# The most cells of a column; above them is room for how many more there are, and below them for the bar.
ROWS = 16
_MORE_HEIGHT = 14
_MORE_FONT = 10
BAR_HEIGHT = 6
# The thickness of the bar.
_BAR = 3
# How far below its place Qt shows a tooltip, with its frame, at most.
_TIP_DISTANCE = 34


class RoundStrip(QWidget):
    """Shows the newest rounds that fit; the wheel scrolls back, and a bar shows how far.

    Emits `chosen` with the number of a clicked round, and `hovered` with that of the one under the mouse, None if there
    is none. Only the visible columns are painted, so the cost does not grow with the answer.
    """

    chosen = Signal(int)
    hovered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: Answer | None = None
        self._back = 0
        # Where the strip is meanwhile, if it shows a round that is pointed to elsewhere.
        self._back_to_pointed: int | None = None
        self.marked: frozenset[int] = frozenset()
        self._hovered: int | None = None
        # The pictures of rounds by their look, valid for the current height, scale and colours.
        self._columns: dict[tuple[str, int, int], QPixmap] = {}
        self._painted_for: tuple[int, float, Colours] | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        FocusRing(self)

    def show_answer(self, answer: Answer | None) -> None:
        if answer is not self._answer:
            self._answer = answer
            self._back = 0
            self._back_to_pointed = None
            self.marked = frozenset()
        self.update()

    def mark(self, rounds: frozenset[int]) -> None:
        """Mark the rounds of the selection in the transcript."""
        self.marked = rounds
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(25 * PITCH, _MORE_HEIGHT + ROWS * PITCH + BAR_HEIGHT)

    @property
    def columns(self) -> int:
        return max(1, (self.width() + GAP) // PITCH)

    def visible_rounds(self) -> list[RoundRecord]:
        """Return the rounds in view, oldest first."""
        if self._answer is None:
            return []
        back = self._back if self._back_to_pointed is None else self._back_to_pointed
        end = max(0, len(self._answer.rounds) - back)
        return self._answer.rounds[max(0, end - self.columns) : end]

    def paintEvent(self, _event: QPaintEvent) -> None:
        height = self.height() - BAR_HEIGHT
        painted_for = (height, self.devicePixelRatioF(), theme.colours())
        if painted_for != self._painted_for:
            self._painted_for = painted_for
            self._columns = {}
        with QPainter(self) as painter:
            shown = self.visible_rounds()
            for column, record in enumerate(shown):
                if record.number in self.marked or record.number == self._hovered:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(QColor(theme.colours().selection))
                    painter.drawRoundedRect(QRectF(column * PITCH - GAP / 2, 0, PITCH, height), 3, 3)
                kind = (record.source, record.drafted, record.accepted)
                picture = self._columns.get(kind)
                if picture is None:
                    picture = self._columns[kind] = _column(*kind, *painted_for)
                painter.drawPixmap(column * PITCH, 0, picture)
            _write_more(painter, shown, height - ROWS * PITCH - _MORE_HEIGHT)
            self._paint_bar(painter, shown)

    def _paint_bar(self, painter: QPainter, shown: Sequence[RoundRecord]) -> None:
        """Paint which part of the rounds is shown, unless all of them are."""
        rounds = self._answer.rounds if self._answer is not None else []
        if len(shown) == len(rounds):
            return
        first = bisect_left(rounds, shown[0].number, key=lambda record: record.number)
        a_round = self.width() / len(rounds)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.colours().rejected))
        part = QRectF(first * a_round, self.height() - _BAR, max(_MORE_FONT, len(shown) * a_round), _BAR)
        part.moveRight(min(part.right(), self.width()))
        painter.drawRoundedRect(part, _BAR / 2, _BAR / 2)

    def _round_at(self, point: QPointF) -> RoundRecord | None:
        column = int(point.x() // PITCH)
        shown = self.visible_rounds()
        return shown[column] if 0 <= column < len(shown) else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        record = self._round_at(event.position())
        number = record.number if record else None
        if number != self._hovered:
            self.point(number)
            self.hovered.emit(number)
        if record:
            words = self.words_at(event.position().toPoint())
            # Above the strip: below it are the legend and the buttons.
            height = QFontMetrics(QToolTip.font()).lineSpacing() * (words.count("\n") + 1) + _TIP_DISTANCE
            place = QPoint(round(event.globalPosition().x()), self.mapToGlobal(QPoint(0, 0)).y() - height)
            QToolTip.showText(place, words, self)

    def point(self, number: int | None) -> None:
        """Light the column of a round, whose token is under the mouse in the transcript; None for no column.

        If the column is not in view, the strip scrolls to it as long as it is pointed to.
        """
        self._hovered = number
        if number is None:
            self._back_to_pointed = None
        elif self._answer is not None and all(record.number != number for record in self.visible_rounds()):
            rounds = self._answer.rounds
            after = len(rounds) - bisect_left(rounds, number, key=lambda record: record.number)
            self._back_to_pointed = min(max(0, after - self.columns // 2), max(0, len(rounds) - self.columns))
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.point(None)
        self.hovered.emit(None)
        super().leaveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if record := self._round_at(event.position()):
            self.chosen.emit(record.number)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._answer is None or len(self._answer.rounds) <= self.columns:
            event.ignore()
            return
        angle = event.angleDelta().x() or event.angleDelta().y()
        self.go_back(3 if angle > 0 else -3)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: 1, Qt.Key.Key_Right: -1, Qt.Key.Key_Home: 10**9, Qt.Key.Key_End: -(10**9)}
        if event.key() in step:
            self.go_back(step[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def go_back(self, rounds: int) -> None:
        """Scroll to older rounds; a negative number scrolls towards the newest."""
        most = max(0, len(self._answer.rounds) - self.columns) if self._answer else 0
        self._back = min(most, max(0, self._back + rounds))
        self.update()

    def words_at(self, point: QPoint) -> str:
        """Return the round at a point in words, or ""."""
        record = self._round_at(QPointF(point))
        return round_text(self._answer, record) if record and self._answer else ""


def _column(source: str, drafted: int, accepted: int, height: int, ratio: float, colours: Colours) -> QPixmap:
    """Paint the picture of a round."""
    picture = QPixmap(round(PITCH * ratio), round(height * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    cells = max(drafted, accepted) + 1
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for row in range(min(cells, ROWS)):
            cell = QRectF(0, height - GAP / 2 - row * PITCH - CELL, CELL, CELL)
            if row <= accepted:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colours.muted if row == accepted else colours.accent(role_of(source))))
                painter.drawRoundedRect(cell, 2, 2)
            else:
                painter.setPen(QPen(QColor(colours.rejected), 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
    return picture


def _more(record: RoundRecord) -> int:
    """Return how many tokens of a round are beyond its column."""
    return max(0, max(record.drafted, record.accepted) + 1 - ROWS)


def _write_more(painter: QPainter, shown: Sequence[RoundRecord], top: int) -> None:
    """Write above rounds next to each other how many more tokens they have, or a plus above each if there is no room.

    A column is narrower than a number, which so stands above several of them, or beside a column without one.
    """
    font = painter.font()
    font.setPixelSize(_MORE_FONT)
    painter.setFont(font)
    painter.setPen(QColor(theme.colours().muted))
    metrics = painter.fontMetrics()
    first = 0
    free_from = 0.0
    for has_more, group in groupby(shown, key=lambda record: _more(record) > 0):
        counts = [_more(record) for record in group]
        end = first + len(counts)
        if has_more:
            least = number(min(counts), 0)
            most = number(max(counts), 0)
            words = f"+{most}" if least == most else f"+{least}–{most}"
            width = metrics.horizontalAdvance(words)
            right = len(shown) * PITCH
            left = max(free_from, min((first + end) * PITCH / 2 - width / 2, right - width))
            # A gap of a column is left to the next columns with a number.
            if left + width <= min(right, (end + 1) * PITCH + GAP):
                painter.drawText(QPointF(left, top + metrics.ascent()), words)
                free_from = left + width + 2 * GAP
            else:
                for column in range(first, end):
                    painter.drawText(QPointF(column * PITCH, top + metrics.ascent()), "+")
                free_from = end * PITCH
        first = end
