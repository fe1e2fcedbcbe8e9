"""The line below each answer of the Starter: where the answer is from, and a button that leads on."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QCoreApplication, QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QWidget

from app.session.chats import Turn
from app.session.help_matching import Meant, meant_by
from app.session.tandem_help import HelpAnswer, help_answer
from app.system.background import BackgroundCache
from app.widgets.labels import label
from app.widgets.layouts import FlowLayout, fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware

translate = QCoreApplication.translate
# The most questions that are offered below an answer.
_OFFERED = 2
# How many questions are kept with what they mean.
_KEPT = 256


@cache
def _meanings() -> BackgroundCache[str, Meant]:
    """Return what questions mean, found off the Qt thread: the first one in a language may take a second."""
    return BackgroundCache("help", meant_by, _KEPT)


class StarterLine(ThemeAware, QWidget):
    """A sentence and a button beside it, or below it if the line is too narrow for both.

    Below an answer from the help, the sentence has the question that it answers, and `place_wanted` carries the fact
    whose place in the app is to be opened. Below others, `larger_wanted` says that a larger model is to be chosen.
    Another line has the questions that may have been meant instead: `question_wanted` carries the one to ask. With
    `read_only` there are no buttons.
    """

    larger_wanted = Signal()
    place_wanted = Signal(object)
    question_wanted = Signal(str)

    def __init__(self, parent: QWidget, *, read_only: bool) -> None:
        super().__init__(parent)
        self._read_only = read_only
        self._turn: Turn | None = None
        self._answer: HelpAnswer | None = None
        self._others: list[str] = []
        self._sentence = label(self, "muted")
        self._button = styled(QPushButton(self), "link-small")
        self._button.clicked.connect(self._lead_on)
        self._line = fill(hbox(spacing=6), self._sentence, self._button, 1)
        self._question_row = QWidget(self)
        self._question_row.hide()
        self._did_you_mean = label(self._question_row, "muted")
        self._question_buttons = [self._question_button(index) for index in range(_OFFERED)]
        flow = FlowLayout(self._question_row, spacing=6)
        for part in (self._did_you_mean, *self._question_buttons):
            flow.addWidget(part)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=2), self._line, self._question_row)
        _meanings().ready.connect(self._take_meaning)
        self.restyle()

    def show_turn(self, turn: Turn) -> None:
        """Show where the answer of a turn is from and, once that is known, which questions may have been meant."""
        self._turn = turn
        self._answer = help_answer(turn.answer.reply)
        is_known = not turn.attachments and _meanings().request(turn.question)
        self._others = self._other_questions(_meanings().known[turn.question]) if is_known else []
        self.retranslate()

    def _take_meaning(self) -> None:
        if self._turn is not None and self._turn.question in _meanings().known:
            self.show_turn(self._turn)

    def _other_questions(self, meant: Meant) -> list[str]:
        """Return the questions that are offered: those of facts that the answer is not about."""
        said = self._answer.fact if self._answer is not None else None
        others = [fact for fact in meant.facts if fact is not said]
        return [fact.questions[meant.language] for fact in others[:_OFFERED]]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_button()

    def minimumSizeHint(self) -> QSize:
        """Return no width: a line that asked for its own would widen the chat and never find that it does not fit."""
        return QSize(0, super().minimumSizeHint().height())

    def retranslate(self) -> None:
        sentence = translate("StarterLine", "A tiny model that came with Tandem.")
        lead = translate("StarterLine", "Choose a larger one.")
        if self._answer is not None:
            sentence = translate("StarterLine", "From Tandem's help: {question}").format(question=self._answer.question)
            lead = translate("StarterLine", "Take me there.")
        self._sentence.setText(sentence)
        self._button.setText(lead)
        # What the button says refers to the sentence.
        self._button.setAccessibleDescription(sentence)
        # No larger model knows more of Tandem than the help.
        leads_on = self._answer.fact.has_place if self._answer is not None else not self._others
        self._button.setHidden(self._read_only or not leads_on)
        self._did_you_mean.setText(translate("StarterLine", "Did you mean:"))
        # On the line of the buttons beside it.
        self._did_you_mean.setMinimumHeight(self._button.sizeHint().height())
        for index, button in enumerate(self._question_buttons):
            question = self._others[index] if index < len(self._others) else ""
            button.setText(question)
            button.setHidden(not question)
        self._question_row.setHidden(self._read_only or not self._others)
        self._place_button()

    def apply_text_size(self) -> None:
        self._place_button()

    def _question_button(self, index: int) -> QPushButton:
        button = styled(QPushButton(self._question_row), "link-small")
        button.clicked.connect(lambda: self.question_wanted.emit(self._others[index]))
        return button

    def _lead_on(self) -> None:
        if self._answer is None:
            self.larger_wanted.emit()
        else:
            self.place_wanted.emit(self._answer.fact)

    def _place_button(self) -> None:
        """Put the button beside the sentence if both fit, else below it."""
        needed = self._sentence.sizeHint().width() + self._line.spacing() + self._button.sizeHint().width()
        fits = needed <= self.width()
        self._line.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)
