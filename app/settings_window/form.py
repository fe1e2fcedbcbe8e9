"""The parts of a page of settings: a title, and rows with a name and help on the left and a control on the right."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QLineEdit, QScrollArea, QWidget

from app.widgets.labels import label
from app.widgets.layouts import hbox, keep_right_edge, vbox
from app.widgets.style_class import styled

_WIDEST = 768
# Between words and control, and the least width for words beside a control and alone, in pixels.
_GAP, _LEAST_WORDS, _LEAST_ALONE = 24, 240, 160


class Row(QFrame):
    """One setting. `control` None leaves the words alone; `at_end` keeps it on the right below the words too."""

    def __init__(self, control: QWidget | None, parent: QWidget | None = None, at_end: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("settingRow")
        self.control, self._at_end = control, at_end
        self._is_due, self._is_found = True, True
        self.name, self.help = label(self, "", wraps=True), label(self, "muted", wraps=True)
        words = vbox(spacing=2)
        words.addWidget(self.name)
        words.addWidget(self.help)
        self._layout = row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        row.setContentsMargins(0, 12, 0, 12)
        row.setSpacing(_GAP)
        row.addLayout(words, 1)
        if control is not None:
            row.addWidget(control, 0, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft)
            self.name.setBuddy(control)

    def set_words(self, name: str, help_: str) -> None:
        self.name.setText(name)
        self.help.setText(help_)
        self.help.setVisible(bool(help_))
        if self.control is not None:
            for named in (self.control, *self.control.findChildren(QLineEdit)):
                named.setAccessibleName(name)
            self.control.setAccessibleDescription(help_)

    def minimumSizeHint(self) -> QSize:
        """As narrow as the wider of words and control, which need not be side by side."""
        hint = super().minimumSizeHint()
        control = self.control.minimumSizeHint().width() if self.control is not None else 0
        return QSize(max(control, _LEAST_ALONE), hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the control below the words where they would be too narrow beside it."""
        super().resizeEvent(event)
        if self.control is not None:
            beside = self.width() - self.control.sizeHint().width() - _GAP >= _LEAST_WORDS
            direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
            self._layout.setDirection(direction)
            self._layout.setSpacing(_GAP if beside else 8)
            side = Qt.AlignmentFlag.AlignRight if self._at_end else Qt.AlignmentFlag.AlignLeft
            self._layout.setAlignment(self.control, side | Qt.AlignmentFlag.AlignVCenter)

    def set_due(self, due: bool) -> None:
        """Whether the page has anything to say here now; without, no search shows the row."""
        self._is_due = due
        self.setVisible(due and self._is_found)

    def set_found(self, found: bool) -> None:
        """Whether the row is among what is searched for."""
        self._is_found = found
        self.setVisible(found and self._is_due)

    def matches(self, text: str) -> bool:
        return text.casefold() in f"{self.name.text()}\n{self.help.text()}".casefold()


class Form(QScrollArea):
    """A page that scrolls if the window is too small for it. Tab passes it by, for the controls in it scroll it."""

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
        self._column = vbox(inner, margins=(0, 0, 0, 0), spacing=0)
        self.note = label(inner, "muted", wraps=True)
        self.note.hide()
        self._column.addWidget(self.title)
        self._column.addWidget(self.note)
        self._column.addSpacing(8)
        self._column.addStretch(1)
        centred = hbox(body, margins=(32, 24, 32, 24))
        centred.addWidget(inner, 1)
        centred.addStretch(0)
        self.setWidget(body)
        keep_right_edge(self, centred)
        self.rows: list[Row] = []

    def row(self, control: QWidget | None, at_end: bool = False) -> Row:
        """Add a row; the page sets its words. `at_end` as in `Row`."""
        row = Row(control, self.widget(), at_end)
        self.rows.append(row)
        self.add(row)
        return row

    def add(self, widget: QWidget, space_above: int = 0) -> None:
        """Add any other widget, as wide as the page."""
        index = self._column.count() - 1
        if space_above:
            self._column.insertSpacing(index, space_above)
            index += 1
        self._column.insertWidget(index, widget)

    def show_matching(self, text: str) -> bool:
        """Show the rows that contain `text`, or all if the title does or none has it; True if any contains it."""
        found = [row for row in self.rows if row.matches(text)]
        in_title = text.casefold() in self.title.text().casefold()
        for row in self.rows:
            row.set_found(in_title or not found or row in found)
        return in_title or bool(found)
