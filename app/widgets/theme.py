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
    values = {
        role.Window: colours.window,
        role.WindowText: colours.text,
        role.Base: colours.panel,
        role.AlternateBase: colours.sidebar,
        role.Text: colours.text,
        role.PlaceholderText: colours.faint,
        role.Button: colours.panel,
        role.ButtonText: colours.text,
        role.BrightText: colours.problem,
        role.Highlight: colours.main,
        role.HighlightedText: colours.on_accent,
        role.ToolTipBase: colours.panel,
        role.ToolTipText: colours.text,
        role.Link: colours.main_text,
        role.LinkVisited: colours.main_text,
        role.Mid: colours.line,
        role.Light: colours.panel,
        role.Dark: colours.line,
        role.Shadow: colours.line,
    }
    for name, value in values.items():
        palette.setColor(name, QColor(value))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(colours.faint))
    return palette
