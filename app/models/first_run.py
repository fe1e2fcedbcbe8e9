"""The offer of a first pair that fits this Mac, in an empty chat until other models are installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.models.card import Card
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
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
    """Shows the offered pairs, or only the first once the user has turned the offer down; hidden without any.

    `starter_wanted` follows when the user turns it down. `changed` carries the text of a button that gets the first
    pair, "" while none is needed; such a button calls `take`.
    """

    starter_wanted = Signal()
    changed = Signal(str)
    more_wanted = Signal()

    def __init__(self, library: Library, models: ModelController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("offer")
        self._library, self._models = library, models
        self._title = label(self, "muted", wraps=True)
        self._column = vbox(spacing=8)
        self.starter_button = self.bound("Not now", styled(QPushButton(self), "link"))
        self._more = self.bound("Other models…", styled(QPushButton(self), "link"))
        footer = fill(hbox(), self.starter_button, 1, self._more)
        fill(vbox(self, margins=(16, 12, 16, 10), spacing=10), self._title, self._column, footer)
        self.rows: list[_OfferRow] = []
        self.starter_button.clicked.connect(self._decline)
        self._more.clicked.connect(self.more_wanted)
        library.models_changed.connect(self.refresh)
        library.downloads_changed.connect(self.refresh)
        self.restyle()
        self.hide()

    def refresh(self) -> None:
        """Show the offered pairs while the person uses no model but the Starter; hide otherwise."""
        offers = self._present_offers()
        self.changed.emit(self._words_of(offers[0]) if offers else "")
        if not offers:
            self.hide()
            return
        is_brief = self._library.settings.values.offer_seen
        words = self.tr("The Starter only knows Tandem. For everything else, download a model that fits into memory.")
        self._title.setText(joined(words, estimate_words()))
        self.starter_button.setVisible(not is_brief)
        if is_brief:
            # Turned down once, it takes little room.
            offers = offers[:1]
        if [row.entry.id for row in self.rows] != [entry.id for entry in offers]:
            self._rebuild(offers)
        by_id = {status.repository: status for status in self._library.downloads}
        for row, entry in zip(self.rows, offers, strict=True):
            row.show_entry(entry, by_id.get(entry.id))
        self.show()

    def _present_offers(self) -> tuple[Entry, ...]:
        """Return what to offer now: nothing if the person has chosen or installed another model."""
        inventory = self._library.inventory
        if inventory is None or not self._is_needed:
            return ()
        offered = {entry.id for entry in inventory.offers} | {entry.draft for entry in inventory.offers}
        installed = (entry for entry in inventory.installed if not entry.is_starter and entry.complete)
        return inventory.offers if all(entry.id in offered for entry in installed) else ()

    @property
    def may_come(self) -> bool:
        """Whether the offer is shown, or may be once the library has been read."""
        return (self._library.inventory is None and self._is_needed) or not self.isHidden()

    @property
    def _is_needed(self) -> bool:
        """Whether the user uses no other model than the starter."""
        is_chosen = self._library.settings.values.main_model not in ("", str(starter_pair()[0]))
        return self._models.uses_starter and not is_chosen

    def take(self) -> None:
        """Get the first offered pair, or show all models if it is not offered any more."""
        if self.rows:
            self._act(self.rows[0].entry)
        else:
            self.more_wanted.emit()

    def _words_of(self, entry: Entry) -> str:
        if entry.installed:
            return self.tr("Chat with {name}").format(name=entry.name)
        return self.tr("Download {name} ({size})").format(name=entry.name, size=size_words(entry.get_bytes))

    def _rebuild(self, offers: tuple[Entry, ...]) -> None:
        for row in self.rows:
            # Until the event loop deletes it, it would take room.
            row.hide()
            row.deleteLater()
        self.rows = [_OfferRow(entry, self) for entry in offers]
        for row in self.rows:
            self._column.addWidget(row)
            row.wanted.connect(self._act)

    def _act(self, entry: Entry) -> None:
        if entry.installed:
            self._decline()
            self._models.use(entry)
        else:
            self._models.get(entry)

    def _decline(self) -> None:
        self._library.settings.change(offer_seen=True)
        self.refresh()
        self.starter_wanted.emit()

    def retranslate(self) -> None:
        self.refresh()


class _OfferRow(Card):
    wanted = Signal(object)

    def __init__(self, entry: Entry, parent: QWidget) -> None:
        super().__init__(parent, framed=False)
        self.entry = entry
        self.button = self.add_button("button", lambda: self.wanted.emit(self.entry))

    def show_entry(self, entry: Entry, status: DownloadStatus | None) -> None:
        self.entry = entry
        self.name.setText(entry_name(entry))
        under_way = status if status is not None and (status.runs or status.state == "paused") else None
        self.facts.setText(facts_words(entry) if under_way is None else download_words(under_way))
        self.badge.show_word(PURPOSES[entry.purpose] if entry.purpose else "")
        self.size_shown.setText(size_words(entry.disk_bytes) if entry.disk_bytes else "")
        self.button.setText(button_words(entry, status))
        self.button.setEnabled(status is None or not status.runs)
        self.button.setAccessibleName(f"{self.button.text()}: {self.name.text()}")
