"""Where models come from: the Hub or a mirror of it, through a proxy, with a token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from app.preferences.form import Form

if TYPE_CHECKING:
    from app.models.library import Library


class NetworkPage(Form):
    """A field takes effect when it is left or Enter is pressed in it."""

    def __init__(self, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self.mirror, self.proxy, self.token = QLineEdit(self), QLineEdit(self), QLineEdit(self)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self._words = [self.row(field) for field in (self.mirror, self.proxy, self.token)]
        values = library.preferences.values
        self.mirror.setText(values.hub_endpoint)
        self.proxy.setText(values.proxy)
        self.mirror.editingFinished.connect(lambda: self._keep(hub_endpoint=self.mirror.text().strip()))
        self.proxy.editingFinished.connect(lambda: self._keep(proxy=self.proxy.text().strip()))
        self.token.editingFinished.connect(self._keep_token)
        self.retranslate()

    def _keep(self, **choices: str) -> None:
        self._library.preferences.change(**choices)

    def _keep_token(self) -> None:
        """The field never shows a token again: it is emptied once the keychain has it."""
        if token := self.token.text().strip():
            self._library.keep_token(token, then=self._token_kept)

    def _token_kept(self, kept: bool) -> None:
        self.token.clear()
        self._words[2][1].setText(
            self.tr("The keychain has your token.")
            if kept
            else self.tr("This computer has no keychain that Tandem can use, so the token was not kept.")
        )

    def retranslate(self) -> None:
        self.title.setText(self.tr("Privacy and network"))
        words = (
            (
                self.tr("Mirror"),
                self.tr("The address of a mirror of the Hugging Face Hub. Empty for the Hub itself."),
            ),
            (self.tr("Proxy"), self.tr("The address of a proxy, like http://proxy:8080. Empty for none.")),
            (
                self.tr("Hub token"),
                self.tr("For models that ask for consent or are private. It is kept in the system's keychain only."),
            ),
        )
        for field, (label, help_), (name, sentence) in zip(
            (self.mirror, self.proxy, self.token), self._words, words, strict=True
        ):
            label.setText(name)
            help_.setText(sentence)
            field.setAccessibleName(name)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "_words"):
            self.retranslate()
