"""The offer of a first pair that fits this Mac, in an empty chat until other models are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.models.card import Card
from app.widgets.labels import label, tip
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording.hub import size_words
from app.wording.models import (
    PURPOSES,
    button_words,
    download_words,
    entry_name,
    estimate_words,
    facts_words,
)
from engine import starter_pair

if TYPE_CHECKING:
    from app.library.entries import Entry
    from app.library.library import Library
    from app.models.model_controller import ModelController
    from engine.hub.download_state import DownloadStatus


class FirstRunOffer(ThemeAware, QFrame):
    """Shows the first of the offered pairs; hidden if no pair is offered.

    Until the person has answered the offer, it also has a sentence about the Starter and the button "Not now".
    `starter_wanted` is emitted when the person declines the offer, or accepts a pair that is installed.
    """

    starter_wanted = Signal()
    more_wanted = Signal()

    def __init__(self, library: Library, models: ModelController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self._library = library
        self._models = models
        # The pair that is offered now, if any.
        self._entry: Entry | None = None
        self._title = label(self, "muted", wraps=True)
        self.row = _OfferRow(self)
        self.row.wanted.connect(self.take)
        self.starter_button = self.bound("Not now", styled(QPushButton(self), "link"))
        self._more = self.bound("Other models…", styled(QPushButton(self), "link"))
        footer = fill(hbox(), self.starter_button, 1, self._more)
        fill(vbox(self, margins=(16, 12, 16, 10), spacing=10), self._title, self.row, footer)
        self.starter_button.clicked.connect(self._close_offer)
        self._more.clicked.connect(self.more_wanted)
        library.models_changed.connect(self.refresh)
        library.downloads_changed.connect(self.refresh)
        self.restyle()
        self.hide()

    def refresh(self) -> None:
        """Show the offer while the person uses no model but the Starter; hide otherwise."""
        self._entry = self._present_offer()
        if self._entry is None:
            self.hide()
            return
        is_new = not self._library.settings.values.offer_seen
        self._title.setText(self.tr("The Starter only knows Tandem."))
        for view in (self._title, self.starter_button):
            view.setVisible(is_new)
        by_id = {status.repository: status for status in self._library.downloads}
        self.row.show_entry(self._entry, by_id.get(self._entry.id))
        self.show()

    def _present_offer(self) -> Entry | None:
        """Return the pair to offer now; None if no pair fits, or the person has chosen or installed another model.

        The page of models has the other pairs that fit.
        """
        inventory = self._library.inventory
        if inventory is None or not self._is_needed:
            return None
        offered = {entry.id for entry in inventory.offers} | {entry.draft for entry in inventory.offers}
        installed = (entry for entry in inventory.installed if not entry.is_starter and entry.complete)
        is_unused = all(entry.id in offered for entry in installed)
        return inventory.offers[0] if inventory.offers and is_unused else None

    @property
    def may_come(self) -> bool:
        """Whether the offer is shown, or may be once the library has been read."""
        return (self._library.inventory is None and self._is_needed) or not self.isHidden()

    @property
    def _is_needed(self) -> bool:
        """Whether the person uses no model but the Starter."""
        is_chosen = self._library.settings.values.main_model not in ("", str(starter_pair()[0]))
        return self._models.uses_starter and not is_chosen

    def take(self) -> None:
        """Download the offered pair, or use it if it is installed. Show all models if no pair is offered any more."""
        if self._entry is None:
            self.more_wanted.emit()
        elif self._entry.installed:
            entry = self._entry
            self._close_offer()
            self._models.use(entry)
        else:
            self._models.get(self._entry)

    def _close_offer(self) -> None:
        """Keep that the person has answered the offer, by declining or accepting it."""
        self._library.settings.change(offer_seen=True)
        self.refresh()
        self.starter_wanted.emit()

    def retranslate(self) -> None:
        self.refresh()


class _OfferRow(Card):
    wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, framed=False)
        self.button = self.add_button("button", self.wanted.emit)

    def show_entry(self, entry: Entry, status: DownloadStatus | None) -> None:
        self.name.setText(entry_name(entry))
        under_way = status if status is not None and (status.runs or status.state == "paused") else None
        # The speed-up is an estimate. No measurement on this Mac has confirmed it yet.
        self.name.setToolTip(tip(f"{facts_words(entry)}\n{estimate_words()}"))
        self.facts.setText("" if under_way is None else download_words(under_way))
        self.facts.setVisible(under_way is not None)
        self.badge.show_word(PURPOSES[entry.purpose] if entry.purpose else "")
        self.size_shown.setText(size_words(entry.disk_bytes) if entry.disk_bytes else "")
        self.button.setText(button_words(entry, status))
        self.button.setEnabled(status is None or not status.runs)
        self.button.setAccessibleName(f"{self.button.text()}: {self.name.text()}")
