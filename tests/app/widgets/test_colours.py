"""The colours of both themes are readable everywhere."""

from __future__ import annotations

import pytest

from app.widgets.colours import TEXT_CONTRAST, Colours, contrast, dark, light

SURFACES = ("window", "panel", "sidebar")
PAIRS = [
    *((text, surface) for text in ("text", "muted", "faint") for surface in SURFACES),
    *((f"{role}_text", surface) for role in ("main", "draft", "lookup") for surface in (*SURFACES, f"{role}_tint")),
    *(("text", tint) for tint in ("main_tint", "draft_tint", "lookup_tint", "problem_tint", "selection")),
    ("muted", "selection"),
    ("problem", "problem_tint"),
    ("on_accent", "main"),
]
MARKS = [(role, "panel") for role in ("main", "draft", "lookup")]


@pytest.mark.parametrize("colours", [light(), dark()], ids=["light", "dark"])
def test_text_and_marks_stand_out_from_their_ground(colours: Colours) -> None:
    for pairs, least in ((PAIRS, TEXT_CONTRAST), (MARKS, 3)):
        for drawn, surface in pairs:
            assert contrast(getattr(colours, drawn), getattr(colours, surface)) >= least, (drawn, surface)
