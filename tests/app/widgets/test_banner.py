"""The banner shows one message at a time with the action that helps, in the language in use."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.widgets.application import Application
from app.widgets.banner import Banner


@pytest.fixture
def banner(qtbot: QtBot) -> Banner:
    banner = Banner()
    qtbot.addWidget(banner)
    return banner


@pytest.mark.first
def test_its_button_does_what_helps_and_hides_it(banner: Banner) -> None:
    done: list[int] = []
    action = QAction("Try again", banner)
    action.triggered.connect(lambda: done.append(1))
    banner.show_message(lambda: "It failed.", action)
    [notice] = banner.shown
    assert (notice.text, notice.findChild(QPushButton).text()) == ("It failed.", "Try again")
    notice.findChild(QPushButton).click()
    assert done == [1]
    assert banner.isHidden()


def test_notices_follow_the_language(banner: Banner, qapp: Application, qtbot: QtBot) -> None:
    banner.show_message(lambda: QCoreApplication.translate("Notice", "Dismiss"))
    [notice] = banner.shown
    assert notice.text == "Dismiss"
    qapp.language.choose("ko")
    qtbot.waitUntil(lambda: notice.text != "Dismiss")
    assert notice.text == notice.findChild(QToolButton).accessibleName()


def test_a_button_can_be_pressed_while_its_action_can(banner: Banner) -> None:
    action = QAction("Try again", banner)
    action.setEnabled(False)
    banner.show_message(lambda: "It failed.", action, closable=False, about="it")
    button = banner.shown[0].findChild(QPushButton)
    assert not button.isEnabled()
    action.setEnabled(True)
    button.click()
    # What cannot be closed stays until it is dismissed.
    assert len(banner.shown) == 1
    banner.dismiss("it")
    assert banner.shown == []
