"""Sentences on drafting ahead: in how many rounds the draft was there already, or why nothing was drafted ahead."""

from __future__ import annotations

from PySide6.QtCore import QLocale

from app.wording.errors import joined
from app.wording.sentences import Sentences, translate
from engine.stats import RequestStats

# By the state of a draft runner, as in `RequestStats.ahead`, where nothing was drafted ahead for that reason.
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
        "bad-replies": "Drafting ahead has stopped for this answer: three drafts were not valid.",
    },
)


def ahead_sentence(stats: RequestStats) -> str:
    """Say what drafting ahead did in an answer, or why there was none; "" if it is off, or was not needed."""
    reason = WHY_NOT.get(stats.ahead, "")
    rounds = ahead_rounds(stats)
    if not rounds or (reason and not stats.ahead_used):
        return reason
    if not stats.ahead_used:
        return translate("Ahead", "Drafting ahead was tried, but would not have made this answer faster.")
    text = translate("Ahead", "In {ready} of {rounds} rounds the draft was ready, which hid {ms} ms of drafting.")
    locale = QLocale()
    ready = locale.toString(stats.ahead_hits)
    hidden = locale.toString(round(1e3 * stats.ahead_hidden_s))
    return joined(text.format(ready=ready, rounds=locale.toString(rounds), ms=hidden), reason)


def ahead_rounds(stats: RequestStats) -> int:
    """Return the rounds for whose outcome a draft runner was asked."""
    return stats.ahead_hits + stats.ahead_misses + stats.ahead_late + stats.ahead_bad
