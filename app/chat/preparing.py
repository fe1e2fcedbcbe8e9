"""What the first turn and its answer need, made before they are asked for. Its imports would delay the window."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea


def import_views() -> None:
    """Import what shows a turn."""
    import app.chat.turn_view  # noqa: F401


def prepare_answers() -> None:
    """Import the parser of Markdown, and have PySide6 create the types of all widgets, as it does once asked for one
    that Qt made.
    """
    from app.text.blocks import prepare_parser

    prepare_parser()
    QScrollArea().viewport()
