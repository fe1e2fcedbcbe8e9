"""The thoughts of a reasoning model, folded behind a line that says how long they are."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QWidget

from app.session.answer import Answer
from app.transcript.answer_body import AnswerBody
from app.widgets.buttons import fold_head
from app.widgets.layouts import fill, vbox
from app.widgets.style_class import named
from app.widgets.theme_aware import ThemeAware
from app.wording.figures import number, seconds


class ThinkingFold(ThemeAware, QWidget):
    """The line and the thoughts, hidden if there are none. Thoughts are rendered only while they are unfolded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.thought = ""
        self._closed = False
        self._tokens: int | None = None
        self._seconds: float | None = None
        self.head = fold_head(self)
        self.bound("Show or hide what the model thought before it answered", self.head, QWidget.setToolTip)
        self._frame = named(QFrame(self), "thoughts")
        self.body = AnswerBody(self._frame)
        fill(vbox(self._frame, margins=(16, 4, 0, 4)), self.body)
        fill(vbox(self, margins=(0, 0, 0, 6), spacing=4), (self.head, 0, Qt.AlignmentFlag.AlignLeft), self._frame)
        self._frame.hide()
        self.head.toggled.connect(self._toggle)
        self.hide()
        self.restyle()

    def show_thoughts(self, answer: Answer) -> None:
        """Show an answer's thoughts so far."""
        parts = answer.parts
        self.setVisible(bool(parts.thought) or (parts.thought is not None and not parts.closed))
        if self.isHidden():
            return
        self.thought = parts.thought or ""
        self._closed = parts.closed or answer.ended
        self._tokens, self._seconds = answer.thinking_figures()
        self.retranslate()
        if self.head.isChecked():
            self.body.show_text(self.thought, self._closed)

    def unfold(self, unfolded: bool = True) -> None:
        self.head.setChecked(unfolded)

    def _toggle(self, unfolded: bool) -> None:
        if unfolded:
            self.body.show_text(self.thought, self._closed)
        self._frame.setVisible(unfolded)

    def retranslate(self) -> None:
        tokens = None if self._tokens is None else number(self._tokens, 0)
        self.head.setToolTip("")
        if not self._closed:
            text = self.tr("Thinking… {count} tokens").format(count=tokens or 0)
        elif tokens is not None and self._seconds is not None:
            text = self.tr("Thought for {time}").format(time=seconds(self._seconds))
            self.head.setToolTip(self.tr("Thought for {count} tokens").format(count=tokens))
        elif tokens is not None:
            text = self.tr("Thought for {count} tokens").format(count=tokens)
        else:
            text = self.tr("Reasoning")
        self.head.setText(text)
