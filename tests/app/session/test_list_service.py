"""The list of chats and folders, and the history of requests."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.conversations.conversation_list import ACTIVE, ARCHIVED
from app.session.session import Session
from tests.app.session.conftest import OpenSession, Settle


@pytest.fixture
def session(open_session: OpenSession, settle: Settle) -> Session:
    """A session with three chats, the newest first: c, b, a."""
    session = open_session(load=False)
    for title in "abc":
        session.chats.wait_for(lambda store, title=title: store.conversations.create(title=title))
    settle(session.list.reload())
    return session


def titles(session: Session) -> list[str]:
    return [chat.title for chat in session.list.chats]


def id_of(session: Session, title: str) -> int:
    return next(chat.id for chat in session.list.chats if chat.title == title)


def test_a_pinned_chat_comes_first(session: Session, settle: Settle) -> None:
    a = id_of(session, "a")
    settle(session.list.pin(a))
    assert titles(session) == ["a", "c", "b"]
    settle(session.list.unpin(a))
    assert titles(session) == ["c", "b", "a"]
    settle(session.list.order_pins([id_of(session, "b"), id_of(session, "a")]))
    assert titles(session) == ["b", "a", "c"]


def test_a_chat_goes_to_the_archive_and_to_the_trash_and_comes_back(session: Session, settle: Settle) -> None:
    a = id_of(session, "a")
    session.list.archive(a)
    settle(session.list.show_view(ARCHIVED))
    assert (titles(session), session.list.view) == (["a"], ARCHIVED)
    session.list.unarchive(a)
    settle(session.list.show_view(ACTIVE))
    assert titles(session) == ["c", "b", "a"]
    settle(session.chats.trash(a))
    assert titles(session) == ["c", "b"]
    settle(session.list.restore(a))
    assert "a" in titles(session)


def test_a_chat_moves_to_a_new_folder_and_loses_its_pin(session: Session, settle: Settle) -> None:
    a, made = id_of(session, "a"), []
    session.list.pin(a)
    settle(session.list.move_to_new_folder(a, "Work", made.append))
    (folder,) = session.list.folders
    row = session.list.chat(a)
    assert row is not None
    assert (made, row.folder_id, row.pin_position) == ([folder.id], folder.id, None)
    session.list.rename_folder(folder.id, "Home")
    settle(session.list.close_folder(folder.id, True))
    changed = session.list.folder(folder.id)
    assert changed is not None
    assert (changed.name, changed.closed) == ("Home", True)
    session.list.move_to_folder(a, None)
    settle(session.list.delete_folder(folder.id))
    assert session.list.folders == []


def test_a_search_finds_titles_and_messages(session: Session, settle: Settle) -> None:
    chat_id, found = id_of(session, "a"), []
    session.list.rename(chat_id, "Apples")
    session.chats.wait_for(lambda store: store.messages.add_user_turn(chat_id, "pears"))
    session.list.search("apples", found.append)
    settle(session.list.search("pears", found.append))
    assert [(len(in_titles), len(in_messages)) for in_titles, in_messages in found] == [(1, 0), (0, 1)]


def test_the_history_is_written_to_a_file(
    open_session: OpenSession, qtbot: QtBot, settle: Settle, tmp_path: Path
) -> None:
    session = open_session()
    settle(session.answers.ask("first"))
    rows, written = [], []
    session.history.read("finished_at", True, None, 10, lambda found: rows.extend(found[0]))
    qtbot.waitUntil(lambda: bool(rows))
    for kind in ("csv", "json"):
        session.history.export(rows, tmp_path / f"history.{kind}", kind, written.append)
        session.history.export(rows, tmp_path / "missing" / "history", kind, written.append)
    settle()
    assert written == [True, False, True, False]
    assert all((tmp_path / f"history.{kind}").read_bytes() for kind in ("csv", "json"))
