"""The pages of the settings window on which settings are declared. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from app.settings.setting import AT_ONCE, NEXT_ANSWER, setting

T = TypeVar("T")


@dataclass(frozen=True)
class Page:
    """A page of the settings window. `effect` is the default of its settings."""

    name: str
    effect: str = AT_ONCE

    def setting(self, default: T, **declared: Any) -> T:
        """Return a field of `SettingsValues` with a row on this page."""
        return setting(default, **{"page": self.name, "effect": self.effect, **declared})


GENERAL = Page("general")
SPECULATION = Page("speculation", NEXT_ANSWER)
GENERATION = Page("generation", NEXT_ANSWER)
NETWORK = Page("network")
API = Page("api")
MACHINES = Page("machines")
STORAGE = Page("storage")
ADVANCED = Page("advanced")
