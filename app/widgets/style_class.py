"""Changes the style sheet rules of a widget that is shown already: Qt applies others only after a repolish."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def set_style_class(widget: QWidget, style_class: str) -> None:
    """Give `widget` the rules for the property `styleClass`."""
    if widget.property("styleClass") != style_class:
        widget.setProperty("styleClass", style_class)
        _polish(widget)


def set_object_name(widget: QWidget, name: str) -> None:
    """Give `widget` the rules for the object name `name`."""
    if widget.objectName() != name:
        widget.setObjectName(name)
        _polish(widget)


def _polish(widget: QWidget) -> None:
    """Apply the rules for what `widget` is now."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
