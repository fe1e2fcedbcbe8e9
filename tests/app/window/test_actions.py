"""The table of actions is whole, and its entries do in the window what they say."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.actions.spec import MENUS, ActionState
from app.system.paths import resource
from app.window.actions import ACTIONS
from app.window.actions.parts import WindowAction
from tests.app.scripted_engine import ScriptedEngine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow


SPECS = [spec for specs in ACTIONS.values() for spec in specs]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_an_action_has_words_and_its_icon(spec: WindowAction) -> None:
    assert spec.text
    assert spec.name
    assert not spec.icon or resource("icons", f"{spec.icon}.svg").is_file()
    assert spec.enabled(ActionState()) in (True, False)


def test_every_menu_has_its_actions() -> None:
    assert list(ACTIONS) == list(MENUS)


def test_ids_and_shortcuts_are_unique() -> None:
    assert max(Counter(spec.id for spec in SPECS).values()) == 1
    shortcuts = Counter(spec.shortcut for spec in SPECS if spec.shortcut)
    assert max(shortcuts.values()) == 1


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
    # The palette gives the focus back before it runs what was chosen.
    window.trigger("palette")
    window.palette.type("undo typing")
    window.palette.press(Qt.Key.Key_Return)
    assert edit.toPlainText() == "once"


def test_the_window_in_front_is_closed(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine())
    settings = window.settings
    window.trigger("about")
    qtbot.waitUntil(lambda: QApplication.activeWindow() is settings)
    about = next(label for label in settings.findChildren(QLabel) if "Apache" in label.text())
    assert not about.visibleRegion().isEmpty()
    # On macOS the menu bar gets the key, elsewhere the window.
    window.trigger("close-window")
    assert not settings.isVisible()
    assert window.isVisible()
    settings.open("general")
    QTest.keyClick(settings, Qt.Key.Key_W, Qt.KeyboardModifier.ControlModifier)
    assert not settings.isVisible()
