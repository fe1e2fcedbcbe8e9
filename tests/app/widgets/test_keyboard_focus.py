"""Tab goes through a page in reading order, and only the keyboard shows the focus.

Reading order is line by line, and column by column beside taller widgets.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QListWidget,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.composer.settings_sheet import ChatSettingsSheet
from app.composer.welcome import Welcome
from app.widgets.controls import Segments
from app.widgets.keyboard_focus import PassedArea, TabOrdered, stops
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver
from tests.app.window_parts import button


class ButtonPage(TabOrdered, QWidget):
    """Buttons at given places, made in the order of their names."""

    def __init__(self, places: dict[str, tuple[int, int, int, int]]) -> None:
        super().__init__()
        for name in sorted(places):
            button = QPushButton(name, self)
            button.setGeometry(*places[name])
        self.resize(400, 300)


@pytest.mark.parametrize(
    ("places", "wanted"),
    [
        ({"a": (100, 100, 50, 20), "b": (0, 100, 50, 20), "c": (0, 0, 50, 20)}, "cba"),
        # One that is a little lower in its line than its neighbour stays in its line.
        ({"a": (100, 0, 50, 20), "b": (0, 4, 50, 20), "c": (0, 40, 50, 20)}, "bac"),
        # A tall edge beside a column of lines.
        ({"a": (200, 0, 8, 300), "b": (0, 60, 50, 20), "c": (0, 0, 50, 20), "d": (300, 0, 50, 20)}, "cbad"),
    ],
)
def test_as_it_reads(qtbot: QtBot, places: dict[str, tuple[int, int, int, int]], wanted: str) -> None:
    page = ButtonPage(places)
    qtbot.addWidget(page)
    page.show()
    assert "".join(stop.text() for stop in stops(page)) == wanted


def test_tab_goes_round_past_what_cannot_be_used(qtbot: QtBot) -> None:
    page = ButtonPage({name: (100 * number, 0, 50, 20) for number, name in enumerate("abcd")})
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    a, b, c, d = (page.findChildren(QPushButton)[number] for number in range(4))
    b.setEnabled(False)
    c.hide()
    a.setFocus()
    qtbot.waitUntil(a.hasFocus)
    seen = []
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        QTest.keyClick(QApplication.focusWidget(), key)
        seen.append(QApplication.focusWidget())
    assert seen == [d, a, d]


class AreaPage(TabOrdered, QWidget):
    """A button above a scroll area, in which are two buttons, and a button below it."""

    def __init__(self, body_height: int) -> None:
        super().__init__()
        self.above, self.area, self.below = QPushButton("above"), PassedArea(), QPushButton("below")
        column = QVBoxLayout(self)
        for each in (self.above, self.area, self.below):
            column.addWidget(each)
        body = QWidget()
        body.setFixedSize(100, body_height)
        self.inner = [QPushButton(name, body) for name in ("first", "second")]
        for number, inner in enumerate(self.inner):
            inner.setGeometry(0, 30 * number, 80, 20)
        self.area.setWidget(body)
        self.resize(300, 300)


@pytest.fixture
def area_page(qtbot: QtBot, request: pytest.FixtureRequest) -> AreaPage:
    """A page whose area can be scrolled, or cannot if its parameter is a smaller height."""
    page = AreaPage(getattr(request, "param", 2000))
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    return page


def test_tab_passes_by_a_scroll_area_both_ways(area_page: AreaPage) -> None:
    page = area_page
    page.above.setFocus()
    for key, wanted in (
        (Qt.Key.Key_Tab, [*page.inner, page.below, page.above]),
        (Qt.Key.Key_Backtab, [page.below, *page.inner[::-1], page.above]),
    ):
        seen = []
        for _ in wanted:
            QTest.keyClick(focus(), key)
            seen.append(focus())
        assert seen == wanted


def test_tab_goes_on_from_where_a_scroll_area_was_clicked(area_page: AreaPage) -> None:
    page = area_page
    for key, wanted in ((Qt.Key.Key_Tab, page.inner[0]), (Qt.Key.Key_Backtab, page.above)):
        click(page.area.viewport())
        assert focus() is page.area
        QTest.keyClick(focus(), key)
        assert focus() is wanted


def test_page_keys_scroll_the_area_around_the_button_with_the_focus(area_page: AreaPage) -> None:
    bar = area_page.area.verticalScrollBar()
    area_page.inner[0].setFocus()
    QTest.keyClick(focus(), Qt.Key.Key_PageDown)
    assert bar.value() == bar.pageStep()
    QTest.keyClick(focus(), Qt.Key.Key_PageUp)
    assert bar.value() == 0
    assert focus() is area_page.inner[0]


def test_tab_stops_at_a_scroll_area_that_no_control_in_it_can_scroll(area_page: AreaPage) -> None:
    for inner in area_page.inner:
        inner.setEnabled(False)
    area_page.above.setFocus()
    QTest.keyClick(focus(), Qt.Key.Key_Tab)
    assert focus() is area_page.area
    QTest.keyClick(focus(), Qt.Key.Key_PageDown)
    assert area_page.area.verticalScrollBar().value() > 0
    assert shows_focus()


@pytest.mark.parametrize("area_page", [60], indirect=True)
def test_tab_never_stops_at_a_scroll_area_with_nothing_to_scroll_or_use(area_page: AreaPage) -> None:
    for inner in area_page.inner:
        inner.setEnabled(False)
    area_page.above.setFocus()
    QTest.keyClick(focus(), Qt.Key.Key_Tab)
    assert focus() is area_page.below


def test_a_scroll_area_that_is_disabled_or_hidden_passes_its_focus_on(area_page: AreaPage) -> None:
    for leave, back in (
        (lambda: area_page.area.setEnabled(False), lambda: area_page.area.setEnabled(True)),
        (area_page.area.hide, area_page.area.show),
    ):
        click(area_page.area.viewport())
        leave()
        assert focus() in (area_page.above, area_page.below)
        back()


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.resize(1440, 900)
    window.activateWindow()
    window.window.panes.begin_panel()
    window.settle()
    click(window.find(Welcome).findChild(QPushButton))
    window.wait_until_answered()
    # After a sample question, the next one can be typed.
    assert focus() is window.edit
    window.settle()
    return window


def focus() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def shows_focus() -> bool:
    """Whether the widget with the focus looks different without it. Takes the focus away."""
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
    """Open the window of the settings."""
    window.settings.open("general")
    window.settings.activateWindow()
    window.wait(window.settings.isActiveWindow)
    return window.settings.findChild(QListWidget, "settingsList")


def go_elsewhere_and_back(window: WindowDriver) -> None:
    page_list(window)
    assert focus() is not window.transcript
    window.settings.close()
    window.activateWindow()
    window.wait(window.isActiveWindow)


def test_a_click_shows_no_focus_and_tab_does(window: WindowDriver) -> None:
    for target, clicked in (
        (window.transcript, window.transcript.viewport()),
        (window.transcript, button(window.transcript, "Copy the answer as Markdown")),
        (window.transcript, window.transcript.verticalScrollBar()),
    ):
        click(clicked)
        assert focus() is target
        assert not shows_focus()
        window.edit.setFocus()
        tab_to(target)
        assert shows_focus()
    for rows in (window.sidebar.list, page_list(window)):
        rows.window().activateWindow()
        window.wait(rows.window().isActiveWindow)
        place = rows.visualRect(rows.model().index(rows.model().rowCount() - 1, 0)).center()
        QTest.mousePress(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert focus() is rows
        assert not shows_focus()
        rows.setFocus(Qt.FocusReason.TabFocusReason)
        assert shows_focus()


def test_a_click_on_the_panel_shows_no_focus_and_tab_goes_on_to_its_first_control(window: WindowDriver) -> None:
    panel = window.panel.findChild(QScrollArea)
    click(panel.viewport())
    assert focus() is panel
    assert not shows_focus()
    click(panel.viewport())
    QTest.keyClick(focus(), Qt.Key.Key_Tab)
    assert focus() is window.panel.findChild(Segments).buttons[0]


@pytest.mark.full
def test_a_clicked_button_and_a_card_show_no_focus_and_tab_reaches_the_button(window: WindowDriver) -> None:
    segment = window.panel.findChild(Segments).buttons[0]
    click(segment)
    assert focus() is not segment
    assert not shows_focus()
    window.edit.setFocus()
    tab_to(segment)
    assert shows_focus()
    window.edit.setFocus()
    window.trigger("chat-settings")
    assert not isinstance(focus(), QAbstractButton)
    card = window.find(ChatSettingsSheet)
    assert card.isAncestorOf(focus())
    card.close_overlay()
    assert focus() is window.edit


@pytest.mark.full
def test_a_focus_comes_back_as_it_was_with_its_window_and_after_a_card(window: WindowDriver) -> None:
    tab_to(window.transcript)
    click(window.edit.viewport())
    click(window.transcript.viewport())
    go_elsewhere_and_back(window)
    assert focus() is window.transcript
    assert not shows_focus()
    window.edit.setFocus()
    tab_to(window.transcript)
    go_elsewhere_and_back(window)
    window.trigger("palette")
    assert focus() is not window.transcript
    window.palette.press(Qt.Key.Key_Escape)
    assert focus() is window.transcript
    assert shows_focus()
