"""What happens to questions and answers that the disk refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.conversations.errors import StoreNotWritable
from app.conversations.opening import open_store
from app.system.paths import data_folder
from tests.app.scripted_engine import STORY, Script, ScriptedEngine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow


def test_a_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = open_window(engine)

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
        window.ask("precious words")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    assert "disk is full" in window.banner_text
    assert window.unsent == "precious words"
    assert window.turns == []
    assert engine.requests == []
    window.send()
    window.wait_until_answered()
    assert window.turns == [("precious words", "One.")]


def test_an_end_that_was_refused_can_be_saved_again(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        window.ask("Tell me a story")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    window.press_banner()
    window.settle()
    window.close()
    store, report = open_store(data_folder() / "chats.db")
    assert report.interrupted == ()
    assert store.messages.path(1)[1].content == STORY
    store.close()


@pytest.mark.parametrize("meanwhile", ["nothing", "writing", "another chat"])
def test_a_question_that_comes_back_and_what_was_written_since_are_both_there(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask("first")
    window.wait_until_answered()
    window.settle()
    chat = window.session.chat

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
        window.ask("precious words")
        if meanwhile == "writing":
            window.write("and more")
        elif meanwhile == "another chat":
            window.trigger("new-chat")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    window.session.chats.open(chat)
    expected = "precious words\n\nand more" if meanwhile == "writing" else "precious words"
    assert window.unsent == expected
    window.settle()


def test_an_edited_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask("first")
    window.wait_until_answered()
    window.settle()

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    monkeypatch.setattr("app.conversations.message_tree.MessageTree.edit", full)
    window.turn(0).edit("changed at length")
    qtbot.waitUntil(lambda: window.turns == [("first", "One.")])
    assert window.unsent == "changed at length"


def test_an_end_that_was_refused_is_tried_again_when_the_window_closes(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))

    def full(*_: object) -> None:
        raise StoreNotWritable("full", "database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        patch.setattr("app.conversations.answers.Answers.append", full)
        window.ask("Tell me a story")
        qtbot.waitUntil(lambda: window.banner.isVisible())
    window.close()
    store, report = open_store(data_folder() / "chats.db")
    assert report.interrupted == ()
    assert store.messages.path(1)[1].content == STORY
    store.close()
