"""Layouts brought up to date at once, instead of when the event loop comes to it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent

# Widgets that grow with a line of an answer, one inside the other, from its blocks to the chat that scrolls.
_LEVELS = 8


def settle_layouts() -> None:
    """Let every layout take in new heights. Left to itself, Qt paints between the levels of a growing column."""
    for _ in range(_LEVELS):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
