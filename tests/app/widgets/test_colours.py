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


@pytest.mark.parametrize("colours", [light(), dark()], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "surface"), PAIRS)
def test_text_stands_out_from_its_ground(colours: Colours, text: str, surface: str) -> None:
    assert contrast(getattr(colours, text), getattr(colours, surface)) >= TEXT_CONTRAST


@pytest.mark.parametrize("colours", [light(), dark()], ids=["light", "dark"])
@pytest.mark.parametrize("role", ["main", "draft", "lookup"])
def test_marks_stand_out_from_the_panel(colours: Colours, role: str) -> None:
    assert contrast(getattr(colours, role), colours.panel) >= 3
