"""Deleted messages disappear from the file, and are restored with everything that belongs to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.conversations.database.encoding import to_json
from app.conversations.database.records import AnswerSource, StoreChanges
from app.conversations.exports.json_format import conversation_as_object
from app.conversations.exports.labels import Labels
from app.conversations.exports.markdown import as_markdown
from engine.events import Token
from engine.stats import RequestStats

if TYPE_CHECKING:
    from pathlib import Path

    from app.conversations.store import ConversationStore

TOKEN = Token(7, "Deep", "main", 0, 0, -0.5)


def answered(store: ConversationStore, chat: int, question: str, answer: str) -> tuple[int, int]:
    """The ids of a question and its answer, at the end of what the chat shows."""
    question_id = store.messages.add_user_turn(chat, question)
    answer_id = store.answers.start(question_id, AnswerSource(main_model="m"))
    store.answers.append(answer_id, answer, [TOKEN])
    store.answers.finish(answer_id, "stop", RequestStats(generated_tokens=1), "")
    return question_id, answer_id


def texts(store: ConversationStore, chat: int) -> list[str]:
    return [message.content for message in store.messages.path(chat)]


def state(store: ConversationStore, chat: int) -> str:
    """All that an export holds of a chat, with its title, its figures and what a search finds."""
    exported = conversation_as_object(store, chat)
    figures = [(row["message_id"], row["stats"]) for row in store.database.rows("SELECT * FROM requests ORDER BY id")]
    found = [hit.message_id for hit in store.search.messages("whales")]
    return to_json([exported, figures, sorted(found)])


def test_a_deleted_turn_is_gone_and_what_followed_moves_up(store: ConversationStore) -> None:
    chat = store.conversations.create()
    answered(store, chat, "one", "1")
    middle, _ = answered(store, chat, "two about whales", "2 whales")
    answered(store, chat, "three", "3")
    before = state(store, chat)
    deletion = store.deletions.delete_question(middle)
    assert (texts(store, chat), len(deletion.messages)) == (["one", "1", "three", "3"], 2)
    assert "whales" not in state(store, chat)
    assert "whales" not in as_markdown(store.conversations.get(chat), store.messages.path(chat), Labels(), {})
    assert store.database.scalar("SELECT count(*) FROM requests") == 2
    store.deletions.restore(deletion)
    assert state(store, chat) == before


def kept_in(path: Path, word: bytes) -> bool:
    """Whether any file of the store holds that word, as written or folded."""
    return any(word in file.read_bytes().lower() for file in path.parent.iterdir() if file.name.startswith(path.stem))


def test_the_words_of_what_is_deleted_leave_the_search_index(store: ConversationStore, path: Path) -> None:
    chat, trashed = store.conversations.create(), store.conversations.create(title="Plover")
    # Enough for several segments of the index, which FTS5 does not merge by itself.
    for number in range(40):
        answered(store, chat, f"number {number} of whales", "fine")
    question, _ = answered(store, chat, "Xyzzyplugh", "fine")
    answered(store, trashed, "In the Plover room", "fine")
    store.deletions.delete_question(question)
    store.conversations.purge(trashed)
    # As it was written, it is overwritten at once.
    store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not any(b"Xyzzyplugh" in file.read_bytes() for file in path.parent.glob(f"{path.stem}*"))
    assert kept_in(path, b"xyzzyplugh")
    steps = 1
    while store.search.merge(pages=4):
        steps += 1
    assert steps > 1
    store.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not kept_in(path, b"xyzzyplugh")
    assert not kept_in(path, b"plover")
    assert len(store.search.messages("whales", limit=100)) == 40
    assert not store.search.merge()


def test_nothing_cached_of_the_chat_may_stay(store: ConversationStore) -> None:
    chat = store.conversations.create()
    question, _ = answered(store, chat, "one", "1")
    seen: list[StoreChanges] = []
    store.database.on_commit = seen.append
    store.deletions.delete_question(question)
    assert seen[-1].removed_uids == {store.conversations.get(chat).uid}
    assert (seen[-1].removed, seen[-1].conversations) == (set(), {chat})


def test_the_answers_of_every_version_go_and_their_follow_ups_stay(store: ConversationStore) -> None:
    chat = store.conversations.create()
    question, first = answered(store, chat, "one", "1")
    answered(store, chat, "below 1", "x")
    second = store.answers.regenerate(first, AnswerSource())
    store.answers.finish(second, "stop", RequestStats(), "1 again")
    answered(store, chat, "below 1 again", "y")
    deletion = store.deletions.delete_question(question)
    # Both are first messages now, as versions of one another; the one that was shown is shown.
    assert (len(deletion.messages), texts(store, chat)) == (3, ["below 1 again", "y"])
    (shown, _) = store.messages.path(chat)
    assert (shown.position, shown.sibling_count) == (1, 2)
    store.deletions.restore(deletion)
    assert texts(store, chat) == ["one", "1 again", "below 1 again", "y"]
    store.messages.select(first)
    assert texts(store, chat) == ["one", "1", "below 1", "x"]


def test_a_deleted_version_of_an_answer_takes_what_followed_with_it(store: ConversationStore) -> None:
    chat = store.conversations.create()
    _, first = answered(store, chat, "one", "1")
    second = store.answers.regenerate(first, AnswerSource())
    store.answers.finish(second, "stop", RequestStats(), "1 again")
    answered(store, chat, "below 1 again", "y")
    deletion = store.deletions.delete_answer(second)
    assert (len(deletion.messages), texts(store, chat)) == (3, ["one", "1"])
    store.deletions.restore(deletion)
    assert texts(store, chat) == ["one", "1 again", "below 1 again", "y"]


def test_what_was_written_since_stays_beside_what_comes_back(store: ConversationStore) -> None:
    chat = store.conversations.create()
    answered(store, chat, "one", "1")
    two, _ = answered(store, chat, "two", "2")
    three, _ = answered(store, chat, "three", "3")
    deletion = store.deletions.delete_question(two)
    edited = store.messages.edit(three, "three, edited")
    store.deletions.restore(deletion)
    assert texts(store, chat) == ["one", "1", "two", "2", "three", "3"]
    store.messages.select(edited)
    assert texts(store, chat) == ["one", "1", "three, edited"]


def test_a_chat_is_titled_by_the_question_that_is_first_now(store: ConversationStore) -> None:
    chat = store.conversations.create()
    one, _ = answered(store, chat, "First of all questions", "1")
    answered(store, chat, "Second question of all", "2")
    deletion = store.deletions.delete_question(one)
    assert store.conversations.get(chat).title == "Second question of all"
    store.deletions.restore(deletion)
    assert store.conversations.get(chat).title == "First of all questions"


def test_messages_at_the_same_time_come_back_although_another_has_their_key(store: ConversationStore) -> None:
    chat, other = store.conversations.create(), store.conversations.create()
    question, _ = answered(store, chat, "one", "1")
    deletion = store.deletions.delete_question(question)
    store.messages.add_user_turn(other, "at the same moment")
    store.deletions.restore(deletion)
    assert texts(store, chat) == ["one", "1"]
    assert [hit.message_id for hit in store.search.messages("one")] == [question]
