"""The colours of the two themes, light and dark.

Main is indigo, draft teal, lookup amber, everywhere. Colours that carry text are moved away from their background until
the contrast reaches 4.5:1, so the tables below keep the hues of the design.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from PySide6.QtGui import QColor

TEXT_CONTRAST = 4.5


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
    rejected: str
    problem: str
    problem_tint: str
    on_accent: str

    def accent(self, role: str) -> str:
        """Return the colour of a role: "main", "draft" or "lookup"."""
        return {"draft": self.draft, "lookup": self.lookup}.get(role, self.main)

    def tint(self, role: str) -> str:
        """Return the background of tokens of a role."""
        return {"draft": self.draft_tint, "lookup": self.lookup_tint}.get(role, self.main_tint)


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two colours, 1 to 21."""
    light, dark = sorted((_luminance(QColor(first)), _luminance(QColor(second))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def readable(colour: str, *backgrounds: str) -> str:
    """Return `colour` with its lightness moved until its contrast to every background is at least TEXT_CONTRAST."""
    start = QColor(colour)
    hue, saturation, lightness = max(start.hslHueF(), 0.0), start.hslSaturationF(), start.lightnessF()
    step = 0.01 if _luminance(QColor(backgrounds[0])) < 0.18 else -0.01
    moved = colour
    while min(contrast(moved, background) for background in backgrounds) < TEXT_CONTRAST:
        lightness = min(1.0, max(0.0, lightness + step))
        moved = QColor.fromHslF(hue, saturation, lightness).name()
    return moved


def _luminance(colour: QColor) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


def _theme(base: dict[str, str]) -> Colours:
    """Return the theme of these colours, with those of text moved until they are readable."""
    surfaces = (base["window"], base["panel"], base["sidebar"], base["selection"])
    texts = {
        f"{role}_text": readable(base[role], *surfaces, base[f"{role}_tint"]) for role in ("main", "draft", "lookup")
    }
    texts["muted"] = readable(base["muted"], *surfaces)
    texts["faint"] = readable(base["faint"], *surfaces[:3])
    texts["problem"] = readable(base["problem"], *surfaces, base["problem_tint"])
    return Colours(**(base | texts))


@cache
def light() -> Colours:
    return _theme({
        "window": "#f7f7f5", "panel": "#ffffff", "sidebar": "#efefec", "line": "#e2e2dd", "selection": "#e3e5ea",
        "text": "#1c1d21", "muted": "#6c6f78", "faint": "#9a9ca3", "rejected": "#c9cbd1", "on_accent": "#ffffff",
        "main": "#4a5bd4", "main_tint": "#e6e9fb", "draft": "#0f9d8a", "draft_tint": "#d9f2ee",
        "lookup": "#c77d0a", "lookup_tint": "#fbeed6", "problem": "#c23b3b", "problem_tint": "#fbe4e2",
    })  # fmt: skip


@cache
def dark() -> Colours:
    return _theme({
        "window": "#17181b", "panel": "#1e1f23", "sidebar": "#141517", "line": "#2c2e34", "selection": "#26282e",
        "text": "#ecedf0", "muted": "#9ea2ac", "faint": "#6d717b", "rejected": "#4a4d55", "on_accent": "#17181b",
        "main": "#8c9bff", "main_tint": "#2a2f52", "draft": "#3fd0bb", "draft_tint": "#143c37",
        "lookup": "#f0b04a", "lookup_tint": "#46330f", "problem": "#ff8a80", "problem_tint": "#4a2322",
    })  # fmt: skip
