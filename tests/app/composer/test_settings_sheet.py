"""A chat's own system prompt and settings: set by preset or one by one, used, stored, and applied to new chats."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.composer.settings_sheet import ChatSettingsSheet
from app.conversations.chat_settings import KEYS, VARIABLES
from app.widgets.labels import WrappedLabel
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver, enter_number


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("Yes.")])


@pytest.fixture
def window(open_window: OpenWindow, engine: ScriptedEngine) -> WindowDriver:
    window = open_window(engine)
    window.settle()
    return window


@pytest.fixture
def sheet(window: WindowDriver) -> ChatSettingsSheet:
    window.trigger("chat-settings")
    return window.chat_settings


def choose(sheet: ChatSettingsSheet, name: str) -> None:
    index = sheet.presets.findText(name)
    sheet.presets.setCurrentIndex(index)
    sheet.presets.activated.emit(index)


def test_a_system_prompt_goes_along_with_its_variables_filled_in(
    sheet: ChatSettingsSheet, window: WindowDriver, engine: ScriptedEngine
) -> None:
    sheet.prompt.fill_menu()
    for action in sheet.prompt.menu.actions():
        action.trigger()
    assert sheet.prompt.edit.toPlainText() == "".join(f"{{{{{name}}}}}" for name in VARIABLES)
    hint = sheet.prompt.findChild(WrappedLabel).text()
    assert all(f"{{{{{name}}}}}" in hint for name in VARIABLES)
    sheet.prompt.edit.setPlainText("You are {{model}}.")
    window.ask_and_wait("Who are you?")
    assert engine.requests[-1].messages[0] == {"role": "system", "content": "You are main."}


def test_a_preset_changes_what_the_engine_is_asked_for(
    sheet: ChatSettingsSheet, window: WindowDriver, engine: ScriptedEngine
) -> None:
    choose(sheet, "Creative")
    window.ask_and_wait("Tell me")
    assert (engine.requests[-1].sampling.temperature, engine.requests[-1].sampling.min_p) == (1.0, 0.05)
    choose(sheet, "Defaults")
    window.ask_and_wait("Tell me more")
    assert engine.requests[-1].sampling == window.session.settings.defaults.sampling
    choose(sheet, "Concise")
    choose(sheet, "Precise")
    assert sheet.presets.findText("Custom") < 0
    assert window.session.chat.set_aside is None
    enter_number(sheet.rows["max_tokens"].control, 64)
    sheet.reset.click()
    assert (window.session.chat.system_prompt, window.session.chat.own) == ("", {})
    assert not sheet.reset.isEnabled()


def test_a_number_changes_the_chat_and_its_button_takes_it_back(sheet: ChatSettingsSheet, window: WindowDriver) -> None:
    row = sheet.rows["temperature"]
    row.control.setValue(2.0)
    assert window.session.chat.own == {"temperature": 2.0}
    assert window.session.settings.sampling.temperature == 2.0
    row.reset.click()
    assert window.session.chat.own == {}
    assert row.reset.isHidden()
    assert set(sheet.rows) == set(KEYS)


def test_the_first_sight_is_short(sheet: ChatSettingsSheet, window: WindowDriver) -> None:
    assert [key for key, row in sheet.rows.items() if row.control.isVisible()] == [
        "temperature",
        "max_tokens",
        "thinking",
        "method",
    ]
    assert not sheet.recommendation.isVisible()
    height = sheet.height()
    sheet.more.click()
    window.settle()
    assert sheet.height() > height
    assert sheet.recommendation.isVisible()


def test_a_preset_is_saved_under_a_name_and_found_in_another_chat(
    sheet: ChatSettingsSheet, window: WindowDriver
) -> None:
    sheet.prompt.edit.setPlainText("Speak like a pirate.")
    assert sheet.presets.currentText() == "Custom"
    sheet.save.click()
    QTest.keyClicks(sheet.name, "Pirate")
    sheet.save.click()
    window.settle()
    assert sheet.presets.currentText() == "Pirate"
    window.ask_and_wait("Hello")
    window.trigger("new-chat")
    assert sheet.presets.currentText() == "Defaults"
    choose(sheet, "Pirate")
    assert window.session.chat.system_prompt == "Speak like a pirate."
    sheet.delete.click()
    window.settle()
    assert sheet.presets.findText("Pirate") < 0
    assert window.session.chat.system_prompt == "Speak like a pirate."


@pytest.mark.full
def test_thoughts_get_a_limit_beside_their_switch(
    sheet: ChatSettingsSheet, window: WindowDriver, engine: ScriptedEngine
) -> None:
    row = sheet.rows["thinking_budget"]
    assert (row.name.text(), row.control.word.text()) == ("Thinking limit", "No limit")
    for limit in (2048, None):
        # The number that is offered first, and then none.
        row.control.word.click()
        window.ask_and_wait("Think")
        assert engine.requests[-1].thinking_budget == limit
    # An effort that the template does not have is a limit, too.
    sheet.rows["thinking"].changed.emit("thinking", "low")
    window.ask_and_wait("Think")
    assert engine.requests[-1].thinking_budget == 1024


def test_new_chats_begin_with_what_was_chosen_for_them(
    sheet: ChatSettingsSheet, window: WindowDriver, open_window: OpenWindow
) -> None:
    choose(sheet, "Concise")
    sheet.rows["temperature"].control.setValue(0.5)
    sheet.begin.click()
    window.ask_and_wait("Hello")

    def begins_so() -> bool:
        chat = window.session.chat
        return chat.system_prompt.startswith("Answer in as few words") and chat.own["temperature"] == 0.5

    window.trigger("new-chat")
    assert begins_so()
    window.settle()
    window.close()
    window = open_window(ScriptedEngine())
    window.settle()
    # The chat kept its settings, too.
    window.open_chat(window.titles[-1])
    window.wait(lambda: bool(window.session.chat.turns))
    assert begins_so()
    window.trigger("new-chat")
    assert begins_so()


def test_the_panel_shows_and_changes_the_speculation_of_a_chat_that_has_its_own(
    sheet: ChatSettingsSheet, window: WindowDriver
) -> None:
    session = window.session
    sheet.rows["method"].changed.emit("method", "off")
    assert window.is_checked("speculation-off")
    assert session.settings.defaults.speculation.method == "auto"
    window.trigger("speculation-on")
    assert session.chat.own == {"method": "draft"}
    assert session.settings.defaults.speculation.method == "auto"
    window.ask_and_wait("Hello")
    window.trigger("new-chat")
    assert window.is_checked("speculation-auto")


def test_escape_closes_the_card_and_a_click_into_another_window_does_not(
    sheet: ChatSettingsSheet, window: WindowDriver, qtbot: QtBot
) -> None:
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    QTest.mouseClick(other, Qt.MouseButton.LeftButton)
    assert not sheet.isHidden()
    QTest.keyClick(sheet.prompt.edit, Qt.Key.Key_Escape)
    assert sheet.isHidden()
    button = window.preset_button
    assert button.text() == ""
    button.click()
    assert not sheet.isHidden()
    choose(sheet, "Creative")
    assert button.text() == "Creative"
    assert window.session.settings.sampling.temperature == 1.0


def test_what_somebody_wrote_is_not_lost_to_a_preset(
    sheet: ChatSettingsSheet, window: WindowDriver, qtbot: QtBot, open_window: OpenWindow
) -> None:
    session = window.session
    sheet.prompt.edit.setPlainText("A long system prompt that somebody wrote.")
    enter_number(sheet.rows["max_tokens"].control, 64)
    choose(sheet, "Concise")
    choose(sheet, "Precise")
    sheet.reset.click()
    assert session.chat.system_prompt == ""
    window.ask_and_wait("Hello")
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.session.chat.turns))
    assert (window.session.chat.system_prompt, window.session.chat.own) == ("", {})
    window.preset_button.click()
    choose(window.chat_settings, "Custom")
    chat = window.session.chat
    assert (chat.system_prompt, chat.own) == ("A long system prompt that somebody wrote.", {"max_tokens": 64})
    assert window.chat_settings.presets.currentText() == "Custom"


def test_a_low_window_shows_more_than_the_system_prompt(window: WindowDriver, sheet: ChatSettingsSheet) -> None:
    high = sheet.prompt.edit.height()
    window.resize(560, 420)
    window.wait(lambda: not sheet.format.visibleRegion().isEmpty())
    assert sheet.prompt.edit.height() < high
    window.resize(1440, 900)
    window.wait(lambda: sheet.prompt.edit.height() == high)


@pytest.mark.full
def test_other_settings_are_folded_unless_the_chat_has_chosen_one(
    sheet: ChatSettingsSheet, window: WindowDriver
) -> None:
    frequent = ("temperature", "max_tokens", "thinking", "method")
    rare = [row for row in sheet.rows.values() if row.key not in frequent]
    common = [row for row in sheet.rows.values() if row.key in frequent]
    assert not any(row.control.isVisible() or row.name.isVisible() for row in rare)
    assert all(row.control.isVisible() for row in common)
    body = sheet.more.parentWidget()
    height = body.sizeHint().height()
    sheet.more.click()
    window.settle()
    assert all(row.control.isVisible() for row in rare)
    window.wait(lambda: body.sizeHint().height() > height)
    sheet.more.click()
    window.settle()
    # Nothing of the rows is left.
    window.wait(lambda: body.sizeHint().height() == height)
    sheet.rows["min_p"].changed.emit("min_p", 0.1)
    window.settle()
    assert sheet.rows["min_p"].reset.isVisible()
    sheet.close_overlay()
    window.trigger("chat-settings")
    assert sheet.more.isChecked()
    assert all(row.control.isVisible() for row in rare)
