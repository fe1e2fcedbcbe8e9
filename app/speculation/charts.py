"""The charts of the live panel: acceptance by position, and shares of time.

The accessible description and the tooltip of each say in words what it shows.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets import theme
from app.widgets.theme_aware import ThemeAware
from app.wording import figures
from app.wording.sources import role_of
from engine.stats import RequestStats


class Chart(ThemeAware, QWidget):
    """A painted figure that is also described in words. `height` is in pixels at the normal text size."""

    def __init__(self, height: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._height = height
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(200, theme.scaled(self._height))

    def apply_text_size(self) -> None:
        self.updateGeometry()

    def paintEvent(self, _event: QPaintEvent) -> None:
        # As a context, the painter ends even if painting fails; a painter left active would crash Qt.
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint(painter)

    def paint(self, painter: QPainter) -> None:
        """Paint the figure; implemented by subclasses."""

    def say(self, words: str) -> None:
        """Set the description in words, and repaint."""
        self.setAccessibleDescription(words)
        self.setToolTip(words)
        self.update()


class PositionLine(Chart):
    """The acceptance rate of the first, second, ... draft token of a round, of those that were verified.

    A line with three labels: of the first position, the middle one and the last one.
    """

    LABEL = 18
    TEXT = 11
    # The radius of the dot that a label belongs to.
    DOT = 3.0

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(60, parent)
        self._rates: list[tuple[float, int, int]] = []
        self._role = "draft"

    def show_stats(self, stats: RequestStats) -> None:
        self._rates = [
            (accepted / reached, accepted, reached) for reached, accepted in stats.accept_by_position if reached
        ]
        roles = {role_of(source) for source in stats.sources}
        self._role = roles.pop() if len(roles) == 1 else "draft"
        self.say("\n".join(self.words()))

    @property
    def has_rejected(self) -> bool:
        """Whether the line shows anything: without a rejected token it is 100 % throughout."""
        return any(accepted < reached for _, accepted, reached in self._rates)

    def words(self) -> list[str]:
        """Return a line for each position: its rate and its counts."""
        return [
            self.tr("Draft token {position}: {rate} accepted ({accepted} of {reached})").format(
                position=index + 1,
                rate=figures.percent(rate),
                accepted=figures.number(accepted, 0),
                reached=figures.number(reached, 0),
            )
            for index, (rate, accepted, reached) in enumerate(self._rates)
        ]

    def paint(self, painter: QPainter) -> None:
        colours = theme.colours()
        set_text_size(painter, self.TEXT)
        label_height = theme.scaled(self.LABEL)
        height = self.height() - label_height - 2 * self.DOT
        ground = self.DOT + height
        painter.setPen(QPen(QColor(colours.line), 1))
        painter.drawLine(QPointF(0, ground), QPointF(self.width(), ground))
        count = len(self._rates)
        step = (self.width() - 2 * self.DOT) / max(1, count - 1)
        points = [
            QPointF(self.DOT + index * step, ground - height * rate) for index, (rate, _, _) in enumerate(self._rates)
        ]
        colour = QColor(colours.accent(self._role))
        painter.setPen(QPen(colour, 2))
        painter.drawPolyline(points)
        painter.setBrush(colour)
        for index in sorted({0, count // 2, count - 1}) if points else ():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(points[index], self.DOT, self.DOT)
            painter.setPen(QColor(colours.muted))
            text = figures.percent(self._rates[index][0])
            width = painter.fontMetrics().horizontalAdvance(text)
            left = min(max(0.0, points[index].x() - width / 2), self.width() - width)
            place = QRectF(left, self.height() - label_height + 2, width, label_height - 2)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, text)


class SpeedBar(Chart):
    """A speed in words, and a bar of which a share is filled, in grey if the speed does not count."""

    def __init__(self, source: str, parent: QWidget | None = None) -> None:
        super().__init__(14, parent)
        self._source = source
        self.share = 0.0
        self.counts = True

    def show_speed(self, speed: float | None, share: float, *, counts: bool) -> None:
        self.share = share
        self.counts = counts
        self.say(figures.number(speed))

    def paint(self, painter: QPainter) -> None:
        colours = theme.colours()
        painter.setPen(Qt.PenStyle.NoPen)
        filled = colours.accent(self._source) if self.counts else colours.rejected
        for width, colour in ((1.0, colours.line), (self.share, filled)):
            painter.setBrush(QColor(colour))
            painter.drawRoundedRect(QRectF(0, 0, self.width() * width, self.height()), 3, 3)


class TimeBar(Chart):
    """One bar that draft, verify and host share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(12, parent)
        self._shares: TimeShares | None = None

    def show_stats(self, stats: RequestStats) -> None:
        self._shares = time_shares(stats)
        self.say(self.words())

    def words(self) -> str:
        if self._shares is None:
            return figures.NONE
        return self._words_of(self._shares)

    def longest_words(self) -> str:
        """Return words as long as they become."""
        return self._words_of((0.33, 0.33, 0.34))

    def _words_of(self, shares: tuple[float, float, float]) -> str:
        draft, verify, host = map(figures.percent, shares)
        return self.tr("draft {draft} · verify {verify} · overhead {host}").format(
            draft=draft, verify=verify, host=host
        )

    def paint(self, painter: QPainter) -> None:
        colours = theme.colours()
        painter.setPen(Qt.PenStyle.NoPen)
        if self._shares is None:
            painter.setBrush(QColor(colours.line))
            painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
            return
        left = 0.0
        gap = 2.0
        for share, colour in zip(self._shares, (colours.draft, colours.main, colours.rejected), strict=True):
            width = self.width() * share
            if width >= 1:
                painter.setBrush(QColor(colour))
                painter.drawRoundedRect(QRectF(left, 0, max(2.0, width - gap), self.height()), 3, 3)
            left += width


def set_text_size(painter: QPainter, pixels: int) -> None:
    """Set the painter's font to `pixels`, given at the normal text size."""
    font = painter.font()
    font.setPixelSize(theme.scaled(pixels))
    painter.setFont(font)


def mixed(colour: str, ground: str, share: float) -> QColor:
    """Return `share` of a colour on a ground, opaque, because filling with a translucent brush is slow."""
    first = QColor(colour)
    second = QColor(ground)
    return QColor.fromRgbF(
        first.redF() * share + second.redF() * (1 - share),
        first.greenF() * share + second.greenF() * (1 - share),
        first.blueF() * share + second.blueF() * (1 - share),
    )


class TimeShares(NamedTuple):
    """The shares of the time of rounds, 1 in all."""

    draft: float
    verify: float
    host: float


def time_shares(stats: RequestStats) -> TimeShares | None:
    """Return the shares of draft, verify and host in the time of all rounds, or None before the first."""
    whole = stats.draft_s + stats.verify_s + stats.host_s
    if whole <= 0:
        return None
    return TimeShares(stats.draft_s / whole, stats.verify_s / whole, stats.host_s / whole)
