"""The card that teaches the loaded draft model, which the draft picker opens."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.session.session import Session
from app.speculation.teaching_section import TeachingSection
from app.widgets.buttons import CloseButton
from app.widgets.layouts import fill, hbox
from app.widgets.overlay import Overlay

_CARD_WIDTH = 520


class TeachingCard(Overlay):
    """Shows the teaching of the loaded draft model; an answer, or closing the card, does not end it."""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window, _CARD_WIDTH)
        self._session = session

    def make(self) -> None:
        self.section = TeachingSection(self._session, self)
        self.column.setContentsMargins(20, 16, 20, 20)
        close = CloseButton(self, self.close_overlay)
        fill(self.column, fill(hbox(), 1, close), self.section)

    def fill(self) -> None:
        self.section.show_state()
