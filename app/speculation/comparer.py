"""Runs a comparison: asks the engine for the last question again, with guesses and then without."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.session.answer import Answer
from app.speculation.comparison import Comparison
from engine.errors import EngineError

if TYPE_CHECKING:
    from app.session.chats import Chat, Turn
    from app.session.session import Session
    from engine.events import Event


class Comparer(QObject):
    """Nothing of a comparison is stored. `changed` follows whenever it has grown or ended.

    A question that somebody asks meanwhile has precedence: it ends the comparison, whose speeds it would spoil.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._stream: Any = None
        self.comparison: Comparison | None = None
        session.answers.asked.connect(lambda _chat, _turn: self.cancel())
        session.chats.path_changed.connect(lambda _chat: self.cancel())

    @property
    def running(self) -> bool:
        return self.comparison is not None and self.comparison.running

    def start(self, chat: Chat, turn: Turn) -> None:
        """Compare on that turn's question, with the seed of its answer."""
        self.cancel()
        session = self._session
        chosen = session.settings.generation_of(chat)
        speculation = chosen.speculation
        if speculation.method == "off":
            speculation = replace(speculation, method="auto")
        sampling = replace(chosen.sampling, seed=turn.answer.stats.seed)
        try:
            request = session.answers.request(chat, turn, replace(chosen, sampling=sampling, speculation=speculation))
        except EngineError as error:
            session.models.failed.emit(error)
            return
        request = replace(request, conversation=None)
        if request.messages[-1]["role"] == "assistant":
            # A continued answer begins anew here.
            request = replace(request, messages=request.messages[:-1])
        self.comparison = Comparison(turn.question, request)
        self._ask()
        self.changed.emit()

    def cancel(self) -> None:
        """End it within one round; what there is of both answers stays."""
        if self.comparison is not None and self.comparison.running:
            self.comparison.cancel_requested = True
            self._stream.cancel()

    def _ask(self) -> None:
        comparison, reading = self.comparison, Answer()
        assert comparison is not None

        def receive(events: list[Event]) -> None:
            if comparison.receive(events, reading) and comparison is self.comparison and comparison.running:
                self._ask()
            self.changed.emit()

        self._stream = self._session.models.submit(comparison.next_request(), receive)
