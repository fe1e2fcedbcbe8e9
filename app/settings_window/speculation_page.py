"""The settings of speculation, the teaching of the draft, and learned figures."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.session.session import Session
from app.settings.declarations import SETTINGS
from app.settings.store import SettingsStore
from app.settings_window.form import Row
from app.settings_window.table_page import TablePage
from app.speculation.learned_section import LearnedSection
from app.speculation.teaching_section import TeachingSection
from app.wording.errors import joined
from app.wording.rounding import same_text_sentence
from engine.tuning import LearnedPair


class SpeculationPage(TablePage):
    """The settings, then the teaching of the draft, then what was learned."""

    def __init__(self, settings: SettingsStore, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("speculation", settings, parent)
        self._session = session
        self.secret = self.secret_row()
        self.secret.typed.connect(lambda secret: session.drafter_secret.keep(secret, self._secret_kept))
        # Whether the typed secret is in the keychain; None before one was typed.
        self._kept: bool | None = None
        self._loaded_pair: LearnedPair | None = None
        self.learned = LearnedSection(session, self)
        self.learned.found.connect(self._take_learned)
        self.teaching = TeachingSection(session, self)
        self.add(self.teaching, 24)
        self.add(self.learned, 24)
        self.restyle()

    def _row_of(self, key: str) -> Row:
        return next(row for row in self.rows if row.control is self.control(key))

    def _secret_kept(self, kept: bool) -> None:
        self._kept = kept
        self._set_secret_texts()

    def _set_secret_texts(self) -> None:
        help_ = {
            None: self.tr(
                "The secret of “tandem drafter serve” on the other computer. Stored only in the system keychain."
            ),
            True: self.tr("Your secret is in the keychain."),
            False: self.tr("This Mac has no keychain that Tandem can use, so the secret is for this run only."),
        }[self._kept]
        self.secret.set_words(self.tr("Secret"), help_)

    def _take_learned(self, pairs: tuple[LearnedPair, ...]) -> None:
        self._loaded_pair = next((pair for pair in pairs if pair.loaded), None)
        self._set_same_text_help()

    def _set_same_text_help(self) -> None:
        """Say below the switch what it costs with the loaded pair."""
        setting = SETTINGS["same_text"]
        row = self._row_of(setting.key)
        name, help_ = (QCoreApplication.translate("Settings", text) for text in (setting.title, setting.help))
        row.set_words(name, joined(help_, same_text_sentence(self._loaded_pair)))

    def show_values(self) -> None:
        super().show_values()
        drafts_elsewhere = self.settings.values.async_drafter == "remote"
        for row in (self._row_of("drafter_address"), self.secret):
            row.set_due(drafts_elsewhere)

    def retranslate(self) -> None:
        super().retranslate()
        self._set_secret_texts()
        self._set_same_text_help()
