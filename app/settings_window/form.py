"""The parts of a page of settings: a title, and rows with a name and help on the left and a control on the right."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QLineEdit, QScrollArea, QWidget

from app.widgets.labels import label, show_words
from app.widgets.layouts import FlowRow, fill, hbox, keep_right_edge, vbox
from app.widgets.search_field import TextField
from app.widgets.style_class import styled

_WIDEST = 768
R = TypeVar("R", bound="Row")
# Pixels between words and control.
_GAP = 24
# The least width in pixels of words next to a control.
_LEAST_BESIDE = 240
# The least width in pixels of words without a control beside them.
_LEAST_ALONE = 160


class Row(QFrame):
    """One setting with an optional control. `at_end` keeps the control on the right, even below the words."""

    def __init__(self, control: QWidget | None, parent: QWidget | None = None, at_end: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("settingRow")
        self.control = control
        self._at_end = at_end
        # Whether the page has something to say in it, whether the search finds it, and whether a fold hides it.
        self._is_due = True
        self._is_found = True
        self._is_folded = False
        # Further words by which a search finds it.
        self.other_words = ""
        self.name = label(self, "", wraps=True)
        self.help = label(self, "muted", wraps=True)
        self._words = fill(vbox(spacing=2), self.name, self.help)
        self._layout = row = fill(hbox(self, margins=(0, 12, 0, 12), spacing=_GAP), (self._words, 1))
        if control is not None:
            row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            self.name.setBuddy(control)

    def set_words(self, name: str, help_: str) -> None:
        """Set the name and the help, also for screen readers; an empty help is hidden."""
        self.name.setText(name)
        show_words(self.help, help_)
        if self.control is not None:
            for named in (self.control, *self.control.findChildren(QLineEdit)):
                named.setAccessibleName(name)
            self.control.setAccessibleDescription(help_)

    def add_below(self, *widgets: QWidget) -> None:
        """Add widgets below the help."""
        fill(self._words, *widgets)

    def minimumSizeHint(self) -> QSize:
        """Return the width of the words or the control, because the row can put one below the other."""
        hint = super().minimumSizeHint()
        control = self.control.minimumSizeHint().width() if self.control is not None else 0
        return QSize(max(control, _LEAST_ALONE), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the control below the words if they are too narrow next to it."""
        super().resizeEvent(event)
        if self.control is not None:
            control = max(self.control.sizeHint().width(), self.control.minimumWidth())
            is_wide = self.width() - control - _GAP >= _LEAST_BESIDE
            self._layout.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)
            self._layout.setSpacing(_GAP if is_wide else 8)
            side = Qt.AlignmentFlag.AlignRight if self._at_end else Qt.AlignmentFlag.AlignLeft
            self._layout.setAlignment(self.control, side | Qt.AlignmentFlag.AlignVCenter)

    def set_due(self, due: bool) -> None:
        """Show the row only if the page has something to say in it; otherwise no search shows it either."""
        self._is_due = due
        self._show()

    def set_found(self, is_found: bool) -> None:
        """Show the row if a search finds it, and there is something to say in it."""
        self._is_found = is_found
        self._show()

    def set_folded(self, is_folded: bool) -> None:
        """Hide the row while the fold that it belongs to is closed."""
        self._is_folded = is_folded
        self._show()

    def _show(self) -> None:
        self.setVisible(self._is_due and self._is_found and not self._is_folded)

    def matches(self, text: str) -> bool:
        """Return whether a text is in the words by which the row is found, unless there is nothing to say in it."""
        words = f"{self.name.text()}\n{self.help.text()}\n{self.other_words}"
        return self._is_due and text.casefold() in words.casefold()


class SecretRow(Row):
    """A field whose text is for the keychain. `typed` carries it, and the field never shows it again."""

    typed = Signal(str)

    def __init__(self, parent: QWidget | None) -> None:
        self.field = TextField(parent)
        super().__init__(self.field, parent)
        self.field.setMinimumWidth(220)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.editingFinished.connect(self.take)

    def take(self) -> bool:
        """Emit the text and clear the field; return whether there was any."""
        if secret := self.field.text().strip():
            self.field.clear()
            self.typed.emit(secret)
        return bool(secret)


class Form(QScrollArea):
    """A page that scrolls if the window is too small. It takes no focus, because its controls scroll it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget(self)
        body.setObjectName("pageBody")
        inner = QWidget(body)
        inner.setMaximumWidth(_WIDEST)
        self.title = styled(QLabel(inner), "page-title")
        self.note = label(inner, "muted", wraps=True)
        self.note.hide()
        self._head = fill(hbox(spacing=16), (self.title, 1))
        self._column = fill(vbox(inner, margins=(0, 0, 0, 0), spacing=0), self._head, self.note)
        self._column.addSpacing(8)
        self._column.addStretch(1)
        centred = fill(hbox(body, margins=(32, 24, 32, 24)), (inner, 1), 0)
        self.setWidget(body)
        keep_right_edge(self, centred)
        self.rows: list[Row] = []

    def row(self, control: QWidget | None, at_end: bool = False) -> Row:
        """Add a `Row`, whose words the page sets."""
        return self.add_row(Row(control, self.widget(), at_end))

    def add_row(self, row: R) -> R:
        """Add a row that is made already, and return it."""
        self.rows.append(row)
        self.add(row)
        return row

    def add(self, widget: QWidget, space_above: int = 0) -> None:
        """Add any other widget in the full width of the page."""
        index = self._column.count() - 1
        if space_above:
            self._column.insertSpacing(index, space_above)
            index += 1
        self._column.insertWidget(index, widget)

    def add_line(self, space_above: int, *widgets: QWidget) -> QWidget:
        """Add widgets side by side, where that is wide enough, and return the line."""
        line = FlowRow(self)
        line.add(*widgets)
        self.add(line, space_above)
        return line

    def show_matching(self, text: str) -> bool:
        """Show the rows that contain `text`, or all if the title or no row does; return whether any contains it."""
        matching = [row for row in self.rows if row.matches(text)]
        in_title = text.casefold() in self.title.text().casefold()
        for row in self.rows:
            row.set_found(in_title or not matching or row in matching)
        return in_title or bool(matching)
