"""One turn of a chat as a widget: the question in its bubble, the answer in blocks, and the answer's footer."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.composer.message_edit import QuestionEditor
from app.session.answer import Answer, State
from app.session.chats import Turn
from app.transcript.action_row import ActionRow
from app.transcript.answer_body import SLICE, AnswerBody, leave_menu_to_parent
from app.transcript.answer_texts import (
    Note,
    figures_text,
    footer_html,
    origin_text,
    problem_note,
    status_text,
    web_pages_html,
)
from app.transcript.call_card import CallCards
from app.transcript.question_bubble import QuestionBubble
from app.transcript.starter_line import StarterLine
from app.transcript.thinking_fold import ThinkingFold
from app.transcript.tints.token_legend import TokenLegend
from app.transcript.tints.turn_tokens import TurnTokens
from app.transcript.tool_step import ToolSteps
from app.transcript.turn_highlights import TurnHighlights
from app.transcript.turn_owner import TurnOwner
from app.transcript.turn_texts import TurnTexts
from app.widgets.labels import WrappedLabel, label, set_name
from app.widgets.layouts import fill, hbox, top_in, vbox
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware

# Pixels between a question and its answer, besides the column's spacing.
_BELOW_QUESTION = 8
# The part of an answer that gets widgets with the turn, in the units of `answer_runs.cost_of`: more takes longer than a
# frame has.
_FIRST = 1_500


class _WritingState(NamedTuple):
    """What the widgets around the text depend on while the answer is being written."""

    has_text: bool
    has_tokens: bool
    writes_call: bool
    called: str
    as_tokens: bool


class TurnView(ThemeAware, QWidget):
    """A question, its answer and the footer.

    It reads its display options from the transcript, and emits the transcript's signals. After a change, call:

    * `refresh` if the answer changed, or whether the transcript tints tokens;
    * `refresh_footer` if another display option of the transcript changed, such as figures, or the newest turn;
    * `show_versions` if there are other versions of the question or the answer;
    * `highlights.show` if the search changed.
    """

    def __init__(self, turn: Turn, transcript: TurnOwner, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.turn = turn
        self._transcript = transcript
        self._is_under_mouse = False
        # The state that the widgets around the text show; None if they have to be set by the next `refresh`.
        self._shown_state: _WritingState | None = None
        self._bubble = QuestionBubble(turn, self, transcript.pictures())
        self.editor: QuestionEditor | None = None
        self.question_row = ActionRow((("edit", "edit"), ("copy-question", "copy")), True, self)
        self._status = label(self, "muted")
        self.thinking = ThinkingFold(self)
        self.body = AnswerBody(self)
        self.tokens = TurnTokens(turn, transcript, self.thinking, self.body, self)
        # Made if the tokens are shown without the live panel, which has a legend of its own.
        self._legend: TokenLegend | None = None
        self.steps = ToolSteps(self._watch, transcript.pictures, self)
        self.calls = CallCards(transcript.pictures, self)
        question = self._bubble.text if turn.asks else None
        self._texts = TurnTexts(question, self.steps, self.thinking, self.body, self.calls)
        self.highlights = TurnHighlights(turn, transcript, self._texts)
        self._note = Note(self)
        # Made for the first answer from web pages, because each turn has a footer.
        self._web_pages: WrappedLabel | None = None
        # Made for answers of the Starter.
        self._starter_line: StarterLine | None = None
        self._footer = named(styled(WrappedLabel(self), "muted"), "footer")
        self._footer.setTextFormat(Qt.TextFormat.RichText)
        self._footer.setContentsMargins(0, 6, 0, 0)
        actions = (("copy", "copy"), ("again", "retry"), ("go-on", "play"), ("branch", "branch"), ("more", "more"))
        self.answer_row = ActionRow(actions, False, self)
        self._build()
        self._name_buttons()
        self._connect()
        self.restyle()
        if turn.left_edit is not None:
            self._show_editor(*turn.left_edit)
            turn.left_edit = None
        if transcript.query is not None:
            self.highlights.show()

    def _build(self) -> None:
        self._column = column = vbox(self, margins=(0, 0, 0, 0), spacing=6)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetMinimumSize)
        # The space next to the question is free, so its buttons need no line of their own.
        row = (self.question_row, 0, Qt.AlignmentFlag.AlignBottom)
        fill(column, fill(hbox(spacing=8), 1, row, (self._bubble, 5))).addSpacing(_BELOW_QUESTION)
        fill(column, self.steps, self.thinking, self.body, self._status, self.calls, self._note)
        fill(column, self._footer, self.answer_row)
        for part in (self._footer, self._bubble.text):
            leave_menu_to_parent(part)
        self.answer_row.setHidden(self._transcript.read_only)
        # Until the answer has ended: `_show_end` shows it if the answer can be continued.
        self.answer_row.button("go-on").hide()
        self._bubble.setVisible(self.turn.asks)
        self.question_row.setVisible(self.turn.asks)

    def _name_buttons(self) -> None:
        question_button = self.question_row.button
        answer_button = self.answer_row.button
        for button in (question_button, answer_button):
            self.bound("Previous version", button("previous"), set_name)
            self.bound("Next version", button("next"), set_name)
        self.bound("Edit the message", question_button("edit"), set_name)
        self.bound("Copy the message", question_button("copy-question"), set_name)
        self.bound("Copy the answer as Markdown", answer_button("copy"), set_name)
        self.bound("Continue the answer", answer_button("go-on"), set_name)
        self.bound("Branch from here", answer_button("branch"), set_name)
        self.bound("More actions", answer_button("more"), set_name)

    def _connect(self) -> None:
        turn = self.turn
        transcript = self._transcript
        self.calls.chosen.connect(lambda call, choice: transcript.call_chosen.emit(turn, call, choice))
        self.body.passage_selected.connect(
            lambda passage: transcript.rounds_selected.emit(turn, self.tokens.rounds_of(passage))
        )
        for body in (self.body, self.thinking.body):
            body.round_pointed.connect(lambda number: transcript.round_pointed.emit(turn, number))
        for body in (self.body, self.thinking.body):
            self._watch(body)
        self.body.grows.connect(self._extend_range)
        self._note.acted.connect(partial(transcript.act, turn))
        self.answer_row.acted.connect(partial(self._act_on, "answer"))
        self.question_row.acted.connect(partial(self._act_on, "question"))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(
            lambda point: transcript.menu_wanted.emit(turn, self.mapToGlobal(point))
        )

    def _watch(self, body: AnswerBody) -> None:
        body.link_chosen.connect(self._transcript.show_link)
        body.rerendered.connect(self.highlights.show_again)
        body.incomplete.connect(self._transcript.load_soon)

    def _act_on(self, message: str, action: str) -> None:
        self._transcript.act(self.turn, f"{action}-{message}" if action in ("previous", "next") else action)

    @property
    def _is_newest(self) -> bool:
        return self._transcript.newest is self.turn

    def refresh(self) -> None:
        """Show the present state of the answer. Called for every frame while it streams."""
        answer = self.turn.answer
        self.steps.show_steps(self.turn.steps)
        before = (call for step in self.turn.steps for call in step.answer.calls)
        self.calls.show_calls(answer.calls, before, answer.model)
        self.tokens.refresh()
        self.thinking.show_thoughts(answer)
        self.body.show_text(answer.reply, answer.ended, _FIRST if answer.ended else SLICE)
        # While more text follows, nothing around the text changes.
        writing_state = _WritingState(
            has_text=bool(answer.text),
            has_tokens=bool(answer.tokens),
            writes_call=answer.writes_call,
            called=answer.called,
            as_tokens=self._transcript.as_tokens,
        )
        if answer.state is not State.WRITING or writing_state != self._shown_state:
            self._show_around_text(answer)
        self._shown_state = writing_state if answer.state is State.WRITING else None

    def _show_around_text(self, answer: Answer) -> None:
        """Show or hide the widgets around the text of an answer in this state."""
        self._show_legend()
        self._status.setText(status_text(answer, self.turn.tools))
        self._status.setVisible(answer.writes_call or not (answer.text or answer.ended or answer.calls))
        if answer.ended:
            self._show_end(answer)
        else:
            had_focus = _holds_focus(self.answer_row)
            self._hide_note()
            self._show_web_pages("")
            self._show_starter_line(False)
            self.answer_row.setEnabled(False)
            if had_focus:
                self._transcript.focus_lost.emit()
        self._show_footer()
        self.tokens.request_stored()
        self.tokens.resolve_selection()
        self.highlights.show_again()

    def _extend_range(self, pixels: int) -> None:
        """Prepare the transcript for as many pixels more of this turn."""
        self._transcript.extend_range(self.turn, pixels)

    def _show_footer(self) -> None:
        """Show the footer if the answer has ended and there is something in it."""
        shown = self.turn.answer.ended and bool(self._footer.text())
        if shown and self._footer.isHidden() and self.isVisible():
            self._extend_range(self._footer.height() + self._column.spacing())
        self._footer.setVisible(shown)

    def _show_legend(self) -> None:
        """Show the legend of the tints with the newest answer, if its tokens are tinted."""
        has_tints = self._transcript.as_tokens and bool(self.turn.answer.tokens)
        shown = has_tints and self._transcript.with_figures and self._is_newest
        if shown and self._legend is None:
            self._legend = TokenLegend(parent=self)
            self._column.insertWidget(self._column.indexOf(self.thinking), self._legend)
        if self._legend is not None:
            self._legend.show_answer(self.turn.answer)
            self._legend.setVisible(shown)

    def refresh_footer(self) -> None:
        """Show the legend, figures, note and actions again, because the transcript shows others now."""
        self._show_legend()
        if self.turn.answer.ended:
            self._show_end(self.turn.answer)
            self._show_footer()
        else:
            self._show_actions()

    def selected_text(self) -> str:
        """Return the text selected in the turn, or ""."""
        return self._texts.selected

    def load_between(self, top: int, bottom: int, budget: int) -> int:
        """Make the blocks between two heights of this widget. Returns the rest of the budget."""
        made = 0
        for body in self._texts.bodies_in(self):
            y = top_in(body, self)
            left = body.load_between(top - y, bottom - y, budget)
            made = made + budget - left
            budget = left
        if made:
            self.highlights.show_again()
        return budget

    def anchor_at(self, y: int) -> QWidget:
        """Return the block that reaches below a height, or this widget."""
        for body in self._texts.bodies_in(self):
            top = top_in(body, self)
            if top <= y < top + body.height() and (anchor := body.anchor_at(y - top)) is not None:
                return anchor
        return self

    def edit_question(self, send_key: str) -> None:
        """Replace the question by an editor, until `end_edit`. `send_key` is the key that sends in the message box."""
        if self.editor is None:
            self._show_editor(self.turn.question, send_key)
        assert self.editor is not None
        self.editor.setFocus()

    def leave_edit(self) -> None:
        """Store an unfinished edit with the turn, because another chat is shown."""
        if self.editor is not None:
            self.editor.edit.commit_preedit()
            self.turn.left_edit = (self.editor.edit.toPlainText(), self.editor.edit.send_key)

    def _show_editor(self, text: str, send_key: str) -> None:
        self.editor = editor = QuestionEditor(text, send_key, not self.turn.attachments, self)
        self._bubble.hide()
        self.question_row.hide()
        self._column.insertWidget(1, editor)
        # The editor stays until the new question is asked, which may be impossible now.
        editor.submitted.connect(lambda text: self._transcript.edited.emit(self.turn, text))
        editor.cancelled.connect(self.end_edit)
        editor.show()
        editor.edit.moveCursor(QTextCursor.MoveOperation.End)

    def end_edit(self) -> None:
        """Show the question again."""
        if self.editor is not None:
            self._column.removeWidget(self.editor)
            self.editor.hide()
            self.editor.deleteLater()
            self.editor = None
        self._bubble.show()
        self.question_row.show()
        self._transcript.focus_lost.emit()

    def _show_end(self, answer: Answer) -> None:
        with_figures = self._transcript.with_figures
        self._show_web_pages(web_pages_html(self.turn))
        self._show_starter_line(answer.is_of_starter and bool(answer.text))
        self._footer.setText(footer_html(answer, with_figures))
        self.answer_row.setToolTip("" if with_figures else figures_text(answer))
        again = {
            "": self.tr("Regenerate"),
            "greedy": self.tr("Regenerate: the same words, because temperature 0 was chosen"),
            "starter": self.tr("Regenerate: mostly the same words, because the Starter knows its answers by heart"),
        }[self._transcript.repeats]
        set_name(self.answer_row.button("again"), again)
        problem = problem_note(self.turn)
        if problem is not None:
            self._note.show_problem(problem, with_buttons=not self._transcript.read_only)
        else:
            self._hide_note()
        self.show_versions()
        note_goes_on = problem is not None and problem.action == "go-on"
        self.answer_row.button("go-on").setVisible(answer.unfinished and not note_goes_on)
        self.answer_row.button("branch").setVisible(self._transcript.may_branch)
        self.answer_row.setEnabled(True)
        self._show_actions()

    def _show_web_pages(self, links: str) -> None:
        """Show links to web pages below the answer, or none if there are none."""
        if links and self._web_pages is None:
            self._web_pages = named(styled(WrappedLabel(self), "muted"), "sources")
            self._web_pages.setTextFormat(Qt.TextFormat.RichText)
            self._web_pages.linkActivated.connect(self._transcript.show_link)
            self._column.insertWidget(self._column.indexOf(self._footer), self._web_pages)
        if self._web_pages is not None:
            self._web_pages.setText(links)
            self._web_pages.setVisible(bool(links))

    def _show_starter_line(self, shown: bool) -> None:
        if shown and self._starter_line is None:
            self._starter_line = StarterLine(self, read_only=self._transcript.read_only)
            self._starter_line.larger_wanted.connect(self._transcript.larger_wanted)
            self._starter_line.place_wanted.connect(self._transcript.place_wanted)
            self._starter_line.question_wanted.connect(self._transcript.question_wanted)
            self._column.insertWidget(self._column.indexOf(self._footer), self._starter_line)
        if self._starter_line is not None:
            if shown:
                self._starter_line.show_turn(self.turn)
            self._starter_line.setVisible(shown)

    def _hide_note(self) -> None:
        had_focus = _holds_focus(self._note)
        self._note.hide()
        if had_focus:
            self._transcript.focus_lost.emit()

    def retranslate(self) -> None:
        self.show_versions()
        # The widgets around the text have texts in the former language.
        self._shown_state = None
        self.refresh()

    def show_versions(self) -> None:
        """Show which versions of the question and the answer are on screen."""
        question = self.turn.question_node
        answer = self.turn.version_node
        self.question_row.show_version(question.position, question.count)
        self.answer_row.show_version(answer.position, answer.count)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._transcript.turned_to.emit(self.turn)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._is_under_mouse = True
        self._show_actions()
        # From now on, the token under the mouse can be told.
        self.tokens.find_places()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._is_under_mouse = False
        self._show_actions()

    def _show_actions(self) -> None:
        """Show the actions under the mouse; the newest answer always shows its actions."""
        in_panel = self._is_newest and not self._transcript.with_figures
        self.answer_row.show_origin(origin_text(self.turn.answer, in_panel=in_panel))
        self.question_row.show_buttons(self._is_under_mouse)
        self.answer_row.show_buttons((self._is_under_mouse or self._is_newest) and self.turn.answer.ended)

    def apply_theme(self) -> None:
        self.highlights.show_again()


def _holds_focus(widget: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and widget.isAncestorOf(focus)
