"""The names of models, proposers and methods, and the colours of tokens, all from `engine.methods`."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QLocale

from app.session.model_names import STARTERS, short_name
from app.wording.sentences import translate
from engine.methods import DRAFTER_METHOD, PROPOSERS, method_words, source_words, sources_without_drafter
from engine.stats import RoundRecord


def recorded_name(name: str) -> str:
    """Return the name to show for the name of a model in figures (recorded_as in app/library/entries.py)."""
    if name.startswith("starter/"):
        return translate("Models", STARTERS.get(name, STARTERS["starter/main"]))
    return short_name(name)[0]


MAIN = "main"


def source_name(source: str) -> str:
    """Return the source of a token in a word."""
    if source == MAIN:
        return translate("Figures", "main")
    return translate("Figures", source_words(source))


def names_without_drafter(method: str) -> str:
    """List the sources that a method uses without a draft model."""
    return QLocale().createSeparatedList([source_name(source) for source in sources_without_drafter(method)])


def method_name(method: str) -> str:
    """Return the name of a method in the settings; the method of another version keeps its code."""
    return translate("Settings", method_words(method))


def role_of(source: str) -> str:
    """Return the role whose colours tokens of a source have: "main", "draft", "lookup" or "chats"."""
    if source not in PROPOSERS:
        return MAIN
    if source == "chats":
        return "chats"
    return "draft" if PROPOSERS[source].uses_drafter else "lookup"


def legend_sources() -> tuple[str, ...]:
    """Return the sources that a legend names: the main model, the drafter, and the proposers without one."""
    lookups = (source for source, entry in PROPOSERS.items() if not (entry.uses_drafter or entry.every_method))
    return MAIN, DRAFTER_METHOD, *lookups


def drafters() -> list[str]:
    """Return the sources that `drafter_of` can return."""
    return [source for source, entry in PROPOSERS.items() if entry.uses_drafter and not entry.ahead]


def drafter_of(rounds: Iterable[RoundRecord]) -> str | None:
    """Return the source of the first of `rounds` that a drafter in the engine proposed; None if there is none."""
    known = drafters()
    for record in rounds:
        if record.source in known:
            return record.source
    return None
