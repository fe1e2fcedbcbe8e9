"""Choosing a rule of the style sheet while a widget is shown; Qt looks for another one only when it is told to."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def set_style_class(widget: QWidget, look: str) -> None:
    """Give `widget` the rule for `look`."""
    if widget.property("look") != look:
        widget.setProperty("look", look)
        _restyle(widget)


def set_name(widget: QWidget, name: str) -> None:
    """Give `widget` the rule for the object name `name`."""
    if widget.objectName() != name:
        widget.setObjectName(name)
        _restyle(widget)


def _restyle(widget: QWidget) -> None:
    """Find the rules for what `widget` is now."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
