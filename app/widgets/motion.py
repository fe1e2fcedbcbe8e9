"""How long what moves takes on this desktop."""

from __future__ import annotations

from PySide6.QtWidgets import QStyle, QWidget


def animation_ms(widget: QWidget) -> int:
    """Return how long an animation takes, in milliseconds; 0 on a desktop whose motion is reduced."""
    return widget.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, widget)
