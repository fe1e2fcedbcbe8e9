"""The command palette and the shortcut sheet."""

from __future__ import annotations

from unittest.mock import patch

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton

from app.actions.spec import menu_title
from app.composer.choice_buttons import chosen_in
from app.conversations.conversation_list import ConversationList
from app.settings.declarations import PAGES
from app.widgets.application import Application
from app.widgets.layouts import settle_layouts
from app.window.actions import ACTIONS
from app.window.shortcuts_card import ShortcutsCard
from app.wording.models import entry_name
from tests.app.conftest import OpenShown
from tests.app.scripted_engine import ScriptedEngine
from tests.app.shared_window import StartChat
from tests.app.shown_library import FOREIGN, MAIN, path_of
from tests.engine.tiers import by_tier


def test_keys_are_not_cut_off_where_the_window_gets_narrower(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    window.resize(1440, 900)
    window.trigger("palette")
    window.resize(560, 420)
    window.settle()
    shown = window.palette.list.viewport()
    keys = [label for label in shown.findChildren(QLabel) if label.text().endswith("+N")]
    assert keys
    for label in keys:
        assert label.mapTo(shown, label.rect().topRight()).x() < shown.width(), label.text()


def test_a_few_letters_and_enter_run_a_command(start_chat: StartChat, qapp: Application) -> None:
    window = start_chat(ScriptedEngine())
    window.trigger("palette")
    palette = window.palette
    # Nothing but the palette's own field could be edited.
    assert window.action("paste").whatsThis() not in palette.rows
    palette.type("TEXT larger")
    palette.press(Qt.Key.Key_Return)
    assert not palette.is_open
    assert qapp.theme.text_size == 115
    # Enter that confirms a candidate of an input method runs no command.
    window.trigger("palette")
    window.compose("クライ", palette.field)
    palette.press(Qt.Key.Key_Return)
    assert palette.is_open
    palette.press(Qt.Key.Key_Escape)
    # Closing the palette has ended the composition.
    window.trigger("palette")
    palette.press(Qt.Key.Key_Return)
    assert not palette.is_open
    # A syllable that is being composed finds commands.
    qapp.language.choose("ko")
    qapp.processEvents()
    window.trigger("palette")
    every, height = len(palette.rows), palette.palette.height()
    window.compose("새", palette.field)
    assert 0 < len(palette.rows) < every
    assert palette.rows[0] == window.action("new-chat").whatsThis()
    # The card is as high as what was found needs.
    window.compose("팔", palette.field)
    assert palette.palette.height() < height
    # So do the English names.
    palette.press(Qt.Key.Key_Escape)
    window.trigger("palette")
    palette.type("larger")
    assert window.action("zoom-in").whatsThis() in palette.rows
    palette.type("qqq")
    assert palette.rows == []
    assert [one.text() for one in palette.palette.findChildren(QLabel) if one.isVisible()] == ["일치하는 명령 없음"]


def test_pages_of_the_settings_are_found_in_both_languages_and_opened(start_chat: StartChat, qapp: Application) -> None:
    window = start_chat(ScriptedEngine())
    qapp.language.choose("ko")
    qapp.processEvents()
    for words in ("request history", "요청 기록"):
        window.trigger("palette")
        palette = window.palette
        palette.field.setText(words)
        assert palette.rows == ["설정: 요청 기록"]
        palette.press(Qt.Key.Key_Return)
        assert not palette.is_open
        assert window.settings.page("history").isVisible()
        window.settings.close()


def test_a_setting_is_found_by_its_name_or_by_what_it_can_be(start_chat: StartChat, qapp: Application) -> None:
    window = start_chat(ScriptedEngine())
    qapp.language.choose("ja")
    qapp.processEvents()
    window.trigger("palette")
    palette = window.palette
    for words, page, setting in (
        ("proxy", "network", "Proxy"),
        ("プロキシ", "network", "Proxy"),
        ("dark", "general", "Appearance"),
    ):
        palette.field.setText(words)
        names = (QCoreApplication.translate("Settings", text) for text in ("Settings", PAGES[page], setting))
        # The help has questions with these words, too.
        assert palette.rows[0] == ": ".join(names)
        assert not [row for row in palette.rows[1:] if "ヘルプ" not in row]


def test_a_setting_is_shown_by_itself_and_its_page_whole(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    for words, is_alone in (("dark", True), ("settings general", False)):
        window.trigger("palette")
        window.palette.field.setText(words)
        window.palette.press(Qt.Key.Key_Return)
        rows = [row.name.text() for row in window.settings.page("general").rows if row.isVisible()]
        assert "Appearance" in rows
        assert (rows == ["Appearance"]) == is_alone
        window.settings.close()


def test_folders_and_presets_are_found(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    window.session.list.change(ConversationList.create_folder, "Novel")
    window.wait(lambda: [folder.name for folder in window.session.list.folders] == ["Novel"])
    window.trigger("palette")
    window.palette.field.setText("novel")
    assert window.palette.rows == ["Folders: Novel"]
    window.palette.press(Qt.Key.Key_Return)
    assert window.folder_page.isVisible()
    QTest.keyClick(window.folder_page, Qt.Key.Key_Escape)
    window.trigger("palette")
    window.palette.field.setText("concise")
    assert window.palette.rows[0] == "Preset: Concise"
    window.palette.press(Qt.Key.Key_Return)
    assert chosen_in(window.session).built_in == "concise"


def test_chats_and_models_are_found_and_shown(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    window.ask_and_wait("Tell me of whales")
    whales = window.session.chat.id
    window.trigger("new-chat")
    window.ask_and_wait("And of herons")
    window.wait(lambda: "And of herons" in window.titles)
    window.trigger("palette")
    palette = window.palette
    # Nothing but actions and pages before a letter.
    assert not [row for row in palette.rows if row.startswith(("Chats: ", "Models: "))]
    palette.field.setText("whales")
    assert palette.rows == ["Chats: whales"]
    # The chat on the screen, too: who looks for it should not believe that it is gone.
    palette.field.setText("herons")
    assert palette.rows == ["Chats: And of herons"]
    palette.field.setText("whales")
    palette.press(Qt.Key.Key_Return)
    window.wait(lambda: window.session.chat.id == whales)
    [model] = [entry for entry in window.models.not_in_use() if entry.path == path_of(FOREIGN)]
    with patch.object(window.models, "use") as use:
        window.trigger("palette")
        palette.field.setText(model.id)
        assert palette.rows == [f"Models: {entry_name(model)}"]
        palette.press(Qt.Key.Key_Return)
    use.assert_called_once_with(model)
    assert path_of(MAIN) not in [entry.path for entry in window.models.not_in_use()]


def test_a_card_lists_the_keys_of_all_actions_by_menu(start_chat: StartChat, qapp: Application) -> None:
    window = start_chat(ScriptedEngine())
    window.trigger("palette")
    window.palette.type("shortcut")
    window.palette.press(Qt.Key.Key_Return)
    card = window.find(ShortcutsCard)
    assert card.isVisible()
    qapp.language.choose("ja")
    qapp.processEvents()
    shown = [label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card)]
    for menu, specs in ACTIONS.items():
        for spec in specs:
            if spec.shortcut:
                shortcut = QKeySequence("Return") if spec.id == "send" else window.action(spec.id).shortcut()
                keys = shortcut.toString(QKeySequence.SequenceFormat.NativeText)
                assert shown[shown.index(menu_title(menu)) :].count(keys) == 1
                assert window.action(spec.id).text().replace("&", "").rstrip("….") in shown
    assert card.geometry().bottom() <= window.height()
    QTest.keyClick(window.window, Qt.Key.Key_Escape)
    assert not card.isVisible()
    # With a setting, Enter begins a line.
    window.composer.set_send_key("modifier")
    window.trigger("shortcuts")
    keys = window.action("send").shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    assert keys in [label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card)]


@pytest.mark.parametrize("code", [pytest.param("en", marks=pytest.mark.full), "ja"])
def test_large_text_reaches_out_of_neither_palette_nor_sheet(
    start_chat: StartChat, qapp: Application, code: str
) -> None:
    window = start_chat(ScriptedEngine())
    qapp.language.choose(code)
    qapp.processEvents()
    qapp.theme.set_text_size(130)
    window.resize(600, 600)
    window.trigger("palette")
    settle_layouts()
    assert window.palette.list.horizontalScrollBar().maximum() == 0
    first = window.palette.list.itemWidget(window.palette.list.item(0))
    keys = first.findChildren(QLabel)[-1]
    assert keys.geometry().right() < window.palette.list.viewport().width()
    window.palette.press(Qt.Key.Key_Escape)


def test_only_what_is_possible_now_is_offered_and_arrows_choose_and_wrap(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    window.trigger("palette")
    palette = window.palette
    offered = palette.rows
    assert window.action("new-chat").whatsThis() in offered
    assert window.action("stop").whatsThis() not in offered
    assert window.action("copy-answer").whatsThis() not in offered
    palette.press(Qt.Key.Key_Up)
    assert palette.list.currentRow() == len(offered) - 1
    palette.press(Qt.Key.Key_Down)
    assert palette.list.currentRow() == 0


def test_it_closes_and_gives_the_focus_back(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    window.activateWindow()
    for openings in (1, 2):
        window.edit.setFocus()
        for _ in range(openings):
            window.trigger("palette")
        window.palette.press(Qt.Key.Key_Escape)
        assert not window.palette.is_open
        assert window.edit.hasFocus()
    window.trigger("palette")
    QTest.mouseClick(window.composer, Qt.MouseButton.LeftButton)
    assert not window.palette.is_open
    # What had the focus may be gone.
    button = QPushButton(window.window)
    button.show()
    button.setFocus()
    window.trigger("palette")
    shiboken6.delete(button)
    window.palette.press(Qt.Key.Key_Escape)
    assert not window.palette.is_open


def test_what_is_behind_a_card_is_dimmed(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    place = window.composer.mapTo(window.window, QPoint(30, 30))
    before = window.grab().toImage().pixelColor(place).lightness()
    window.trigger("palette")
    assert window.grab().toImage().pixelColor(place).lightness() < before
    window.palette.press(Qt.Key.Key_Escape)
    assert window.grab().toImage().pixelColor(place).lightness() == before


@pytest.mark.full
@pytest.mark.parametrize("typed", by_tier(["folder", "project", "new fol"], ["project"]))
def test_a_new_folder_is_found_first(start_chat: StartChat, typed: str) -> None:
    window = start_chat(ScriptedEngine())
    window.trigger("palette")
    window.palette.type(typed)
    assert window.palette.rows[0] == window.action("new-folder").whatsThis()
