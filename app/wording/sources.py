"""What proposers and methods are called, and which of the theme's colours their tokens have: all by the registry."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from engine.speculation.proposers.registry import (
    DRAFTER_METHOD,
    PROPOSERS,
    method_words,
    source_words,
    sources_without_drafter,
)
from engine.stats import RoundRecord

MAIN = "main"


def source_name(source: str) -> str:
    """The source of a token in a word."""
    if source == MAIN:
        return QCoreApplication.translate("Figures", "main")
    return QCoreApplication.translate("Figures", source_words(source))


def names_without_drafter(method: str) -> str:
    """What a method proposes without a draft model, in words."""
    return ", ".join(source_name(source) for source in sources_without_drafter(method))


def method_name(method: str) -> str:
    """The name of a method as the settings have it; a method of another version keeps its code."""
    return QCoreApplication.translate("Settings", method_words(method))


def role_of(source: str) -> str:
    """The role whose colours tokens of a source have: "draft", of what needs no drafter "lookup", else "main"."""
    if source not in PROPOSERS:
        return MAIN
    return "draft" if PROPOSERS[source].uses_drafter else "lookup"


def legend_sources() -> tuple[str, ...]:
    """A source for each mark of a legend: the main model, the drafter, and what proposes without one."""
    return MAIN, DRAFTER_METHOD, *sources_without_drafter("auto")


def drafter_of(rounds: Iterable[RoundRecord]) -> str | None:
    """The source of the first of `rounds` whose tokens a drafter in the engine proposed; None without one."""
    for record in rounds:
        entry = PROPOSERS.get(record.source)
        if entry is not None and entry.uses_drafter and not entry.ahead:
            return record.source
    return None
