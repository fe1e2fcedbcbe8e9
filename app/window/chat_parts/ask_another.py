"""Has questions that are beyond the Starter answered by another model: the loaded one, or the best there is to get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.wording.hub import size_words
from app.wording.sources import recorded_name

if TYPE_CHECKING:
    from app.library.entries import Entry
    from app.library.library import Library
    from app.models.model_controller import ModelController
    from app.session.chats import Turn
    from app.session.session import Session


class AskAnother(QObject):
    """Asks a question again, with a model that is not the Starter.

    `changed` carries the text of the button that does so, "" where there is no such model. `more_wanted` follows a
    press for which there is none any more. A question waits until its model is downloaded and loaded, as long as
    nothing else is asked in its chat.
    """

    changed = Signal(str)
    more_wanted = Signal()

    def __init__(self, library: Library, session: Session, models: ModelController, parent: QObject) -> None:
        super().__init__(parent)
        self._library = library
        self._session = session
        self._models = models
        # The turn whose question waits, the newest turn then, and whether its model has been chosen.
        self._waiting: Turn | None = None
        self._newest: Turn | None = None
        self._is_chosen = False
        for happened in (library.models_changed, library.downloads_changed, library.settled, session.models.changed):
            # The pair is remembered, and complete pairs are announced, first.
            happened.connect(lambda *_: QTimer.singleShot(0, self, self.refresh))

    def refresh(self) -> None:
        """Follow which models there are; ask the question that waits for one."""
        self.changed.emit(self._words())
        if self._waiting is not None:
            self._go_on(self._waiting)

    def ask(self, turn: Turn) -> None:
        """Ask the question of `turn` again: now, or once the model for it is downloaded and loaded."""
        entry = self._entry()
        if entry is None and not self._is_loaded:
            self.more_wanted.emit()
            return
        self._waiting = turn
        self._newest = self._session.chat.turns[-1]
        self._is_chosen = False
        if entry is not None and not entry.installed:
            self._models.get(entry)
        self._go_on(turn)

    def _go_on(self, turn: Turn) -> None:
        session = self._session
        if session.models.pair.loading:
            return
        if self._newest not in session.chat.turns[-1:] or turn not in session.chat.turns:
            self._waiting = None
        elif self._is_loaded:
            if session.answers.ready:
                self._waiting = None
                session.answers.ask_again(turn)
        elif self._is_chosen:
            # It could not be loaded.
            self._waiting = None
        elif (entry := self._entry()) is not None and entry.installed and not self._models.awaits_draft_of(entry):
            self._is_chosen = True
            self._models.use(entry)

    @property
    def _is_loaded(self) -> bool:
        """Whether another model than the Starter is loaded."""
        models = self._session.models
        return models.pair.main is not None and not models.is_starter

    def _entry(self) -> Entry | None:
        """Return the model to load: an installed one, else the first of those that are offered for this computer."""
        inventory = self._library.inventory
        if inventory is None or self._is_loaded:
            return None
        installed = (entry for entry in self._models.not_in_use() if not entry.is_starter)
        return next(installed, None) or next(iter(inventory.offers), None)

    def _words(self) -> str:
        if self._is_loaded:
            return self.tr("Ask {name}").format(name=recorded_name(self._session.models.pair.names[0]))
        entry = self._entry()
        if entry is None:
            return ""
        if entry.installed:
            return self.tr("Ask {name}").format(name=entry.name)
        return self.tr("Ask {name} ({size} download)").format(name=entry.name, size=size_words(entry.get_bytes))
