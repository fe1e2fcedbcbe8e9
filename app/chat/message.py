"""One turn of a chat as a widget: the question in its bubble, the answer in blocks, and the answer's foot."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app import wording
from app.chat.answer import State
from app.chat.blocks import Block, Code, Splitter
from app.chat.code_block import CodeBlock
from app.chat.prose import Prose
from app.chat.token_view import TokenView
from app.chat.wrapped_label import WrappedLabel
from app.speculation import figures

if TYPE_CHECKING:
    from app.chat.answer import Answer
    from app.conversations.chats import Turn

_View = TypeVar("_View", bound=QWidget)

# Finished paragraphs are gathered in one widget up to this many characters, so that a selection can span them.
RUN_LENGTH = 6000


class AnswerBody(QWidget):
    """The blocks of an answer. Finished blocks are never touched again; only the open tail is rendered anew."""

    link_chosen = Signal(str)
    passage_selected = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self._views: list[QWidget] = []
        self._clear()

    def _clear(self) -> None:
        for view in self._views:
            self._column.removeWidget(view)
            view.deleteLater()
        self._views = []
        self._splitter = Splitter()
        self._shown = ""
        self._placed = 0
        self._run: Prose | None = None
        self._tail: Prose | CodeBlock | None = None

    def show_text(self, text: str, ended: bool) -> None:
        """Show an answer's text so far; `ended` when no more will come."""
        if not text.startswith(self._shown):
            self._clear()
        self._splitter.feed(text[len(self._shown) :])
        self._shown = text
        if ended:
            self._splitter.finish()
        for block in self._splitter.frozen[self._placed :]:
            self._place(block)
        self._placed = len(self._splitter.frozen)
        self._show_tail(self._splitter.tail)

    def _place(self, block: Block) -> None:
        if isinstance(block, Code):
            view = self._tail if isinstance(self._tail, CodeBlock) else self._add(CodeBlock(self))
            view.show_code(block.text, block.language, block.closed)
            self._run, self._tail = None, None
            return
        if self._run is None or len(self._run.markdown) > RUN_LENGTH:
            self._run = self._tail if isinstance(self._tail, Prose) else self._new_prose()
            self._tail = None
            self._run.show_markdown(block.text)
        else:
            self._run.show_markdown(f"{self._run.markdown.rstrip()}\n\n{block.text}")

    def _show_tail(self, blocks: list[Block]) -> None:
        code = blocks[-1] if blocks and isinstance(blocks[-1], Code) else None
        wanted = CodeBlock if code else Prose
        if self._tail is not None and (not blocks or not isinstance(self._tail, wanted)):
            self._column.removeWidget(self._tail)
            self._views.remove(self._tail)
            self._tail.deleteLater()
            self._tail = None
        if not blocks:
            return
        if code:
            if self._tail is None:
                self._tail = self._add(CodeBlock(self))
            self._tail.show_code(code.text, code.language, code.closed)  # type: ignore[union-attr]
            return
        if self._tail is None:
            self._tail = self._new_prose()
        self._tail.show_markdown("".join(block.text for block in blocks))  # type: ignore[union-attr]

    def _new_prose(self) -> Prose:
        view = self._add(Prose(self))
        view.link_chosen.connect(self.link_chosen)
        view.selectionChanged.connect(lambda: self.passage_selected.emit(view.textCursor().selectedText()))
        return view

    def _add(self, view: _View) -> _View:
        self._column.addWidget(view)
        self._views.append(view)
        return view


class TurnView(QWidget):
    """A question, its answer and the foot. Paints from the turn it was made for."""

    link_chosen = Signal(str)
    again = Signal()
    rounds_selected = Signal(object)

    def __init__(self, turn: Turn, as_tokens: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.turn = turn
        self._as_tokens = as_tokens
        self._bubble = _Bubble(turn.question, self)
        self._status = QLabel(self)
        self._status.setProperty("look", "muted")
        self._body, self.tokens = AnswerBody(self), TokenView(self)
        self._note = ErrorNote(self)
        self._foot = WrappedLabel(self)
        self._foot.setProperty("look", "muted")
        self._foot.setTextFormat(Qt.TextFormat.RichText)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(self._bubble, 3)
        column.addLayout(line)
        column.addSpacing(8)
        for view in (self._status, self._body, self.tokens, self._note, self._foot):
            column.addWidget(view)
        self._body.link_chosen.connect(self.link_chosen)
        self._body.passage_selected.connect(
            lambda passage: self.rounds_selected.emit(turn.answer.rounds_of(passage.replace("\u2029", "\n\n")))
        )
        self.tokens.rounds_selected.connect(self.rounds_selected)
        self._note.again.connect(self.again)
        self.refresh()

    def refresh(self) -> None:
        """Show what the answer holds now."""
        answer = self.turn.answer
        # An answer that was stored without its tokens can only be read as text.
        as_tokens = self._as_tokens and bool(answer.tokens)
        if as_tokens:
            self.tokens.show_tokens(answer.tokens)
        else:
            self._body.show_text(answer.text, answer.ended)
        self.tokens.setVisible(as_tokens)
        self._body.setVisible(not as_tokens)
        self._status.setText(self._status_text(answer))
        self._status.setVisible(not answer.text and not answer.ended)
        self._note.show_error(wording.error_sentence(answer.error) if answer.error else "")
        if answer.ended:
            self._show_foot(answer)
        self._foot.setVisible(answer.ended and bool(self._foot.text()))

    def set_as_tokens(self, as_tokens: bool) -> None:
        """Show the answer as its tokens, or as rendered text."""
        self._as_tokens = as_tokens
        self.refresh()

    def _show_foot(self, answer: Answer) -> None:
        parts = [escape(sentence).format(value=f"<b>{escape(value)}</b>") for sentence, value in figures.foot(answer)]
        ends = {
            State.CANCELLED: self.tr("Stopped."),
            State.LENGTH: self.tr("Cut at its length limit."),
        }
        if answer.state in ends:
            parts.append(ends[answer.state])
        if reason := figures.why(answer):
            parts.append(escape(reason))
        self._foot.setText("&nbsp;&nbsp;&nbsp; ".join(parts))

    def _status_text(self, answer: Answer) -> str:
        if answer.state is State.READING and answer.prefill and answer.prefill.done < answer.prefill.total:
            share = answer.prefill.done / answer.prefill.total
            return self.tr("Reading the chat: {share}").format(share=figures.percent(share))
        return self.tr("Thinking of the first token…")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.refresh()


class _Bubble(QFrame):
    """The question as it was typed, never interpreted."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("question")
        label = WrappedLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(text)
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        label.setCursor(Qt.CursorShape.IBeamCursor)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 14, 10)
        row.addWidget(label)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)


class ErrorNote(QFrame):
    """An error in the place where the answer would have gone on, with a way to try again."""

    again = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._label = WrappedLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._button = QPushButton(self)
        self._button.setProperty("look", "button")
        self._button.clicked.connect(self.again)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 10, 10)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)

    def show_error(self, sentence: str) -> None:
        self._label.setText(sentence)
        self._button.setText(self.tr("Try again"))
        self.setVisible(bool(sentence))
