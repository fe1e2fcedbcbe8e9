"""The card of a download: its state in words and as a bar, and buttons to pause, resume and cancel it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.models.cards import Card
from app.widgets.badges import Bar
from app.wording.models import download_words, state_word

if TYPE_CHECKING:
    from engine.hub.download_state import DownloadStatus

# Failures that the user resolves on the model's page.
_ASKS_FOR_CONSENT = ("gated", "forbidden")


class DownloadCard(Card):
    """`command` carries "pause", "resume" or "cancel"; `address` is the model's page on the Hub."""

    command = Signal(str)

    def __init__(self, repository: str, address: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.repository, self._address = repository, address
        self._bar = Bar(self)
        self.words.insertWidget(2, self._bar)
        self.side.hide()
        self._next = "pause"
        self.main_button = self.add_button("button")
        self.add_page_button()
        self.cancel_button = self.add_button("quiet")
        self.main_button.clicked.connect(lambda: self.command.emit(self._next))
        self.cancel_button.clicked.connect(lambda: self.command.emit("cancel"))

    def show_status(self, status: DownloadStatus, name: str) -> None:
        self.name.setText(name)
        words = download_words(status)
        self.say(words)
        tones = {"ready": "draft", "failed": "problem", "paused": "lookup"}
        self.badge.show_word(state_word(status.state), tones.get(status.state, "neutral"))
        share = status.bytes_done / status.bytes_total if status.bytes_total else 0.0
        colour = {"paused": "lookup", "failed": "problem"}.get(status.state, "draft")
        self._bar.show_parts([(share, colour)], words)
        asks = status.state == "failed" and status.error is not None and status.error.reason in _ASKS_FOR_CONSENT
        self.offer_page(self._address if asks else "")
        self._next = {"paused": "resume", "failed": "resume"}.get(status.state, "pause")
        again = self.tr("I have access now") if asks else self.tr("Try again")
        self.main_button.setText({"paused": self.tr("Resume"), "failed": again}.get(status.state, self.tr("Pause")))
        self.main_button.setVisible(status.state != "ready")
        self.cancel_button.setText(self.tr("Clear") if status.state == "ready" else self.tr("Cancel"))
        for button in (self.main_button, self.cancel_button):
            button.setAccessibleName(f"{button.text()}: {name}")
