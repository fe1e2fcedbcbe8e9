"""A page of the settings window that only a test declares."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel

from app.settings_window.pages import PageParts


def build(parts: PageParts) -> QLabel:
    """Return the page Toy."""
    return QLabel(f"The theme is {parts.library.settings.values.theme}.")
