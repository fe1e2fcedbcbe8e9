"""The choice of where drafts are prepared ahead, below the drafts in their picker."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QLabel, QWidget

from app.session.model_service import ModelService
from app.settings.declarations import SETTINGS
from app.settings.draft_places import draft_places
from app.settings.store import SettingsStore
from app.widgets.controls import Chooser
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.theme_aware import ThemeAware
from app.wording.ahead import WHY_NOT, place_words

_SETTING = SETTINGS["draft_ahead"]


def show_places(chooser: Chooser, settings: SettingsStore) -> None:
    """Show where a draft model may draft ahead, other computers among them, and the choice."""
    places = draft_places(settings.values)
    chooser.blockSignals(True)
    chooser.set_values(places)
    chooser.set_texts(map(place_words, places))
    chooser.set_value(settings.values.draft_ahead)
    chooser.blockSignals(False)


class DraftAheadRow(ThemeAware, QWidget):
    """The setting's name, help and choice. With a head the choice is disabled, and the help says why."""

    def __init__(self, settings: SettingsStore, models: ModelService, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self._models = models
        self.name = QLabel(self)
        self.help = label(self, "muted", wraps=True)
        self.chooser = Chooser(self, chosen=self._choose)
        self.name.setBuddy(self.chooser)
        column = vbox(self, margins=(16, 4, 16, 4), spacing=4)
        fill(column, fill(hbox(spacing=16), (self.name, 1), self.chooser), self.help)
        settings.subscribe(self._show)
        models.changed.connect(self._show)
        self.restyle()

    def _choose(self, place: str) -> None:
        """Keep the choice of a place."""
        self._settings.change(draft_ahead=place)

    def _show(self) -> None:
        """Show the choice, and the help or why there is no choice with a head."""
        draft = self._models.pair.draft
        is_head = draft is not None and draft.kind == "head"
        show_places(self.chooser, self._settings)
        self.chooser.setEnabled(not is_head)
        words = QCoreApplication.translate("Settings", _SETTING.help)
        self.help.setText(WHY_NOT["head"] if is_head else words)
        self.chooser.setToolTip(self.help.text())

    def fold(self, *, is_folded: bool) -> None:
        """Show the help only in the choice's tool tip if `is_folded`, else below the choice, too."""
        self.help.setVisible(not is_folded)

    def retranslate(self) -> None:
        translate = QCoreApplication.translate
        self.name.setText(translate("Settings", _SETTING.title))
        self._show()
