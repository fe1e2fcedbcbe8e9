"""Sentences about the local API: its calls, its state, and why it does not serve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.wording import figures
from app.wording.sentences import Sentences, translate
from engine.errors import CodedError

if TYPE_CHECKING:
    from app.api.activity import ApiCall


def call_line(call: ApiCall) -> str:
    """Describe one call in a line: the client, the state, and the figures."""
    parts = [call.client or translate("LocalApi", "unknown program"), CALL_STATES[call.state]]
    stats = call.figures
    if stats.generated_tokens:
        parts.append(CountedCalls().tokens(stats.generated_tokens))
    if stats.drafted:
        parts.append(figures.accepted_words(stats))
    return " · ".join(parts)


def serving_sentence(requests: int, address: str) -> str:
    """Explain the mark in the header."""
    serves = translate("LocalApi", "The local API is running at {address}.").format(address=address)
    return f"{serves} {CountedCalls().requests(requests)}" if requests else serves


def problem_sentence(problem: CodedError) -> str:
    """Return words that say why the API does not serve, and what to do."""
    sentence = API_PROBLEMS.get(getattr(problem, "reason", ""), translate("LocalApi", "The local API could not start."))
    return sentence.format(**problem.arguments)


CALL_STATES = Sentences(
    "LocalApi",
    {
        "waiting": "waiting",
        "prefilling": "processing the prompt",
        "answering": "answering",
        "finished": "finished",
        "cancelled": "stopped",
        "failed": "failed",
    },
)
API_PROBLEMS = Sentences(
    "LocalApi",
    {
        "in-use": "Another program uses port {port}. Choose another one.",
        "not-allowed": "The system does not allow port {port}. Choose one above 1023.",
        "no-address": "This Mac has no address {host}.",
    },
)


class CountedCalls(QObject):
    """Texts with plural forms, which Qt's extractor finds only in a class's own `tr`."""

    def tokens(self, count: int) -> str:
        return self.tr("%Ln token(s)", "", count)

    def requests(self, count: int) -> str:
        return self.tr("%Ln request(s) under way.", "", count)
