"""Questions and answers that cannot be written to the disk, and chats that cannot be read or deleted."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from app.conversations.conversation_list import ConversationList
from app.conversations.database.errors import StoreNotWritable
from app.conversations.opening import open_store
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script


def raising(error: Exception) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


full = raising(StoreNotWritable("full", "database or disk is full"))


@pytest.mark.expects_log
@pytest.mark.parametrize(
    ("error", "words", "passes"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "disk is full", True),
        pytest.param(
            StoreNotWritable("read-only", "attempt to write a readonly database"),
            "does not allow",
            True,
            marks=pytest.mark.full,
        ),
        pytest.param(
            sqlite3.DatabaseError("malformed"),
            "could not be saved or read: malformed. Try again",
            False,
            marks=pytest.mark.full,
        ),
        (KeyError(), "could not be saved or read: KeyError", False),
    ],
    ids=["full", "read-only", "damaged", "unexpected"],
)
def test_a_question_that_cannot_be_kept_comes_back_to_the_composer(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception, words: str, passes: bool
) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = open_window(engine)
    (tmp_path / "main.py").write_text("print()")
    window.paste(tmp_path / "main.py")
    window.wait(lambda: window.attached == ["main.py"])
    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", raising(error))
        window.ask("precious words")
        window.wait(lambda: window.banner.isVisible())
    assert words in window.banner_text
    # Nothing was written that could be saved again.
    assert window.banner_buttons == []
    assert (window.unsent, window.attached) == ("precious words", ["main.py"])
    assert not window.is_enabled("stop")
    assert window.turns == []
    assert engine.requests == []
    window.send()
    window.wait_until_answered()
    window.settle()
    assert window.turns == [("precious words", "One.")]
    assert (window.notices == []) is passes
    # The same for an edited question, also if the chat cannot even be read.
    monkeypatch.setattr("app.conversations.message_tree.MessageTree.edit", raising(error))
    monkeypatch.setattr("app.conversations.message_tree.MessageTree.path", raising(error))
    window.turn(0).edit("changed at length")
    window.wait(lambda: window.turns == [("precious words", "One.")])
    assert window.unsent == "changed at length"


def test_a_refused_import_is_reported_until_the_store_takes_a_write(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    window.export_chat(tmp_path / "chat.json")
    window.wait(lambda: (tmp_path / "chat.json").exists())
    window.settle()
    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.conversation_list.ConversationList.create", full)
        window.session.chats.purge(window.chat_id("first"))
        window.import_chats(tmp_path / "chat.json")
        window.wait(lambda: "disk is full" in window.banner_text)
    window.ask_and_wait("second")
    window.settle()
    assert not any("disk is full" in text for text in window.notices)


@pytest.mark.parametrize("by_hand", [True, False])
def test_an_end_that_was_refused_is_saved_again_by_hand_or_when_the_window_closes(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, by_hand: bool
) -> None:
    window = open_window(ScriptedEngine([Script(STORY)]))
    with monkeypatch.context() as patch:
        patch.setattr("app.conversations.answers.Answers.finish", full)
        if not by_hand:
            patch.setattr("app.conversations.answers.Answers.append", full)
        window.ask("Tell me a story")
        window.wait(lambda: window.banner.isVisible())
    if by_hand:
        window.wait(lambda: window.banner_buttons == ["Save again"])
        window.press_banner()
        window.settle()
        assert window.notices == []
    window.close()
    store, _damaged = open_store(data_folder() / "chats.db")
    answer = store.messages.path(1)[1]
    assert (answer.content, answer.state) == (STORY, "complete")
    store.close()


def test_a_question_that_comes_back_and_what_was_written_since_are_both_there(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    chat = window.session.chat
    monkeypatch.setattr("app.conversations.message_tree.MessageTree.add_user_turn", full)
    for meanwhile, expected in (
        (lambda: None, "precious words"),
        (lambda: window.write("and more"), "precious words\n\nand more"),
        (lambda: window.trigger("new-chat"), "precious words"),
    ):
        window.ask("precious words")
        meanwhile()
        window.wait(lambda: window.banner.isVisible())
        window.settle()
        window.session.chats.open(chat)
        assert window.unsent == expected
        window.close_notice()


@pytest.mark.expects_log
def test_the_sidebar_says_that_chats_cannot_be_read(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(ScriptedEngine([Script("One."), Script("Two.")]))
    window.ask_and_wait("first")
    with monkeypatch.context() as patch:
        malformed = raising(sqlite3.DatabaseError("database disk image is malformed"))
        patch.setattr(ConversationList, "among", malformed)
        patch.setattr(ConversationList, "view", malformed)
        # What is asked meanwhile is on disk.
        window.ask_and_wait("second")
        assert len(window.notices) == 1
        assert window.sidebar.pane.hint.isVisible()
        assert "can't be read. Quit and reopen Tandem" in window.sidebar.pane.hint.text()
    assert window.turns == [("first", "One."), ("second", "Two.")]
    window.trigger("new-chat")
    window.ask_and_wait("third")
    assert not window.sidebar.pane.hint.isVisible()
    assert window.titles == ["third", "first"]


@pytest.mark.expects_log
def test_a_chat_that_cannot_be_deleted_is_named_and_the_others_go(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    for question in ("first", "second"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
        window.session.chats.trash(window.session.chat.id)
        window.settle()
    purge = ConversationList.purge

    def fail_at_one(listed: ConversationList, chat_id: int) -> None:
        if chat_id == 1:
            raise sqlite3.DatabaseError("database disk image is malformed")
        purge(listed, chat_id)

    monkeypatch.setattr(ConversationList, "purge", fail_at_one)
    window.sidebar.show_view("Trash")
    window.session.chats.empty_trash()
    window.settle()
    assert window.titles == ["first"]
    assert window.banner_text.startswith("Not deleted: first. The chat database is damaged.")
