"""The list of chats that is kept up to date equals one that is read again."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from app.conversations.conversation_list import ACTIVE, ARCHIVED, TRASHED, ConversationList
from app.conversations.database.records import AnswerSource, Conversation
from app.session.store_client import ListedConversations
from engine.stats import RequestStats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.conversations.store import ConversationStore
    from tests.app.conversations.conftest import Clock


@pytest.fixture
def listing(store: ConversationStore) -> ListedConversations:
    listing = ListedConversations()
    store.database.on_commit = listing.note
    return listing


def use(store: ConversationStore, chat: int) -> None:
    """Ask and answer in a chat."""
    asked = store.messages.add_user_turn(chat, f"Question in {chat}?")
    answer = store.answers.start(asked, AnswerSource())
    store.answers.append(answer, "An ")
    store.answers.finish(answer, "stop", RequestStats(), "answer.")


def deeds(store: ConversationStore, chance: random.Random) -> list[Callable[[int], object]]:
    chats = store.conversations
    return [
        lambda chat: use(store, chat),
        lambda chat: chats.rename(chat, chance.choice(("", "Name"))),
        chats.pin,
        chats.unpin,
        chats.archive,
        chats.unarchive,
        chats.trash,
        chats.restore,
        lambda chat: chats.move_to_folder(chat, chance.choice([None, *(folder.id for folder in chats.folders())])),
        lambda chat: chats.create_folder(f"Folder {chat}"),
        lambda _: chats.delete_folder(chance.choice(chats.folders()).id) if chats.folders() else None,
        lambda chat: chats.set_unsent(chat, "draft"),
        lambda _: chats.create(title="Titled"),
        lambda _: chats.create(),
    ]


@pytest.mark.parametrize("view", [ACTIVE, ARCHIVED, TRASHED])
def test_whatever_is_done_the_list_is_as_if_read_anew(
    store: ConversationStore, clock: Clock, listing: ListedConversations, view: str
) -> None:
    chance = random.Random(4)
    for number in range(12):
        use(store, store.conversations.create(title="Chat" if number % 2 else ""))
    known = dict[int, Conversation]()
    for _ in range(60):
        clock.now += 60
        chance.choice(deeds(store, chance))(chance.choice([chat.id for chat in every(store)]))
        if chance.random() < 0.1:
            store.conversations.purge(chance.choice([chat.id for chat in every(store)]))
        known |= {chat.id: chat for chat in changed_since(listing, store, view)}
        assert all(known[chat.id] == chat for chat in listing.chats)
        anew = ListedConversations().read(store, view)
        assert anew is not None
        assert (listing.chats, store.conversations.folders()) == anew[:2]
        assert anew.changed == anew.chats


def changed_since(listing: ListedConversations, store: ConversationStore, view: str) -> Sequence[Conversation]:
    """Read the list, and return which chats in it changed."""
    listed = listing.read(store, view)
    return () if listed is None else listed.changed


def every(store: ConversationStore) -> list:  # type: ignore[type-arg]
    return [chat for view in (ACTIVE, ARCHIVED, TRASHED) for chat in store.conversations.view(view)]


def test_only_what_changed_is_read(
    store: ConversationStore, listing: ListedConversations, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        store.conversations.create(title=f"Chat {number}")
    listed = listing.read(store)
    assert listed is not None
    read: list[object] = []
    monkeypatch.setattr(ConversationList, "view", lambda *_: read.append("all"))
    assert listing.read(store) is None
    store.conversations.rename(listed[0][1].id, "Other name")
    again = listing.read(store)
    assert again is not None
    assert {chat.title for chat in again[0]} == {"Chat 0", "Other name", "Chat 2"}
    assert [chat.title for chat in again.changed] == ["Other name"]
    assert again[0] is not listed[0]
    assert again[0][2] is listed[0][2]
    assert not read
