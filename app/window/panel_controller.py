"""Decides which answer the live panel shows: the newest of the chat, until the user selects another."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from app.session.answer import Answer
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.speculation.panel import SpeculationPanel
from app.transcript.transcript import Transcript
from app.wording.api import call_line
from app.wording.sources import names_without_drafter
from app.wording.speculation import idle_sentence
from engine.methods import uses_drafter


class PanelController(QObject):
    """Connects the panel to one turn, and its strip of rounds to the text of the turn, in both directions."""

    def __init__(self, session: Session, transcript: Transcript, panel: SpeculationPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._transcript = transcript
        self._panel = panel
        self.turn: Turn | None = None
        self._answer: Answer | None = None
        # The rounds whose tokens stay lit while no column is under the mouse.
        self._chosen: frozenset[int] = frozenset()
        transcript.turned_to.connect(self._select)
        transcript.rounds_selected.connect(self._mark_rounds)
        transcript.round_pointed.connect(self._point_to_round)
        panel.round_chosen.connect(self._show_round)
        panel.strip.hovered.connect(self._light_round)
        panel.details_wanted.connect(self._load_tokens)
        panel.details.fold.toggled.connect(self._read_costs)
        # The figures of an answer are in the panel or below the answer.
        panel.shown.connect(lambda shown: transcript.set_with_figures(not shown))
        for changed in (session.chats.opened, session.chats.path_changed, session.answers.asked):
            changed.connect(lambda chat, _turn=None: self.show_newest() if chat is session.chat else None)
        session.answers.arrived.connect(self.refresh)
        for changed in (session.models.changed, session.settings.speculation_changed):
            changed.connect(self.show_state)
        for shows_speedups in (panel.refresh, transcript.refresh_feet):
            session.history.measured_changed.connect(shows_speedups)
        session.api.changed.connect(self._show_requests)
        self.show_state()
        self.show_newest()

    def show_state(self) -> None:
        """Show what speculation does now, in the words of header and picker."""
        pair = self._session.models.pair
        method = self._session.settings.speculation.method
        # With a draft model, Compare shows what speculation would gain; the switch above turns it on.
        remedy = ""
        if method == "off":
            remedy = "compare" if pair.draft is not None else "choose-draft"
        looks_up = bool(names_without_drafter(method)) and not (pair.draft and uses_drafter(method))
        known = looks_up if pair.main is not None and not pair.loading else None
        self._panel.show_state(partial(idle_sentence, pair, method), remedy, known)

    def _show_requests(self) -> None:
        status = self._session.api.status
        self._panel.show_requests([call_line(call) for call in status.under_way] if status is not None else [])

    def show_newest(self) -> None:
        """Show the newest answer of the chat on screen, if there is one."""
        turns = self._session.chat.turns
        self._show(turns[-1] if turns else None)

    def refresh(self, chat: Chat, turn: Turn) -> None:
        """Update the panel if it shows this answer, which has grown or ended, or whose stored tokens have been read."""
        if chat is not self._session.chat or turn is not self.turn:
            return
        if turn.answer is self._answer:
            self._panel.follow()
        else:
            # The model answers from the results of its calls.
            self._show(turn)

    def _select(self, turn: Turn) -> None:
        if turn is not self.turn and turn.answer.text:
            self._show(turn)

    def _show(self, turn: Turn | None) -> None:
        self._chosen = frozenset()
        self._light_round(None)
        self.turn = turn
        self._answer = turn.answer if turn is not None else None
        turns = self._session.chat.turns
        number = turns.index(turn) + 1 if turn is not None else 0
        self._panel.show_answer(self._answer, number, len(turns))

    def _read_costs(self, unfolded: bool) -> None:
        if unfolded:
            self._session.models.call_engine(lambda engine: engine.learned(), self._panel.details.show_costs)

    def _load_tokens(self) -> None:
        if self.turn is not None:
            self._session.answers.load_tokens(self._session.chat, self.turn)

    def _show_round(self, number: int) -> None:
        """Light the tokens of a round and scroll to them. They stay lit until it is chosen again."""
        if self.turn is None:
            return
        chosen = frozenset((number,))
        self._chosen = chosen if chosen != self._chosen else frozenset()
        self._panel.strip.mark(self._chosen)
        if self._chosen:
            self._transcript.show_round(self.turn, number)
        else:
            self._light_round(None)

    def _light_round(self, number: int | None) -> None:
        """Light the tokens of the round whose column is under the mouse, else those that were chosen."""
        if self.turn is not None:
            self._transcript.light_rounds(self.turn, self._chosen if number is None else frozenset((number,)))

    def _point_to_round(self, turn: Turn, number: int | None) -> None:
        """Light the round whose token is under the pointer, in the strip and in the text."""
        if turn is self.turn:
            self._panel.strip.point(number)
            self._transcript.point_to_round(turn, number if self._panel.strip.isVisible() else None)

    def _mark_rounds(self, turn: Turn, rounds: frozenset[int]) -> None:
        if rounds:
            self._select(turn)
        if turn is self.turn:
            self._chosen = frozenset()
            self._light_round(None)
            self._panel.strip.mark(rounds)
