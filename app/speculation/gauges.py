"""The small parts of the live panel: the headline, charts with their titles, and rows of buttons."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from app.actions.actions import Actions
from app.speculation.explanations import EXPLANATIONS, NAMES
from app.widgets.controls import Segments
from app.widgets.labels import SentenceLabel, label, set_name, wrapped_tip
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.line_breaks import with_good_breaks
from app.widgets.style_class import styled


class ActionSegments(Segments):
    """Segments bound to checkable actions."""

    def __init__(self, actions: Actions, ids: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(len(ids), parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._bound = list(zip((actions[action_id] for action_id in ids), self.buttons, strict=True))
        for action, button in self._bound:
            button.clicked.connect(action.trigger)
            action.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        for action, button in self._bound:
            button.setText(action.iconText())
            set_name(button, action.whatsThis())
            button.setChecked(action.isChecked())


class ActionButtons(QWidget):
    """A row of buttons that trigger actions and show their texts."""

    def __init__(self, actions: Actions, ids: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bound = [(actions[action_id], styled(QPushButton(self), "button-small")) for action_id in ids]
        for action, button in self._bound:
            button.clicked.connect(action.trigger)
            action.changed.connect(self.refresh)
        self._ids = dict(zip(ids, (button for _, button in self._bound), strict=True))
        fill(hbox(self, margins=(0, 0, 0, 0), spacing=8), *(button for _, button in self._bound), 1)
        self.refresh()

    def show_only(self, *ids: str) -> None:
        """Show only the buttons of these actions."""
        for action_id, button in self._ids.items():
            button.setVisible(action_id in ids)

    def refresh(self) -> None:
        for action, button in self._bound:
            button.setText(action.text())
            button.setToolTip(action.whatsThis())
            button.setAccessibleName(action.text())
            button.setAccessibleDescription(action.whatsThis())
            button.setEnabled(action.isEnabled())


class Headline(QLabel):
    """One line in large letters, which shrink until the text fits; the height stays."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("styleClass", "big")

    def sizeHint(self) -> QSize:
        return QSize(0, self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        # The style sheet sets its size in pixels.
        font = self.font()
        width = self.fontMetrics().horizontalAdvance(self.text())
        if width > self.width():
            font.setPixelSize(max(1, font.pixelSize() * self.width() // width))
        # Letters do not shrink in proportion.
        while font.pixelSize() > 1 and QFontMetrics(font).boundingRect(self.text()).right() >= self.width():
            font.setPixelSize(font.pixelSize() - 1)
        with QPainter(self) as painter:
            painter.setFont(font)
            painter.setPen(self.palette().windowText().color())
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text())


class SteadySentence(SentenceLabel):
    """Has the height of its longest text, so that nothing below it moves when another is shown."""

    def __init__(self, parent: QWidget, style_class: str = "muted") -> None:
        super().__init__(parent)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setProperty("styleClass", style_class)
        self._texts: tuple[str, ...] = ()
        # By width, until texts or font change.
        self._reserved: dict[int, int] = {}

    def reserve_height(self, texts: Iterable[str]) -> None:
        """Reserve the height of the highest of `texts`."""
        self._texts = tuple(map(with_good_breaks, texts))
        self._reserved.clear()
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        """Return True; QLabel does once it has a text."""
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._reserved:
            around = QRect(0, 0, width, 0)
            metrics = self.fontMetrics()
            heights = [metrics.boundingRect(around, Qt.TextFlag.TextWordWrap, text).height() for text in self._texts]
            self._reserved[width] = max(heights, default=0)
        return max(super().heightForWidth(width), self._reserved[width])

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._reserved.clear()


class Section(QWidget):
    """Title and value in a line, the chart below them, and its words below the chart if `with_words`."""

    def __init__(self, chart: QWidget, parent: QWidget, *, with_words: bool = False) -> None:
        super().__init__(parent)
        self.title = label(self, "caption")
        self.value = label(self, "strong")
        self.words = SteadySentence(self)
        self.words.setVisible(with_words)
        self._chart = chart
        head = fill(hbox(spacing=4), self.title, 1, self.value)
        fill(vbox(self, margins=(0, 8, 0, 0), spacing=6), head, chart, self.words)

    def explain(self, part: str) -> None:
        """Set the title and the sentence that explains the chart, by its key in `EXPLANATIONS`."""
        self.title.setText(NAMES[part])
        self.title.setToolTip(wrapped_tip(EXPLANATIONS[part]))
        self._chart.setAccessibleName(NAMES[part])


def set_text(shown: QLabel, text: str) -> None:
    """Set a label's text only if it changes, because setting it lays the panel out again."""
    if shown.text() != text:
        shown.setText(text)
