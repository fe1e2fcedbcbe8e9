"""While an input method composes, Enter and Esc are its keys: nothing is sent, renamed, closed or lost."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.composer.settings_sheet import ChatSettingsSheet
from app.settings_window.form import SecretRow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver


@pytest.fixture
def window(start_chat: StartChat) -> WindowDriver:
    window = start_chat(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    window.settle()
    return window


def enter(field: QWidget) -> None:
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        QTest.keyClick(field, key)


def test_enter_does_not_end_a_rename_and_the_name_has_the_last_syllable(window: WindowDriver) -> None:
    window.trigger("rename-chat")
    editor = window.sidebar.list.findChild(QLineEdit)
    editor.clear()
    window.compose("글", editor, "한")
    enter(editor)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert editor.isVisible()
    # Another click ends it.
    window.edit.setFocus()
    window.wait(lambda: "한글" in window.sidebar.rows)


def test_enter_and_escape_do_not_end_an_edit(window: WindowDriver) -> None:
    window.trigger("edit-last")
    editor = window.turn().editor
    window.compose("글", editor.edit)
    for modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier):
        QTest.keyClick(editor.edit, Qt.Key.Key_Return, modifiers)
    QTest.keyClick(editor.edit, Qt.Key.Key_Escape)
    assert editor.isVisible()
    assert editor.edit.preedit() == "글"
    assert window.turns == [("first", "One.")]


def test_enter_does_not_run_a_command(window: WindowDriver) -> None:
    palette = window.palette
    window.trigger("palette")
    window.compose("새", palette.field)
    enter(palette.field)
    assert palette.field.isVisible()


def test_enter_does_not_open_a_found_chat(window: WindowDriver) -> None:
    window.trigger("new-chat")
    window.compose("처", window.sidebar.search)
    enter(window.sidebar.search)
    assert window.session.chat.turns == []


def test_enter_stores_no_half_of_a_preset(window: WindowDriver) -> None:
    window.trigger("chat-settings")
    sheet = window.find(ChatSettingsSheet)
    before = sheet.presets.count()
    window.compose("글", sheet.name, "한")
    enter(sheet.name)
    assert sheet.isVisible()
    assert sheet.presets.count() == before


def test_enter_takes_no_half_of_a_setting(window: WindowDriver, qtbot: QtBot) -> None:
    row = SecretRow(None)
    qtbot.addWidget(row)
    typed: list[str] = []
    row.typed.connect(typed.append)
    row.field.setText("a")
    window.compose("글", row.field)
    enter(row.field)
    assert typed == []
