"""The theme is switched while the window is open."""

from __future__ import annotations

from PySide6.QtGui import QPalette

from app.widgets import theme
from app.widgets.application import Application
from app.widgets.colours import dark, light


def test_the_palette_changes_at_once(qapp: Application) -> None:
    qapp.theme.set_mode("dark")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == dark().window
    assert theme.colours() is dark()
    qapp.theme.set_mode("light")
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == light().window
