"""Chats in memory, unsent messages, branches and the trash."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.conversation_list import ConversationList
from app.session import prompt_variables
from app.session.model_service import Pair
from app.session.session import Session
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.session.conftest import OpenSession, Settle
from tests.counted_steps import FEW, MANY, assert_stays, lines


def answered(session: Session, settle: Settle, question: str) -> int:
    """Ask in the chat on screen and return its id."""
    settle(session.answers.ask(question))
    assert session.chat.id is not None
    return session.chat.id


def test_the_chat_that_was_last_on_screen_is_shown_at_the_next_start(open_session: OpenSession, settle: Settle) -> None:
    session = open_session()
    first = answered(session, settle, "first")
    session.chats.new_chat()
    answered(session, settle, "second")
    settle(session.chats.open_id(first))
    session.close()
    session = open_session()
    assert session.chat.id == first


def test_tools_that_are_turned_off_before_the_store_is_open_stay_off(
    opened: list[Session], settle: Settle, tmp_path: Path
) -> None:
    session = Session(ScriptedEngine, STARTER, tmp_path / "chats.db")
    opened.append(session)
    session.tools.set_on(session.chat, False)
    settle()
    assert session.chats.shown.settings["tools"] is False
    session.close()


def test_a_chat_goes_to_the_trash_and_comes_back_until_it_is_purged(open_session: OpenSession, settle: Settle) -> None:
    engine = ScriptedEngine()
    session = open_session(engine)
    chat_id, uid = answered(session, settle, "first"), session.chat.uid
    settle(session.chats.trash(chat_id))
    assert (session.chat.id, session.chats.restorable) == (None, [chat_id])
    settle(session.chats.restore_last())
    assert (session.chat.id, session.chats.restorable) == (chat_id, [])
    # A chat that is continued in the trash leaves it.
    settle(session.chats.trash(chat_id))
    settle(session.chats.open_id(chat_id))
    answered(session, settle, "second")
    assert session.chats.restorable == []
    assert session.list.chat(chat_id) is not None
    assert engine.forgotten == set()
    settle(session.chats.purge(chat_id))
    assert (session.chat.id, session.list.chats, engine.forgotten) == (None, [], {uid})


def test_the_engine_knows_the_chats_from_the_start_and_forgets_them_with_the_trash(
    open_session: OpenSession, settle: Settle
) -> None:
    engine = ScriptedEngine()
    session = open_session()
    chat_id, uid = answered(session, settle, "first"), session.chat.uid
    settle(session.chats.trash(chat_id))
    session.close()
    session = open_session(engine)
    assert (engine.stored, engine.forgotten) == ([frozenset({uid})], set())
    second, other = answered(session, settle, "second"), session.chat.uid
    session.chats.trash(second)
    emptied: list[int] = []
    session.chats.trash_emptied.connect(emptied.append)
    settle(session.chats.empty_trash())
    assert (emptied, session.chats.restorable, engine.forgotten) == ([2], [], {uid, other})


def test_a_branch_has_the_turns_down_to_its_own_and_a_copy_has_all(open_session: OpenSession, settle: Settle) -> None:
    session = open_session(ScriptedEngine([Script("One."), Script("Two.")]))
    answered(session, settle, "first")
    chat_id = answered(session, settle, "second")
    settle(session.chats.branch(session.chat.turns[0]))
    assert session.chat.id != chat_id
    assert [turn.question for turn in session.chat.turns] == ["first"]
    settle(session.chats.duplicate(chat_id))
    assert [turn.question for turn in session.chat.turns] == ["first", "second"]
    assert session.chat.id != chat_id
    assert len(session.list.chats) == 3


def test_a_message_is_shown_on_its_own_branch(open_session: OpenSession, settle: Settle) -> None:
    session = open_session(ScriptedEngine([Script("One."), Script("Two.")]))
    chat_id = answered(session, settle, "first")
    (turn,) = session.chat.turns
    answer_id = turn.answer_node.id
    assert answer_id is not None
    settle(session.answers.ask_again(turn))
    session.chats.new_chat()
    shown: list[str] = []
    session.chats.show_message(chat_id, answer_id, lambda chat: shown.extend(turn.answer.text for turn in chat.turns))
    settle()
    assert shown == ["One."]


def test_a_chat_that_was_written_to_elsewhere_is_read_again(open_session: OpenSession, settle: Settle) -> None:
    session = open_session(ScriptedEngine([Script("One.")]))
    chat_id = answered(session, settle, "first")
    session.store.wait_for(lambda store: store.messages.add_user_turn(chat_id, "second"))
    settle(session.chats.reload(chat_id))
    assert [turn.question for turn in session.chat.turns] == ["first", "second"]


def test_a_store_that_cannot_be_opened_is_replaced_until_the_end(
    open_session: OpenSession, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    (tmp_path / "chats.db").mkdir()
    engine = ScriptedEngine()
    session = open_session(engine)
    qtbot.waitUntil(lambda: session.store.ready)
    assert not session.store.persistent
    answered(session, settle, "first")
    assert session.store.path == tmp_path / "chats.db"
    # No prefix is stored, and none is removed, because the user's chats are unknown.
    assert [request.conversation for request in engine.requests] == [""]
    assert engine.stored == []


@pytest.mark.parametrize(
    ("main", "draft", "expected"),
    [
        ("mlx-community/Qwen3-8B-4bit", "mlx-community/Qwen3-0.6B-4bit", ("Qwen3 8B", "Qwen3 0.6B")),
        ("starter/main", "starter/draft", ("Starter", "Starter draft")),
        ("starter/main", "", ("Starter", "")),
    ],
)
def test_models_have_the_names_that_the_window_shows(main: str, draft: str, expected: tuple[str, str]) -> None:
    pair = Pair(SimpleNamespace(name=main), SimpleNamespace(name=draft) if draft else None)
    values = prompt_variables.values(pair)
    assert (values["model"], values["draft"]) == expected


def test_a_change_in_the_list_costs_the_session_no_more_with_many_chats(
    open_session: OpenSession, settle: Settle
) -> None:
    session = open_session(load=False)
    store, costs, kept = session.store, list[int](), 0
    for wanted in (FEW, MANY):
        for number in range(kept, wanted):
            store.run(lambda store, number=number: store.conversations.create(title=f"Chat {number}"))
        settle()
        kept = wanted
        settle(session.list.change(ConversationList.rename, session.list.chats[0].id, f"One of {wanted}"))
        assert len(session.list.chats) == wanted
        costs.append(lines(store.listed.emit))
    assert_stays(*costs)


def test_chats_in_memory_follow_moves_to_folders_and_their_end(open_session: OpenSession, settle: Settle) -> None:
    session = open_session()
    behind = answered(session, settle, "first")
    session.chats.new_chat()
    shown = answered(session, settle, "second")
    chats = {shown: session.chat}
    settle(session.chats.read(behind, lambda chat: chats.update({behind: chat})))
    settle(session.list.change(ConversationList.create_folder, "Novel"))
    [folder] = session.list.folders
    for chat_id, chat in chats.items():
        settle(session.list.move_to_folder(chat_id, folder.id))
        assert chat.folder_id == folder.id
    settle(session.list.change(ConversationList.delete_folder, folder.id))
    assert [chat.folder_id for chat in chats.values()] == [None, None]
