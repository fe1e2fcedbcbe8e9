"""Sentences on drafting ahead: in how many rounds the draft was there already, or why nothing was drafted ahead."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from app.session.model_service import Pair
from app.settings.declarations import SETTINGS
from app.wording.cluster import CLUSTER_REASONS
from app.wording.durations import brief
from app.wording.errors import joined
from app.wording.sentences import Sentences, translate
from engine.stats import RequestStats

# By the state of a draft runner, as in `RequestStats.ahead`, where nothing is drafted ahead for that reason.
WHY_NOT = Sentences(
    "Ahead",
    {
        "starting": "Drafting ahead is starting.",
        "head": "A head drafts all tokens of a round in one pass, so there is nothing to prepare.",
        "no-memory": "Nothing is drafted ahead: a second copy of the draft model does not fit in memory.",
        "several": "Nothing was drafted ahead, because several answers were written at once.",
        "pictures": "Nothing is drafted ahead in chats with pictures.",
        "other-tokenizer": "Nothing is drafted ahead: that needs a draft model with the same tokenizer.",
        "no-branches": "Nothing is drafted ahead: this draft model cannot do it.",
        "not-usable": "Nothing is drafted ahead: the copy of the draft model cannot be loaded.",
        "unreachable": "Nothing is drafted ahead: the process that drafts cannot be reached.",
        "ended": "Drafting ahead has stopped: the process that drafts quit unexpectedly twice.",
        "resting-slower": "Drafting ahead rests, because answers are faster without it. "
        "It is tried again now and then.",
        "resting-unused": "Drafting ahead rests, because its last drafts came too late or were not used. "
        "It is tried again later.",
        "bad-replies": "Drafting ahead has stopped for this answer: three drafts were not valid.",
    },
)


# By the same states, for a runner on another computer, whose name is {host}; `CLUSTER_REASONS` has the other ones.
WHY_NOT_THERE = Sentences(
    "Ahead",
    {
        "no-address": "Nothing is drafted ahead: {host} cannot be reached on the network.",
        "not-usable": "Nothing is drafted ahead: {host} cannot load the draft model.",
        "other-key": "Nothing is drafted ahead: what answered at {host} did not prove that Tandem had started it.",
        "ended": "Drafting ahead has stopped: the connection to {host} was lost twice.",
    },
)


def place_words(place: str) -> str:
    """Return the words for a value of the setting draft_ahead, which may be the name of another computer."""
    setting = SETTINGS["draft_ahead"]
    words = dict(setting.choices).get(place)
    return translate("Settings", setting.others).format(name=place) if words is None else translate("Settings", words)


def why_not_with(pair: Pair) -> str:
    """Return words that say why nothing can be drafted ahead with the loaded models; "" while models are loaded."""
    if pair.loading:
        return ""
    if pair.draft is None:
        return translate("Ahead", "Choose a draft model first.")
    return WHY_NOT["head"] if pair.draft.kind == "head" else ""


def why_not(stats: RequestStats) -> str:
    """Return words that say why nothing is drafted ahead; "" if there is no reason."""
    host = stats.ahead_host
    if host and stats.ahead in WHY_NOT_THERE:
        return WHY_NOT_THERE[stats.ahead].format(host=host)
    if host and stats.ahead in CLUSTER_REASONS:
        text = CLUSTER_REASONS[stats.ahead].format(host=host, detail=stats.ahead_detail)
        return joined(translate("Ahead", "Nothing is drafted ahead on {host}.").format(host=host), text)
    return WHY_NOT.get(stats.ahead, "")


def ahead_sentence(stats: RequestStats) -> str:
    """Return what drafting ahead did in an answer, or why there was none; "" if it is off, or was not needed."""
    reason = why_not(stats)
    rounds = ahead_rounds(stats)
    if not rounds or (reason and not stats.ahead_used):
        return reason
    if not stats.ahead_used:
        return translate("Ahead", "Drafting ahead was tried, but would not have made this answer faster.")
    text = translate("Ahead", "In {ready} of {rounds} rounds the draft was ready, which hid {time} of drafting.")
    number = QLocale().toString
    ready = number(stats.ahead_hits)
    return joined(text.format(ready=ready, rounds=number(rounds), time=brief(stats.ahead_hidden_s)), reason)


def ahead_rounds(stats: RequestStats) -> int:
    """Return the rounds for whose outcome a draft runner was asked."""
    return stats.ahead_hits + stats.ahead_misses + stats.ahead_late + stats.ahead_bad
