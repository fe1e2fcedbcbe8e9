"""Rows that follow one chat are those of a list that is arranged anew, and cost no more where many are listed."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random

import pytest
from PySide6.QtCore import QObject, QPersistentModelIndex
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from app.conversations.conversation_list import ACTIVE
from app.conversations.database.records import Conversation, Folder, list_order
from app.sidebar.list_model import ROW, STREAMS, ChatListModel
from app.widgets.application import Application
from tests.counted_steps import FEW, MANY, assert_stays, lines

DAY = 86_400.0


def chat_used(number: int, ago: float, **fields: object) -> Conversation:
    blank = Conversation(
        id=number, uid=str(number), origin=None, title=f"Chat {number}", title_edited=False, folder_id=None,
        pin_position=None, archived_at=None, trashed_at=None, created_at=1.0, updated_at=time.time() - ago,
        system_prompt="", settings={}, unsent="", unsent_attachments=(), streaming=False,
    )  # fmt: skip
    return replace(blank, **fields)  # type: ignore[arg-type]


def shown(chats: list[Conversation], folders: list[Folder], parent: QObject) -> ChatListModel:
    model = ChatListModel(parent)
    model.show_chats(chats, ACTIVE, frozenset(), folders)
    return model


@pytest.mark.parametrize("seed", range(6))
def test_rows_follow_any_change_of_the_list(qapp: Application, seed: int) -> None:
    draw, parent = Random(seed), QObject(qapp)
    folders = [Folder(1, "Work", 0), Folder(2, "Home", 1, closed=True)]
    fields = [*[{}] * 4, {"pin_position": 0}, {"folder_id": 1}, {"folder_id": 2}, {"folder_id": 9}]
    chats = [
        chat_used(number, draw.choice([60.0, 3600.0, DAY, 3 * DAY, 20 * DAY, 90 * DAY]) + number, **draw.choice(fields))
        for number in range(draw.choice([1, 3, 25]))
    ]
    chats.sort(key=list_order)
    model = shown(chats, folders, parent)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, parent)
    for step in range(40):
        chosen = draw.randrange(len(chats))
        changed, rest = chats[chosen], [*chats[:chosen], *chats[chosen + 1 :]]
        held = QPersistentModelIndex(model.row_of(Conversation, draw.choice(chats).id))
        before = held.data(ROW)
        match draw.choice(["used", "used", "renamed", "added", "pinned", "removed"]):
            case "used":
                rest.append(replace(changed, updated_at=time.time() + step))
            case "renamed":
                rest.append(replace(changed, title=f"Renamed {step}"))
            case "added":
                rest += [changed, chat_used(1000 + step, -step)]
            case "pinned":
                rest.append(replace(changed, pin_position=None if changed.pin_position is not None else step))
            case "removed":
                rest += [] if len(chats) > 1 else [changed]
        chats = sorted(rest, key=list_order)
        model.show_chats(chats, ACTIVE, frozenset(), folders)
        assert list(model.rows) == list(shown(chats, folders, parent).rows)
        assert all(row is not None for row in model.rows)
        if held.isValid():
            assert held.data(ROW).id == before.id
    tester.deleteLater()


def test_an_answer_moves_its_chat_at_the_same_cost(qapp: Application) -> None:
    parent, found = QObject(qapp), list[int]()
    for kept in (FEW, MANY):
        chats = [chat_used(number, 60.0 * number) for number in range(kept)]
        model = shown(chats, [], parent)
        later = [replace(chats[3], updated_at=time.time()), *chats[:3], *chats[4:]]
        found.append(lines(lambda model=model, later=later: model.show_chats(later, ACTIVE, frozenset({3}), [])))
    assert_stays(*found)


def test_an_answer_that_begins_marks_its_chat_alone_at_the_same_cost(qapp: Application) -> None:
    parent, found, folders = QObject(qapp), list[int](), list[Folder]()
    for kept in (FEW, MANY):
        chats = [chat_used(number, 60.0 * number) for number in range(kept)]
        model = shown(chats, folders, parent)
        marked = QSignalSpy(model.dataChanged)
        # The list of the last time, and one that was read anew and has the same chats, as for a chat without messages.
        for answered, listed in ((frozenset({3}), chats), (frozenset[int](), [*chats]), (frozenset({3}), [*chats])):
            found.append(
                lines(
                    lambda model=model, listed=listed, now=answered: model.show_chats(listed, ACTIVE, now, [*folders])
                )
            )
            assert model.row_of(Conversation, 3).data(STREAMS) is bool(answered)
        assert [marked.at(number)[0].data(ROW).id for number in range(marked.count())] == [3, 3, 3]
    assert_stays(max(found[:3]), max(found[3:]))
