"""A turn as plain text, for one whose view raised."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QWidget

from app.session.chats import Turn
from app.transcript.auto_height_browser import PlainTextBrowser
from app.transcript.question_bubble import shown_question
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import named


class PlainTurn(QWidget):
    """The question and the answers as they are written, up to the length of a question that is shown."""

    def __init__(self, turn: Turn, parent: QWidget) -> None:
        super().__init__(parent)
        self._turn = turn
        bubble = named(QFrame(self), "question")
        self._question = PlainTextBrowser(bubble)
        self._answer = PlainTextBrowser(self)
        fill(vbox(bubble, margins=(14, 10, 14, 10)), self._question)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=14), fill(hbox(spacing=8), 1, (bubble, 5)), self._answer)
        bubble.setVisible(turn.asks)
        for text in (self._question, self._answer):
            # The turn's own menu is shown instead.
            text.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            text.viewport().setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.refresh()

    def refresh(self) -> None:
        """Show an answer that has grown."""
        self._question.show_text(shown_question(self._turn.question))
        written = (answer.text for answer in self._turn.answers)
        self._answer.show_text(shown_question("\n\n".join(text for text in written if text)))
