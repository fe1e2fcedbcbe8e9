"""The calls of tools in the transcript: each a card with its arguments, its result, and the person's consent."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QTextOption
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.composer.picture_button import Thumbnails
from app.conversations.database.records import ToolUse
from app.conversations.pictures import PictureSource
from app.session.calls import CallState, OpenQuestion, ToolRun
from app.session.tool_calls import ONCE
from app.text.pieces import without_colours
from app.tools.questions import QuestionReply
from app.tools.tool import TANDEM, Permission, visible
from app.transcript.auto_height_browser import PlainTextBrowser
from app.transcript.question_form import QuestionForm
from app.widgets.buttons import fold_head
from app.widgets.labels import ElidedLabel, WrappedLabel, label
from app.widgets.layouts import FlowLayout, fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.wording.errors import joined
from app.wording.figures import whole_seconds
from app.wording.tools import call_sentence, call_state, short_site_name, tool_name

# Characters of a result that a card shows; copies and exports contain all.
LONGEST_RESULT = 20_000
_SECOND_MS = 1000
_RESULT_PICTURE_SIZE = QSize(240, 160)


def shown_result(call: ToolRun) -> str:
    """Return the text of a result as its card shows it; none of a call that did not run."""
    return without_colours(call.text[:LONGEST_RESULT]).rstrip() if call.ended and call.error is None else ""


class CallCard(ThemeAware, QFrame):
    """One call. `chosen` carries it with the person's choice: ONCE, or a `Permission`."""

    chosen = Signal(object, str)

    def __init__(self, call: ToolRun, pictures: PictureSource, parent: QWidget, is_repeated: bool = False) -> None:
        """`pictures` are the pictures of the store that has the call.

        A call that `is_repeated` was made before in the same answer.
        """
        super().__init__(parent)
        self.setObjectName("card")
        self.call = call
        self._is_repeated = is_repeated
        self._shown: tuple[object, ...] = ()
        self.head = fold_head(self)
        self.bound("Show or hide the arguments and the result", self.head, QWidget.setToolTip)
        self._server = styled(ElidedLabel(self), "muted")
        self.state = label(self, "muted")
        self._sentence = styled(WrappedLabel(self), "muted")
        line = fill(hbox(spacing=6), self.head, (self._server, 1), self.state)
        column = fill(vbox(self, margins=(8, 6, 12, 8), spacing=6), line, self._sentence)
        self.arguments = PlainTextBrowser(self)
        self.result = PlainTextBrowser(self)
        self.arguments.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        # Takes a moment only, however long they and their words are.
        self.arguments.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self._captions = label(self, "caption"), label(self, "caption")
        self.bound("Arguments", self._captions[0])
        self.bound("Arguments", self.arguments, QWidget.setAccessibleName)
        self.bound("Result", self._captions[1])
        self.bound("Result", self.result, QWidget.setAccessibleName)
        self._pictures = Thumbnails(pictures, _RESULT_PICTURE_SIZE, self)
        fill(column, self._captions[0], self.arguments, self._captions[1], self.result, self._pictures)
        self._buttons = self._make_buttons()
        fill(column, self._buttons)
        self._column = column
        # Made for the first question of a server, because few have any.
        self.form: QuestionForm | None = None
        self._seconds = QTimer(self)
        self._seconds.setInterval(_SECOND_MS)
        self._seconds.timeout.connect(self._show_state)
        self.head.toggled.connect(self._show_details)
        self.restyle()
        self.refresh()

    def _make_buttons(self) -> QWidget:
        """Return the row of buttons that allow or deny the call."""
        buttons = QWidget(self)
        choices = ONCE, Permission.CHAT, Permission.ALWAYS, Permission.DENY
        self._choices = [styled(QPushButton(buttons), "accent" if choice == ONCE else "button") for choice in choices]
        flow = FlowLayout(buttons, 8)
        for button, choice in zip(self._choices, choices, strict=True):
            button.clicked.connect(lambda _=False, choice=choice: self.chosen.emit(self.call, str(choice)))
            flow.addWidget(button)
        once, self._allow_in_chat, self._always_allow, deny = self._choices
        self.bound("Allow once", once)
        self.bound("Deny", deny)
        return buttons

    def refresh(self) -> None:
        """Show the present state of the call."""
        call = self.call
        state = (call.state, call.text, call.use, call.error, call.pictures, call.question)
        if state == self._shown:
            return
        self._shown = state
        self.arguments.show_text(visible(json.dumps(call.arguments, ensure_ascii=False, indent=2)))
        self.result.show_text(shown_result(call))
        self._pictures.show_pictures(call.pictures)
        self._show_question(call.question)
        if call.state is CallState.RUNS:
            self._seconds.start()
        else:
            self._seconds.stop()
        self.retranslate()
        self._show_details()

    def _show_question(self, question: OpenQuestion | None) -> None:
        """Show the form of a question instead of the form before; None for no question."""
        shown = self.form.question if self.form is not None else None
        if self.form is not None and (question is None or question.question is not shown):
            self._column.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None
        if question is not None and self.form is None:
            self.form = QuestionForm(question.question, self._reply, self)
            self._column.addWidget(self.form)
            self.form.show()

    def _reply(self, reply: QuestionReply) -> None:
        """Pass on what the person does with the question of the server."""
        self.call.reply(reply)
        self.refresh()

    def unfold(self) -> None:
        self.head.setChecked(True)

    def _show_details(self) -> None:
        """Show the unfolded parts. A call that asks for consent always shows its arguments."""
        asks = self.call.state is CallState.ASKS
        unfolded = self.head.isChecked()
        has_arguments = bool(self.call.arguments)
        has_result = bool(shown_result(self.call))
        for widget in (self._captions[0], self.arguments):
            widget.setVisible((asks or unfolded) and has_arguments)
        for widget in (self._captions[1], self.result):
            widget.setVisible(unfolded and has_result)
        self.head.setEnabled(has_arguments or has_result)
        self._buttons.setVisible(asks)

    def _show_state(self) -> None:
        if self.call.state is CallState.RUNS and self.call.question is None:
            elapsed = whole_seconds(time.monotonic() - self.call.begun_at)
            self.state.setText(self.tr("Calling… {time}").format(time=elapsed))
        else:
            self.state.setText(call_state(self.call))
        sentence = call_sentence(self.call)
        if self._is_repeated and self.call.state is CallState.ASKS:
            sentence = joined(sentence, self.tr("The same call was made before in this answer."))
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))

    def retranslate(self) -> None:
        call = self.call
        name = tool_name(call.use.server, call.use.tool, call.tool.title if call.tool else "")
        self.head.setText(name or self.tr("Tool"))
        self._server.setText(call.use.server if call.use.server != TANDEM else "")
        self._name_choices()
        self._show_state()
        words = " · ".join(part for part in (name, self._server.text()) if part)
        self.head.setAccessibleName(f"{words}: {self.state.text()}")
        for button in self._choices:
            button.setAccessibleName(f"{button.text()}: {words}")

    def _name_choices(self) -> None:
        """Say on the buttons of lasting permissions for which site they are, if they are for one."""
        site = self.call.tool.site if self.call.tool is not None else ""
        if site:
            name = short_site_name(site)
            self._allow_in_chat.setText(self.tr("Allow {site} in this chat").format(site=name))
            self._always_allow.setText(self.tr("Always allow {site}").format(site=name))
        else:
            self._allow_in_chat.setText(self.tr("Allow in this chat"))
            self._always_allow.setText(self.tr("Always allow"))


