"""Functions that make and fill boxes, apply layouts at once, and keep content in place beside a scroll bar."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

# The number of nested widgets that grow with a line of an answer, from its block to the chat that scrolls.
_LEVELS = 8

Box = TypeVar("Box", bound=QBoxLayout)
Margins = tuple[int, int, int, int]


def hbox(parent: QWidget | None = None, *, margins: Margins | None = None, spacing: int | None = None) -> QHBoxLayout:
    """Return a row in `parent`, or one for another layout. None keeps the margins or spacing of the style."""
    return _spaced(QHBoxLayout() if parent is None else QHBoxLayout(parent), margins, spacing)


def vbox(parent: QWidget | None = None, *, margins: Margins | None = None, spacing: int | None = None) -> QVBoxLayout:
    """Return a column; the arguments are those of `hbox`."""
    return _spaced(QVBoxLayout() if parent is None else QVBoxLayout(parent), margins, spacing)


def _spaced(box: Box, margins: Margins | None, spacing: int | None) -> Box:
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    return box


def fill(
    box: Box, *parts: QWidget | QLayout | tuple[QWidget, int] | tuple[QWidget, int, Qt.AlignmentFlag] | int
) -> Box:
    """Add parts to the end of a box and return it.

    A number is a stretch; a widget may come with its own stretch and alignment.
    """
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
        elif isinstance(part, QLayout):
            box.addLayout(part)
        else:
            box.addWidget(*(part if isinstance(part, tuple) else (part,)))
    return box


def settle_layouts() -> None:
    """Make every layout apply new heights now, so that Qt does not paint between the levels of a growing column."""
    for _ in range(_LEVELS):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


def keep_right_edge(area: QAbstractScrollArea, content: QLayout) -> None:
    """Shrink the right margin of `content` while there is a vertical scroll bar, so that its edge stays in place."""
    bar, margins = area.verticalScrollBar(), content.contentsMargins()

    def fit(_minimum: int, maximum: int) -> None:
        taken = min(bar.sizeHint().width(), margins.right()) if maximum else 0
        content.setContentsMargins(margins.left(), margins.top(), margins.right() - taken, margins.bottom())

    bar.rangeChanged.connect(fit)


def centred(widget: QWidget, width: int) -> QHBoxLayout:
    """Return a row with the widget in its middle, at most `width` pixels wide."""
    widget.setMaximumWidth(width)
    return fill(hbox(margins=(24, 0, 24, 0)), 1, (widget, 1000), 1)


def top_in(widget: QWidget, ancestor: QWidget) -> int:
    """Return how far the top of `widget` is below that of `ancestor`, in pixels."""
    return widget.mapTo(ancestor, QPoint(0, 0)).y()
