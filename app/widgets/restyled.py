"""The mixin for widgets whose texts follow the language and whose colours follow the theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget as _Widget
else:
    # Only one class of a widget's bases may be Qt's own.
    _Widget = object


class Restyled(_Widget):
    """Put before the Qt class: `class Header(Restyled, QWidget)`.

    `__init__` ends with `self.restyle()`, which sets its texts and colours for the first time. From then on
    `retranslate` is called after a change of language, `apply_theme` after a change of palette and `apply_text_size`
    after a change of the style sheet. Changes that come while the widget is being built are ignored, so the three
    methods may rely on everything that `__init__` makes.
    """

    _is_built = False

    def restyle(self) -> None:
        """Set texts and colours, and follow every change from now on."""
        self._is_built = True
        self.apply_theme()
        self.retranslate()

    def retranslate(self) -> None:
        """Set every text that is translated."""

    def apply_theme(self) -> None:
        """Set every icon and colour that does not come from the style sheet."""

    def apply_text_size(self) -> None:
        """Measure anew what depends on the fonts of the style sheet."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if not self._is_built:
            return
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self.apply_theme()
        elif event.type() == QEvent.Type.StyleChange:
            self.apply_text_size()
