"""Which answer the live panel is about: the newest of the chat, until the user turns to another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from app.chat.transcript import Transcript
    from app.session.chats import Chat, Turn
    from app.session.session import Session
    from app.speculation.panel import SpeculationPanel
    from app.window.action_groups import Choices


class PanelController(QObject):
    """Ties the panel to one turn, and its strip of rounds to that turn's text, in both directions."""

    def __init__(
        self, session: Session, transcript: Transcript, panel: SpeculationPanel, choices: Choices, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._transcript, self._panel, self._choices = session, transcript, panel, choices
        self.turn: Turn | None = None
        transcript.turned_to.connect(self._turn_to)
        transcript.rounds_selected.connect(self._mark_rounds)
        panel.strip.chosen.connect(self._show_round)
        panel.record_wanted.connect(self._read)

    def newest(self) -> None:
        """Show the newest answer of the chat on screen, or none where there is none."""
        turns = self._session.chat.turns
        self._show(turns[-1] if turns else None)

    def arrived(self, chat: Chat, turn: Turn) -> None:
        """An answer has grown or ended, or what was kept of it has been read."""
        if chat is self._session.chat and turn is self.turn:
            self._panel.follow()

    def _turn_to(self, turn: Turn) -> None:
        if turn is not self.turn and turn.answer.text:
            self._show(turn)

    def _show(self, turn: Turn | None) -> None:
        self.turn = turn
        turns = self._session.chat.turns
        place = turns.index(turn) + 1 if turn is not None else 0
        self._panel.show_answer(turn.answer if turn is not None else None, place, len(turns))

    def _read(self) -> None:
        if self.turn is not None:
            self._session.want_tokens(self._session.chat, self.turn)

    def _show_round(self, number: int) -> None:
        """Rounds are found among the tokens, so the answers are shown as those."""
        if self.turn is not None:
            self._choices.show_as_tokens(True)
            self._transcript.show_round(self.turn, number)

    def _mark_rounds(self, turn: Turn, rounds: frozenset[int]) -> None:
        if rounds:
            self._turn_to(turn)
        if turn is self.turn:
            self._panel.strip.mark(rounds)
