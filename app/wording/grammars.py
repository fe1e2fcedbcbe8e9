"""Sentences for the errors of the schema or grammar that answers shall follow."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication


def grammar_sentence(arguments: Mapping[str, str]) -> str:
    """Say why an answer format cannot be used, given the arguments of `engine.errors.GrammarNotUsable`."""
    translate = QCoreApplication.translate
    other = translate("Errors", "The answer format can't be used: {detail}.")
    sentences = {
        "not-json": translate("Errors", "The schema isn't valid JSON: {detail}."),
        "not-a-schema": translate("Errors", "The schema has to be a JSON object in braces."),
        "too-large": translate("Errors", "The answer format is too large. Shorten it."),
        "too-slow": translate(
            "Errors", "The answer format is too complex: checking it was stopped after {detail} seconds. Simplify it."
        ),
        "too-complex": translate(
            "Errors", "The answer format is too complex: checking it took too much memory. Simplify it."
        ),
        "continued": translate(
            "Errors",
            "The answer so far doesn't follow the answer format, so it can't be continued. "
            "Regenerate it, or choose text as the answer format.",
        ),
        "lost": translate(
            "Errors",
            "The answer format became too complex while the answer was being written. Simplify it and try again.",
        ),
    }
    return sentences.get(arguments.get("reason", ""), other).format(detail=arguments.get("detail", ""))
