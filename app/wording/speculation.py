"""One sentence on what speculation does and why, the same in header, panel and picker."""

from __future__ import annotations

from app.session.answer import Answer, State
from app.session.model_service import Pair
from app.session.session import Session
from app.wording.errors import error_sentence
from app.wording.figures import both_speeds, capitalized, gain, sentence, speed_sentence
from app.wording.sentences import translate
from app.wording.sources import names_without_drafter
from engine.methods import sources_without_drafter, uses_drafter


def why_off(pair: Pair, method: str) -> str:
    """Say why this pair cannot speculate; "" if it can."""
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
    """Say, before the first answer, why there is no speculation, or how to see its gain."""
    return why_off(pair, method) or translate(
        "Speculation", "Ask something to see how much speculation speeds up the answer."
    )


def speculation_sentence(pair: Pair, method: str, answer: Answer | None = None) -> str:
    """Say what speculation does for this pair and method, and for `answer` while it is written."""
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
    """Whether the newest round, except for the first token, was decoded without speculation."""
    newest = answer.rounds[-1] if len(answer.rounds) > 1 else None
    return newest is not None and not newest.drafted


def outcome(answer: Answer) -> str:
    """Say what an answer gained by speculation: "2.5× as fast", or else what is known of it."""
    stats = answer.figures
    return capitalized(gain(answer)) or speed_sentence(stats)


def without_story(answer: Answer) -> str:
    """Return the one line on an answer in which no draft token was accepted: its speed, and why."""
    stats = answer.figures
    rejected = translate("Speculation", "No draft token accepted") if answer.ended and stats.drafted else ""
    if known := " · ".join(filter(None, (speed_sentence(stats), sentence(answer) or rejected))):
        return known
    if not answer.ended:
        return translate("Speculation", "Waiting for the first token")
    if answer.state is State.DONE and not stats.generated_tokens:
        return translate("Speculation", "Imported · no measurements")
    return translate("Speculation", "No measurements")


def below_outcome(answer: Answer) -> str:
    """Return the speeds of an answer with draft tokens; "" if `outcome` is the speed."""
    stats = answer.figures
    speeds = both_speeds(stats) if gain(answer) else speed_sentence(stats)
    return speeds if stats.drafted and speeds != outcome(answer) else ""
