"""Style classes: the property `styleClass`, which rules of the style sheet match."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtWidgets import QWidget

Styled = TypeVar("Styled", bound=QWidget)


def styled(widget: Styled, style_class: str) -> Styled:
    """Give a new widget its style class."""
    widget.setProperty("styleClass", style_class)
    return widget


def named(widget: Styled, name: str) -> Styled:
    """Give a new widget the object name that a rule of the style sheet for it alone matches."""
    widget.setObjectName(name)
    return widget


def set_style_class(widget: QWidget, style_class: str) -> None:
    """Change the style class of a widget that may be shown already: Qt applies the rules only after a repolish."""
    set_property(widget, "styleClass", style_class)


def set_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that rules of the style sheet match."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)
