"""Chats of a folder begin with its files and instructions, which the engine reads once."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.chat_settings import OWN, TOOLS_ON
from app.conversations.conversation_list import ConversationList
from app.conversations.presets import Preset
from app.conversations.projects import PRESET
from app.conversations.records import Folder
from app.session.attachments import NotAttachable
from app.session.session import Session
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.session.conftest import OpenSession, Settle

HERON = "notes.md\n```\nThe code word is heron.\n```"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    file = tmp_path / "notes.md"
    file.write_text("The code word is heron.")
    return file


@pytest.fixture
def engine() -> ScriptedEngine:
    return ScriptedEngine([Script(f"Answer {number}.") for number in range(9)])


@pytest.fixture
def session(open_session: OpenSession, engine: ScriptedEngine, settle: Settle, notes: Path, qtbot: QtBot) -> Session:
    """A session with the folder Novel: instructions, and a file."""
    session = open_session(engine)
    settle(session.list.change(ConversationList.create_folder, "Novel"))
    settle(session.list.change(ConversationList.set_instructions, novel(session).id, "Write in {{language}}."))
    session.projects.add(novel(session).id, [str(notes)], lambda _refused: None)
    qtbot.waitUntil(lambda: bool(novel(session).sources))
    settle()
    return session


def novel(session: Session) -> Folder:
    return session.list.folders[0]


def ask(session: Session, qtbot: QtBot, settle: Settle, question: str = "Who?") -> None:
    session.answers.ask(question)
    qtbot.waitUntil(lambda: session.answers.quiet)
    settle()


def systems(engine: ScriptedEngine) -> list[str]:
    """Return the system prompts of the requests of chats."""
    asked = [request.messages[0] for request in engine.requests if not request.shared]
    return [message["content"] if message["role"] == "system" else "" for message in asked]


def test_a_chat_begins_with_the_files_then_the_instructions_then_its_own_prompt(
    session: Session, engine: ScriptedEngine, qtbot: QtBot, settle: Settle
) -> None:
    session.chats.new_chat(novel(session))
    session.settings.set_own(session.chat, "Be brief.", {})
    ask(session, qtbot, settle)
    assert systems(engine) == [f"{HERON}\n\nWrite in English.\n\nBe brief."]
    chat = session.chat
    assert chat.id is not None
    assert [one.folder_id for one in session.list.chats] == [novel(session).id]
    # Moved out, it begins with its own prompt alone; moved in, with the folder's again.
    settle(session.list.move_to_folder(chat.id, None))
    ask(session, qtbot, settle)
    settle(session.list.move_to_folder(chat.id, novel(session).id))
    ask(session, qtbot, settle)
    assert systems(engine)[1:] == ["Be brief.", f"{HERON}\n\nWrite in English.\n\nBe brief."]


def test_a_file_that_changed_is_read_again_before_the_question_goes_out(
    session: Session, engine: ScriptedEngine, qtbot: QtBot, settle: Settle, notes: Path
) -> None:
    session.chats.new_chat(novel(session))
    ask(session, qtbot, settle)
    before = novel(session).uid
    notes.write_text("The code word is egret now.")
    ask(session, qtbot, settle)
    assert "egret" in systems(engine)[1]
    assert "heron" not in systems(engine)[1]
    assert before in engine.forgotten
    notes.unlink()
    ask(session, qtbot, settle)
    assert systems(engine)[2] == systems(engine)[1]
    assert novel(session).sources[0].problem == "gone"


def test_the_engine_keeps_the_files_once_under_the_folders_name(
    session: Session, engine: ScriptedEngine, qtbot: QtBot, settle: Settle
) -> None:
    for _ in range(2):
        session.chats.new_chat(novel(session))
        ask(session, qtbot, settle)
    kept = [request for request in engine.requests if request.shared]
    [request] = kept
    assert (request.conversation, request.max_tokens) == (novel(session).uid, 1)
    assert [message["content"] for message in request.messages] == [f"{HERON}\n\nWrite in English.", "."]
    # It outlives the chats, and goes with the folder.
    for chat in session.list.chats:
        settle(session.chats.purge(chat.id))
    assert novel(session).uid not in engine.forgotten
    settle(session.list.change(ConversationList.delete_folder, novel(session).id))
    assert request.conversation in engine.forgotten


def test_a_chat_that_is_in_no_folder_and_a_folder_without_files_keep_nothing(
    session: Session, engine: ScriptedEngine, qtbot: QtBot, settle: Settle
) -> None:
    ask(session, qtbot, settle)
    settle(session.list.change(ConversationList.change_files, novel(session).id, lambda _: ()))
    session.chats.new_chat(novel(session))
    ask(session, qtbot, settle)
    assert systems(engine) == ["", "Write in English."]
    assert len(engine.requests) == 2


def test_a_new_chat_begins_with_the_preset_and_the_tools_of_its_folder(session: Session, settle: Settle) -> None:
    preset = Preset("Brief", "Be brief.", {"temperature": 0.5})
    settle(session.list.change(ConversationList.set_start, novel(session).id, PRESET, preset))
    settle(session.list.change(ConversationList.set_start, novel(session).id, TOOLS_ON, True))
    session.chats.keep_unsent(session.chat, "Half a question")
    session.chats.new_chat(novel(session))
    chat = session.chat
    assert (chat.system_prompt, chat.own, session.tools.is_on(chat)) == ("Be brief.", {"temperature": 0.5}, True)
    assert (chat.unsent, chat.folder_id) == ("Half a question", novel(session).id)
    session.chats.new_chat()
    assert (session.chat.system_prompt, session.chat.own, session.chat.folder_id) == ("", {}, None)
    # What a person wrote stays.
    session.settings.set_own(session.chat, "My own.", {})
    session.chats.new_chat(novel(session))
    assert (session.chat.system_prompt, session.chat.settings[OWN]) == ("My own.", {})


def test_a_file_that_cannot_be_read_is_not_added(session: Session, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n")
    refused: list[NotAttachable] = []
    session.projects.add(novel(session).id, [str(tmp_path / "a.png"), str(tmp_path / "gone")], refused.extend)
    qtbot.waitUntil(lambda: len(refused) == 2)
    assert [(error.name, error.reason) for error in refused] == [("a.png", "picture"), ("gone", "gone")]
    assert len(novel(session).sources) == 1
