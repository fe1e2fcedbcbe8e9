"""Boxes made with their margins, layouts applied at once, and content that keeps its width beside a scroll bar."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtWidgets import QAbstractScrollArea, QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

# How many widgets, one inside the other, grow with a line of an answer: from its blocks to the chat that scrolls.
_LEVELS = 8

Box = TypeVar("Box", bound=QBoxLayout)
Margins = tuple[int, int, int, int]


def hbox(parent: QWidget | None = None, *, margins: Margins | None = None, spacing: int | None = None) -> QHBoxLayout:
    """A row in `parent`, or one to put into another layout; None leaves what the style says."""
    return _spaced(QHBoxLayout() if parent is None else QHBoxLayout(parent), margins, spacing)


def vbox(parent: QWidget | None = None, *, margins: Margins | None = None, spacing: int | None = None) -> QVBoxLayout:
    """A column, as `hbox` a row."""
    return _spaced(QVBoxLayout() if parent is None else QVBoxLayout(parent), margins, spacing)


def _spaced(box: Box, margins: Margins | None, spacing: int | None) -> Box:
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    return box


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


def centred(widget: QWidget, width: int) -> QHBoxLayout:
    """The widget in the middle of a row, at most that wide."""
    widget.setMaximumWidth(width)
    row = hbox(margins=(24, 0, 24, 0))
    row.addStretch(1)
    row.addWidget(widget, 1000)
    row.addStretch(1)
    return row


def top_in(widget: QWidget, ancestor: QWidget) -> int:
    """How far the top of `widget` is below that of `ancestor`, in pixels."""
    return widget.mapTo(ancestor, QPoint(0, 0)).y()
