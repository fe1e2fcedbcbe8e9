"""Layouts brought up to date at once, instead of when the event loop comes to it; content that does not move aside for
its scroll bar.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractScrollArea, QLayout

# Widgets that grow with a line of an answer, one inside the other, from its blocks to the chat that scrolls.
_LEVELS = 8


def settle_layouts() -> None:
    """Let every layout take in new heights. Left to itself, Qt paints between the levels of a growing column."""
    for _ in range(_LEVELS):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def keep_right_edge(area: QAbstractScrollArea, content: QLayout) -> None:
    """Let the content end at the same place with the vertical scroll bar and without: the bar takes of its margin."""
    bar, margins = area.verticalScrollBar(), content.contentsMargins()

    def fit(_least: int, most: int) -> None:
        taken = min(bar.sizeHint().width(), margins.right()) if most else 0
        content.setContentsMargins(margins.left(), margins.top(), margins.right() - taken, margins.bottom())

    bar.rangeChanged.connect(fit)
