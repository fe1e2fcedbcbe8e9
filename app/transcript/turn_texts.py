"""The texts of a turn in its widgets, for the search, the selection and the loading of long answers."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from app.transcript.answer_body import AnswerBody
from app.transcript.call_card import CallCard, CallCards
from app.transcript.prose import Prose
from app.transcript.search_highlights import TextView, TurnText, view_of
from app.transcript.thinking_fold import ThinkingFold
from app.transcript.tool_step import ToolSteps


@dataclass(frozen=True, eq=False)
class TurnTexts:
    """The widgets of a turn that have texts. `question` is None if the turn asks nothing.

    Lists of them are in the order of the screen, from top to bottom.
    """

    question: TextView | None
    steps: ToolSteps
    thinking: ThinkingFold
    body: AnswerBody
    calls: CallCards

    @property
    def parts(self) -> list[TurnText]:
        """The text widgets and the runs of blocks, which need not have widgets yet. Hidden thoughts are left out."""
        question = [] if self.question is None else [self.question]
        thoughts = [] if self.thinking.isHidden() else self.thinking.body.text_runs
        results = [card.result for card in self.calls.cards]
        return [*question, *self.steps.text_parts, *thoughts, *self.body.text_runs, *results]

    @property
    def views(self) -> list[TextView]:
        """The text widgets of `parts`."""
        return [view for view in map(view_of, self.parts) if view is not None]

    @property
    def bodies(self) -> list[AnswerBody]:
        """The bodies of all thoughts and answers, shown or not."""
        return [*self.steps.bodies, self.thinking.body, self.body]

    def bodies_in(self, turn: QWidget) -> list[AnswerBody]:
        """Return the bodies that are shown in the turn's widget."""
        return [body for body in self.bodies if body.isVisibleTo(turn)]

    @property
    def folds(self) -> list[ThinkingFold]:
        """The folds of all thoughts."""
        return [*(step.thinking for step in self.steps.steps), self.thinking]

    @property
    def cards(self) -> list[CallCard]:
        """The cards of all calls."""
        return [*(card for step in self.steps.steps for card in step.calls.cards), *self.calls.cards]

    @property
    def selected(self) -> str:
        """The text that is selected, for an answer its Markdown; "" if none is."""
        for view in self.views:
            if view.textCursor().hasSelection():
                if isinstance(view, Prose):
                    return view.source_of_selection()
                return view.textCursor().selection().toPlainText()
        return ""
