"""Sentences for the errors of the schema or grammar that answers shall follow."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from app.wording.sentences import Sentences


def grammar_sentence(arguments: Mapping[str, str]) -> str:
    """Say why an answer format cannot be used, given the arguments of `engine.errors.GrammarNotUsable`."""
    other = QCoreApplication.translate("Errors", "The answer format can't be used: {detail}.")
    return GRAMMAR_REASONS.get(arguments.get("reason", ""), other).format(detail=arguments.get("detail", ""))


GRAMMAR_REASONS = Sentences(
    "Errors",
    {
        "not-json": "The schema isn't valid JSON: {detail}.",
        "not-a-schema": "The schema has to be a JSON object in braces.",
        "too-large": "The answer format is too large. Shorten it.",
        "too-slow": "The answer format is too complex: checking it was stopped after {detail} seconds. Simplify it.",
        "too-complex": "The answer format is too complex: checking it took too much memory. Simplify it.",
        "continued": (
            "The answer so far doesn't follow the answer format, so it can't be continued. Regenerate it, or choose "
            "text as the answer format."
        ),
        "lost": "The answer format became too complex while the answer was being written. Simplify it and try again.",
    },
)
