"""What speculation does now and why, in one sentence: header, panel and picker say this and nothing else."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.session.answer import Answer
from app.session.model_service import Pair
from app.wording.errors import error_sentence
from app.wording.figures import busy, seconds, sentence, speedup, speedup_is_known
from engine.stats import RequestStats

# Settings under which prompt lookup proposes draft tokens, also without a draft model.
LOOKS_UP = ("auto", "ngram")


def why_off(pair: Pair, method: str) -> str:
    """Why this pair cannot speculate, in a sentence; "" when it can."""
    translate = QCoreApplication.translate
    if pair.loading == "draft":
        return translate("Speculation", "The draft model is loading. You can already ask questions.")
    if pair.loading:
        return translate("Speculation", "The models are loading.")
    if pair.main is None:
        return translate("Speculation", "No main model is loaded.")
    if method == "off":
        return translate("Speculation", "Speculation is off.")
    if pair.draft_problem is not None and method != "ngram":
        return error_sentence(pair.draft_problem)
    if pair.draft is None and method not in LOOKS_UP:
        return translate("Speculation", "No draft model is loaded.")
    return ""


def speculation_sentence(pair: Pair, method: str, answer: Answer | None = None) -> str:
    """What speculation does: for this pair and method, and for `answer` while it is written."""
    reason = why_off(pair, method)
    if reason:
        return reason
    translate = QCoreApplication.translate
    if answer is not None and not answer.ended and plain_now(answer):
        return sentence(answer)[0]
    if pair.draft is None or method == "ngram":
        return translate("Speculation", "Speculation: prompt lookup, no draft model")
    if method == "auto":
        return translate("Speculation", "Speculation: auto")
    return translate("Speculation", "Speculation: on")


def plain_now(answer: Answer) -> bool:
    """Whether the newest round was decoded without speculation, the first token aside."""
    newest = answer.rounds[-1] if len(answer.rounds) > 1 else None
    return newest is not None and not newest.drafted


def outcome(stats: RequestStats) -> str:
    """What speculation gained in an answer: "2.1× faster, 1.4 s saved"; "" where that was not measured."""
    if not speedup_is_known(stats) or stats.speedup is None:
        return busy(stats)
    translate = QCoreApplication.translate
    times = speedup(stats)
    if stats.speedup < 1.0:
        text = translate("Speculation", "{times} the plain speed")
    elif stats.saved_s is None:
        text = translate("Speculation", "{times} faster")
    else:
        text = translate("Speculation", "{times} faster, {saved} saved")
    return text.format(times=times, saved=seconds(stats.saved_s))
