"""Whatever an operation of the store raises is reported, and nothing waits for its result."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.answers import Answers
from app.conversations.conversation_list import ARCHIVED, ConversationList
from app.conversations.database.errors import StoreError
from app.conversations.store import ConversationStore
from app.session.session import Session
from app.wording.errors import store_sentence
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.session.conftest import OpenSession, Settle

ERRORS = [
    sqlite3.DatabaseError("database disk image is malformed"),
    OSError(errno.ENOSPC, "No space left on device"),
    KeyError(),
]


def waited(session: Session) -> None:
    with pytest.raises(StoreError):
        session.store.keep_picture(b"picture")


def of_window(session: Session, chat_id: int) -> Mapping[str, Callable[[], object]]:
    """Return every way in which the window makes the store do something, for a session that shows a chat."""
    chats, answers, listed, history = session.chats, session.answers, session.list, session.history
    chat, turn = session.chat, session.chat.turns[0]
    assert turn.answer_node.id is not None
    return {
        "ask": lambda: answers.ask("second"),
        "ask again": lambda: answers.ask_again(turn),
        "edit": lambda: answers.edit(turn, "changed"),
        "continue": lambda: answers.continue_answer(turn),
        "unsent": lambda: chats.keep_unsent(chat, "half a"),
        "own settings": lambda: session.settings.set_own(chat, "Be brief.", {}),
        "read position": lambda: chats.keep_read_position(chat, (0, 7)),
        "open": lambda: chats.open_id(chat_id),
        "show": lambda: chats.show_message(chat_id, 1, lambda _chat: None),
        "switch": lambda: chats.switch(chat, turn.answer_node, 1),
        "branch": lambda: chats.branch(turn),
        "duplicate": lambda: chats.duplicate(chat_id),
        "delete a question": lambda: chats.delete_question(chat, turn),
        "delete an answer": lambda: chats.delete_answer(chat, turn),
        "reload": lambda: chats.reload(chat_id),
        "restore": chats.restore_last,
        "search": lambda: listed.search("first", lambda _hits: None),
        "rename": lambda: listed.change(ConversationList.rename, chat_id, "Other"),
        "archive": lambda: listed.archive(chat_id),
        "folder": lambda: listed.move_to_new_folder(chat_id, "Folder", lambda _folder: None),
        "view": lambda: session.store.show_view(ARCHIVED),
        "preset": lambda: session.settings.save_preset("Mine"),
        "history": lambda: history.read("time", True, None, 9, lambda _rows: None),
        "export": lambda: history.export([], Path("history.csv"), "csv", exported.append),
        "teach": session.teaching.start,
        "picture": lambda: waited(session),
        "trash": lambda: chats.trash(chat_id),
        "empty trash": chats.empty_trash,
        "purge": lambda: chats.purge(chat_id),
    }


exported: list[bool] = []


@pytest.mark.expects_log
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_every_operation_that_fails_says_why_and_leaves_the_session_usable(
    open_session: OpenSession, qtbot: QtBot, settle: Settle, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    session = open_session(ScriptedEngine([Script("One two three four.", reason="length")]))
    settle(session.answers.ask("first"))
    chat_id = session.chat.id
    assert chat_id is not None
    session.chats.restorable.append(chat_id)
    failed: list[StoreError] = []
    session.store.failed.connect(failed.append)

    def fail(*_: object) -> None:
        raise error

    for name, begin in of_window(session, chat_id).items():
        failed.clear()
        with monkeypatch.context() as patch:
            patch.setattr(ConversationStore, "run", fail)
            settle(begin())
            if name != "picture":
                qtbot.waitUntil(lambda: bool(failed))
        assert all(store_sentence(one) for one in failed), name
        assert not session.chat.streaming, name
        assert session.answers.is_idle, name
    assert session.chats.restorable == []
    assert exported.pop() is False
    assert not session.teaching.running
    # With a sound store, everything works again, and what was unsent is on disk at the latest when the window closes.
    settle(session.chats.open_id(chat_id))
    settle(session.answers.ask("third"))
    assert [turn.answer.text for turn in session.chat.turns] == ["One two three four."] * 2
    session.chats.keep_unsent(session.chat, "half a message")
    session.close()
    assert open_session().chat.unsent == "half a message"


@pytest.mark.expects_log
def test_thoughts_that_are_closed_to_go_on_are_closed_on_disk_though_the_first_try_was_not_written(
    open_session: OpenSession, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    thoughts = "<think>\nHm"
    session = open_session(ScriptedEngine([Script(thoughts, reason="stop"), Script("Yes.", reason="stop")]))
    turn = session.answers.ask("first")
    settle()
    assert turn.answer.stopped_thinking

    def fail(*_: object) -> None:
        raise ERRORS[0]

    with monkeypatch.context() as patch:
        patch.setattr(Answers, "resume", fail)
        session.answers.continue_answer(turn)
        settle()
    assert (turn.answer.text, turn.answer.stopped_thinking) == (thoughts, True)
    session.answers.continue_answer(turn)
    settle()
    whole = f"{thoughts}\n</think>\n\nYes."
    assert turn.answer.text == whole
    chat_id = session.chat.id
    assert chat_id is not None
    assert session.store.wait_for(lambda store: store.messages.path(chat_id)[-1].content) == whole
