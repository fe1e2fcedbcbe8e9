"""An answer that is being written: the engine's stream on one side, the disk on the other. No Qt in here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.events import Finished

if TYPE_CHECKING:
    from concurrent.futures import Future

    from app.conversations.answer_writer import AnswerWriter
    from app.session.chats import Chat, Turn
    from engine.events import Event
    from engine.requests import SamplingSettings, SpeculationSettings


class StreamingAnswer:
    """One request of one turn. `writer` is there once the turn is on disk, `stream` once the engine has it."""

    def __init__(self, chat: Chat, turn: Turn, speculation: SpeculationSettings, sampling: SamplingSettings) -> None:
        self.chat, self.turn = chat, turn
        self.speculation, self.sampling = speculation, sampling
        self.writer: AnswerWriter | None = None
        self.stream: Any = None
        self.cancelled = False
        self.told = False
        self._written = len(turn.answer.before)
        self._reason = ""

    def cancel(self) -> None:
        self.cancelled = True
        if self.stream is not None:
            self.stream.cancel()

    def receive(self, events: list[Event]) -> None:
        """Show the events in the answer, and pass on to the disk what they added to it."""
        answer = self.turn.answer
        first, round_before = len(answer.tokens), len(answer.rounds)
        answer.apply(events)
        assert self.writer is not None
        if len(answer.tokens) > first or len(answer.text) > self._written:
            self.writer.append(answer.text[self._written :], answer.tokens[first:], answer.rounds[round_before:])
            self._written = len(answer.text)
        if isinstance(events[-1], Finished):
            self._reason = events[-1].reason

    def write_end(self) -> Future[None]:
        """The answer has ended: write the rest of it with its figures, or with the error."""
        assert self.writer is not None
        answer = self.turn.answer
        if answer.error is not None:
            return self.writer.fail(answer.error.code, answer.error.arguments, answer.stats)
        return self.writer.finish(self._reason, answer.stats)
