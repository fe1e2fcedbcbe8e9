"""One sentence on what speculation does and why, the same in header, panel and picker."""

from __future__ import annotations

from app.session.answer import Answer, State
from app.session.model_service import Pair
from app.session.session import Session
from app.wording.errors import error_sentence
from app.wording.figures import (
    SpeculationSentences,
    accepted_words,
    capitalized,
    gain,
    is_missing_match,
    round_sentence,
    sentence,
    speed_sentence,
    warning,
)
from app.wording.sentences import translate
from app.wording.sources import names_without_drafter, role_of
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
    """Return whether the newest round, except for the first token, was decoded without speculation.

    A round for which nothing was found to copy says nothing where others found something.
    """
    newest = answer.rounds[-1] if len(answer.rounds) > 1 else None
    return newest is not None and not newest.drafted and not is_missing_match(answer, newest)


def outcome(answer: Answer) -> str:
    """Return the gain of an answer by speculation, if it is known, else how many of its draft tokens were accepted.

    For example: "4× as fast", "61 of 61 drafts accepted".
    """
    return capitalized(gain(answer)) or accepted_words(answer.figures)


def headline(answer: Answer) -> str:
    """Return the one line on an answer where no panel is: what drafts gained, or else why they gained nothing.

    For example: "56 of 56 drafts accepted · 10.2 tokens a round instead of 1 · 85 tokens a second".
    """
    if not answer.has_story:
        return without_story(answer)
    return _line(outcome(answer), below_outcome(answer))


def below_outcome(answer: Answer) -> str:
    """Return what else is known of an answer than `outcome`: the tokens that a round brought, and its speed.

    Rounds of loops and of copies of other answers are no achievement.
    """
    if answer.state is State.CALLING:
        return _calling(answer)
    stats = answer.figures
    accepted = accepted_words(stats) if gain(answer) else ""
    a_round = round_sentence(stats) if answer.speed_counts else ""
    return _line(accepted, a_round, speed_sentence(stats))


def longest_below_outcome() -> str:
    """Return a text as long as `below_outcome` becomes."""
    stats = RequestStats(decode_tps=8888.0, accepted=888, drafted=888, tokens_per_round=88.8)
    return _line(accepted_words(stats), round_sentence(stats), speed_sentence(stats))


def _line(*parts: str) -> str:
    return " · ".join(filter(None, parts))


def _calling(answer: Answer) -> str:
    """Say what an answer that called tools waits for."""
    if answer.asks:
        return translate("Speculation", "Waiting for you to allow a tool")
    return translate("Speculation", "A tool is running")


def _from_drafts(answer: Answer) -> str:
    """Say how many tokens came from drafts; where none did, why, as far as that is no matter of a single round."""
    stats = answer.figures
    if answer.refuses:
        return ""
    if stats.accepted:
        is_copied = bool(stats.sources) and all(role_of(source) != "draft" for source in stats.sources)
        sentences = SpeculationSentences()
        return sentences.copied(stats.accepted) if is_copied else sentences.from_drafts(stats.accepted)
    if not stats.drafted:
        return sentence(answer)
    return translate("Speculation", "No draft token accepted") if answer.ended else ""


def without_story(answer: Answer) -> str:
    """Return the one line on an answer that drafts hardly wrote: its speed, and how much they wrote, or why nothing."""
    if answer.state is State.CALLING:
        return _calling(answer)
    stats = answer.figures
    if known := _line(speed_sentence(stats), warning(answer) or _from_drafts(answer)):
        return known
    if not answer.ended:
        return translate("Speculation", "Waiting for the first token")
    if answer.state is State.DONE and not stats.generated_tokens:
        return translate("Speculation", "Imported · no measurements")
    if answer.state is State.CANCELLED and not answer.text:
        return translate("Speculation", "Stopped before the first token")
    return translate("Speculation", "No measurements")
