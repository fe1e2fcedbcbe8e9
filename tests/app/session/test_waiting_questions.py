"""Questions that wait for models: they are stored at once, and asked in their chats or put back."""

from __future__ import annotations

import threading

import pytest
from pytestqt.qtbot import QtBot

from app.session.session import Session
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.session.conftest import OpenSession, Settle


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script("Hi."), Script("Red.")], load_gate=threading.Event())


@pytest.fixture
def session(open_session: OpenSession, engine: ScriptedEngine, qtbot: QtBot) -> Session:
    """A session whose models are being loaded."""
    session = open_session(engine, load=False)
    session.models.load_starter()
    qtbot.waitUntil(lambda: session.store.ready)
    return session


def loaded(engine: ScriptedEngine, settle: Settle) -> None:
    """Let the models be loaded."""
    assert engine.load_gate is not None
    engine.load_gate.set()
    settle()


def listed(session: Session, qtbot: QtBot) -> int:
    """Wait until the chat on screen is in the list, and return its id."""
    qtbot.waitUntil(lambda: [chat.id for chat in session.list.chats] == [session.chat.id])
    assert session.chat.id is not None
    return session.chat.id


@pytest.mark.first
def test_after_a_restart_a_question_that_waited_is_the_unsent_message_of_its_chat(
    session: Session, open_session: OpenSession, engine: ScriptedEngine, qtbot: QtBot, settle: Settle
) -> None:
    session.waiting.ask(session.chat, "hello")
    session.waiting.ask(session.chat, "goodbye")
    chat_id = listed(session, qtbot)
    session.close()
    again = open_session(ScriptedEngine())
    again.chats.open_id(chat_id)
    settle()
    assert [chat.title for chat in again.list.chats] == ["hello"]
    assert (again.chat.unsent, again.chat.waiting) == ("hello\n\ngoodbye", [])
    assert engine.requests == []


def test_a_question_in_a_chat_that_is_moved_to_the_trash_is_not_asked(
    session: Session, engine: ScriptedEngine, qtbot: QtBot, settle: Settle
) -> None:
    session.waiting.ask(session.chat, "hello")
    chat = session.chat
    session.chats.trash(listed(session, qtbot))
    assert (chat.unsent, chat.waiting) == ("hello", [])
    qtbot.waitUntil(lambda: session.chat is not chat)
    loaded(engine, settle)
    assert engine.requests == []
    session.chats.restore_last()
    settle()
    assert session.chat.unsent == "hello"


def test_a_question_in_a_temporary_chat_that_was_left_is_asked_once_that_is_restored(
    session: Session, engine: ScriptedEngine, settle: Settle
) -> None:
    session.chats.new_temporary_chat()
    chat = session.chat
    session.waiting.ask(chat, "hello")
    session.chats.new_chat()
    loaded(engine, settle)
    assert engine.requests == []
    session.chats.restore_last()
    settle()
    assert session.chat is chat
    assert [(turn.question, turn.answer.text) for turn in chat.turns] == [("hello", "Hi.")]


def test_a_further_question_is_asked_after_the_one_before_is_answered(
    session: Session, engine: ScriptedEngine, settle: Settle
) -> None:
    for question in ("hello", "which colour?"):
        session.waiting.ask(session.chat, question)
    loaded(engine, settle)
    contents = [[message["content"] for message in request.messages] for request in engine.requests]
    assert contents == [["hello"], ["hello", "Hi.", "which colour?"]]


@pytest.mark.full
def test_a_question_that_can_be_asked_does_not_wait_and_leaves_what_is_unsent(
    session: Session, engine: ScriptedEngine, settle: Settle, qtbot: QtBot
) -> None:
    loaded(engine, settle)
    session.chats.keep_unsent(session.chat, "later")
    assert session.waiting.takes(session.chat)
    session.waiting.ask(session.chat, "hello")
    assert [turn.question for turn in session.chat.turns] == ["hello"]
    assert (session.chat.waiting, session.chat.unsent) == ([], "later")
    settle()
    chat_id = listed(session, qtbot)
    qtbot.waitUntil(lambda: session.store.wait_for(lambda store: store.conversations.get(chat_id).unsent) == "later")


def test_what_waits_is_gathered_in_one_chat_where_the_others_are_not_in_the_store_any_more(
    session: Session, engine: ScriptedEngine, settle: Settle
) -> None:
    session.waiting.ask(session.chat, "hello")
    first = session.chat
    session.chats.new_chat()
    session.waiting.ask(session.chat, "which colour?")
    session.chat.unsent = "later"
    session.waiting.gather_in(session.chat)
    assert session.chat.unsent == "hello\n\nwhich colour?\n\nlater"
    assert (first.waiting, session.chat.waiting) == ([], [])
    loaded(engine, settle)
    assert engine.requests == []
