"""Language and appearance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QWidget

from app.language import LANGUAGES
from app.preferences.form import Chooser, Form
from app.theme import MODES

if TYPE_CHECKING:
    from app.application import Application


class GeneralPage(Form):
    def __init__(self, application: Application, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._application = application
        self.language, self.theme = Chooser(self), Chooser(self)
        for choice in ("system", *LANGUAGES):
            self.language.addItem(LANGUAGES.get(choice, ""), choice)
        for mode in MODES:
            self.theme.addItem("", mode)
        self._language_words, self._theme_words = self.row(self.language), self.row(self.theme)
        self.language.activated.connect(lambda _: application.language.choose(self.language.currentData()))
        self.theme.activated.connect(lambda _: application.theme.set_mode(self.theme.currentData()))
        application.language.changed.connect(self._show_choices)
        application.theme.changed.connect(self._show_choices)
        self.retranslate()

    def _show_choices(self) -> None:
        self.language.setCurrentIndex(self.language.findData(self._application.language.choice))
        self.theme.setCurrentIndex(self.theme.findData(self._application.theme.mode))

    def retranslate(self) -> None:
        self.title.setText(self.tr("General"))
        self._language_words[0].setText(self.tr("Language"))
        self._language_words[1].setText(self.tr("Of the window. A model answers in the language you write in."))
        self._theme_words[0].setText(self.tr("Appearance"))
        self._theme_words[1].setText(self.tr("Changes at once."))
        self.language.setAccessibleName(self._language_words[0].text())
        self.theme.setAccessibleName(self._theme_words[0].text())
        self.language.setItemText(0, self.tr("Like the system"))
        for index, text in enumerate((self.tr("Like the system"), self.tr("Light"), self.tr("Dark"))):
            self.theme.setItemText(index, text)
        self._show_choices()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_theme_words"):
            self.retranslate()
