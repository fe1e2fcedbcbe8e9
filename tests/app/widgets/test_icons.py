"""Icons of buttons, at any size."""

from __future__ import annotations

from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from app.widgets.icons import icon


def test_a_button_that_is_smaller_than_its_margins_is_painted_without_its_icon(qtbot: QtBot) -> None:
    button = QToolButton()
    qtbot.addWidget(button)
    button.setIcon(icon("send"))
    button.setFixedSize(2, 20)
    assert button.grab().size() == button.size()
