"""The texts around an answer: its state before the first token, its figures, and the note on why it stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QPushButton, QWidget

from app.session.answer import Answer, State
from app.session.chats import Turn
from app.tools.tool import TANDEM, Tool, visible
from app.tools.web_results import READ_PAGE, sources_of
from app.widgets.labels import WrappedLabel
from app.widgets.layouts import fill, hbox
from app.widgets.line_breaks import unbroken, with_good_breaks
from app.widgets.style_class import set_property, styled
from app.wording import figures
from app.wording.errors import error_sentence
from app.wording.sources import recorded_name
from app.wording.tools import tool_name

translate = QCoreApplication.translate
# Links under an answer: a line or two.
_MOST_WEB_PAGES = 8
# The margin of a note on the left and right, in pixels.
_NOTE_MARGIN = 14
# The least number of characters in a line of a note beside its buttons.
_LEAST_NOTE_CHARACTERS = 30


@dataclass(frozen=True)
class Problem:
    """Why an answer stopped or is not usable, and the action that helps; with no `button` nothing does.

    `is_info` if nothing went wrong. `other` is the text and the action of another button, before that one.
    """

    sentence: str
    button: str
    action: str
    is_info: bool = False
    other: tuple[str, str] | None = None


def status_text(answer: Answer, tools: Sequence[Tool]) -> str:
    """Return the text that is shown until the first token, and while a call of one of the `tools` is written."""
    if answer.state is State.READING and (prefill := answer.prefill) and prefill.done < prefill.total:
        share = figures.percent(prefill.done / prefill.total)
        return translate("TurnView", "Processing prompt: {share}").format(share=share)
    if answer.waits_for:
        return translate("TurnView", "Reading {name}…").format(name=answer.waits_for)
    if answer.state is State.STARTING:
        return translate("TurnView", "Starting tools…")
    called = answer.called
    tool = next((tool for tool in tools if tool.called == called), None)
    if tool is not None:
        name = tool_name(tool.server, tool.name, tool.title)
        return translate("TurnView", "Calling {name}…").format(name=name)
    if answer.writes_call:
        return translate("TurnView", "Preparing to use a tool…")
    return translate("TurnView", "Waiting for the first token…")


def footer_html(answer: Answer, with_figures: bool) -> str:
    """Return the line below an answer that has ended: how it ended and, if `with_figures`, its figures."""
    shown = figures.footer(answer) if with_figures else figures.left_out(answer.stats)
    parts = [unbroken(escape(sentence)).format(value=f"<b>{unbroken(escape(value))}</b>") for sentence, value in shown]
    ends = {
        State.CANCELLED: translate("TurnView", "Stopped."),
        State.LENGTH: translate("TurnView", "Reached the length limit."),
    }
    if answer.state in ends:
        parts.append(ends[answer.state])
    # The panel says it of the answer that it shows.
    if with_figures and (reason := figures.why(answer)):
        parts.append(with_good_breaks(escape(reason)))
    return "&nbsp;&nbsp;&nbsp; ".join(parts)


def web_pages_html(turn: Turn) -> str:
    """Return links to the web pages that an answer is from; "" if it is from none. Those that were read come first."""
    calls = [call for call in turn.calls if call.use.server == TANDEM and not call.failed]
    # The sort keeps the order of calls of the same tool.
    calls.sort(key=lambda call: call.use.tool != READ_PAGE)
    sources = [source for call in calls for source in sources_of(call.use.tool, call.text)]
    # A search knows the title of a page that was read later.
    titles = {source.address: source.title for source in sources}
    addresses = list(titles)[:_MOST_WEB_PAGES]
    links = [f'<a href="{escape(address)}">{escape(visible(titles[address]))}</a>' for address in addresses]
    return translate("TurnView", "Sources: {links}").format(links=" · ".join(links)) if links else ""


def figures_text(answer: Answer) -> str:
    """Return the figures of an answer, each in a line."""
    return "\n".join(sentence.format(value=value) for sentence, value in figures.footer(answer))


def origin_text(answer: Answer, *, in_panel: bool = False) -> str:
    """Return what speculation gained, the main model that wrote the answer, and when it was asked for.

    The live panel says of the answer `in_panel` what was gained.
    """
    gain = "" if in_panel else figures.gain(answer)
    parts = [gain] if gain else []
    if answer.model:
        parts.append(recorded_name(answer.model))
    if answer.asked_at is not None:
        asked = QDateTime.fromSecsSinceEpoch(int(answer.asked_at))
        short = QLocale.FormatType.ShortFormat
        is_today = asked.date() == QDate.currentDate()
        parts.append(QLocale().toString(asked.time(), short) if is_today else figures.moment(answer.asked_at))
    return " · ".join(parts)


def problem_note(turn: Turn) -> Problem | None:
    """Return why an answer failed, was paused or interrupted, or why the Starter repeats it; None if nothing."""
    answer = turn.answer
    again = translate("TurnView", "Try again")
    if answer.error is not None:
        return Problem(error_sentence(answer.error), again, "again")
    if answer.state is State.REPEATING:
        sentence = translate("TurnView", "This answer repeats itself.")
        button, action = (translate("TurnView", "Continue"), "go-on") if answer.unfinished else (again, "again")
        return Problem(sentence, button, action, is_info=True, other=(translate("TurnView", "Stop"), "stop-repeating"))
    if answer.stopped_thinking and answer.unfinished:
        sentence = translate("TurnView", "The model stopped while thinking, without an answer.")
        return Problem(sentence, translate("TurnView", "Continue"), "go-on", is_info=True)
    if answer.state is not State.INTERRUPTED:
        return _starter_note(turn)
    sentence = translate("TurnView", "This answer was cut off when Tandem quit.")
    if answer.unfinished:
        return Problem(sentence, translate("TurnView", "Continue"), "go-on", is_info=True)
    return Problem(sentence, again, "again", is_info=True)


def _starter_note(turn: Turn) -> Problem | None:
    """Return why the Starter repeats its words; None if it was asked once."""
    if turn.answer.is_of_starter and turn.answer_node.count > 1:
        return Problem(translate("TurnView", "The Starter knows one answer to each question."), "", "", is_info=True)
    return None


class Note(QFrame):
    """A sentence with one button or two, beside it where that leaves room to read, else below.

    `acted` carries the action of the pressed button.
    """

    acted = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._action = ""
        self._other_action = ""
        self._label = WrappedLabel(self)
        self._button = styled(QPushButton(self), "button")
        self._button.clicked.connect(lambda: self.acted.emit(self._action))
        # Made for the first problem with two buttons, because each turn has a note.
        self._other: QPushButton | None = None
        self._buttons = fill(hbox(spacing=12), self._button, 0)
        self._line = fill(hbox(self, margins=(_NOTE_MARGIN, 10, 10, 10), spacing=12), (self._label, 1), self._buttons)

    def show_problem(self, problem: Problem, *, with_buttons: bool = True) -> None:
        """Show why an answer is of no use, and the buttons that help."""
        set_property(self, "objectName", "note" if problem.is_info else "banner")
        self._action = problem.action
        self._label.setText(problem.sentence)
        self._button.setText(problem.button)
        self._button.setVisible(with_buttons and bool(problem.button))
        self._show_other(*(problem.other if with_buttons and problem.other else ("", "")))
        self._place_buttons()
        self.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def _place_buttons(self) -> None:
        """Put the buttons next to the sentence, or below it if a line would be too short there."""
        shown = [button for button in (self._other, self._button) if button is not None and not button.isHidden()]
        taken = sum(button.sizeHint().width() + self._line.spacing() for button in shown)
        room = self.width() - 2 * _NOTE_MARGIN - taken
        is_wide = not shown or room >= self._label.fontMetrics().averageCharWidth() * _LEAST_NOTE_CHARACTERS
        self._line.setDirection(QBoxLayout.Direction.LeftToRight if is_wide else QBoxLayout.Direction.TopToBottom)

    def _show_other(self, text: str, action: str) -> None:
        self._other_action = action
        if text and self._other is None:
            self._other = styled(QPushButton(self), "button")
            self._other.clicked.connect(lambda: self.acted.emit(self._other_action))
            self._buttons.insertWidget(0, self._other)
            self.setTabOrder(self._other, self._button)
        if self._other is not None:
            self._other.setText(text)
            self._other.setVisible(bool(text))
