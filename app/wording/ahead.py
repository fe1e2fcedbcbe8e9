"""A sentence on what drafting ahead did in an answer, or why it cannot help."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.stats import RequestStats


def ahead_sentence(stats: RequestStats) -> str:
    """Return the sentence for the panel; "" if drafting ahead is off."""
    translate = QCoreApplication.translate
    verdicts = stats.ahead_hits + stats.ahead_misses + stats.ahead_late
    if stats.ahead == "ready" and verdicts:
        if not stats.ahead_used:
            return translate("Ahead", "Parallel drafting was tried, but would not have made this answer faster.")
        text = translate("Ahead", "Parallel drafting: {hits} of {rounds} drafts were ready in time.")
        return text.format(hits=stats.ahead_hits, rounds=verdicts)
    return {
        "ready": translate("Ahead", "Parallel drafting was not needed for this answer."),
        "starting": translate("Ahead", "Parallel drafting is starting."),
        "no-gain": translate("Ahead", "Parallel drafting would not help: drafting takes too little of a round."),
        "no-memory": translate(
            "Ahead", "Parallel drafting is off: a second copy of the draft model does not fit in memory."
        ),
        "no-address": translate(
            "Ahead", "Parallel drafting is off: the other computer's address or secret is missing."
        ),
        "no-branches": translate("Ahead", "Parallel drafting is off: this draft model cannot do it."),
        "not-usable": translate("Ahead", "Parallel drafting is off: its copy of the draft model cannot be loaded."),
        "other-tokenizer": translate(
            "Ahead", "Parallel drafting is off: it needs a draft model with the same tokenizer."
        ),
        "unreachable": translate("Ahead", "Parallel drafting is off: the process that drafts cannot be reached."),
        "network-denied": translate(
            "Ahead",
            "Parallel drafting is off: macOS does not let Tandem use the local network. Turn on Tandem in System "
            "Settings > Privacy & Security > Local Network.",
        ),
        "ended": translate("Ahead", "Parallel drafting is off: the process that drafts quit unexpectedly twice."),
    }.get(stats.ahead, "")
