"""The tokens of one turn's answer in its texts: their tints, the rounds of a selection, and the rounds that are lit."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect
from PySide6.QtWidgets import QWidget

from app.session.answer import State
from app.session.chats import Turn
from app.transcript.answer_body import AnswerBody
from app.transcript.thinking_fold import ThinkingFold
from app.transcript.tints.tint_fade import TintFade
from app.transcript.tints.tints import AnswerTints, lit_rect, selected_rounds
from app.transcript.turn_owner import TurnOwner

# Ends of lines in selected text, and what they are in Markdown.
_LINE_ENDS = str.maketrans({"\u2029": "\n\n", "\u2028": "\n"})


class TurnTokens(QObject):
    """Tints the thoughts and the text of an answer by its tokens.

    Their places in the text are found only if tints are shown, or by `find_places` for the pointer and for selections.
    """

    def __init__(
        self, turn: Turn, transcript: TurnOwner, thinking: ThinkingFold, body: AnswerBody, view: QWidget
    ) -> None:
        """`view` is the turn's widget, which contains `thinking` and `body`."""
        super().__init__(view)
        self._turn = turn
        self._transcript = transcript
        self._thinking = thinking
        self._body = body
        self._view = view
        self._has_requested = False
        self._had_tokens = bool(turn.answer.tokens)
        self.tints = AnswerTints()
        self._fade = TintFade(self.tints, view)
        self._fade.changed.connect(self._repaint)

    def refresh(self) -> None:
        """Tint the tokens so far if the answer streams or the transcript tints all; else let the tints fade."""
        streams = self._turn.answer.state is State.WRITING
        as_tokens = self._transcript.as_tokens
        self._fade.follow(streams=streams, stay=as_tokens)
        if self.tints.underlined != as_tokens:
            self.tints.underlined = as_tokens
            self._repaint()
        if streams or self.tints.is_shown or self.tints.tokens:
            self._place()

    def find_places(self) -> None:
        """Find where the tokens stand in the text, also if no tints are shown."""
        self.refresh()
        self._place()

    def _place(self) -> None:
        answer = self._turn.answer
        if not answer.tokens:
            return
        if self.tints.take(answer.tokens, answer.rounds):
            self._body.tint(None)
            self._thinking.body.tint(None)
        parts = answer.parts
        # The template may have written the beginning.
        opening = max(0, len(answer.text) - len(self.tints.text))
        begin = parts.begin if parts.begin is not None else parts.end
        self._body.tint(self.tints, max(0, begin - opening))
        self._thinking.body.tint(self.tints)

    def request_stored(self) -> None:
        """Have the tokens of an ended answer loaded, once, if its tints or its thoughts are shown."""
        answer = self._turn.answer
        needs_tokens = self._transcript.as_tokens or not self._thinking.isHidden()
        if needs_tokens and answer.ended and answer.text and not answer.tokens and not self._has_requested:
            self._has_requested = True
            self._transcript.tokens_wanted.emit(self._turn)

    def resolve_selection(self) -> None:
        """Have a selection reported again once the tokens are known: its rounds were not known before."""
        if self._turn.answer.tokens and not self._had_tokens:
            self._had_tokens = True
            self._body.emit_selection()

    def rounds_of(self, passage: str) -> frozenset[int]:
        """Return the rounds that wrote the selected passage.

        Without tokens, the rounds are those of the passage's only place in the text; none if it stands there twice.
        """
        self.find_places()
        if not passage or not self.tints.tokens:
            return self._turn.answer.rounds_of(passage.translate(_LINE_ENDS))
        return frozenset(number for view in self._body.text_views for number in selected_rounds(view))

    def light_rounds(self, rounds: frozenset[int]) -> None:
        """Tint the tokens of these rounds only; of none, show the tints that the answer has without that."""
        if rounds != self.tints.lit:
            self.tints.lit = rounds
            self.refresh()
            self._repaint()

    def point_to_round(self, number: int | None) -> None:
        """Mark the tokens of the round that is pointed to, beside the tints that the answer has; of None, mark none."""
        if number != self.tints.pointed:
            self.tints.pointed = number
            self.refresh()
            self._repaint()

    def rect_of_lit(self) -> QRect | None:
        """Return where the rounds that are lit begin in the turn's widget; None if they are not on the screen."""
        for body in self._shown_bodies():
            for view in body.text_views:
                if (place := lit_rect(view)) is not None:
                    return QRect(view.mapTo(self._view, place.topLeft()), place.size())
        return None

    def _repaint(self) -> None:
        for body in self._shown_bodies():
            body.repaint_tints()

    def _shown_bodies(self) -> list[AnswerBody]:
        return [body for body in (self._thinking.body, self._body) if body.isVisibleTo(self._view)]
