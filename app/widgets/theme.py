"""The theme in use: its palette and style sheet, applied to the application."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from app.widgets.colours import Colours, dark, light
from app.widgets.stylesheet import stylesheet

_current = light()
_text_size = 100


class Theme(QObject):
    """Applies the theme to the application. `mode` is "system" (the desktop's theme), "light" or "dark".

    Widgets that paint themselves call `colours()` and repaint on a palette change, which Qt sends to every widget.
    `changed` is emitted after every change of theme or text size.
    """

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self.mode = "system"
        self.text_size = 100
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._apply_theme)
        self._apply_theme()

    def set_mode(self, mode: str) -> None:
        self.mode = mode
        self._apply_theme()

    def set_text_size(self, percent: int) -> None:
        """Show every text at `percent` of its normal size."""
        if percent != self.text_size:
            self.text_size = percent
            self._apply_theme()

    @property
    def is_dark(self) -> bool:
        if self.mode == "system":
            return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return self.mode == "dark"

    def _apply_theme(self) -> None:
        global _current, _text_size
        _current = dark() if self.is_dark else light()
        _text_size = self.text_size
        self._application.setPalette(_palette(_current))
        self._application.setStyleSheet(stylesheet(_current, self.text_size))
        self.changed.emit()


def colours() -> Colours:
    """Return the colours in use."""
    return _current


def scaled(pixels: int) -> int:
    """Return a length in pixels, scaled to the text size in use."""
    return round(pixels * _text_size / 100)


def _palette(colours: Colours) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    roles = {
        "window": (role.Window,),
        "panel": (role.Base, role.Button, role.ToolTipBase, role.Light),
        "sidebar": (role.AlternateBase,),
        "line": (role.Mid, role.Dark, role.Shadow),
        "text": (role.WindowText, role.Text, role.ButtonText, role.ToolTipText),
        "faint": (role.PlaceholderText,),
        "problem": (role.BrightText,),
        "main": (role.Highlight,),
        "on_accent": (role.HighlightedText,),
        "main_text": (role.Link, role.LinkVisited),
    }
    for colour, name in ((colour, name) for colour, names in roles.items() for name in names):
        palette.setColor(name, QColor(getattr(colours, colour)))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(colours.faint))
    return palette
