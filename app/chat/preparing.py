"""Prepares for the first turn and its answer, after the window is shown: these imports would delay it."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea


def prepare_answers() -> None:
    """Import the turn's widgets and the Markdown parser, and make PySide6 create the types of all widgets.

    PySide6 does that when it is first asked for a widget that Qt made.
    """
    import app.chat.turn_view  # noqa: F401
    from app.text.blocks import prepare_parser

    prepare_parser()
    QScrollArea().viewport()
