"""Says that the main model cannot see the pictures of the next question, and which models can."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from app.chat.attachment_row import AttachmentRow
from app.conversations.records import pictures_in
from app.library.library import Library
from app.session.session import Session
from app.widgets.banner import Banner
from app.wording.pictures import no_vision_sentence

_ABOUT = "vision"
# How many models the sentence names.
_MOST_NAMED = 3


class VisionHint(QObject):
    """Shows the sentence with the action that chooses a model, for as long as it is true."""

    def __init__(
        self, session: Session, library: Library, files: AttachmentRow, banner: Banner, choose: QAction, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._library, self._files = session, library, files
        self._banner, self._choose = banner, choose
        self._name = ""
        for changed in (files.changed, session.models.changed):
            changed.connect(self._check)

    def _check(self) -> None:
        pair = self._session.models.pair
        name = pair.names[0] if pair.main and not pair.sees and pictures_in(self._files.attachments) else ""
        if name == self._name:
            return
        self._name = name
        self._banner.dismiss(_ABOUT)
        if name:
            self._banner.show_message(lambda: self._sentence(name), self._choose, about=_ABOUT)

    def _sentence(self, name: str) -> str:
        # Imported here because most questions have no picture.
        from app.library.model_choices import models_that_see

        seeing = models_that_see(self._library.inventory)[:_MOST_NAMED]
        return no_vision_sentence(name, [entry.name for entry in seeing])
