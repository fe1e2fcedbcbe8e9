"""Where models come from: the Hub or a mirror of it, through a proxy, with a token, or from nowhere at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.preferences.table_page import TablePage

if TYPE_CHECKING:
    from app.models.library import Library


class NetworkPage(TablePage):
    """A field takes effect when it is left or Enter is pressed in it."""

    def __init__(self, title: str, library: Library, parent: QWidget | None = None) -> None:
        super().__init__("network", title, library.preferences, parent)
        self._library = library
        self.token = QLineEdit(self)
        self.token.setMinimumWidth(220)
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self._token_row = self.row(self.token)
        self._kept: bool | None = None
        self.token.editingFinished.connect(self._keep_token)
        self._promise = QLabel(self.widget())
        self._promise.setProperty("look", "reason-plain")
        self._promise.setWordWrap(True)
        self.add(self._promise, 16)
        self.retranslate()

    def _keep_token(self) -> None:
        """The field never shows a token again: it is emptied once the keychain has it."""
        if token := self.token.text().strip():
            self._library.keep_token(token, then=self._token_kept)

    def _token_kept(self, kept: bool) -> None:
        self._kept = kept
        self.token.clear()
        self.retranslate()

    def retranslate(self) -> None:
        super().retranslate()
        if self._kept is None:
            help_ = self.tr("For models that ask for consent or are private. It is kept in the system's keychain only.")
        elif self._kept:
            help_ = self.tr("Your token is in the keychain.")
        else:
            help_ = self.tr("This computer has no keychain that Tandem can use, so the token was not kept.")
        self._token_row.set_words(self.tr("Hub token"), help_)
        self._promise.setText(
            self.tr(
                "Tandem connects for two things only: a search in the Hub and a download you asked for. Chats, "
                "settings and figures never leave this computer. Nobody counts what you do."
            )
        )
