"""The button that empties the trash does not delete by accident."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.conversations.database.records import Conversation
from app.sidebar.pane import PurgeButton


def trashed(number: int) -> Conversation:
    times = {"archived_at": None, "trashed_at": 3.0, "created_at": 1.0, "updated_at": 2.0}
    places = {"origin": None, "folder_id": None, "pin_position": None}
    own = {"system_prompt": "", "settings": {}, "unsent": "", "unsent_attachments": (), "streaming": False}
    return Conversation(number, f"chat-{number}", title="Letters", title_edited=False, **places, **times, **own)


@pytest.fixture
def button(qtbot: QtBot) -> PurgeButton:
    button = PurgeButton()
    qtbot.addWidget(button)
    button.show_trash([trashed(1), trashed(2)])
    return button


def test_a_double_click_asks_and_does_nothing_more(button: PurgeButton) -> None:
    emptied = []
    button.emptied.connect(lambda: emptied.append(True))
    # Systems send the second press as a double click.
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    QTest.mouseDClick(button, Qt.MouseButton.LeftButton)
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)
    assert emptied == []
    assert button.text() == "Delete permanently?\n2 chats"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert emptied == [True]


def test_a_chat_that_has_left_the_trash_is_no_question_about_all_of_it(button: PurgeButton) -> None:
    button.ask_about(3)
    assert button.text() == "Empty Trash"
