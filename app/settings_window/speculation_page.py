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
        self._loaded_pair: LearnedPair | None = None
        self.learned = LearnedSection(session, self)
        self.learned.found.connect(self._take_learned)
        self.teaching = TeachingSection(session, [self._row_of("teach_when_idle")], self)
        self.add(self.teaching, 24)
        self.add(self.learned, 24)
        self.restyle()

    def _row_of(self, key: str) -> Row:
        return next(row for row in self.rows if row.control is self.control(key))

    def _take_learned(self, pairs: tuple[LearnedPair, ...]) -> None:
        self._loaded_pair = next((pair for pair in pairs if pair.loaded), None)
        self._set_same_text_help()

    def _set_same_text_help(self) -> None:
        """Say below the switch what it costs with the loaded pair."""
        setting = SETTINGS["same_text"]
        row = self._row_of(setting.key)
        name, help_ = (QCoreApplication.translate("Settings", text) for text in (setting.title, setting.help))
        row.set_words(name, joined(help_, same_text_sentence(self._loaded_pair)))

    def retranslate(self) -> None:
        super().retranslate()
        self._set_same_text_help()
