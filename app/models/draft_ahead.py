"""The choice of where drafts are prepared ahead, below the drafts in their picker, for a draft model that can be."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLabel, QWidget

from app.session.model_service import ModelService, Pair
from app.settings.declarations import SETTINGS
from app.settings.draft_places import draft_places
from app.settings.store import SettingsStore
from app.widgets.controls import Chooser
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.theme_aware import ThemeAware
from app.wording.ahead import place_words, why_not_with

_SETTING = SETTINGS["draft_ahead"]


def show_places(chooser: Chooser, settings: SettingsStore, pair: Pair) -> str:
    """Show where a draft model may draft ahead, other computers among them, and the choice.

    Without a draft model that could, the choice is disabled unless something was chosen before, which can be turned
    off. Returns why, "" if there is one.
    """
    places = draft_places(settings.values)
    reason = why_not_with(pair)
    chooser.blockSignals(True)
    chooser.set_values(places)
    chooser.set_texts(map(place_words, places))
    chooser.set_value(settings.values.draft_ahead)
    chooser.blockSignals(False)
    chooser.setEnabled(not reason or settings.values.draft_ahead != "off")
    return reason


class DraftAheadRow(ThemeAware, QWidget):
    """The setting's name, choice, and help or why there is no choice; hidden where nothing can be chosen."""

    def __init__(self, settings: SettingsStore, models: ModelService, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._models = models
        self.name = QLabel(self)
        self.help = label(self, "muted", wraps=True)
        self.chooser = Chooser(self, chosen=self._choose)
        self.name.setBuddy(self.chooser)
        column = vbox(self, margins=(0, 4, 0, 4), spacing=4)
        fill(column, fill(hbox(spacing=16), (self.name, 1), self.chooser), self.help)
        settings.subscribe(self._show)
        models.changed.connect(self._show)
        self.restyle()

    def _choose(self, place: str) -> None:
        """Keep the choice of a place."""
        self._settings.change(draft_ahead=place)

    def _show(self) -> None:
        """Show the choice, and the help or why there is no choice."""
        reason = show_places(self.chooser, self._settings, self._models.pair)
        self.setVisible(self.chooser.isEnabled())
        self.help.setText(reason or QCoreApplication.translate("Settings", _SETTING.help))
        self.chooser.setToolTip(self.help.text())

    def fold(self, *, is_folded: bool) -> None:
        """Show the help only in the choice's tool tip if `is_folded`, else below the choice, too."""
        self.help.setVisible(not is_folded)

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        self.name.setText(translate("Settings", _SETTING.title))
        self._show()
