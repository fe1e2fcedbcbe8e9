"""The answers of a turn that called tools, above the answer from their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QWidget

from app.conversations.pictures import PictureSource
from app.session.answer import Answer
from app.session.chats import AnswerStep
from app.transcript.answer_body import AnswerBody
from app.transcript.call_card import CallCards
from app.transcript.search_highlights import TurnText
from app.transcript.thinking_fold import ThinkingFold
from app.widgets.layouts import fill, vbox


class ToolStep(QWidget):
    """The thoughts, the text and the calls of one answer, which has ended."""

    def __init__(self, answer: Answer, pictures: Callable[[], PictureSource], parent: QWidget) -> None:
        super().__init__(parent)
        self.thinking = ThinkingFold(self)
        self.body = AnswerBody(self)
        self.calls = CallCards(pictures, self)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=6), self.thinking, self.body, self.calls)
        self.thinking.show_thoughts(answer)
        self.body.show_text(answer.reply, True)
        self.body.setVisible(bool(answer.reply.strip()))
        self.calls.show_calls(answer.calls)


class ToolSteps(QWidget):
    """The steps, top to bottom, hidden if there are none.

    `watch` is called with each new body; `pictures` returns the pictures of the store, for those in results.
    """

    def __init__(
        self, watch: Callable[[AnswerBody], None], pictures: Callable[[], PictureSource], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._watch = watch
        self._pictures = pictures
        self.steps: list[ToolStep] = []
        self._column = vbox(self, margins=(0, 0, 0, 0), spacing=8)
        self.hide()

    def show_steps(self, steps: Sequence[AnswerStep]) -> None:
        """Show the answers; there are only ever more of them."""
        for step in steps[len(self.steps) :]:
            shown = ToolStep(step.answer, self._pictures, self)
            self._watch(shown.body)
            self._watch(shown.thinking.body)
            self._column.addWidget(shown)
            shown.show()
            self.steps.append(shown)
        self.setVisible(bool(self.steps))

    @property
    def bodies(self) -> list[AnswerBody]:
        """The bodies of thoughts and texts, top to bottom."""
        return [body for step in self.steps for body in (step.thinking.body, step.body)]

    @property
    def text_parts(self) -> list[TurnText]:
        """The text widgets and the runs of blocks, top to bottom. Hidden thoughts are left out."""
        parts: list[TurnText] = []
        for step in self.steps:
            thoughts = [] if step.thinking.isHidden() else step.thinking.body.text_runs
            parts += [*thoughts, *step.body.text_runs, *(card.result for card in step.calls.cards)]
        return parts
