"""Finds controls that a person cannot reach: cut off, covered, or outside of the scrollable area."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QScrollBar,
    QTextEdit,
    QWidget,
)

from app.widgets.layouts import settle_layouts

CONTROLS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit, QPlainTextEdit, QTextEdit)
# Buttons must be wholly visible, and texts and lists at least to this height, in pixels.
SEEN = 12


def controls(within: QWidget) -> list[QWidget]:
    """Return the visible controls in `within`, without the inner widgets of Qt's controls."""
    found = [view for kind in CONTROLS for view in within.findChildren(kind)]
    return [
        view
        for view in found
        if view.isVisibleTo(within.window())
        and not isinstance(view, QScrollBar)
        and not view.objectName().startswith("qt_")
        and not isinstance(view.parentWidget(), (QAbstractSpinBox, QComboBox, QLineEdit))
        and view.window() is within.window()
    ]


def unreachable(within: QWidget) -> list[str]:
    """Return the controls of `within` that cannot be scrolled to, seen and clicked, each with the problem."""
    settle_layouts()
    QApplication.processEvents()
    return [f"{name_of(view)}: {problem}" for view in controls(within) if (problem := _problem(view))]


def name_of(view: QWidget) -> str:
    text = view.text() if isinstance(view, QAbstractButton) else ""
    return f"{type(view).__name__} “{view.accessibleName() or text or view.toolTip()}”"


def _problem(view: QWidget) -> str:
    for area in _areas(view):
        if isinstance(area, QScrollArea):
            area.ensureWidgetVisible(view, 0, 0)
        else:
            area.scrollTo(area.indexAt(view.mapTo(area.viewport(), view.rect().center())))
    window, rect = view.window(), view.rect()
    seen = QRect(view.mapTo(window, QPoint(0, 0)), rect.size())
    whole = QRect(seen)
    above = view.parentWidget()
    while above is not None and view.window() is not view:
        seen = seen.intersected(QRect(above.mapTo(window, QPoint(0, 0)), above.size()))
        if above is window:
            break
        above = above.parentWidget()
    needed_height = whole.height() if isinstance(view, QAbstractButton) else min(whole.height(), SEEN)
    if min(whole.width(), whole.height()) < 7:
        return f"only {whole.width()} x {whole.height()}"
    if seen.width() < whole.width() or seen.height() < needed_height:
        return f"cut off: {seen.width()} x {seen.height()} of {whole.width()} x {whole.height()}"
    hit = window.childAt(seen.center())
    if hit is None or not (hit is view or view.isAncestorOf(hit) or hit.isAncestorOf(view)):
        return f"covered by {type(hit).__name__} {hit.objectName() if hit is not None else ''}"
    return ""


def _areas(view: QWidget) -> list[QScrollArea | QAbstractItemView]:
    """Return the scroll areas around a control, from the inside out."""
    found, above = [], view.parentWidget()
    while above is not None:
        if isinstance(above, (QScrollArea, QAbstractItemView)):
            found.append(above)
        above = above.parentWidget()
    return found
