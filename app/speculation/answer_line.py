"""What drafts gained in an answer, in a line with the legend of the tints, where there is no live panel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.session.answer import Answer
from app.session.chats import Chat
from app.transcript.tints.token_legend import TokenLegend
from app.widgets.labels import WrappedLabel, show_words
from app.widgets.layouts import fill, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.widgets.throttle import Throttle
from app.wording.speculation import headline

# The interval at which the line follows an answer that streams.
_FOLLOWS_MS = 250


class AnswerLine(ThemeAware, QWidget):
    """Shows the newest answer of a chat: from the first figures on if drafts write enough of it, else at its end.

    `fits` is emitted when it needs another height. It takes no room while there is nothing to say.
    """

    fits = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._answer: Answer | None = None
        self.line = styled(WrappedLabel(self), "muted")
        self.legend = TokenLegend(parent=self)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), self.line, self.legend)
        self._throttle = Throttle(_FOLLOWS_MS, self.retranslate, self)
        self.restyle()

    def show_newest(self, chat: Chat) -> None:
        """Show the newest answer of a chat as it is now."""
        self._answer = chat.turns[-1].answer if chat.turns else None
        self.retranslate()

    def follow(self, chat: Chat) -> None:
        """Show what has come to the newest answer of a chat, soon if more is to come."""
        self._answer = chat.turns[-1].answer if chat.turns else None
        if self._answer is None or self._answer.ended:
            self.retranslate()
        else:
            self._throttle.request()

    def retranslate(self) -> None:
        height = self._height()
        self._show_answer()
        self.setVisible(bool(self.line.text()))
        if self._height() != height:
            self.fits.emit()

    def _show_answer(self) -> None:
        answer = self._answer
        if answer is None or answer.error is not None or not (answer.ended or answer.has_story):
            show_words(self.line, "")
            self.legend.hide()
            return
        show_words(self.line, headline(answer))
        self.legend.show_answer(answer)
        self.legend.setVisible(answer.has_story and bool(answer.rounds))

    def _height(self) -> int:
        return self.sizeHint().height() if self.isVisible() else 0
