"""One turn of a chat as a widget: the question in its bubble, the answer in blocks, and the answer's foot."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QEnterEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.chat.action_row import ActionRow
from app.chat.answer_body import AnswerBody, leave_menu_to_parent
from app.chat.note import Note
from app.chat.prose import Prose
from app.chat.question_bubble import QuestionBubble
from app.chat.question_editor import QuestionEditor
from app.chat.search_highlights import HitMarks, TextView
from app.chat.shown_text import block_texts
from app.chat.thinking_fold import ThinkingFold
from app.chat.token_view import TokenView
from app.conversations.search import highlights
from app.session.answer import State
from app.widgets.labels import WrappedLabel
from app.wording import errors as wording
from app.wording import figures

if TYPE_CHECKING:
    from app.conversations.search import Query
    from app.session.answer import Answer
    from app.session.chats import Turn

# The words of the two rows as the turn's.
_ANSWER_WORDS = {"previous": "previous-answer", "next": "next-answer"}
_QUESTION_WORDS = {"previous": "previous-question", "next": "next-question"}


class TurnView(QWidget):
    """A question, its answer and the foot. Paints from the turn it was made for.

    `acted` carries what to do with the turn (a word of the two rows), `edited` the new text of its question,
    `pressed` follows a click beside its texts, `focus_lost` when what had the focus is gone. `grows` carries by how
    many pixels its answer will be higher, before it is.
    """

    link_chosen = Signal(str)
    acted = Signal(str)
    edited = Signal(str)
    rounds_selected = Signal(object)
    tokens_wanted = Signal()
    pressed = Signal()
    grows = Signal(int)
    focus_lost = Signal()

    def __init__(self, turn: Turn, as_tokens: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.turn = turn
        # Nobody hears a signal before the view is wired.
        self._as_tokens, self._asked_for_tokens = as_tokens, True
        self._newest = self._under_mouse = False
        self._had_tokens = bool(turn.answer.tokens)
        self._around: tuple[bool, bool, bool] | None = None
        self._bubble = QuestionBubble(turn, self)
        self._hits = HitMarks()
        self._query: Query | None = None
        self._current_hit: int | None = None
        self.editor: QuestionEditor | None = None
        self.question_row = ActionRow((("edit", "edit"), ("copy-question", "copy")), True, self)
        self._status = QLabel(self)
        self._status.setProperty("styleClass", "muted")
        self.thinking, self._body, self.tokens = ThinkingFold(self), AnswerBody(self), TokenView(self)
        self._note = Note(self)
        self._foot = WrappedLabel(self)
        self._foot.setObjectName("foot")
        self._foot.setProperty("styleClass", "muted")
        self._foot.setTextFormat(Qt.TextFormat.RichText)
        self._foot.setContentsMargins(0, 6, 0, 0)
        self.answer_row = ActionRow(
            (("copy", "copy"), ("again", "retry"), ("go-on", "play"), ("branch", "branch"), ("more", "more")),
            False,
            self,
        )
        self._build()
        self._connect()
        self.retranslate()

    def _build(self) -> None:
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
        self._line = QHBoxLayout()
        self._line.addStretch(1)
        self._line.addWidget(self._bubble, 3)
        column.addLayout(self._line)
        column.addWidget(self.question_row)
        for view in (self._status, self.thinking, self._body, self.tokens, self._note, self._foot):
            column.addWidget(view)
        column.addWidget(self.answer_row)
        for quiet in (self.tokens, self._foot, self._bubble.text):
            leave_menu_to_parent(quiet)
        self._bubble.setVisible(self.turn.asks)
        self.question_row.setVisible(self.turn.asks)

    def _connect(self) -> None:
        self._body.link_chosen.connect(self.link_chosen)
        self.thinking.link_chosen.connect(self.link_chosen)
        self._body.passage_selected.connect(
            lambda passage: self.rounds_selected.emit(self.turn.answer.rounds_of(passage.replace("\u2029", "\n\n")))
        )
        self.tokens.rounds_selected.connect(self.rounds_selected)
        self._body.shown_anew.connect(self._mark_again)
        self.thinking.body.shown_anew.connect(self._mark_again)
        self.tokens.grows.connect(self.grows)
        self._body.grows.connect(self.grows)
        self._note.acted.connect(self.acted)
        self.answer_row.acted.connect(lambda word: self.acted.emit(_ANSWER_WORDS.get(word, word)))
        self.question_row.acted.connect(lambda word: self.acted.emit(_QUESTION_WORDS.get(word, word)))

    @property
    def body(self) -> AnswerBody:
        return self._body

    def refresh(self) -> None:
        """Show what the answer holds now."""
        answer = self.turn.answer
        # An answer that was stored without its tokens can only be read as text.
        as_tokens = self._as_tokens and bool(answer.tokens)
        if as_tokens:
            self.tokens.show_tokens(answer.tokens)
            self.thinking.hide()
        else:
            self.thinking.show_thoughts(answer)
            self._body.show_text(answer.reply, answer.ended)
        # While words only follow words, nothing around them changes.
        around = (as_tokens, bool(answer.text), bool(answer.tokens)) if answer.state is State.WRITING else None
        if around is None or around != self._around:
            self._show_around(answer, as_tokens)
        self._around = around

    def _show_around(self, answer: Answer, as_tokens: bool) -> None:
        """Show what stands around the words of an answer in this state."""
        self.tokens.setVisible(as_tokens)
        self._body.setVisible(not as_tokens)
        self._status.setText(self._status_text(answer))
        self._status.setVisible(not answer.text and not answer.ended)
        if answer.ended:
            self._show_end(answer)
        else:
            focus = QApplication.focusWidget()
            had_focus = focus is not None and any(part.isAncestorOf(focus) for part in (self._note, self.answer_row))
            self._note.hide()
            self.answer_row.setEnabled(False)
            if had_focus:
                self.focus_lost.emit()
        shows_foot = answer.ended and bool(self._foot.text())
        if shows_foot and self._foot.isHidden() and self.isVisible():
            self.grows.emit(self._foot.height() + self._column.spacing())
        self._foot.setVisible(shows_foot)
        self._want_tokens()
        if answer.tokens and not self._had_tokens:
            # What was selected before the tokens were read could not be told from which rounds it is.
            self._had_tokens = True
            self._body.tell_selection()
        self._mark_again()

    def set_as_tokens(self, as_tokens: bool) -> None:
        """Show the answer as its tokens, or as rendered text."""
        self._as_tokens = as_tokens
        self.refresh()

    def selected_text(self) -> str:
        """What is selected in the turn; "" where nothing is."""
        for view in self._text_views():
            if view.textCursor().hasSelection():
                if isinstance(view, Prose):
                    return view.source_of_selection()
                return view.textCursor().selection().toPlainText()
        return ""

    def mark(self, query: Query | None, current: int | None = None) -> None:
        """Mark the words of a search wherever the turn shows them, and the hit number `current` as the one that is
        looked at; None takes the marks away.
        """
        self._query, self._current_hit = query, current
        folded = bool(self.thinking.thought) and not self.thinking.head.isChecked()
        if query is not None and folded:
            self.thinking.unfold(any(highlights(text, query) for text in block_texts(self.thinking.thought)))
        self._show_marks()

    def _mark_again(self) -> None:
        """What is shown has changed. Where it is about to change again, the marks wait for its end."""
        if self._query is not None and self.turn.answer.ended:
            self._show_marks()

    def _show_marks(self) -> None:
        shown = self._text_views()
        for view in (self.tokens, *self.thinking.body.text_views, *self._body.text_views):
            if view not in shown:
                view.setExtraSelections([])
        self._hits.show(self._query, shown, self._current_hit)

    def place_of_hit(self, place: int) -> QRect | None:
        """Where the hit of that number stands in this widget."""
        return self._hits.place_in(self, place)

    def _text_views(self) -> list[TextView]:
        """Those that show the question and the answer, top to bottom."""
        question = [self._bubble.text] if self.turn.asks else []
        if not self.tokens.isHidden():
            return [*question, self.tokens]
        thoughts = [] if self.thinking.isHidden() else self.thinking.body.text_views
        return [*question, *thoughts, *self._body.text_views]

    def edit_question(self, send_key: str) -> None:
        """Let the question be edited in its place, and sent with that key, until `end_edit`."""
        if self.editor is None:
            self._show_editor(self.turn.question, send_key)
        assert self.editor is not None
        self.editor.setFocus()

    def leave_edit(self) -> None:
        """Another chat is shown: what was written stays with the turn, with its last syllable."""
        if self.editor is not None:
            self.editor.edit.commit_preedit()
            self.turn.left_edit = (self.editor.edit.toPlainText(), self.editor.edit.send_key)

    def _show_editor(self, text: str, send_key: str) -> None:
        self.editor = editor = QuestionEditor(text, send_key, not self.turn.attachments, self)
        self._bubble.hide()
        self.question_row.hide()
        self._column.insertWidget(1, editor)
        # The room of the buttons below the question stays, and with it the answer's distance.
        self._keep_room(True)
        # What was written stays until somebody takes it: it may not be possible to ask just now.
        editor.submitted.connect(self.edited)
        editor.cancelled.connect(self.end_edit)
        editor.show()
        editor.edit.moveCursor(QTextCursor.MoveOperation.End)

    def end_edit(self) -> None:
        """Show the question again as it was."""
        if self.editor is not None:
            self._column.removeWidget(self.editor)
            self.editor.hide()
            self.editor.deleteLater()
            self.editor = None
        self._keep_room(False)
        self._bubble.show()
        self.question_row.show()
        self.focus_lost.emit()

    def _keep_room(self, keep: bool) -> None:
        policy = self.question_row.sizePolicy()
        policy.setRetainSizeWhenHidden(keep)
        self.question_row.setSizePolicy(policy)

    def wired(self) -> None:
        """Somebody listens now: ask for tokens that are to be shown and are still on disk; go on with an edit."""
        if self.turn.left_edit is not None:
            self._show_editor(*self.turn.left_edit)
            self.turn.left_edit = None
        self._asked_for_tokens = False
        self._want_tokens()

    def _want_tokens(self) -> None:
        answer = self.turn.answer
        needed = self._as_tokens or not self.thinking.isHidden()
        if needed and answer.ended and answer.text and not answer.tokens and not self._asked_for_tokens:
            self._asked_for_tokens = True
            self.tokens_wanted.emit()

    def _show_end(self, answer: Answer) -> None:
        self._show_foot(answer)
        if answer.error is not None:
            self._note.tell(wording.error_sentence(answer.error), self.tr("Try again"), "again")
        elif answer.state is State.INTERRUPTED:
            sentence = self.tr("This answer was cut short when Tandem ended.")
            go_on = answer.unfinished
            self._note.tell(
                sentence,
                self.tr("Continue") if go_on else self.tr("Try again"),
                "go-on" if go_on else "again",
                calm=True,
            )
        else:
            self._note.hide()
        self.show_places()
        self.answer_row.button("go-on").setVisible(answer.unfinished)
        self.answer_row.setEnabled(True)
        self._light(self._under_mouse)

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

    def retranslate(self) -> None:
        versions = {"previous": self.tr("Previous version"), "next": self.tr("Next version")}
        self.question_row.set_words(
            {**versions, "edit": self.tr("Edit the message"), "copy-question": self.tr("Copy the message")}
        )
        self.answer_row.set_words(
            {
                **versions,
                "copy": self.tr("Copy the answer as Markdown"),
                "again": self.tr("Regenerate"),
                "go-on": self.tr("Continue the answer"),
                "branch": self.tr("Branch"),
                "more": self.tr("More actions"),
            }
        )
        self.show_places()
        self.answer_row.button("go-on").setVisible(False)
        self.refresh()

    def show_places(self) -> None:
        """Say which of their versions the question and the answer are."""
        self.question_row.show_place(self.turn.question_node)
        self.answer_row.show_place(self.turn.answer_node)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self.pressed.emit()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._light(True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._light(False)

    def set_newest(self, newest: bool) -> None:
        """What can be done with the newest answer is always in sight."""
        self._newest = newest
        self._light(self._under_mouse)

    def _light(self, under_mouse: bool) -> None:
        self._under_mouse = under_mouse
        self.question_row.light(under_mouse)
        self.answer_row.light((under_mouse or self._newest) and self.turn.answer.ended)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not hasattr(self, "answer_row"):
            return
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self.question_row.dress()
            self.answer_row.dress()
            self._mark_again()
