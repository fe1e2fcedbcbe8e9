"""The declaration of one setting: default, allowed values, page, words, when a change takes effect. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

T = TypeVar("T")

# When a change takes effect. If that is not at once, the page says so.
AT_ONCE, NEXT_ANSWER, NEXT_MODEL, NEXT_START = "at-once", "next-answer", "next-model", "next-start"


@dataclass(frozen=True)
class Setting:
    """One setting. `choices` are (value, words), words "" for a name that is the same in every language.

    Numbers lie between `least` and `most`; `least_words` is shown instead of the least, and thousands are separated
    if `grouped`. `page` "" means that no page has a row for it.
    """

    key: str
    default: Any
    page: str = ""
    title: str = ""
    help: str = ""
    effect: str = AT_ONCE
    choices: tuple[tuple[Any, str], ...] = ()
    least: float = 0
    most: float = 0
    step: float = 1
    least_words: str = ""
    grouped: bool = True

    def accepts(self, value: object) -> bool:
        """Whether a value from a file may be used."""
        if type(value) is not type(self.default):
            return False
        if self.choices:
            return any(value == choice for choice, _ in self.choices)
        if isinstance(value, (int, float)) and self.page and not isinstance(value, bool):
            return self.least <= value <= self.most
        return True


def setting(default: T, **declared: Any) -> T:
    """A field of `SettingsValues` with the fields of its `Setting`."""
    made: T = field(default=default, metadata=declared)
    return made


@dataclass(frozen=True)
class Page:
    """A page of the settings window. `effect` holds for those of its settings that declare none."""

    name: str
    effect: str = AT_ONCE

    def setting(self, default: T, **declared: Any) -> T:
        """A field of `SettingsValues` that has a row on this page."""
        return setting(default, **{"page": self.name, "effect": self.effect, **declared})
