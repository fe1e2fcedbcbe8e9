"""The page of drafting ahead: where the drafter runs, and the address and the secret of another computer."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QWidget

from app.session.drafter_secret import DrafterSecret
from app.settings.store import SettingsStore
from app.settings_window.table_page import TablePage
from app.widgets.popups import round_field_menu


class DrafterPage(TablePage):
    def __init__(
        self, title: str, settings: SettingsStore, secret: DrafterSecret, parent: QWidget | None = None
    ) -> None:
        super().__init__("drafter", title, settings, parent)
        self._secret = secret
        self.field = QLineEdit(self)
        round_field_menu(self.field)
        self.field.setMinimumWidth(220)
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self._row = self.row(self.field)
        # Whether the typed secret is in the keychain; None before one was typed.
        self._kept: bool | None = None
        self.field.editingFinished.connect(self._keep_secret)
        self.restyle()

    def _keep_secret(self) -> None:
        """Use the secret and clear the field, which never shows it again."""
        if secret := self.field.text().strip():
            self.field.clear()
            self._secret.keep(secret, self._secret_kept)

    def _secret_kept(self, kept: bool) -> None:
        self._kept = kept
        self.retranslate()

    def retranslate(self) -> None:
        super().retranslate()
        help_ = {
            None: self.tr(
                "The secret of “tandem drafter serve” on the other computer. Stored only in the system keychain."
            ),
            True: self.tr("Your secret is in the keychain."),
            False: self.tr("This Mac has no keychain that Tandem can use, so the secret is for this run only."),
        }[self._kept]
        self._row.set_words(self.tr("Secret"), help_)
