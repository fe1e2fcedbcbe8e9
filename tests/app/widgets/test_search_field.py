"""Search fields report what is typed; their clear button has a name and follows the theme."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.widgets import theme
from app.widgets.application import Application
from app.widgets.icons import icon
from app.widgets.search_field import LiveField, colour_clear_button, name_clear_button


def test_the_button_that_clears_has_a_name_and_follows_the_theme(qtbot: QtBot, qapp: Application) -> None:
    field = LiveField()
    qtbot.addWidget(field)
    field.setClearButtonEnabled(True)
    name_clear_button(field)
    assert [one.accessibleName() for one in field.findChildren(QToolButton)] == ["Clear the text"]
    for mode in ("light", "dark"):
        qapp.theme.set_mode(mode)
        colour_clear_button(field)
        [button] = field.findChildren(QToolButton)
        shown = button.icon().pixmap(QSize(16, 16)).toImage()
        assert shown == icon("close", theme.colours().muted).pixmap(QSize(16, 16)).toImage()
