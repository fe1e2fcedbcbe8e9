"""The middle of the window: everything in it is as wide as the transcript's column."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.chat.transcript import COLUMN_WIDTH


def centred(widget: QWidget) -> QHBoxLayout:
    """The widget in the middle, as wide as the transcript's column."""
    widget.setMaximumWidth(COLUMN_WIDTH)
    row = QHBoxLayout()
    row.setContentsMargins(24, 0, 24, 0)
    row.addStretch(1)
    row.addWidget(widget, 1000)
    row.addStretch(1)
    return row
