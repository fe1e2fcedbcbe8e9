"""Widgets follow the language, the palette and the style sheet once they are built."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.widgets.application import Application
from app.widgets.labels import set_name
from app.widgets.theme_aware import ThemeAware


class Noting(ThemeAware, QWidget):
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


def test_a_widget_is_set_up_once_when_it_is_built_and_follows_every_change(qtbot: QtBot) -> None:
    widget = Noting()
    qtbot.addWidget(widget)
    assert widget.calls == ["colours", "words"]
    widget.calls.clear()
    for kind in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
        QCoreApplication.sendEvent(widget, QEvent(kind))
    assert widget.calls == ["words", "colours", "size"]


class Closable(ThemeAware, QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.heading = self.bound("Storage", QLabel(self))
        self.close_button = self.bound("Close", QToolButton(self), set_name)
        self.restyle()

    def tr(self, text: str, *_: object) -> str:
        return QCoreApplication.translate("Settings" if text == "Storage" else "CloseButton", text)


def test_a_bound_text_follows_the_language_until_its_widget_is_deleted(qapp: Application, qtbot: QtBot) -> None:
    widget = Closable()
    qtbot.addWidget(widget)
    assert (widget.heading.text(), widget.close_button.accessibleName()) == ("Storage", "Close")
    qapp.language.choose("ko")
    QCoreApplication.processEvents()
    assert (widget.heading.text(), widget.close_button.accessibleName()) == ("저장 공간", "닫기")
    assert widget.close_button.toolTip() == "닫기"
    delete(widget.heading)
    qapp.language.choose("en")
    QCoreApplication.processEvents()
    assert widget.close_button.accessibleName() == "Close"
