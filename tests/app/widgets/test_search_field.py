"""Search fields report what is typed; their clear button has a name and follows the theme."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.widgets.application import Application
from app.widgets.icons import icon
from app.widgets.search_field import SearchField


def test_the_button_that_clears_has_a_name_and_follows_the_theme(qtbot: QtBot, qapp: Application) -> None:
    field = SearchField()
    qtbot.addWidget(field)
    assert [one.accessibleName() for one in field.findChildren(QToolButton)] == ["Clear the text"]
    shown = []
    for mode in ("light", "dark"):
        qapp.theme.set_mode(mode)
        [button] = field.findChildren(QToolButton)
        shown.append(button.icon().pixmap(QSize(16, 16)).toImage())
        assert shown[-1] == icon("close").pixmap(QSize(16, 16)).toImage()
    assert shown[0] != shown[1]
