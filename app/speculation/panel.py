"""The live panel on the right: what speculation does for the answer that is shown, while it is written and
after.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app import theme
from app.icons import icon
from app.speculation import figures
from app.speculation.round_strip import RoundStrip

if TYPE_CHECKING:
    from app.actions import Actions
    from app.chat.answer import Answer

WIDTH = 340
_CHOICES = ("speculation-auto", "speculation-on", "speculation-off")


class Segments(QFrame):
    """A row of buttons of which one is down, bound to checkable actions."""

    def __init__(self, actions: Actions, ids: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("segments")
        self._bound = [(actions[action_id], QPushButton(self)) for action_id in ids]
        group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for action, button in self._bound:
            button.setProperty("look", "segment")
            button.setCheckable(True)
            group.addButton(button)
            row.addWidget(button)
            button.clicked.connect(action.trigger)
            action.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        for action, button in self._bound:
            button.setText(action.text())
            button.setToolTip(action.whatsThis())
            button.setAccessibleName(action.whatsThis())
            button.setChecked(action.isChecked())


class Figure(QWidget):
    """A value with its name below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value, self._name = QLabel(self), QLabel(self)
        self._value.setProperty("look", "figure")
        self._name.setProperty("look", "muted")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._value)
        column.addWidget(self._name)

    @property
    def text(self) -> str:
        return self._value.text()

    def show_value(self, value: str, name: str) -> None:
        if self._value.text() != value:
            self._value.setText(value)
        if self._name.text() != name:
            self._name.setText(name)
            self.setAccessibleName(name)
        self.setAccessibleDescription(value)


class SpeculationPanel(QFrame):
    """Paints from one answer's record; `refresh` after the record has grown."""

    def __init__(self, actions: Actions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.setFixedWidth(WIDTH)
        self._answer: Answer | None = None
        self._title = _label(self, "title")
        self._segments = Segments(actions, _CHOICES, self)
        self._rate_name = _label(self, "caption")
        self.rate = _label(self, "big")
        self.per_round, self.speed, self.guesses, self.first = (Figure(self) for _ in range(4))
        self._sentence = _label(self, "reason")
        self._sentence.setWordWrap(True)
        self._strip_name = _label(self, "caption")
        self.strip = RoundStrip(self)
        self._legend = Legend(self)
        self._build()
        self.retranslate()

    def _build(self) -> None:
        body = QWidget()
        body.setObjectName("panelBody")
        column = QVBoxLayout(body)
        column.setContentsMargins(18, 14, 18, 16)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.addWidget(self._title, 1)
        top.addWidget(self._segments)
        column.addLayout(top)
        column.addSpacing(4)
        column.addWidget(self._rate_name)
        column.addWidget(self.rate)
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(12)
        for place, figure in enumerate((self.per_round, self.speed, self.guesses, self.first)):
            grid.addWidget(figure, place // 2, place % 2)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        column.addLayout(grid)
        column.addSpacing(4)
        column.addWidget(self._sentence)
        column.addSpacing(8)
        column.addWidget(self._strip_name)
        column.addWidget(self.strip)
        column.addWidget(self._legend)
        column.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(1, 0, 0, 0)
        outer.addWidget(area)

    def show_answer(self, answer: Answer | None) -> None:
        self._answer = answer
        self.refresh()

    def refresh(self) -> None:
        answer = self._answer
        stats = answer.stats if answer else None
        self.rate.setText(figures.percent(stats.accept_rate if stats else None))
        self.rate.setAccessibleName(f"{self._rate_name.text()}: {self.rate.text()}")
        self.per_round.show_value(
            figures.number(stats.tokens_per_round if stats else None), self.tr("tokens per round")
        )
        speed_name = figures.speed_text(stats) if stats else self.tr("tokens/s")
        self.speed.show_value(figures.number(stats.decode_tps if stats else None), speed_name)
        depth = figures.depth_in_use(answer) if answer else None
        self.guesses.show_value(
            figures.number(depth, 0 if depth is None or depth == int(depth) else 1), self.tr("guesses at a time")
        )
        self.first.show_value(figures.seconds(stats.ttft_s if stats else None), self.tr("first token"))
        sentence, positive = figures.sentence(answer)
        self._sentence.setVisible(bool(sentence))
        self._sentence.setText(sentence)
        look = "reason" if positive else "reason-plain"
        if self._sentence.property("look") != look:
            self._sentence.setProperty("look", look)
            self._sentence.style().unpolish(self._sentence)
            self._sentence.style().polish(self._sentence)
        self.strip.show_answer(answer)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Speculation"))
        self._rate_name.setText(self.tr("Accept rate, this answer"))
        self._strip_name.setText(self.tr("Rounds"))
        self.strip.setAccessibleName(self.tr("Rounds"))
        self._legend.retranslate()
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_legend"):
            self.retranslate()


class Legend(QWidget):
    """What the colours of the strip mean, in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._marks: list[tuple[QLabel, QLabel, str]] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for source in ("main", "draft", "ngram", "rejected"):
            mark, name = QLabel(self), _label(self, "muted")
            row.addWidget(mark)
            row.addWidget(name)
            row.addSpacing(8)
            self._marks.append((mark, name, source))
        row.addStretch(1)
        self._dress()

    def retranslate(self) -> None:
        for _, name, source in self._marks:
            name.setText(self.tr("rejected") if source == "rejected" else figures.source_name(source))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_marks"):
            self._dress()

    def _dress(self) -> None:
        colours = theme.colours()
        for mark, _, source in self._marks:
            drawing = (
                icon("draft-off", colours.muted) if source == "rejected" else icon("draft-on", colours.accent(source))
            )
            mark.setPixmap(drawing.pixmap(QSize(14, 14), self.devicePixelRatioF()))


def _label(parent: QWidget, look: str) -> QLabel:
    label = QLabel(parent)
    label.setProperty("look", look)
    return label
