"""One sentence on what speculation does and why, the same in header, panel and picker."""

from __future__ import annotations

from app.conversations.measured import LEAST_ROUNDS
from app.session.answer import Answer, State
from app.session.model_service import Pair
from app.session.session import Session
from app.wording.errors import error_sentence
from app.wording.figures import capitalized, gain, number, sentence, speed_sentence
from app.wording.sentences import translate
from app.wording.sources import names_without_drafter
from engine.methods import sources_without_drafter, uses_drafter
from engine.stats import RequestStats


def why_off(pair: Pair, method: str) -> str:
    """Return words that say why this pair cannot speculate; "" if it can."""
    if pair.loading == "draft":
        return translate("Speculation", "The draft model is loading. You can already ask questions.")
    if pair.loading:
        return translate("Speculation", "The models are loading.")
    if pair.main is None:
        return translate("Speculation", "No main model is loaded.")
    if pair.unloaded_by_failure:
        unloaded = translate("Speculation", "{name} was unloaded. The next question loads it again.")
        return unloaded.format(name=pair.names[0])
    if method == "off":
        return translate("Speculation", "Speculation is off.")
    if pair.draft_problem is not None and uses_drafter(method):
        return error_sentence(pair.draft_problem)
    if pair.draft is None and not sources_without_drafter(method):
        return translate("Speculation", "No draft model is loaded.")
    return ""


def idle_sentence(pair: Pair, method: str) -> str:
    """Return words that say, before the first answer, why there is no speculation, or how to see its gain."""
    return why_off(pair, method) or translate(
        "Speculation", "Ask something to see how much speculation speeds up the answer."
    )


def speculation_sentence(pair: Pair, method: str, answer: Answer | None = None) -> str:
    """Return words that say what speculation does for this pair and method, and for `answer` while it is written."""
    reason = why_off(pair, method)
    if reason:
        return reason
    if answer is not None and not answer.ended and plain_now(answer) and (now := sentence(answer)):
        return now
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
    """Return whether the newest round, except for the first token, was decoded without speculation."""
    newest = answer.rounds[-1] if len(answer.rounds) > 1 else None
    return newest is not None and not newest.drafted


def has_story(answer: Answer) -> bool:
    """Return whether charts have anything to show: enough rounds with accepted draft tokens to see more than chance.

    They have nothing of refusals and loops, whose speed says nothing of others, and while a call waits.
    """
    rounds = answer.figures.accepted_rounds or 0
    return rounds >= LEAST_ROUNDS and answer.speed_counts and answer.state is not State.CALLING


def outcome(answer: Answer) -> str:
    """Return the gain of an answer by speculation, if it is known, else how many of its draft tokens were accepted.

    For example: "4× as fast", "61 of 61 drafts accepted".
    """
    stats = answer.figures
    accepted = translate("Speculation", "{accepted} of {drafted} drafts accepted").format(
        accepted=number(stats.accepted, 0), drafted=number(stats.drafted, 0)
    )
    return capitalized(gain(answer)) or accepted


def headline(answer: Answer) -> str:
    """Return the one line on an answer where no panel is: its gain and its speed, or else why there is no gain.

    For example: "4× as fast · 62 tokens/s".
    """
    if not has_story(answer):
        return without_story(answer)
    return " · ".join(filter(None, (outcome(answer), speed_sentence(answer.figures))))


def below_outcome(answer: Answer) -> str:
    """Return the speed of an answer and, if its gain is not measured yet, how to measure it."""
    speed = speed_sentence(answer.figures)
    if not answer.ended or answer.pair_speedup is not None:
        return speed
    return " · ".join(filter(None, (speed, translate("Speculation", "Compare measures the gain."))))


def longest_below_outcome() -> str:
    """Return a text as long as `below_outcome` becomes."""
    return below_outcome(Answer(State.DONE, stats=RequestStats(decode_tps=8888.0)))


def without_story(answer: Answer) -> str:
    """Return the one line on an answer of which charts have nothing to show: its speed, and why."""
    stats = answer.figures
    is_rejected = answer.ended and stats.drafted and not stats.accepted
    rejected = translate("Speculation", "No draft token accepted") if is_rejected else ""
    if known := " · ".join(filter(None, (speed_sentence(stats), sentence(answer) or rejected))):
        return known
    if not answer.ended:
        return translate("Speculation", "Waiting for the first token")
    if answer.state is State.DONE and not stats.generated_tokens:
        return translate("Speculation", "Imported · no measurements")
    if answer.state is State.CANCELLED and not answer.text:
        return translate("Speculation", "Stopped before the first token")
    return translate("Speculation", "No measurements")
