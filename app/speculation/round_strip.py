"""The round strip: one column a round.

From the bottom up: accepted tokens filled, then the main model's own token, then rejected tokens hollow. All cells have
one size; a round of more tokens than fit ends in how many more they are.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QWheelEvent
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
# The most cells of a column; above them is room for how many more there are.
ROWS = 16
_MORE_HEIGHT = 20


class RoundStrip(QWidget):
    """Shows the newest rounds that fit; the wheel scrolls back.

    Emits `chosen` with the number of a clicked round, and `hovered` with that of the one under the mouse, None if there
    is none. Only the visible columns are painted, so the cost does not grow
    with the answer.
    """

    chosen = Signal(int)
    hovered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: Answer | None = None
        self._back = 0
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
            self.marked = frozenset()
        self.update()

    def mark(self, rounds: frozenset[int]) -> None:
        """Mark the rounds of the selection in the transcript."""
        self.marked = rounds
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(25 * PITCH, ROWS * PITCH + _MORE_HEIGHT)

    @property
    def columns(self) -> int:
        return max(1, (self.width() + GAP) // PITCH)

    def visible_rounds(self) -> list[RoundRecord]:
        """Return the rounds in view, oldest first."""
        if self._answer is None:
            return []
        end = max(0, len(self._answer.rounds) - self._back)
        return self._answer.rounds[max(0, end - self.columns) : end]

    def paintEvent(self, _event: QPaintEvent) -> None:
        painted_for = (self.height(), self.devicePixelRatioF(), theme.colours())
        if painted_for != self._painted_for:
            self._painted_for = painted_for
            self._columns = {}
        with QPainter(self) as painter:
            for column, record in enumerate(self.visible_rounds()):
                if record.number in self.marked or record.number == self._hovered:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(QColor(theme.colours().selection))
                    painter.drawRoundedRect(QRectF(column * PITCH - GAP / 2, 0, PITCH, self.height()), 3, 3)
                kind = (record.source, record.drafted, record.accepted)
                picture = self._columns.get(kind)
                if picture is None:
                    picture = self._columns[kind] = _column(*kind, *painted_for)
                painter.drawPixmap(column * PITCH, 0, picture)

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
            QToolTip.showText(event.globalPosition().toPoint(), self.words_at(event.position().toPoint()), self)

    def point(self, number: int | None) -> None:
        """Light the column of a round, whose token is under the mouse in the transcript; None for no column."""
        self._hovered = number
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
                painter.setBrush(QColor(colours.main if row == accepted else colours.accent(role_of(source))))
                painter.drawRoundedRect(cell, 2, 2)
            else:
                painter.setPen(QPen(QColor(colours.rejected), 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(cell.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)
        if cells > ROWS:
            _write_more(painter, cells - ROWS, height, colours)
    return picture


def _write_more(painter: QPainter, count: int, height: int, colours: Colours) -> None:
    """Write how many more tokens a round had above its column, upwards: a column is narrower than the number."""
    font = painter.font()
    font.setPixelSize(PITCH)
    painter.setFont(font)
    painter.setPen(QColor(colours.muted))
    painter.translate(0, height - ROWS * PITCH)
    painter.rotate(-90)
    place = QRectF(1, -GAP, _MORE_HEIGHT, CELL + 2 * GAP)
    painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, f"+{number(count, 0)}")
