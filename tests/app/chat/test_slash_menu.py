"""Presets that are chosen by a slash in the message box, with every way to type one."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QListWidget
from pytestqt.qtbot import QtBot

from app.chat.slash_menu import SlashMenu
from app.widgets.application import Application
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window_driver import WindowDriver

ALL = ["Defaults", "Precise", "Balanced", "Creative", "Concise"]


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot) -> WindowDriver:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.window.activateWindow()
    window.edit.setFocus()
    qtbot.waitUntil(window.edit.hasFocus)
    return window


def rows(window: WindowDriver) -> list[str]:
    return window.find(SlashMenu).rows


def chosen(window: WindowDriver) -> str:
    return window.preset_button.accessibleName()


def test_a_slash_lists_the_presets_and_letters_narrow_them(window: WindowDriver) -> None:
    window.type("/")
    assert rows(window) == ALL
    window.type("c")
    # Those that begin with what was typed come first.
    assert rows(window) == ["Creative", "Concise", "Precise", "Balanced"]
    window.type("onc")
    assert rows(window) == ["Concise"]
    window.type("x")
    assert rows(window) == []


def test_the_chosen_preset_is_applied_and_nothing_is_sent(window: WindowDriver) -> None:
    for key, letters, name in ((Qt.Key.Key_Return, "cre", "Creative"), (Qt.Key.Key_Tab, "con", "Concise")):
        window.type(f"/{letters}")
        window.press(key)
        assert (window.unsent, rows(window), window.turns) == ("", [], [])
        assert chosen(window) == f"Chat settings: {name}"
    window.type("/")
    names = window.find(SlashMenu).findChild(QListWidget)
    spoken = [names.item(row).data(Qt.ItemDataRole.AccessibleTextRole) for row in range(names.count())]
    assert spoken == [None, None, None, None, "Concise, in use"]


def test_arrows_select_and_what_is_selected_is_said(window: WindowDriver) -> None:
    window.type("/")
    window.press(Qt.Key.Key_Down)
    assert window.edit.accessibleDescription() == "Preset: Precise"
    window.press(Qt.Key.Key_Up)
    window.press(Qt.Key.Key_Up)
    assert window.edit.accessibleDescription() == "Preset: Concise"
    window.press(Qt.Key.Key_Return)
    assert (chosen(window), window.edit.accessibleDescription()) == ("Chat settings: Concise", "")
    # A click chooses, too.
    window.type("/")
    names = window.find(SlashMenu).findChild(QListWidget)
    place = names.visualItemRect(names.item(3)).center()
    QTest.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert (chosen(window), window.edit.hasFocus()) == ("Chat settings: Creative", True)


def test_escape_leaves_the_text_which_can_be_sent(window: WindowDriver) -> None:
    window.type("/con")
    window.press(Qt.Key.Key_Escape)
    assert (window.unsent, rows(window)) == ("/con", [])
    window.type("c")
    assert rows(window) == []
    window.send()
    window.wait_until_answered()
    assert window.turns[0][0] == "/conc"
    # A path, and a slash further on, are text. Another chat hides the list.
    for text in ("/etc/hosts", "1/2", " /", "/c\nmore"):
        window.write(text)
        assert rows(window) == [], text
    window.write("")
    window.type("/")
    assert rows(window) == ALL
    window.trigger("new-chat")
    assert rows(window) == []


def test_an_input_method_keeps_its_keys_and_is_searched_for(
    open_window: OpenWindow, qapp: Application, qtbot: QtBot
) -> None:
    qapp.language.choose("ko")
    window = open_window(ScriptedEngine([Script("One.")]))
    window.edit.setFocus()
    qtbot.waitUntil(window.edit.hasFocus)
    window.type("/")
    window.compose("간")
    assert rows(window) == ["간결"]
    # Enter confirms the syllable; only the next one chooses.
    window.press(Qt.Key.Key_Return)
    assert rows(window) == ["간결"]
    event = QInputMethodEvent()
    event.setCommitString("간")
    QCoreApplication.sendEvent(window.edit, event)
    assert (window.unsent, rows(window)) == ("/간", ["간결"])
    window.press(Qt.Key.Key_Return)
    assert (window.unsent, window.turns) == ("", [])
    assert "간결" in chosen(window)
    # The sign of a Japanese or Chinese input method.
    window.write("／")
    assert len(rows(window)) == 5
