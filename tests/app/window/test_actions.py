"""The table of actions is complete and consistent, and its entries work in the window."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.actions.spec import MENUS
from app.system.language import LANGUAGES
from app.system.paths import resource
from app.widgets.application import Application
from app.window.actions import ACTIONS
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine

SPECS = [spec for specs in ACTIONS.values() for spec in specs]


@pytest.mark.first
def test_every_action_has_words_and_its_icon_and_shares_neither_id_nor_shortcut() -> None:
    assert list(ACTIONS) == list(MENUS)
    for spec in SPECS:
        assert spec.text, spec.id
        assert spec.name, spec.id
        assert not spec.icon or resource("icons", f"{spec.icon}.svg").is_file(), spec.id
    assert max(Counter(spec.id for spec in SPECS).values()) == 1
    assert max(Counter(spec.shortcut for spec in SPECS if spec.shortcut).values()) == 1


def test_a_menu_is_short_and_says_nothing_twice(open_window: OpenWindow, qapp: Application) -> None:
    window = open_window(ScriptedEngine())
    for language in LANGUAGES:
        qapp.language.choose(language)
        qapp.processEvents()
        for title in window.menuBar().actions():
            menus = [title.menu(), *(entry.menu() for entry in title.menu().actions() if entry.menu())]
            for menu in menus:
                entries = [entry for entry in menu.actions() if not entry.isSeparator()]
                assert 0 < len(entries) <= 12, title.text()
                assert max(Counter(entry.text() for entry in entries).values()) == 1, title.text()
                assert not menu.actions()[0].isSeparator()
    shown = [action for title in window.menuBar().actions() for action in _entries(title.menu())]
    assert len(shown) == len(set(shown)) == len(SPECS)


def _entries(menu: QMenu) -> list[QAction]:
    """The actions of a menu and its submenus."""
    found: list[QAction] = []
    for entry in menu.actions():
        found += _entries(entry.menu()) if entry.menu() else [] if entry.isSeparator() else [entry]
    return found


def test_macos_moves_nothing_to_the_app_menu_by_its_text() -> None:
    roles = {spec.id: spec.role for spec in SPECS}
    moved = {key for key, role in roles.items() if role != QAction.MenuRole.NoRole}
    assert moved == {"about", "check-updates", "settings", "quit", "undo", "redo", "cut", "copy", "paste", "select-all"}


def test_what_is_shown_is_offered_to_be_hidden(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    view = next(title.menu() for title in window.menuBar().actions() if title.text() == "View")
    said = []
    for _ in range(2):
        view.aboutToShow.emit()
        said.append(window.action("toggle-sidebar").text())
        window.trigger("toggle-sidebar")
    assert said == ["Hide chat list", "Show chat list"]


def test_text_is_edited_from_the_menus(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    edit = window.edit
    edit.setFocus()
    QTest.keyClicks(edit, "once")
    window.trigger("select-all")
    window.trigger("copy")
    assert QGuiApplication.clipboard().text() == "once"
    window.trigger("cut")
    assert edit.toPlainText() == ""
    window.trigger("paste")
    window.trigger("paste")
    assert edit.toPlainText() == "onceonce"
    window.trigger("undo")
    assert edit.toPlainText() == "once"
    window.trigger("redo")
    assert edit.toPlainText() == "onceonce"


def test_the_window_in_front_is_closed(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    settings = window.settings
    window.trigger("settings")
    window.wait(lambda: QApplication.activeWindow() is settings)
    # On macOS the menu bar gets the key, elsewhere the window.
    window.trigger("close-window")
    assert not settings.isVisible()
    assert window.isVisible()
    settings.open("general")
    QTest.keyClick(settings, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert not settings.isVisible()
