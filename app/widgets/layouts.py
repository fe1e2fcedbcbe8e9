"""Layouts applied at once instead of by the event loop, and content that keeps its width beside a scroll bar."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QAbstractScrollArea, QLayout

# How many widgets, one inside the other, grow with a line of an answer: from its blocks to the chat that scrolls.
_LEVELS = 8


def settle_layouts() -> None:
    """Let every layout apply new heights now. Otherwise Qt paints between the levels of a growing column."""
    for _ in range(_LEVELS):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def keep_right_edge(area: QAbstractScrollArea, content: QLayout) -> None:
    """Keep the content's right edge in place with and without a vertical scroll bar, by shrinking its margin."""
    bar, margins = area.verticalScrollBar(), content.contentsMargins()

    def fit(_minimum: int, maximum: int) -> None:
        taken = min(bar.sizeHint().width(), margins.right()) if maximum else 0
        content.setContentsMargins(margins.left(), margins.top(), margins.right() - taken, margins.bottom())

    bar.rangeChanged.connect(fit)
