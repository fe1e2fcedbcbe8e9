"""The settings of speculation, and a button that measures the models again."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.conversations.database.records import AnswerSource
from app.models.draft_ahead import show_places
from app.session.session import Session
from app.settings.declarations import SETTINGS
from app.settings.store import SettingsStore
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.widgets.buttons import button
from app.widgets.controls import Chooser
from app.wording.errors import joined
from app.wording.figures import as_fast
from app.wording.models import pair_name
from app.wording.rounding import same_text_sentence
from engine.tuning import LearnedPair


class SpeculationPage(TablePage):
    """The settings of speculation, then what was measured."""

    def __init__(self, settings: SettingsStore, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("speculation", settings, parent)
        self._session = session
        # None until the engine has told, which may be working.
        self._learned: tuple[LearnedPair, ...] | None = None
        self.measure_again = button(self, self._measure_again)
        self._measured = self.row(self.measure_again)
        session.models.changed.connect(self._refresh_if_shown)
        session.models.changed.connect(self._show_ahead)
        session.answers.ended.connect(self._refresh_if_shown)
        session.history.measured_changed.connect(self._show_learned)
        self.restyle()

    def show_values(self) -> None:
        super().show_values()
        self._show_ahead()

    def _show_ahead(self) -> None:
        """Show where a draft model may draft ahead, or why none can."""
        chooser = cast("Chooser", self.control("draft_ahead"))
        reason = show_places(chooser, self.settings, self._session.models.pair)
        self._set_words("draft_ahead", reason)

    def _set_words(self, key: str, more: str) -> None:
        """Show the name and the help of a setting, and after that what else there is to say of it."""
        setting = SETTINGS[key]
        name, help_ = (QCoreApplication.translate("Settings", text) for text in (setting.title, setting.help))
        self.row_of(key).set_words(name, joined(help_, more))

    def refresh(self) -> None:
        """Ask the engine for its measurements, and show them."""
        if not self._session.models.call_engine(lambda engine: engine.learned(), self._take_learned):
            self._take_learned(())

    def _refresh_if_shown(self) -> None:
        if self.isVisible():
            self.refresh()

    def _take_learned(self, pairs: tuple[LearnedPair, ...]) -> None:
        self._learned = pairs
        self._show_learned()

    def _measure_again(self) -> None:
        """Make the engine forget its measurements of all pairs."""
        self._session.models.call_engine(lambda engine: engine.forget_learned(), lambda _: self.refresh())

    def _show_learned(self) -> None:
        """Show what was measured, and say below the switch of the same text what it costs with the loaded pair."""
        self.measure_again.setText(self.tr("Measure again"))
        self.measure_again.setVisible(bool(self._learned))
        help_ = ""
        if self._learned:
            help_ = joined(self._gain(), self.tr("Updated as you chat and used to choose the draft length."))
        elif self._learned is not None:
            help_ = self.tr("No measurements yet. Load models and chat.")
        self._measured.set_words(self.tr("Measured on this Mac"), help_)
        loaded = next((pair for pair in self._learned or () if pair.loaded), None)
        self._set_words("same_text", same_text_sentence(loaded))

    def _gain(self) -> str:
        """Say how fast the models in use are with drafts, as all places do; "" if that is not measured."""
        session = self._session
        pair = AnswerSource(*session.models.pair.names, session.settings.speculation.method).pair
        gain = as_fast(session.history.speedup_of(*pair))
        return self.tr("{models}: {gain}.").format(models=pair_name(*pair), gain=gain) if gain else ""

    def retranslate(self) -> None:
        super().retranslate()
        self._show_learned()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()


def build(parts: PageParts) -> SpeculationPage:
    """Return the page Speculation."""
    return SpeculationPage(parts.library.settings, parts.session)
