"""The colours of the two themes, light and dark.

Main is indigo, draft teal, lookup amber, text from other chats pink, everywhere. Colours that carry text
have a contrast of at least 4.5:1 to every background, which a test holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Colours:
    """One theme, in "#rrggbb": backgrounds, lines, text; for each role an accent, its tint and the accent for text."""

    window: str
    panel: str
    sidebar: str
    line: str
    selection: str
    text: str
    muted: str
    faint: str
    main: str
    main_text: str
    main_tint: str
    draft: str
    draft_text: str
    draft_tint: str
    lookup: str
    lookup_text: str
    lookup_tint: str
    chats: str
    chats_text: str
    chats_tint: str
    rejected: str
    problem: str
    problem_tint: str
    on_accent: str

    def accent(self, role: str) -> str:
        """Return the colour of a role: "main", "draft", "lookup" or "chats"."""
        return {"draft": self.draft, "lookup": self.lookup, "chats": self.chats}.get(role, self.main)

    def tint(self, role: str) -> str:
        """Return the background of tokens of a role."""
        tints = {"draft": self.draft_tint, "lookup": self.lookup_tint, "chats": self.chats_tint}
        return tints.get(role, self.main_tint)


@cache
def light() -> Colours:
    return Colours(
        window="#f7f7f5", panel="#ffffff", sidebar="#efefec", line="#e2e2dd", selection="#e3e5ea",
        text="#1c1d21", muted="#62656d", faint="#696b73", rejected="#c9cbd1", on_accent="#ffffff",
        main="#4a5bd4", main_text="#4657d3", main_tint="#e6e9fb", draft="#0f9d8a", draft_text="#0b7365",
        draft_tint="#d9f2ee", lookup="#c77d0a", lookup_text="#8d5807", lookup_tint="#fbeed6", problem="#b63737",
        problem_tint="#fbe4e2", chats="#c2498f", chats_text="#9c2f6f", chats_tint="#fae3f0",
    )  # fmt: skip


@cache
def dark() -> Colours:
    return Colours(
        window="#17181b", panel="#1e1f23", sidebar="#141517", line="#2c2e34", selection="#26282e",
        text="#ecedf0", muted="#9ea2ac", faint="#848892", rejected="#4a4d55", on_accent="#17181b",
        main="#8c9bff", main_text="#8c9bff", main_tint="#2a2f52", draft="#3fd0bb", draft_text="#3fd0bb",
        draft_tint="#143c37", lookup="#f0b04a", lookup_text="#f0b04a", lookup_tint="#46330f", problem="#ff8a80",
        problem_tint="#4a2322", chats="#f08fc6", chats_text="#f08fc6", chats_tint="#4a2440",
    )  # fmt: skip
