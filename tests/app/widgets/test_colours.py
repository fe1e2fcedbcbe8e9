"""The colours of both themes are readable everywhere."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor

from app.widgets.colours import Colours, dark, light

TEXT_CONTRAST = 4.5
SURFACES = ("window", "panel", "sidebar")
PAIRS = [
    *((text, surface) for text in ("text", "muted", "faint") for surface in SURFACES),
    *(
        (f"{role}_text", surface)
        for role in ("main", "draft", "lookup", "chats")
        for surface in (*SURFACES, f"{role}_tint")
    ),
    *(("text", tint) for tint in ("main_tint", "draft_tint", "lookup_tint", "chats_tint", "problem_tint", "selection")),
    ("muted", "selection"),
    ("problem", "problem_tint"),
    ("on_accent", "main"),
    ("on_accent", "problem"),
]
MARKS = [(role, "panel") for role in ("main", "draft", "lookup", "chats")]


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two colours, 1 to 21."""
    light, dark = sorted((_luminance(QColor(first)), _luminance(QColor(second))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: QColor) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)

    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF())


@pytest.mark.parametrize("colours", [light(), dark()], ids=["light", "dark"])
def test_text_and_marks_stand_out_from_their_ground(colours: Colours) -> None:
    for pairs, least in ((PAIRS, TEXT_CONTRAST), (MARKS, 3)):
        for drawn, surface in pairs:
            assert contrast(getattr(colours, drawn), getattr(colours, surface)) >= least, (drawn, surface)
