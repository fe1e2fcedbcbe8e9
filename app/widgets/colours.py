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


@cache
def light() -> Colours:
    window, panel, sidebar, selection = "#f7f7f5", "#ffffff", "#efefec", "#e3e5ea"
    surfaces = (window, panel, sidebar, selection)
    return Colours(
        window=window,
        panel=panel,
        sidebar=sidebar,
        line="#e2e2dd",
        selection=selection,
        text="#1c1d21",
        muted=readable("#6c6f78", *surfaces),
        faint=readable("#9a9ca3", window, panel, sidebar),
        main="#4a5bd4",
        main_text=readable("#4a5bd4", *surfaces, "#e6e9fb"),
        main_tint="#e6e9fb",
        draft="#0f9d8a",
        draft_text=readable("#0f9d8a", *surfaces, "#d9f2ee"),
        draft_tint="#d9f2ee",
        lookup="#c77d0a",
        lookup_text=readable("#c77d0a", *surfaces, "#fbeed6"),
        lookup_tint="#fbeed6",
        rejected="#c9cbd1",
        problem=readable("#c23b3b", *surfaces, "#fbe4e2"),
        problem_tint="#fbe4e2",
        on_accent="#ffffff",
    )


@cache
def dark() -> Colours:
    window, panel, sidebar, selection = "#17181b", "#1e1f23", "#141517", "#26282e"
    surfaces = (window, panel, sidebar, selection)
    return Colours(
        window=window,
        panel=panel,
        sidebar=sidebar,
        line="#2c2e34",
        selection=selection,
        text="#ecedf0",
        muted=readable("#9ea2ac", *surfaces),
        faint=readable("#6d717b", window, panel, sidebar),
        main="#8c9bff",
        main_text=readable("#8c9bff", *surfaces, "#2a2f52"),
        main_tint="#2a2f52",
        draft="#3fd0bb",
        draft_text=readable("#3fd0bb", *surfaces, "#143c37"),
        draft_tint="#143c37",
        lookup="#f0b04a",
        lookup_text=readable("#f0b04a", *surfaces, "#46330f"),
        lookup_tint="#46330f",
        rejected="#4a4d55",
        problem=readable("#ff8a80", *surfaces, "#4a2322"),
        problem_tint="#4a2322",
        on_accent="#17181b",
    )
