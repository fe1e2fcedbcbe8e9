"""The small parts of the live panel: values with their names, and rows of buttons."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from app.actions.actions import Actions
from app.speculation.help_mark import HelpMark
from app.widgets.controls import Segments
from app.widgets.labels import set_name
from app.widgets.layouts import hbox, vbox


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
    """A row of buttons that trigger actions and have their words."""

    def __init__(self, actions: Actions, ids: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bound = [(actions[action_id], QPushButton(self)) for action_id in ids]
        row = hbox(self, margins=(0, 0, 0, 0), spacing=8)
        for action, button in self._bound:
            button.setProperty("styleClass", "button-small")
            row.addWidget(button)
            button.clicked.connect(action.trigger)
            action.changed.connect(self.refresh)
        row.addStretch(1)
        self.refresh()

    def refresh(self) -> None:
        for action, button in self._bound:
            button.setText(action.text())
            button.setToolTip(action.whatsThis())
            button.setAccessibleName(action.text())
            button.setAccessibleDescription(action.whatsThis())
            button.setEnabled(action.isEnabled())


class _Value(QLabel):
    """One line on the baseline of its own font: a fallback font for one character would move it."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawText(0, self.fontMetrics().ascent(), self.text())


class Figure(QWidget):
    """A value with a "?" that explains it, and its name below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value, self._name = _Value(self), QLabel(self)
        self._value.setProperty("styleClass", "figure")
        self._name.setProperty("styleClass", "muted")
        self._help = HelpMark(self)
        line = hbox(spacing=6)
        line.addWidget(self._value)
        line.addWidget(self._help)
        line.addStretch(1)
        column = vbox(self, margins=(0, 0, 0, 0), spacing=2)
        column.addLayout(line)
        column.addWidget(self._name)

    @property
    def text(self) -> str:
        return self._value.text()

    @property
    def name(self) -> str:
        return self._name.text()

    def explain(self, name: str, sentence: str) -> None:
        """What the figure means, in a sentence."""
        self._help.explain(name, sentence)
        self._value.setToolTip(self._help.toolTip())

    def reserve_width(self, names: Iterable[str]) -> None:
        """Be as wide as the widest of these names, so that nothing moves when the name changes."""
        self._name.ensurePolished()
        shown, widths = self._name.text(), []
        for name in names:
            self._name.setText(name)
            # Some letters reach beyond their advance, which only the label's own hint counts.
            widths.append(self._name.minimumSizeHint().width())
        self._name.setText(shown)
        self._name.setMinimumWidth(max(widths))

    def show_value(self, value: str, name: str) -> None:
        if self._value.text() != value:
            self._value.setText(value)
        if self._name.text() != name:
            self._name.setText(name)
            self.setAccessibleName(name)
        self.setAccessibleDescription(value)
