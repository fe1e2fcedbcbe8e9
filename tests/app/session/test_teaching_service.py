"""Teaching the draft: which answers it learns from."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.conversation_list import ConversationList
from app.conversations.database.records import Picture, Source, SourceFile
from app.session import teaching_service
from app.session.session import Session
from engine.errors import CannotTeach, EngineError
from engine.requests import DRAWN_TOKENS
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.session.conftest import OpenSession, Settle


def answered(session: Session, settle: Settle, question: str) -> int:
    """Ask in the chat on screen and return its id."""
    settle(session.answers.ask(question))
    assert session.chat.id is not None
    return session.chat.id


def taught(session: Session, engine: ScriptedEngine, settle: Settle, qtbot: QtBot) -> list[str]:
    """Return the last message before each answer that the engine is taught."""
    engine.teaching = None
    session.teaching.start()
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


def test_with_few_answers_of_its_own_it_is_asked_what_others_answered(
    open_session: OpenSession, settle: Settle, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ScriptedEngine([Script()] * 3)
    session = open_session(engine)
    for question in ("first", "second"):
        answered(session, settle, question)
        session.chats.new_chat()
    session.models.load("other", None)
    settle()
    answered(session, settle, "own")
    assert taught(session, engine, settle, qtbot) == ["own", "second", "first"]
    assert [bool(answer.ids) for answer in engine.lessons] == [True, False, False]
    # Only as many as are missing.
    monkeypatch.setattr(teaching_service, "FEW_TOKENS", DRAWN_TOKENS + engine.lessons[0].tokens)
    assert taught(session, engine, settle, qtbot) == ["own", "second"]


def test_a_chat_of_a_folder_with_pictures_teaches_nothing(
    open_session: OpenSession, settle: Settle, qtbot: QtBot
) -> None:
    engine = ScriptedEngine()
    session = open_session(engine)
    answered(session, settle, "alone")
    settle(session.list.change(ConversationList.create_folder, "Herons"))
    folder = session.list.folders[0]
    heron = Source("/heron.png", files=(SourceFile("heron.png", picture=Picture("0" * 64, 3, 2)),), problem="gone")
    settle(session.list.change(ConversationList.change_files, folder.id, lambda _: (heron,)))
    session.chats.new_chat(folder)
    answered(session, settle, "which bird?")
    assert taught(session, engine, settle, qtbot) == ["alone"]


def test_a_chat_in_the_trash_teaches_nothing(open_session: OpenSession, settle: Settle, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    session = open_session(engine)
    answered(session, settle, "kept")
    session.chats.new_chat()
    trashed = answered(session, settle, "trashed")
    session.store.run(lambda store: store.conversations.trash(trashed))
    settle()
    assert taught(session, engine, settle, qtbot) == ["kept"]


def test_what_is_forgotten_with_the_pair_is_reported(open_session: OpenSession, settle: Settle, qtbot: QtBot) -> None:
    engine = ScriptedEngine([Script()])
    session = open_session(engine)
    answered(session, settle, "first")
    session.teaching.start()
    qtbot.waitUntil(lambda: engine.teaching is not None)
    assert engine.teaching is not None
    engine.teaching.set_exception(CannotTeach("too-little", "12%"))
    settle()
    assert session.teaching.error is not None
    errors: list[EngineError | None] = []
    session.teaching.changed.connect(lambda: errors.append(session.teaching.error))
    session.models.load("other", None)
    settle()
    assert errors
    assert errors[-1] is None
