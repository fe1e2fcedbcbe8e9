"""The texts around an answer: its state before the first token, the figures below it, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QCoreApplication, QDate, QDateTime, QLocale

from app.chat.starter_limits import is_beyond_starter, repeats
from app.session.answer import Answer, State
from app.session.chats import Turn
from app.widgets.line_breaks import unbroken, with_good_breaks
from app.wording import figures
from app.wording.errors import error_sentence
from app.wording.sources import recorded_name

translate = QCoreApplication.translate


@dataclass(frozen=True)
class Trouble:
    """Why an answer stopped or is of no use, and the action that helps. `calm` if nothing went wrong."""

    sentence: str
    button: str
    action: str
    calm: bool = False
    fills_button: bool = False


def status_text(answer: Answer) -> str:
    """Return the text that is shown until the first token."""
    if answer.state is State.READING and (prefill := answer.prefill) and prefill.done < prefill.total:
        share = figures.percent(prefill.done / prefill.total)
        return translate("TurnView", "Processing prompt: {share}").format(share=share)
    if answer.state is State.STARTING:
        return translate("TurnView", "Starting tools…")
    if answer.writes_call:
        return translate("TurnView", "Preparing to use a tool…")
    return translate("TurnView", "Waiting for the first token…")


def foot_html(answer: Answer, with_figures: bool) -> str:
    """Return the line below an answer that has ended: how it ended and, if `with_figures`, its figures."""
    shown = figures.foot(answer) if with_figures else figures.left_out(answer.stats)
    parts = [unbroken(escape(sentence)).format(value=f"<b>{unbroken(escape(value))}</b>") for sentence, value in shown]
    ends = {
        State.CANCELLED: translate("TurnView", "Stopped."),
        State.LENGTH: translate("TurnView", "Reached the length limit."),
    }
    if answer.state in ends:
        parts.append(ends[answer.state])
    if reason := figures.why(answer):
        parts.append(with_good_breaks(escape(reason)))
    return "&nbsp;&nbsp;&nbsp; ".join(parts)


def figures_text(answer: Answer) -> str:
    """Return the figures of an answer, each in a line."""
    return "\n".join(sentence.format(value=value) for sentence, value in figures.foot(answer))


def origin_text(answer: Answer) -> str:
    """Return what speculation gained, the main model that wrote the answer, and when it was asked for."""
    parts = [figures.gain(answer.stats)] if answer.stats.accepted or figures.as_fast(answer.stats) else []
    if answer.model:
        parts.append(recorded_name(answer.model))
    if answer.asked_at is not None:
        asked = QDateTime.fromSecsSinceEpoch(int(answer.asked_at))
        short, is_today = QLocale.FormatType.ShortFormat, asked.date() == QDate.currentDate()
        parts.append(QLocale().toString(asked.time(), short) if is_today else QLocale().toString(asked, short))
    return " · ".join(parts)


def trouble_of(turn: Turn, offer: str) -> Trouble | None:
    """Return why an answer failed, was interrupted, or is beyond the Starter; None if it was not.

    `offer` is the text of the button that gets another model than the Starter, "" if there is one already.
    """
    answer = turn.answer
    again = translate("TurnView", "Try again")
    if answer.error is not None:
        return Trouble(error_sentence(answer.error), again, "again")
    if answer.state is not State.INTERRUPTED:
        if is_beyond_starter(turn):
            words = translate("TurnView", "The Starter only knows Tandem. A larger model can answer this.")
        elif repeats(turn):
            words = translate(
                "TurnView",
                "The Starter knows one answer to each question. A larger model can answer in other words.",
            )
        else:
            return None
        return Trouble(words, offer, "get-model", calm=True, fills_button=True) if offer else None
    sentence = translate("TurnView", "This answer was cut off when Tandem quit.")
    if answer.unfinished:
        return Trouble(sentence, translate("TurnView", "Continue"), "go-on", calm=True)
    return Trouble(sentence, again, "again", calm=True)
