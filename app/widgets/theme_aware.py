"""The mixin for widgets whose texts follow the language and whose colours follow the theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QEvent
from shiboken6 import isValid

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QWidget

    WidgetMixin = QWidget
else:
    # Only one class of a widget's bases may be Qt's own.
    WidgetMixin = object

W = TypeVar("W", bound="QWidget | QAction")
Setter = Callable[[Any, str], object]


class ThemeAware(WidgetMixin):
    """Put before the Qt class: `class Header(ThemeAware, QWidget)`.

    `bound` sets a fixed text; `retranslate` sets texts that depend on a state. `__init__` ends with `self.restyle()`,
    which sets texts and colours for the first time. From then on a change of language calls `retranslate`, a change of
    the palette `apply_theme` and a change of the style sheet `apply_text_size`. Changes before that are ignored, so
    the three methods may use everything that `__init__` makes.
    """

    _is_built = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._bound_texts: list[tuple[QWidget | QAction, str, Setter]] = []

    def bound(self, text: str, widget: W, *setters: Setter) -> W:
        """Set the translation of `text` by each of `setters` (`setText` if none), now and in every language.

        `text` must be a literal: `i18n/update.py` extracts it like an argument of `tr`. Returns `widget`.
        """
        for show in setters or (_set_text,):
            self._bound_texts.append((widget, text, show))
            show(widget, self.tr(text))
        return widget

    def restyle(self) -> None:
        """Set texts and colours now and after every change."""
        self._is_built = True
        self.apply_theme()
        self.retranslate()

    def retranslate(self) -> None:
        """Set every translated text that is not bound."""

    def apply_theme(self) -> None:
        """Set every icon and colour that does not come from the style sheet."""

    def apply_text_size(self) -> None:
        """Measure again what depends on the fonts of the style sheet."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not self._is_built:
            return
        if event.type() == QEvent.Type.LanguageChange:
            self._bound_texts = [entry for entry in self._bound_texts if isValid(entry[0])]
            for widget, text, show in self._bound_texts:
                show(widget, self.tr(text))
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self.apply_theme()
        elif event.type() == QEvent.Type.StyleChange:
            self.apply_text_size()


def _set_text(widget: Any, text: str) -> None:
    widget.setText(text)
