"""The downloads of the Models page: cards with the state, a bar, and buttons to pause, resume and cancel."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.library.library import Library
from app.models.card import Card
from app.session.model_names import short_name
from app.widgets.badges import Bar
from app.widgets.layouts import fill, vbox
from app.widgets.style_class import styled
from app.wording.models import download_badge, download_words, entry_name, model_name
from engine.hub.download_state import DownloadStatus

# Failures that the user can resolve on the model's page.
_ASKS_FOR_CONSENT = ("gated", "forbidden")


class DownloadCard(Card):
    """The card of a download, with signals for what its buttons ask; `address` is the model's page."""

    pause_asked = Signal()
    resume_asked = Signal()
    cancel_asked = Signal()

    def __init__(self, repository: str, address: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.repository = repository
        self._address = address
        self._bar = Bar(self)
        self.words.insertWidget(2, self._bar)
        self._is_stopped = False
        self.main_button = self.add_button("button", self._pause_or_resume)
        self.add_page_button()
        self.cancel_button = self.add_button("quiet", self.cancel_asked.emit)

    def _pause_or_resume(self) -> None:
        if self._is_stopped:
            self.resume_asked.emit()
        else:
            self.pause_asked.emit()

    def show_status(self, status: DownloadStatus, name: str) -> None:
        self.name.setText(name)
        words = download_words(status)
        self.facts.setText(words)
        word, tone = download_badge(status)
        self.badge.show_word(word, tone)
        share = status.bytes_done / status.bytes_total if status.bytes_total else 0.0
        if status.waits_for_network:
            colour = "faint"
        elif tone == "neutral":
            colour = "draft"
        else:
            colour = tone
        self._bar.show_parts([(share, colour)], words)
        asks = status.state == "failed" and status.error is not None and status.error.reason in _ASKS_FOR_CONSENT
        self.offer_page(self._address if asks else "")
        self._is_stopped = status.stopped
        again = self.tr("I've been granted access") if asks else self.tr("Try again")
        self.main_button.setText({"paused": self.tr("Resume"), "failed": again}.get(status.state, self.tr("Pause")))
        self.main_button.setVisible(status.state != "ready")
        self.cancel_button.setText(self.tr("Clear") if status.state == "ready" else self.tr("Cancel"))
        for button in (self.main_button, self.cancel_button):
            button.setAccessibleName(f"{button.text()}: {name}")


class DownloadList(QWidget):
    """The library's downloads below a heading, hidden if there are none. `states_changed` follows changes of state."""

    states_changed = Signal()

    def __init__(self, library: Library, parent: QWidget) -> None:
        super().__init__(parent)
        self._library = library
        self._cards: dict[str, DownloadCard] = {}
        self._states: dict[str, str] = {}
        self.heading = styled(QLabel(self), "strong")
        self._column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=8), self.heading)
        self.hide()

    def refresh(self) -> None:
        """Show the present downloads."""
        library = self._library
        current = {status.repository: status for status in library.downloads}
        for repository in self._cards.keys() - current.keys():
            gone = self._cards.pop(repository)
            gone.hide()
            gone.deleteLater()
        for repository, status in current.items():
            if repository not in self._cards:
                card = self._cards[repository] = DownloadCard(repository, library.page_of(repository))
                card.pause_asked.connect(partial(library.pause, repository))
                card.resume_asked.connect(partial(library.resume, repository))
                card.cancel_asked.connect(partial(library.cancel, repository))
                self._column.addWidget(card)
            entry = library.inventory.entry(repository) if library.inventory else None
            name = entry_name(entry) if entry is not None else model_name(*short_name(repository))
            self._cards[repository].show_status(status, name)
        self.setVisible(bool(current))
        states = {repository: status.state for repository, status in current.items()}
        if states != self._states:
            self._states = states
            self.states_changed.emit()
