"""The command palette and the shortcut sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from app.actions.spec import MENUS
from app.widgets.layouts import settle_layouts
from app.window.actions import ACTIONS
from app.window.palette import matches
from tests.app.scripted_engine import ScriptedEngine

if TYPE_CHECKING:
    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("Start a new chat", "new", True),
        ("Start a new chat", "CHAT start", True),
        ("Start a new chat", "", True),
        ("새 대화 시작", "대화", True),
        ("Start a new chat", "model", False),
    ],
)
def test_every_word_has_to_be_found(text: str, wanted: str, found: bool) -> None:
    assert matches(text, wanted) is found


def test_a_few_letters_and_enter_run_a_command(open_window: OpenWindow, qapp: Application) -> None:
    window = open_window(ScriptedEngine())
    window._actions["palette"].trigger()
    QTest.keyClicks(window._palette._field, "dark")
    QTest.keyClick(window._palette._field, Qt.Key.Key_Return)
    assert not window._palette.isVisible()
    assert qapp.theme.mode == "dark"


def test_enter_that_confirms_a_candidate_runs_no_command(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window._actions["palette"].trigger()
    palette = window._palette
    QCoreApplication.sendEvent(palette._field, QInputMethodEvent("クライ", []))
    QTest.keyClick(palette._field, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close_overlay()
    # What was being composed is gone with the palette.
    window._actions["palette"].trigger()
    QTest.keyClick(palette._field, Qt.Key.Key_Return)
    assert not palette.isVisible()


def test_a_syllable_that_is_being_composed_finds_commands(open_window: OpenWindow, qapp: Application) -> None:
    window = open_window(ScriptedEngine())
    qapp.language.choose("ko")
    qapp.processEvents()
    window._actions["palette"].trigger()
    every = len(window._palette._found)
    QCoreApplication.sendEvent(window._palette._field, QInputMethodEvent("새", []))
    assert 0 < len(window._palette._found) < every
    assert window._palette._found[0] is window._actions["new-chat"]


@pytest.mark.parametrize("code", ["en", "ja"])
def test_large_text_reaches_out_of_neither_palette_nor_sheet(
    open_window: OpenWindow, qapp: Application, code: str
) -> None:
    window = open_window(ScriptedEngine())
    qapp.language.choose(code)
    qapp.processEvents()
    try:
        qapp.theme.set_text_size(130)
        window.resize(600, 600)
        window._palette.open()
        settle_layouts()
        assert window._palette._list.horizontalScrollBar().maximum() == 0
        first = window._palette._list.itemWidget(window._palette._list.item(0))
        keys = first.findChildren(QLabel)[-1]
        assert keys.geometry().right() < window._palette._list.viewport().width()
        window._palette.close_overlay()
        window._shortcuts.open()
        settle_layouts()
        assert window._shortcuts._area.horizontalScrollBar().maximum() == 0
    finally:
        qapp.theme.set_text_size(100)


def test_the_arrows_choose_and_wrap(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window._actions["palette"].trigger()
    palette = window._palette
    QTest.keyClick(palette._field, Qt.Key.Key_Up)
    assert palette._list.currentRow() == len(palette._found) - 1
    QTest.keyClick(palette._field, Qt.Key.Key_Down)
    assert palette._list.currentRow() == 0


def test_only_what_is_possible_now_is_offered(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window._actions["palette"].trigger()
    offered = window._palette._found
    assert window._actions["new-chat"] in offered
    assert window._actions["stop"] not in offered
    assert window._actions["copy-answer"] not in offered


def test_escape_closes_it_and_gives_the_focus_back(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.activateWindow()
    window._composer.edit.setFocus()
    window._actions["palette"].trigger()
    QTest.keyClick(window._palette._field, Qt.Key.Key_Escape)
    assert not window._palette.isVisible()
    assert window._composer.edit.hasFocus()


def test_a_click_elsewhere_closes_it(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window._actions["palette"].trigger()
    QTest.mouseClick(window._composer, Qt.MouseButton.LeftButton)
    assert not window._palette.isVisible()


def test_what_is_behind_a_card_is_dimmed_while_it_is_open(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    place = window._composer.mapTo(window.window, QPoint(4, 4))
    before = window.grab().toImage().pixelColor(place).lightness()
    window._actions["palette"].trigger()
    assert window.grab().toImage().pixelColor(place).lightness() < before
    window._palette.close_overlay()
    assert window.grab().toImage().pixelColor(place).lightness() == before


def test_the_sheet_lists_every_shortcut(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window._actions["shortcuts"].trigger()
    listed = [name for menu in MENUS for name, _ in window._shortcuts.rows(menu)]
    assert listed == [spec.name for menu in MENUS for spec in ACTIONS if spec.menu == menu and spec.shortcut]
    window._shortcuts.close_overlay()


def test_opened_twice_it_still_gives_the_focus_back(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.activateWindow()
    window._composer.setFocus()
    for _ in range(2):
        window._actions["palette"].trigger()
    QTest.keyClick(window._palette._field, Qt.Key.Key_Escape)
    assert window._composer.edit.hasFocus()


def test_it_closes_although_what_had_the_focus_is_gone(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.activateWindow()
    button = QPushButton(window.window)
    button.show()
    button.setFocus()
    window._actions["palette"].trigger()
    shiboken6.delete(button)
    QTest.keyClick(window._palette._field, Qt.Key.Key_Escape)
    assert not window._palette.isVisible()