def _is_same(use: ToolUse, other: ToolUse) -> bool:
    return (use.server, use.tool, use.arguments) == (other.server, other.tool, other.arguments)


class CallCards(QWidget):
    """The cards of an answer, hidden if it made no calls. Each card's `chosen` is passed on."""

    chosen = Signal(object, str)

    def __init__(self, pictures: Callable[[], PictureSource], parent: QWidget) -> None:
        """`pictures` returns the pictures of the store, for those in results."""
        super().__init__(parent)
        self._pictures = pictures
        self.cards: list[CallCard] = []
        self._column = vbox(self, margins=(0, 0, 0, 0), spacing=6)
        self.hide()

    def show_calls(self, calls: Sequence[ToolRun], before: Iterable[ToolRun] = ()) -> None:
        """Show the calls; those `before` belong to the same answer."""
        if [card.call for card in self.cards] != list(calls):
            for card in self.cards:
                self._column.removeWidget(card)
                card.hide()
                card.deleteLater()
            made = [call.use for call in before]
            self.cards = []
            for call in calls:
                is_repeated = any(_is_same(call.use, other) for other in made)
                self.cards.append(CallCard(call, self._pictures(), self, is_repeated))
                made.append(call.use)
            for card in self.cards:
                card.chosen.connect(self.chosen)
                self._column.addWidget(card)
                card.show()
        for card in self.cards:
            card.refresh()
        self.setVisible(bool(calls))
