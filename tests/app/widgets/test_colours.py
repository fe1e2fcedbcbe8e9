"""The colours of both themes are readable everywhere."""

from __future__ import annotations

import pytest

from app.widgets.colours import Colours, dark, light
from tests.app.contrast import contrast

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
    ("draft_text", "selection"),
    ("problem", "problem_tint"),
    ("on_accent", "main"),
    ("on_accent", "problem"),
]
MARKS = [(role, "panel") for role in ("main", "draft", "lookup", "chats")]


@pytest.mark.parametrize("colours", [light(), dark()], ids=["light", "dark"])
def test_text_and_marks_stand_out_from_their_ground(colours: Colours) -> None:
    for pairs, least in ((PAIRS, TEXT_CONTRAST), (MARKS, 3)):
        for drawn, surface in pairs:
            assert contrast(getattr(colours, drawn), getattr(colours, surface)) >= least, (drawn, surface)
