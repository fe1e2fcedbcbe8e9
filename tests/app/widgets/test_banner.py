"""The banner shows one message at a time with the action that helps, in the language in use."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from app.widgets.application import Application
from app.widgets.banner import Banner
from app.widgets.labels import SentenceLabel
from app.widgets.layouts import settle_layouts


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


def test_a_button_is_below_a_sentence_that_it_would_make_much_higher(banner: Banner) -> None:
    sentence = "The chat database was damaged. What could be recovered is in the chat list; the file was kept."
    banner.show_message(lambda: sentence, QAction("Show the chats in Finder", banner))
    banner.show_message(lambda: "Short.", QAction("Show the chats in Finder", banner))
    short, long = banner.shown
    places = []
    for width in (400, 1100, 400):
        banner.resize(width, banner.heightForWidth(width))
        settle_layouts()
        label = long.findChild(SentenceLabel).geometry()
        button = long.findChild(QPushButton).geometry()
        assert label.height() >= long.findChild(SentenceLabel).heightForWidth(label.width())
        assert not label.intersects(button)
        assert long.rect().contains(button.translated(long.findChild(QPushButton).parentWidget().pos()))
        places.append("below" if button.top() > label.bottom() else "beside")
        assert short.findChild(QPushButton).x() > short.findChild(SentenceLabel).geometry().right()
    assert places == ["below", "beside", "below"]


def test_the_name_of_a_file_stays_on_one_line_and_is_never_cut_off(banner: Banner) -> None:
    name = "minutes-2026-11-27-board-draft.docx"
    banner.show_message(lambda: f"The text of {name} cannot be read.", QAction("Show the file", banner))
    [notice] = banner.shown
    label = notice.findChild(SentenceLabel)
    for width in range(400, 700, 11):
        banner.resize(width, banner.heightForWidth(width))
        settle_layouts()
        assert label.fontMetrics().horizontalAdvance(name) <= label.minimumSizeHint().width() <= label.width()


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
