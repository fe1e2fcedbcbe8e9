"""Widgets that follow the language, the palette and the style sheet, but not before they are built."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.widgets.restyled import Restyled


class Noting(Restyled, QWidget):
    def __init__(self) -> None:
        super().__init__()
        QCoreApplication.sendEvent(self, QEvent(QEvent.Type.LanguageChange))
        self.calls: list[str] = []
        self.restyle()

    def retranslate(self) -> None:
        self.calls.append("words")

    def apply_theme(self) -> None:
        self.calls.append("colours")

    def apply_text_size(self) -> None:
        self.calls.append("size")


def test_a_widget_is_worded_and_coloured_once_when_it_is_built(qtbot: QtBot) -> None:
    widget = Noting()
    qtbot.addWidget(widget)
    assert widget.calls == ["colours", "words"]


def test_a_widget_follows_every_change(qtbot: QtBot) -> None:
    widget = Noting()
    qtbot.addWidget(widget)
    widget.calls.clear()
    for kind in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
        QCoreApplication.sendEvent(widget, QEvent(kind))
    assert widget.calls == ["words", "colours", "size"]
