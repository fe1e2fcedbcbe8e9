"""One turn of a chat as a widget: the question in its bubble, the answer in blocks, and the answer's footer."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent, QTextCursor
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.composer.message_edit import QuestionEditor
from app.conversations.search import Query, highlights
from app.session.answer import Answer, State
from app.session.chats import Turn
from app.transcript.action_row import ActionRow
from app.transcript.answer_body import SLICE, AnswerBody, leave_menu_to_parent
from app.transcript.answer_runs import LONGEST_SHOWN, AnswerRun
from app.transcript.answer_texts import (
    Note,
    figures_text,
    footer_html,
    origin_text,
    problem_note,
    sources_html,
    status_text,
)
from app.transcript.call_card import CallCard, CallCards
from app.transcript.prose import Prose
from app.transcript.question_bubble import QuestionBubble
from app.transcript.search_highlights import SearchHighlights, TextView, view_of
from app.transcript.shown_text import AT_ONCE, block_texts
from app.transcript.thinking_fold import ThinkingFold
from app.transcript.tints.tint_fade import TintFade
from app.transcript.tints.tints import AnswerTints, lit_rect, selected_rounds
from app.transcript.tints.token_legend import TokenLegend
from app.transcript.tool_step import ToolSteps
from app.transcript.turn_owner import TurnOwner
from app.widgets.labels import WrappedLabel, label, set_name
from app.widgets.layouts import fill, hbox, top_in, vbox
from app.widgets.style_class import named, styled
from app.widgets.theme_aware import ThemeAware

# Pixels between a question and its answer, besides the column's spacing.
_BELOW_QUESTION = 8
# The part of an answer that gets widgets with the turn, in the units of `cost_of`: more takes longer than a frame has.
_FIRST = 1_500
# Those of Markdown for those of selected text.
_LINE_ENDS = str.maketrans({"\u2029": "\n\n", "\u2028": "\n"})


class TurnView(ThemeAware, QWidget):
    """A question, its answer and the footer. It shows them as its transcript says, whose signals it emits."""

    def __init__(self, turn: Turn, transcript: TurnOwner, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.turn, self._transcript = turn, transcript
        self._grow = partial(transcript.extend_range, turn)
        self._asked_for_tokens = self._under_mouse = False
        self._had_tokens = bool(turn.answer.tokens)
        self._surroundings: tuple[bool, bool, bool, str, bool] | None = None
        self._bubble = QuestionBubble(turn, self, transcript.pictures())
        self._highlights = SearchHighlights()
        self.editor: QuestionEditor | None = None
        self.question_row = ActionRow((("edit", "edit"), ("copy-question", "copy")), True, self)
        self._status = label(self, "muted")
        self.thinking = ThinkingFold(self)
        self.body = AnswerBody(self)
        self.tints = AnswerTints()
        self._fade = TintFade(self.tints, self)
        # Made if the tokens are shown without the live panel, which has a legend of its own.
        self._legend: TokenLegend | None = None
        self.steps = ToolSteps(self._watch, transcript.pictures, self)
        self.calls = CallCards(transcript.pictures, self)
        self._note = Note(self)
        # Made for the first answer from web pages, because each turn has a footer.
        self._sources_line: WrappedLabel | None = None
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
            self.highlight()

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
        self._bubble.setVisible(self.turn.asks)
        self.question_row.setVisible(self.turn.asks)

    def _name_buttons(self) -> None:
        question, answer = self.question_row.button, self.answer_row.button
        for button in (question, answer):
            self.bound("Previous version", button("previous"), set_name)
            self.bound("Next version", button("next"), set_name)
        self.bound("Edit the message", question("edit"), set_name)
        self.bound("Copy the message", question("copy-question"), set_name)
        self.bound("Copy the answer as Markdown", answer("copy"), set_name)
        self.bound("Continue the answer", answer("go-on"), set_name)
        self.bound("Branch from here", answer("branch"), set_name)
        self.bound("More actions", answer("more"), set_name)

    def _connect(self) -> None:
        turn, chat = self.turn, self._transcript
        self.calls.chosen.connect(lambda call, choice: chat.call_chosen.emit(turn, call, choice))
        self.body.passage_selected.connect(lambda passage: chat.rounds_selected.emit(turn, self._rounds_of(passage)))
        self._fade.changed.connect(self._repaint_tints)
        for body in (self.body, self.thinking.body):
            body.round_pointed.connect(lambda number: chat.round_pointed.emit(turn, number))
        for body in (self.body, self.thinking.body):
            self._watch(body)
        self.body.grows.connect(self._grow)
        self._note.acted.connect(partial(chat.act, turn))
        self.answer_row.acted.connect(partial(self._act_on, "answer"))
        self.question_row.acted.connect(partial(self._act_on, "question"))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(lambda point: chat.menu_wanted.emit(turn, self.mapToGlobal(point)))

    def _watch(self, body: AnswerBody) -> None:
        body.link_chosen.connect(self._transcript.show_link)
        body.rerendered.connect(self._highlight_again)
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
        self.calls.show_calls(answer.calls, (call for step in self.turn.steps for call in step.answer.calls))
        self._take_tokens(answer)
        self.thinking.show_thoughts(answer)
        self.body.show_text(answer.reply, answer.ended, _FIRST if answer.ended else SLICE)
        # While more text follows, nothing around the text changes.
        shown = bool(answer.text), bool(answer.tokens), answer.writes_call, answer.called, self._transcript.as_tokens
        state = shown if answer.state is State.WRITING else None
        if state is None or state != self._surroundings:
            self._show_surroundings(answer)
        self._surroundings = state

    def _take_tokens(self, answer: Answer, *, is_asked: bool = False) -> None:
        """Take the tokens so far, whose tints are below the text while it streams or if they are to stay.

        `is_asked` says that they are needed without that.
        """
        streams = answer.state is State.WRITING
        self._fade.follow(streams=streams, stay=self._transcript.as_tokens)
        if self.tints.underlined != self._transcript.as_tokens:
            self.tints.underlined = self._transcript.as_tokens
            self._repaint_tints()
        if not answer.tokens or not (is_asked or streams or self.tints.is_shown or self.tints.tokens):
            return
        if self.tints.take(answer.tokens, answer.rounds):
            self.body.tint(None)
            self.thinking.body.tint(None)
        parts = answer.parts
        # The template may have written the beginning.
        opening = max(0, len(answer.text) - len(self.tints.text))
        begin = parts.begin if parts.begin is not None else parts.end
        self.body.tint(self.tints, max(0, begin - opening))
        self.thinking.body.tint(self.tints)

    def _rounds_of(self, passage: str) -> frozenset[int]:
        """Return the rounds that wrote the selected passage; without tokens, those of its only place in the text."""
        self._take_tokens(self.turn.answer, is_asked=True)
        if not passage or not self.tints.tokens:
            return self.turn.answer.rounds_of(passage.translate(_LINE_ENDS))
        return frozenset(number for view in self.body.text_views for number in selected_rounds(view))

    def _repaint_tints(self) -> None:
        for body in self._bodies():
            body.repaint_tints()

    def light_rounds(self, rounds: frozenset[int]) -> None:
        """Tint the tokens of these rounds only; of none, show the tints that the answer has without that."""
        if rounds != self.tints.lit:
            self.tints.lit = rounds
            self._take_tokens(self.turn.answer)
            self._repaint_tints()

    def rect_of_lit(self) -> QRect | None:
        """Return where the rounds that are lit begin in this widget; None if they are not on the screen."""
        for body in self._bodies():
            for view in body.text_views:
                if (place := lit_rect(view)) is not None:
                    return QRect(view.mapTo(self, place.topLeft()), place.size())
        return None

    def _show_surroundings(self, answer: Answer) -> None:
        """Show or hide the widgets around the text of an answer in this state."""
        self._show_legend(self._transcript.as_tokens and bool(answer.tokens))
        self._status.setText(status_text(answer, self.turn.tools))
        self._status.setVisible(answer.writes_call or not (answer.text or answer.ended or answer.calls))
        if answer.ended:
            self._show_end(answer)
        else:
            had_focus = _holds_focus(self.answer_row)
            self._hide_note()
            self._show_sources("")
            self.answer_row.setEnabled(False)
            if had_focus:
                self._transcript.focus_lost.emit()
        shows_footer = answer.ended and bool(self._footer.text())
        if shows_footer and self._footer.isHidden() and self.isVisible():
            self._grow(self._footer.height() + self._column.spacing())
        self._footer.setVisible(shows_footer)
        needed = self._transcript.as_tokens or not self.thinking.isHidden()
        if needed and answer.ended and answer.text and not answer.tokens and not self._asked_for_tokens:
            self._asked_for_tokens = True
            self._transcript.tokens_wanted.emit(self.turn)
        if answer.tokens and not self._had_tokens:
            # Only now are the rounds of a selection known that was made before the tokens were loaded.
            self._had_tokens = True
            self.body.emit_selection()
        self._highlight_again()

    def _show_legend(self, as_tokens: bool) -> None:
        shown = as_tokens and self._transcript.with_figures and self._is_newest
        if shown and self._legend is None:
            self._legend = TokenLegend(parent=self)
            self._column.insertWidget(self._column.indexOf(self.thinking), self._legend)
        if self._legend is not None:
            self._legend.show_answer(self.turn.answer)
            self._legend.setVisible(shown)

    def refresh_footer(self) -> None:
        """Show the legend, figures, note and actions again, because the transcript shows others now."""
        self._show_legend(self._transcript.as_tokens and bool(self.turn.answer.tokens))
        if self.turn.answer.ended:
            self._show_end(self.turn.answer)
            self._footer.setVisible(bool(self._footer.text()))
        self._light(self._under_mouse)

    def selected_text(self) -> str:
        """Return the text selected in the turn, or ""."""
        for view in self._text_views():
            if view.textCursor().hasSelection():
                if isinstance(view, Prose):
                    return view.source_of_selection()
                return view.textCursor().selection().toPlainText()
        return ""

    def highlight(self) -> None:
        """Highlight the matches of the transcript's search, or remove the highlights if it has none."""
        if self._transcript.query is not None:
            self._unfold_matches(self._transcript.query)
        self._show_highlights()

    def _unfold_matches(self, query: Query) -> None:
        """Unfold the thoughts and the results with matches."""
        for fold in (*(step.thinking for step in self.steps.steps), self.thinking):
            if fold.thought and not fold.head.isChecked():
                thought = fold.thought[:LONGEST_SHOWN]
                # Search the rendered text, or the Markdown if rendering takes too long.
                texts = block_texts(thought) if len(thought) <= AT_ONCE else [thought]
                fold.unfold(any(highlights(text, query) for text in texts))
        for card in self.findChildren(CallCard):
            if highlights(card.result.toPlainText(), query):
                card.unfold()

    def _highlight_again(self) -> None:
        """Highlight the shown texts again. While an answer streams, the highlights wait for its end."""
        if self._transcript.query is not None and self.turn.answer.ended:
            self._show_highlights()

    def _show_highlights(self) -> None:
        shown = self._text_views()
        for view in (*self.thinking.body.text_views, *self.body.text_views):
            if view not in shown:
                view.setExtraSelections([])
        turn, index = self._transcript.current_match or (None, None)
        self._highlights.show(self._transcript.query, self._sources(), index if turn is self.turn else None)

    def rect_of_match(self, index: int) -> QRect | None:
        """Return the place of a match in this widget; None if there are no matches."""
        return self._highlights.rect_of(index, self)

    def load_match(self, index: int) -> None:
        """Make the widget of the block that contains a match."""
        run = self._highlights.run_of(index)
        if run is not None and run.view is None:
            for body in (*self.steps.bodies, self.body, self.thinking.body):
                if run in body.text_runs:
                    body.load(run)
            self._show_highlights()

    def load_between(self, top: int, bottom: int, budget: int) -> int:
        """Make the blocks between two heights of this widget. Returns the rest of the budget."""
        made = 0
        for body in self._bodies():
            y = top_in(body, self)
            left = body.load_between(top - y, bottom - y, budget)
            made = made + budget - left
            budget = left
        if made:
            self._highlight_again()
        return budget

    def anchor_at(self, y: int) -> QWidget:
        """Return the block that reaches below a height, or this widget."""
        for body in self._bodies():
            top = top_in(body, self)
            if top <= y < top + body.height() and (anchor := body.anchor_at(y - top)) is not None:
                return anchor
        return self

    def _bodies(self) -> list[AnswerBody]:
        """Return the bodies that are shown."""
        return [body for body in (*self.steps.bodies, self.thinking.body, self.body) if body.isVisibleTo(self)]

    def _text_views(self) -> list[TextView]:
        return [view for view in map(view_of, self._sources()) if view is not None]

    def _sources(self) -> list[TextView | AnswerRun]:
        """Return the widgets and runs with the texts of the question and the answer, top to bottom."""
        question = [self._bubble.text] if self.turn.asks else []
        before = [*question, *self.steps.sources]
        results = [card.result for card in self.calls.cards]
        thoughts = [] if self.thinking.isHidden() else self.thinking.body.text_runs
        return [*before, *thoughts, *self.body.text_runs, *results]

    def edit_question(self, send_key: str) -> None:
        """Replace the question by an editor, until `end_edit`. `send_key` is that of the message box."""
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
        self._show_sources(sources_html(self.turn))
        self._footer.setText(footer_html(answer, with_figures))
        self.answer_row.setToolTip("" if with_figures else figures_text(answer))
        again = {
            "": self.tr("Regenerate"),
            "greedy": self.tr("Regenerate: the same words, because temperature 0 was chosen"),
            "starter": self.tr("Regenerate: mostly the same words, because the Starter knows its answers by heart"),
        }[self._transcript.repeats]
        set_name(self.answer_row.button("again"), again)
        problem = problem_note(self.turn, self._transcript.offer)
        if problem is not None:
            self._note.show_problem(problem, with_buttons=not self._transcript.read_only)
        else:
            self._hide_note()
        self.show_versions()
        note_goes_on = problem is not None and problem.action == "go-on"
        self.answer_row.button("go-on").setVisible(answer.unfinished and not note_goes_on)
        self.answer_row.button("branch").setVisible(self._transcript.may_branch)
        self.answer_row.setEnabled(True)
        self._light(self._under_mouse)

    def _show_sources(self, links: str) -> None:
        """Show links to web pages below the answer, or none if there are none."""
        if links and self._sources_line is None:
            self._sources_line = named(styled(WrappedLabel(self), "muted"), "sources")
            self._sources_line.setTextFormat(Qt.TextFormat.RichText)
            self._sources_line.linkActivated.connect(self._transcript.show_link)
            self._column.insertWidget(self._column.indexOf(self._footer), self._sources_line)
        if self._sources_line is not None:
            self._sources_line.setText(links)
            self._sources_line.setVisible(bool(links))

    def _hide_note(self) -> None:
        had_focus = _holds_focus(self._note)
        self._note.hide()
        if had_focus:
            self._transcript.focus_lost.emit()

    def retranslate(self) -> None:
        self.show_versions()
        self.answer_row.button("go-on").setVisible(False)
        self.refresh()

    def show_versions(self) -> None:
        """Show which versions of the question and the answer are on screen."""
        question, answer = self.turn.question_node, self.turn.version_node
        self.question_row.show_version(question.position, question.count)
        self.answer_row.show_version(answer.position, answer.count)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._transcript.turned_to.emit(self.turn)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self._light(True)
        # From now on, the token under the mouse can be told.
        self._take_tokens(self.turn.answer, is_asked=True)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._light(False)

    def _light(self, under_mouse: bool) -> None:
        """Show the actions under the mouse; the newest answer always shows its actions."""
        self._under_mouse = under_mouse
        in_panel = self._is_newest and not self._transcript.with_figures
        self.answer_row.show_origin(origin_text(self.turn.answer, in_panel=in_panel))
        self.question_row.set_lit(under_mouse)
        self.answer_row.set_lit((under_mouse or self._is_newest) and self.turn.answer.ended)

    def apply_theme(self) -> None:
        self._highlight_again()


def _holds_focus(widget: QWidget) -> bool:
    focus = QApplication.focusWidget()
    return focus is not None and widget.isAncestorOf(focus)
