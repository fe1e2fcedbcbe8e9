"""One sentence on what speculation does and why, the same in header, panel and picker."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.session.answer import Answer
from app.session.model_service import Pair
from app.session.session import Session
from app.wording.errors import error_sentence
from app.wording.figures import duration, sentence, speedup, speedup_is_known
from app.wording.sources import names_without_drafter
from engine.speculation.proposers.registry import sources_without_drafter, uses_drafter
from engine.stats import RequestStats

translate = QCoreApplication.translate

# Shorter answers rarely allow to measure a speed-up.
_SHORT = 200


def why_off(pair: Pair, method: str) -> str:
    """Say why this pair cannot speculate; "" if it can."""
    if pair.loading == "draft":
        return translate("Speculation", "The draft model is loading. You can already ask questions.")
    if pair.loading:
        return translate("Speculation", "The models are loading.")
    if pair.main is None:
        return translate("Speculation", "No main model is loaded.")
    if method == "off":
        return translate("Speculation", "Speculation is off.")
    if pair.draft_problem is not None and uses_drafter(method):
        return error_sentence(pair.draft_problem)
    if pair.draft is None and not sources_without_drafter(method):
        return translate("Speculation", "No draft model is loaded.")
    return ""


def idle_sentence(pair: Pair, method: str) -> str:
    """Say, before the first answer, why there is no speculation, or how to see its gain."""
    return why_off(pair, method) or translate(
        "Speculation", "Ask something to see how much speculation speeds up the answer."
    )


def speculation_sentence(pair: Pair, method: str, answer: Answer | None = None) -> str:
    """Say what speculation does for this pair and method, and for `answer` while it is written."""
    reason = why_off(pair, method)
    if reason:
        return reason
    if answer is not None and not answer.ended and plain_now(answer):
        return sentence(answer)[0]
    if pair.draft is None:
        without = translate("Speculation", "Speculation: {sources}, no draft model")
        return without.format(sources=names_without_drafter(method))
    if not uses_drafter(method):
        return translate("Speculation", "Speculation: {sources}").format(sources=names_without_drafter(method))
    if method == "auto":
        return translate("Speculation", "Speculation: auto")
    return translate("Speculation", "Speculation: on")


def state_now(session: Session) -> str:
    """Return the sentence of header and picker on the chat on screen."""
    turns = session.chat.turns
    answer = turns[-1].answer if turns else None
    return speculation_sentence(session.models.pair, session.settings.speculation.method, answer)


def plain_now(answer: Answer) -> bool:
    """Whether the newest round, except for the first token, was decoded without speculation."""
    newest = answer.rounds[-1] if len(answer.rounds) > 1 else None
    return newest is not None and not newest.drafted


def outcome(answer: Answer) -> str:
    """Say what speculation gained in an answer ("2.1× faster, 1.4 s saved"), or why that is not known."""
    stats = answer.stats
    if not stats.drafted or not speedup_is_known(stats):
        return _unknown_outcome(answer)
    times = speedup(stats)
    if (stats.speedup or stats.speedup_low or 0.0) < 1.0:
        text = translate("Speculation", "{times} the plain speed")
    elif stats.saved_s is None:
        text = translate("Speculation", "{times} faster")
    else:
        text = translate("Speculation", "{times} faster, {saved} saved")
    return text.format(times=times, saved=duration(stats.saved_s))


def has_figures(answer: Answer) -> bool:
    """Whether there are or will be figures to show. An imported answer has none."""
    return not answer.ended or bool(answer.rounds) or answer.stats.generated_tokens > 0


def is_short(stats: RequestStats) -> bool:
    """Whether an answer has too few tokens to expect a measured speed-up."""
    return stats.generated_tokens < _SHORT


def _unknown_outcome(answer: Answer) -> str:
    stats = answer.stats
    if not answer.ended:
        return translate("Speculation", "Measuring the speed-up…")
    if not has_figures(answer):
        return translate("Speculation", "No figures for this answer")
    if not stats.drafted:
        return translate("Speculation", "No speculation")
    if not stats.accepted:
        return translate("Speculation", "No draft token accepted")
    if is_short(stats):
        return translate("Speculation", "Too short to measure a speed-up")
    return translate("Speculation", "Speed-up not measured")
