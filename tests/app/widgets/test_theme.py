"""The two themes: readable everywhere, and switched while the window is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QPalette

from app.widgets import theme
from app.widgets.colours import TEXT_CONTRAST, Colours, contrast, dark, light

if TYPE_CHECKING:
    from app.widgets.application import Application

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


def test_the_palette_changes_at_once(qapp: Application) -> None:
    qapp.theme.set_mode("dark")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == dark().window
    assert theme.colours() is dark()
    qapp.theme.set_mode("light")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == light().window
