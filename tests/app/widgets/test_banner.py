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


def test_its_button_does_what_helps_and_hides_it(banner: Banner) -> None:
    done: list[int] = []
    action = QAction("Try again", banner)
    action.triggered.connect(lambda: done.append(1))
    banner.show_message(lambda: "It failed.", action)
    assert (banner.text, banner.findChild(QPushButton).text()) == ("It failed.", "Try again")
    banner.findChild(QPushButton).click()
    assert done == [1]
    assert banner.isHidden()


def test_the_newest_message_follows_the_language(banner: Banner, qapp: Application, qtbot: QtBot) -> None:
    banner.show_message(lambda: "old", None)
    banner.show_message(lambda: QCoreApplication.translate("Banner", "Dismiss"), None)
    assert banner.text == "Dismiss"
    qapp.language.choose("ko")
    qtbot.waitUntil(lambda: banner.text not in ("old", "Dismiss"))
    assert banner.text == banner.findChild(QToolButton).accessibleName()


def test_a_message_leaves_with_what_it_is_about_or_is_dismissed(banner: Banner) -> None:
    banner.show_message(lambda: "The disk is full.", None, about="disk")
    banner.show_message(lambda: "It is done.", None, calm=True)
    banner.dismiss("disk")
    assert banner.text == "It is done."
    assert banner.findChild(QPushButton).isHidden()
    assert banner.findChild(QToolButton).accessibleName() == "Dismiss"
    banner.findChild(QToolButton).click()
    assert banner.isHidden()
