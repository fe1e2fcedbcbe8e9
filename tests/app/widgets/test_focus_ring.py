"""The focus shows where the keyboard brought it, and not where a click did."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QListWidget, QPushButton, QScrollArea, QWidget

from app.chat.welcome import Welcome
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window_parts import button

if TYPE_CHECKING:
    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.resize(1440, 900)
    window.ask_and_wait("question")
    window.activateWindow()
    window.settle()
    return window


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def shows_focus() -> bool:
    """Whether the widget that has the focus looks different without it. Takes the focus away."""
    widget = focus()
    pictures = [widget.grab().toImage()]
    widget.clearFocus()
    pictures.append(widget.grab().toImage())
    return pictures[0] != pictures[1]


def click(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def tab_to(widget: QWidget) -> None:
    while focus() is not widget:
        QTest.keyClick(focus(), Qt.Key.Key_Tab)


def page_list(window: WindowDriver) -> QListWidget:
    window.settings.open("general")
    window.settings.activateWindow()
    window.wait(window.settings.isActiveWindow)
    return window.settings.findChild(QListWidget, "settingsList")


def go_elsewhere_and_back(window: WindowDriver) -> None:
    """To the window of the settings."""
    window.settings.open("general")
    window.settings.activateWindow()
    window.wait(window.settings.isActiveWindow)
    assert focus() is not window.transcript
    window.settings.close()
    window.activateWindow()
    window.wait(window.isActiveWindow)


def panel_area(window: WindowDriver) -> QScrollArea:
    return window.panel.findChild(QScrollArea)


@pytest.mark.parametrize("where", ["chat", "answer's button", "scroll bar", "panel"])
def test_a_click_shows_no_focus_and_tab_does(window: WindowDriver, where: str) -> None:
    target = panel_area(window) if where == "panel" else window.transcript
    clicked = {
        "chat": window.transcript.viewport(),
        "answer's button": button(window.transcript, "Copy the answer as Markdown"),
        "scroll bar": window.transcript.verticalScrollBar(),
        "panel": panel_area(window).viewport(),
    }[where]
    click(clicked)
    assert focus() is target
    assert not shows_focus()
    window.edit.setFocus()
    tab_to(target)
    assert shows_focus()


@pytest.mark.parametrize("which", ["chats", "pages"])
def test_a_row_that_is_clicked_shows_no_focus_and_tab_does(window: WindowDriver, which: str) -> None:
    rows = window.sidebar.list if which == "chats" else page_list(window)
    place = rows.visualRect(rows.model().index(rows.model().rowCount() - 1, 0)).center()
    QTest.mousePress(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert focus() is rows
    assert not shows_focus()
    rows.setFocus(Qt.FocusReason.TabFocusReason)
    assert shows_focus()


def test_a_focus_that_was_shown_comes_back_with_its_window_and_after_a_card(window: WindowDriver) -> None:
    tab_to(window.transcript)
    go_elsewhere_and_back(window)
    window.trigger("palette")
    assert focus() is not window.transcript
    window.palette.press(Qt.Key.Key_Escape)
    assert focus() is window.transcript
    assert shows_focus()


def test_a_focus_from_a_click_stays_unseen_when_its_window_comes_back(window: WindowDriver) -> None:
    tab_to(window.transcript)
    click(window.edit.viewport())
    click(window.transcript.viewport())
    go_elsewhere_and_back(window)
    assert focus() is window.transcript
    assert not shows_focus()


def test_after_a_sample_question_the_next_one_can_be_typed(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.activateWindow()
    click(window.find(Welcome).findChild(QPushButton))
    window.wait_until_answered()
    assert focus() is window.edit
