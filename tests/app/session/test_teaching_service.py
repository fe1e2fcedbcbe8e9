"""Teaching the draft: which answers it learns from."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.session.session import Session
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.session.conftest import OpenSession, Settle


def answered(session: Session, settle: Settle, question: str) -> int:
    """Ask in the chat on screen and return its id."""
    settle(session.answers.ask(question))
    assert session.chat.id is not None
    return session.chat.id


def taught(session: Session, engine: ScriptedEngine, settle: Settle, qtbot: QtBot, days: int = 0) -> list[str]:
    """Return the last message before each answer that the engine is taught."""
    engine.teaching = None
    session.teaching.start(days)
    qtbot.waitUntil(lambda: engine.teaching is not None)
    engine.stop_teaching()
    settle()
    assert not session.teaching.running
    return [answer.messages[-1]["content"] for answer in engine.lessons]


def test_it_learns_from_whole_answers_of_the_loaded_model(
    open_session: OpenSession, settle: Settle, qtbot: QtBot
) -> None:
    engine = ScriptedEngine([Script(), Script(reason="length"), Script()])
    session = open_session(engine)
    answered(session, settle, "first")
    answered(session, settle, "cut off")
    session.chats.new_chat()
    answered(session, settle, "second")
    assert taught(session, engine, settle, qtbot) == ["second", "first"]
    assert engine.lessons[0].ids == tuple(range(len(engine.lessons[0].ids)))
    assert engine.lessons[0].chat != engine.lessons[1].chat
    assert taught(session, engine, settle, qtbot, days=7) == ["second", "first"]
    session.models.load("other", None)
    settle()
    assert taught(session, engine, settle, qtbot) == []


def test_a_chat_in_the_trash_teaches_nothing(open_session: OpenSession, settle: Settle, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    session = open_session(engine)
    answered(session, settle, "kept")
    session.chats.new_chat()
    trashed = answered(session, settle, "trashed")
    session.store.run(lambda store: store.conversations.trash(trashed))
    settle()
    assert taught(session, engine, settle, qtbot) == ["kept"]
