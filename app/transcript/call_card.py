"""The calls of tools in the transcript: each a card with its arguments, its result, and the person's consent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QSizePolicy, QWidget

from app.composer.picture_button import Thumbnails
from app.conversations.database.records import ToolUse
from app.conversations.pictures import PictureSource
from app.session.calls import CallState, OpenQuestion, ToolRun
from app.session.tool_calls import ONCE
from app.text.pieces import without_colours
from app.tools.questions import QuestionReply
from app.tools.tool import TANDEM, Permission, Tool
from app.transcript.arguments_view import ArgumentsView, QuestionLine
from app.transcript.auto_height_browser import PlainTextBrowser
from app.transcript.question_form import QuestionForm
from app.widgets.buttons import button, fold_head
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, WrappedLabel, label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.popups import Menu
from app.widgets.style_class import styled
from app.widgets.theme import scaled
from app.widgets.theme_aware import ThemeAware
from app.wording.call_questions import call_question, consequence, other_arguments
from app.wording.errors import joined
from app.wording.figures import whole_seconds
from app.wording.tools import call_sentence, call_state, short_site_name, tool_name

# Characters of a result that a card shows; copies and exports contain all.
LONGEST_RESULT = 20_000
_SECOND_MS = 1000
_RESULT_PICTURE_SIZE = QSize(240, 160)
# In pixels at the normal text size: in a narrower card the buttons stand below the line that asks.
_NARROWEST_BESIDE = 520
_ARROW_SIZE = QSize(14, 14)
_ARROW_WIDTH = 34


def shown_result(call: ToolRun) -> str:
    """Return the text of a result as its card shows it; none of a call that did not run."""
    if not call.ended or call.error is not None:
        return ""
    return without_colours(call.use.with_person_part(call.text)[:LONGEST_RESULT]).rstrip()


class ConsentButtons(ThemeAware, QWidget):
    """Deny and Allow, with a menu of lasting permissions. `chosen` carries ONCE or a `Permission`."""

    chosen = Signal(str)

    def __init__(self, site: str, about: str, parent: QWidget) -> None:
        """`site` is the one that a lasting permission is for, "" if it is for the tool; `about` names the call."""
        super().__init__(parent)
        self._site = short_site_name(site)
        self._about = about
        self.deny = self.bound("Deny", button(self, lambda: self.chosen.emit(Permission.DENY.value)))
        self.allow = self.bound("Allow", button(self, lambda: self.chosen.emit(ONCE), "accent"))
        self.more = button(self, style_class="accent")
        self.more.setIconSize(_ARROW_SIZE)
        self.more.setFixedWidth(_ARROW_WIDTH)
        # As high as the button beside it, which has words.
        self.more.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
        self.menu_of_permissions = Menu(self)
        self.more.setMenu(self.menu_of_permissions)
        choices = Permission.CHAT, Permission.ALWAYS
        self._in_chat, self._always = (self.menu_of_permissions.addAction("") for _ in choices)
        for action, choice in zip((self._in_chat, self._always), choices, strict=True):
            action.triggered.connect(lambda _=False, choice=choice: self.chosen.emit(choice.value))
        fill(hbox(self, margins=(0, 0, 0, 0), spacing=8), self.deny, fill(hbox(spacing=1), self.allow, self.more))
        self.restyle()

    def retranslate(self) -> None:
        if self._site:
            self._in_chat.setText(self.tr("Allow {site} in this chat").format(site=self._site))
            self._always.setText(self.tr("Always allow {site}").format(site=self._site))
        else:
            self._in_chat.setText(self.tr("Allow in this chat"))
            self._always.setText(self.tr("Always allow"))
        self.allow.setToolTip(self.tr("Allow this call alone"))
        self.more.setToolTip(self.tr("Allow more than this call"))
        for pressed, words in (
            (self.deny, self.deny.text()),
            (self.allow, self.allow.text()),
            (self.more, self.more.toolTip()),
        ):
            pressed.setAccessibleName(f"{words}: {self._about}")

    def apply_theme(self) -> None:
        self.more.setIcon(icon("chevron-down", "on_accent"))


class CallCard(ThemeAware, QFrame):
    """One call. `chosen` carries it with the person's choice: ONCE, or a `Permission`."""

    chosen = Signal(object, str)

    def __init__(
        self, call: ToolRun, pictures: PictureSource, parent: QWidget, model: str = "", is_repeated: bool = False
    ) -> None:
        """`pictures` are the pictures of the store that has the call, and `model` wants it, by its name in figures.

        A call that `is_repeated` was made before in the same answer.
        """
        super().__init__(parent)
        self.setObjectName("card")
        self.call = call
        self._model = model
        self._is_repeated = is_repeated
        self._shown: tuple[object, ...] = ()
        self.head = fold_head(self)
        self.bound("Show or hide the arguments and the result", self.head, QWidget.setToolTip)
        self._server = styled(ElidedLabel(self), "muted")
        self.state = label(self, "muted")
        self._head_line = QWidget(self)
        fill(hbox(self._head_line, margins=(0, 0, 0, 0), spacing=6), self.head, (self._server, 1), self.state)
        # Made for a call that asks, because few do.
        self.question: QuestionLine | None = None
        self.buttons: ConsentButtons | None = None
        self._asking = hbox(margins=(0, 2, 0, 0), spacing=12)
        self._sentence = styled(WrappedLabel(self), "muted")
        column = fill(vbox(self, margins=(8, 6, 12, 8), spacing=6), self._head_line, self._asking, self._sentence)
        self.arguments = ArgumentsView(self)
        self.result = PlainTextBrowser(self)
        self._captions = label(self, "caption"), label(self, "caption")
        self.bound("Arguments", self._captions[0])
        self.bound("Arguments", self.arguments, QWidget.setAccessibleName)
        self.bound("Result", self._captions[1])
        self.bound("Result", self.result, QWidget.setAccessibleName)
        self._pictures = Thumbnails(pictures, _RESULT_PICTURE_SIZE, self)
        fill(column, self._captions[0], self.arguments, self._captions[1], self.result, self._pictures)
        self._column = column
        # Made for the first question of a server, because few have any.
        self.form: QuestionForm | None = None
        self._seconds = QTimer(self)
        self._seconds.setInterval(_SECOND_MS)
        self._seconds.timeout.connect(self._show_state)
        self.head.toggled.connect(self._show_details)
        self.restyle()
        self.refresh()

    def _make_question(self, tool: Tool) -> None:
        """Add the line that asks, and the buttons that allow or deny the call."""
        self.question = QuestionLine(self)
        self.buttons = ConsentButtons(tool.site, self._words, self)
        self.buttons.chosen.connect(lambda choice: self.chosen.emit(self.call, choice))
        fill(self._asking, (self.question, 1, Qt.AlignmentFlag.AlignVCenter), self.buttons)
        self._place_buttons()

    def refresh(self) -> None:
        """Show the present state of the call."""
        call = self.call
        state = (call.state, call.text, call.use, call.error, call.pictures, call.question)
        if state == self._shown:
            return
        self._shown = state
        if call.state is CallState.ASKS and call.tool is not None and self.question is None:
            self._make_question(call.tool)
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
        # In the line that asks are some of them.
        arguments = other_arguments(self.call) if asks else self.call.arguments
        self.arguments.show_arguments(arguments)
        has_result = bool(shown_result(self.call))
        self._captions[0].setVisible(unfolded and not asks and bool(arguments))
        self.arguments.setVisible((asks or unfolded) and bool(arguments))
        for widget in (self._captions[1], self.result):
            widget.setVisible(unfolded and has_result)
        self.head.setEnabled(bool(arguments) or has_result)
        self._head_line.setVisible(not asks)
        if self.question is not None and self.buttons is not None:
            self.question.setVisible(asks)
            self.buttons.setVisible(asks)

    def _show_state(self) -> None:
        call = self.call
        if call.state is CallState.RUNS and call.question is None:
            elapsed = whole_seconds(time.monotonic() - call.begun_at)
            self.state.setText(self.tr("Calling… {time}").format(time=elapsed))
        else:
            self.state.setText(call_state(call))
        sentence = call_sentence(call)
        if call.state is CallState.ASKS and call.tool is not None:
            repeated = self.tr("The same call was made before in this answer.") if self._is_repeated else ""
            sentence = joined(consequence(call.tool), repeated)
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))

    @property
    def _words(self) -> str:
        """The tool and its server, for a screen reader."""
        return " · ".join(part for part in (self._name, self._server_name) if part)

    @property
    def _name(self) -> str:
        use = self.call.use
        return tool_name(use.server, use.tool, self.call.tool.title if self.call.tool else "")

    @property
    def _server_name(self) -> str:
        return self.call.use.server if self.call.use.server != TANDEM else ""

    def retranslate(self) -> None:
        self.head.setText(self._name or self.tr("Tool"))
        self._server.setText(self._server_name)
        if self.question is not None and self.call.state is CallState.ASKS:
            self.question.show_pieces(call_question(self.call, self._model))
            self.question.setAccessibleName(self.question.toPlainText())
        self._show_state()
        self.head.setAccessibleName(f"{self._words}: {self.state.text()}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def _place_buttons(self) -> None:
        """Put the buttons beside the line that asks, or below it in a narrow card; at its right end as on a Mac."""
        if self.buttons is None:
            return
        direction = QBoxLayout.Direction
        is_wide = self.width() >= scaled(_NARROWEST_BESIDE)
        self._asking.setDirection(direction.LeftToRight if is_wide else direction.TopToBottom)
        side = Qt.AlignmentFlag.AlignVCenter if is_wide else Qt.AlignmentFlag.AlignRight
        self._asking.setAlignment(self.buttons, side)


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

    def show_calls(self, calls: Sequence[ToolRun], before: Iterable[ToolRun] = (), model: str = "") -> None:
        """Show the calls; those `before` belong to the same answer. `model` made them, by its name in figures."""
        if [card.call for card in self.cards] != list(calls):
            for card in self.cards:
                self._column.removeWidget(card)
                card.hide()
                card.deleteLater()
            made = [call.use for call in before]
            self.cards = []
            for call in calls:
                is_repeated = any(_is_same(call.use, other) for other in made)
                self.cards.append(CallCard(call, self._pictures(), self, model, is_repeated))
                made.append(call.use)
            for card in self.cards:
                card.chosen.connect(self.chosen)
                self._column.addWidget(card)
                card.show()
        for card in self.cards:
            card.refresh()
        self.setVisible(bool(calls))
