"""What the first turn and its answer need, made before they are asked for. Its imports would delay the window."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea


def prepare_answers() -> None:
    """Import what shows a turn and the parser of Markdown, and have PySide6 create the types of all widgets, as it does
    once asked for one that Qt made.
    """
    import app.chat.turn_view  # noqa: F401
    from app.text.blocks import prepare_parser

    prepare_parser()
    QScrollArea().viewport()
