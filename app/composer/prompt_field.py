"""The field for a chat's system prompt, with a menu of the variables that it may contain."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QWidget

from app.conversations.chat_settings import VARIABLES
from app.widgets.labels import WrappedLabel, label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import Menu, round_field_menu
from app.widgets.style_class import named, set_property, styled
from app.widgets.theme_aware import ThemeAware


class FieldCard(ThemeAware, QFrame):
    """The card around `edit`, a field of `lines` lines at every text size.

    Tab leaves the field, and the card shows its focus.
    """

    def __init__(self, parent: QWidget, lines: int, font: QFont | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composerCard")
        self.edit = named(QPlainTextEdit(self), "composer")
        round_field_menu(self.edit)
        self.edit.setFrameShape(QFrame.Shape.NoFrame)
        if font is not None:
            self.edit.setFont(font)
        self.edit.setTabChangesFocus(True)
        self._lines = lines
        fill(vbox(self, margins=(10, 8, 10, 8)), self.edit)
        self.edit.installEventFilter(self)
        self.apply_text_size()
        self.restyle()

    def set_lines(self, lines: int) -> None:
        if lines != self._lines:
            self._lines = lines
            self.apply_text_size()

    def apply_text_size(self) -> None:
        self.edit.ensurePolished()
        # Of the 12 pixels, 8 are the document's margins.
        self.edit.setFixedHeight(self._lines * self.edit.fontMetrics().lineSpacing() + 12)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            set_property(self, "active", event.type() == QEvent.Type.FocusIn)
        return super().eventFilter(watched, event)


# Lines of the field.
_USUAL_LINES = 5
# Its lines in a low window.
_FEW_LINES = 2


class PromptField(ThemeAware, QWidget):
    """`edited` carries the text after every change by the user."""

    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._values: Mapping[str, str] = {}
        self._title = self.bound("System prompt", label(self, "title"))
        self.insert = self.bound("Insert a variable", styled(QPushButton(self), "quiet"))
        self.menu = Menu(self.insert)
        self.insert.setMenu(self.menu)
        self.menu.aboutToShow.connect(self.fill_menu)
        self._card = FieldCard(self, _USUAL_LINES)
        self.edit = self._card.edit
        self.bound("How the model should answer", self.edit, QPlainTextEdit.setPlaceholderText)
        self.bound("System prompt", self.edit, QWidget.setAccessibleName)
        self._hint = self.bound("Replaced when you send: {names}", styled(WrappedLabel(self), "muted"), _set_variables)
        head = fill(hbox(), (self._title, 1), self.insert)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=6), head, self._card, self._hint)
        self._title.setBuddy(self.edit)
        self.edit.textChanged.connect(lambda: self.edited.emit(self.edit.toPlainText()))
        self.restyle()

    def make_low(self, is_low: bool) -> None:
        """Take less height in a low window, so that what stands below is in view; the menu has the variables, too."""
        self._card.set_lines(_FEW_LINES if is_low else _USUAL_LINES)
        self._hint.setHidden(is_low)

    def show_prompt(self, text: str, values: Mapping[str, str]) -> None:
        """Show a prompt; `values` are the present values of the variables."""
        self._values = values
        if text != self.edit.toPlainText():
            with QSignalBlocker(self.edit):
                self.edit.setPlainText(text)

    def fill_menu(self) -> None:
        names = {
            "date": self.tr("Today's date"),
            "weekday": self.tr("Day of the week"),
            "language": self.tr("App language"),
            "model": self.tr("Main model"),
            "draft": self.tr("Draft model"),
            "computer": self.tr("System"),
        }
        self.menu.clear()
        for name in VARIABLES:
            value = self._values.get(name, "")
            text = f"{names[name]}: {value}" if value else names[name]
            action = self.menu.addAction(text.replace("&", "&&"))
            action.triggered.connect(lambda _=False, chosen=name: self._insert(chosen))

    def _insert(self, name: str) -> None:
        self.edit.insertPlainText(f"{{{{{name}}}}}")
        self.edit.setFocus()


def _set_variables(hint: WrappedLabel, text: str) -> None:
    hint.setText(text.format(names=", ".join(f"{{{{{name}}}}}" for name in VARIABLES)))
