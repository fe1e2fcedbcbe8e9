"""The questions at the end of a chat that wait until they can be answered."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from app.conversations.pictures import PictureSource
from app.session.chats import Turn
from app.transcript.question_bubble import QuestionBubble
from app.widgets.icons import icon
from app.widgets.labels import label, set_name
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware


class WaitingColumn(QWidget):
    """The questions that wait, the next one first. `taken_back` carries one that the person does not want to ask."""

    taken_back = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bubbles: dict[Turn, WaitingBubble] = {}
        self._column = vbox(self, margins=(0, 0, 0, 0), spacing=12)
        self.hide()

    def show_questions(self, questions: Sequence[Turn], pictures: PictureSource, *, follow: bool) -> None:
        """Show these questions. If the first one does `follow` an answer that is being written, it waits for that.

        `pictures` are the pictures of the store that has the questions.
        """
        for question in self._bubbles.keys() - set(questions):
            bubble = self._bubbles.pop(question)
            self._column.removeWidget(bubble)
            bubble.hide()
            bubble.deleteLater()
        for question in questions:
            if question not in self._bubbles:
                bubble = self._bubbles[question] = WaitingBubble(question, pictures, self)
                bubble.taken_back.connect(self.taken_back)
                fill(self._column, bubble)
                bubble.show()
        for index, question in enumerate(questions):
            self._bubbles[question].show_reason(of_answer=follow or index > 0)
        self.setVisible(bool(questions))


class WaitingBubble(ThemeAware, QWidget):
    """A question in its bubble, with what it waits for and a button that takes it back below."""

    taken_back = Signal(object)

    def __init__(self, question: Turn, pictures: PictureSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._of_answer = False
        bubble = QuestionBubble(question, self, pictures)
        self._reason = label(self, "muted")
        self._back = self.bound("Put it back into the message box", styled(QToolButton(self), "small"), set_name)
        self._back.clicked.connect(lambda: self.taken_back.emit(question))
        column = vbox(self, margins=(0, 0, 0, 0), spacing=2)
        fill(column, fill(hbox(spacing=8), 1, (bubble, 5)), fill(hbox(spacing=2), 1, self._reason, self._back))
        self.restyle()

    def show_reason(self, *, of_answer: bool) -> None:
        """Say whether it waits for an answer before it, or for a model."""
        self._of_answer = of_answer
        self.retranslate()

    def retranslate(self) -> None:
        of_answer = QCoreApplication.translate("WaitingBubble", "Waiting for the answer")
        of_model = QCoreApplication.translate("WaitingBubble", "Waiting for the model")
        self._reason.setText(of_answer if self._of_answer else of_model)

    def apply_theme(self) -> None:
        self._back.setIcon(icon("close", "muted"))
