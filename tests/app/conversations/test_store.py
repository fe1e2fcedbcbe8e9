"""The promises of single operations."""

from __future__ import annotations

import math
from random import Random
from typing import TYPE_CHECKING

import pytest

from app.conversations.conversation_list import ARCHIVED, TRASHED
from app.conversations.database.errors import NotFound, WrongState
from app.conversations.database.records import AnswerSource, Attachment, NewMessage, StoreChanges
from app.conversations.inserting import insert_messages, next_message_id
from engine.events import Token
from engine.stats import PlainSpan, RequestStats, RoundRecord

if TYPE_CHECKING:
    from app.conversations.store import ConversationStore
    from tests.app.conversations.conftest import Clock

SOURCE = AnswerSource("org/main", "org/draft", "auto", {"temperature": 0.7}, seed=2**64 - 1)
STATS = RequestStats(
    generated_tokens=12,
    rounds=4,
    drafted=16,
    accepted=8,
    accept_rate=0.5,
    accept_by_position=((4, 3), (3, 2)),
    decode_tps=40.0,
    plain_tps=25.0,
    speedup=1.6,
    speedup_low=1.5,
    speedup_high=1.7,
    seed=2**64 - 1,
    plain_spans=(PlainSpan(1, "costs-more", (("plain_ms", 9.5), ("kind", "x"))),),
)
TOKENS = [
    Token(5, "Hel", "draft", 0, 1, -0.25),
    Token(6, "lo", "main", 1, 1, -math.inf),
    Token(7, "", "ngram", 0, 2, -1.5),
]
ROUNDS = [
    RoundRecord(0, "main", 0, 0, 1, 1, 0.25, 0.0, 0.02, 0.001, "first-token"),
    RoundRecord(1, "draft", 4, 1, 2, 5, 0.31, 0.0125, 0.034567, 0.000123),
    RoundRecord(2, "main", 0, 0, 1, 1, 0.35, 0.0, 0.03, 0.0005, "costs-more", (("plain_ms", 9.5), ("kind", "x"))),
]


def texts(store: ConversationStore, chat: int) -> list[str]:
    return [message.content for message in store.messages.path(chat)]


def ask(store: ConversationStore, chat: int, question: str, answer: str) -> tuple[int, int]:
    turn = store.messages.add_user_turn(chat, question)
    message = store.answers.start(turn, SOURCE)
    store.answers.finish(message, "stop", STATS, answer)
    return turn, message


@pytest.fixture
def chat(store: ConversationStore) -> int:
    return store.conversations.create()


def test_an_answer_keeps_its_models_settings_seed_figures_tokens_and_rounds(
    store: ConversationStore, chat: int
) -> None:
    turn = store.messages.add_user_turn(chat, "Say hello")
    answer = store.answers.start(turn, SOURCE)
    store.answers.append(answer, "Hel", TOKENS[:1], ROUNDS[:1])
    # A copy of a streaming answer is interrupted where it was.
    copied = store.messages.path(store.messages.branch(answer))[-1]
    assert (copied.content, copied.state) == ("Hel", "interrupted")
    assert (store.messages.get(answer).content, store.messages.get(answer).state) == ("Hel", "streaming")
    assert store.messages.tokens(answer) == TOKENS[:1]
    assert store.messages.rounds(answer) == ROUNDS[:1]
    assert store.conversations.get(chat).streaming
    store.answers.finish(answer, "stop", STATS, "lo", TOKENS[1:], ROUNDS[1:])
    message = store.messages.get(answer)
    assert (message.content, message.state, message.finish_reason) == ("Hello", "complete", "stop")
    assert (message.source, message.stats) == (SOURCE, STATS)
    duplicated = store.messages.active_leaf(store.messages.duplicate(chat))
    assert duplicated is not None
    for kept in (answer, duplicated):
        assert store.messages.tokens(kept) == TOKENS
        assert store.messages.rounds(kept) == ROUNDS
    assert not store.conversations.get(chat).streaming


@pytest.mark.first
def test_a_turn_takes_the_place_of_the_draft(store: ConversationStore, chat: int) -> None:
    file = Attachment("notes.txt", "text/plain", "so it goes")
    store.conversations.set_unsent(chat, "half a tho", [file])
    assert store.conversations.get(chat).unsent_attachments == (file,)
    turn = store.messages.add_user_turn(chat, "half a thought", [file])
    assert store.messages.get(turn).attachments == (file,)
    assert (store.conversations.get(chat).unsent, store.conversations.get(chat).unsent_attachments) == ("", ())


def test_a_continued_answer_grows_and_counts_two_requests(store: ConversationStore, chat: int) -> None:
    _turn, answer = ask(store, chat, "Count", "one ")
    store.answers.resume(answer, AnswerSource("org/other"))
    store.answers.append(answer, "two ")
    assert store.messages.get(answer).content == "one two "
    store.answers.finish(answer, "length", STATS, "three")
    message = store.messages.get(answer)
    assert (message.content, message.finish_reason) == ("one two three", "length")
    assert message.source.main_model == "org/other"
    assert [row.main_model for row in store.history.rows()] == ["org/other", "org/main"]


def test_2000_rounds_take_less_than_20_bytes_each(store: ConversationStore) -> None:
    random = Random(7)
    at, rounds = 0.3, []
    for number in range(2000):
        drafted = random.randint(3, 5)
        accepted = random.randint(0, drafted)
        draft_s, verify_s, host_s = random.gauss(0.006, 4e-4), random.gauss(0.028, 1e-3), random.gauss(8e-4, 1e-4)
        at += draft_s + verify_s + host_s
        rounds.append(
            RoundRecord(number, "draft", drafted, accepted, accepted + 1, drafted + 1, at, draft_s, verify_s, host_s)
        )
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "Hi"), SOURCE)
    for first in range(0, 2000, 20):
        store.answers.append(answer, "word ", TOKENS, rounds[first : first + 20])
    store.answers.finish(answer, "stop", STATS)
    (_, packed) = store.messages.packed(answer)[0]
    assert len(packed) < 20 * 2000
    kept = store.messages.rounds(answer)
    assert [record.at_s for record in kept] == pytest.approx([record.at_s for record in rounds], abs=1e-6)


def test_an_edited_answer_is_a_persons_words(store: ConversationStore, chat: int) -> None:
    turn, answer = ask(store, chat, "q", "a")
    with pytest.raises(WrongState):
        store.answers.regenerate(turn, SOURCE)
    edited = store.messages.get(store.messages.edit(answer, "mine"))
    assert (edited.role, edited.source) == ("assistant", AnswerSource())
    assert (edited.stats, edited.finish_reason) == (None, "edited")


def test_a_branch_holds_the_messages_down_to_its_point(store: ConversationStore) -> None:
    chat = store.conversations.create(system_prompt="Be brief", settings={"a": 1})
    first, answer = ask(store, chat, "q1", "a1")
    ask(store, chat, "q2", "a2")
    store.messages.edit(first, "other")
    branch = store.messages.branch(answer)
    assert texts(store, branch) == ["q1", "a1"]
    assert [message.sibling_count for message in store.messages.path(branch)] == [1, 1]
    assert store.conversations.get(branch).system_prompt == "Be brief"
    assert store.conversations.get(branch).settings == {"a": 1}
    store.messages.add_user_turn(branch, "q3")
    assert texts(store, chat) == ["other"]
    assert texts(store, branch) == ["q1", "a1", "q3"]


def test_a_duplicate_has_every_sibling_and_no_history(store: ConversationStore, chat: int) -> None:
    first, answer = ask(store, chat, "q1", "a1")
    store.messages.edit(first, "q1 edited")
    copy = store.messages.duplicate(chat, "Copy")
    assert [message.content for message in store.messages.all(copy)] == ["q1", "a1", "q1 edited"]
    assert texts(store, copy) == ["q1 edited"]
    assert store.conversations.get(copy).title == "Copy"
    assert store.messages.all(copy)[1].stats == STATS
    assert [row.message_id for row in store.history.rows()] == [answer]


@pytest.mark.parametrize(
    ("put", "take", "view"),
    [("trash", "restore", TRASHED), ("archive", "unarchive", ARCHIVED)],
    ids=["trash", "archive"],
)
def test_trash_and_archive_are_undone_with_everything_as_it_was(
    store: ConversationStore, put: str, take: str, view: str
) -> None:
    chat, other = store.conversations.create(title="One"), store.conversations.create()
    store.conversations.pin(chat)
    store.conversations.move_to_folder(chat, store.conversations.create_folder("Work"))
    before = store.conversations.get(chat)
    getattr(store.conversations, put)(chat)
    assert [listed.id for listed in store.conversations.view()] == [other]
    assert [listed.id for listed in store.conversations.view(view)] == [chat]
    getattr(store.conversations, take)(chat)
    assert store.conversations.get(chat) == before


def test_purging_the_trash_spares_what_is_not_in_it(store: ConversationStore) -> None:
    old, recent = store.conversations.create(), store.conversations.create()
    store.conversations.trash(old)
    assert store.conversations.purge_trash() == [old]
    with pytest.raises(NotFound):
        store.conversations.get(old)
    assert [chat.id for chat in store.conversations.view()] == [recent]


@pytest.mark.full
def test_a_chat_deeper_than_sqlite_cascades_can_be_shown_copied_and_purged(store: ConversationStore, chat: int) -> None:
    first = next_message_id(store.database)
    messages = [NewMessage("user", f"m{number}") for number in range(1200)]
    parents = [None, *range(first, first + 1199)]
    insert_messages(store.database, chat, messages, parents, [1.7e9] * 1200)
    assert len(store.messages.path(chat)) == 1200
    copy = store.messages.duplicate(chat)
    store.conversations.purge(chat)
    assert len(store.messages.path(copy)) == 1200
    assert store.database.scalar("SELECT count(*) FROM messages") == 1200


def test_a_question_reads_few_of_the_messages_dated_after_it(store: ConversationStore, chat: int) -> None:
    """The clock of a computer was ahead of time when they were written or imported."""
    steps: list[int] = []
    store.database.connection.set_progress_handler(lambda: steps.append(1), 100)

    def steps_of_a_question() -> int:
        steps.clear()
        store.messages.add_user_turn(chat, "And now?")
        return len(steps)

    before = steps_of_a_question()
    later = [store.database.clock() + 3600 + second for second in range(2000)]
    other = store.conversations.create()
    insert_messages(store.database, other, [NewMessage("user", "Later")] * 2000, [None] * 2000, later)
    assert steps_of_a_question() < before + 50


def test_pins_out_of_sight_keep_their_places_when_others_are_ordered(store: ConversationStore) -> None:
    first, trashed, archived, last, fresh = (store.conversations.create() for _ in range(5))
    for chat in (first, trashed, archived, last):
        store.conversations.pin(chat)
    store.conversations.pin(last, position=0)
    assert store.conversations.pinned() == [last, first, trashed, archived]
    store.conversations.unpin(last)
    store.conversations.trash(trashed)
    store.conversations.archive(archived)
    store.conversations.order_pins([last, fresh, first])
    store.conversations.restore(trashed)
    store.conversations.unarchive(archived)
    assert [listed.id for listed in store.conversations.view()] == [last, trashed, archived, fresh, first]


def test_a_copy_is_told_from_what_it_was_made_of(store: ConversationStore) -> None:
    chat = store.conversations.create(title="초안")
    assert store.conversations.title_of_copy(chat) == "초안 2"
    copy = store.conversations.create(title="초안 2")
    assert store.conversations.title_of_copy(chat) == store.conversations.title_of_copy(copy) == "초안 3"
    assert store.conversations.title_of_copy(store.conversations.create(title="Chapter 3")) == "Chapter 3 2"
    assert store.conversations.title_of_copy(store.conversations.create()) is None


def test_the_newest_used_chat_comes_first(store: ConversationStore, clock: Clock) -> None:
    older, newer = store.conversations.create(), store.conversations.create()
    clock.now += 5
    store.messages.add_user_turn(older, "again")
    clock.now += 5
    store.conversations.rename(newer, "renaming is no use")
    assert [listed.id for listed in store.conversations.view()] == [older, newer]


def test_folders_are_named_once_and_lose_no_chat(store: ConversationStore) -> None:
    work = store.conversations.create_folder(" Work ")
    assert store.conversations.create_folder("Work") == work
    home = store.conversations.create_folder("Home")
    chat = store.conversations.create(folder_id=work)
    store.conversations.order_folders([home, work])
    assert [folder.name for folder in store.conversations.folders()] == ["Home", "Work"]
    store.conversations.rename_folder(work, "Home")
    assert [folder.id for folder in store.conversations.folders()] == [home]
    assert [listed.id for listed in store.conversations.view() if listed.folder_id == home] == [chat]
    store.conversations.delete_folder(home)
    assert store.conversations.get(chat).folder_id is None


def test_the_first_exchange_titles_the_chat_until_a_person_does(store: ConversationStore, chat: int) -> None:
    ask(store, chat, "안녕하세요", "# 초안 모델 소개\n안녕하세요!")
    assert store.conversations.get(chat).title == "초안 모델 소개"
    store.conversations.rename(chat, "  My   title ")
    ask(store, chat, "more", "more")
    assert (store.conversations.get(chat).title, store.conversations.get(chat).title_edited) == ("My title", True)
    store.conversations.rename(chat, "")
    assert store.conversations.get(chat).title == "초안 모델 소개"


def test_operations_report_what_they_changed(store: ConversationStore) -> None:
    seen: list[StoreChanges] = []
    store.database.on_commit = seen.append
    chat = store.conversations.create()
    store.messages.add_user_turn(chat, "q")
    uid = store.conversations.get(chat).uid
    store.conversations.purge(chat)
    touched = {chat}
    assert seen[0] == StoreChanges(conversations=touched)
    assert seen[1] == StoreChanges(conversations=touched)
    assert seen[2] == StoreChanges(removed=touched, removed_uids={uid})


def test_an_operation_that_fails_leaves_nothing(store: ConversationStore) -> None:
    seen: list[StoreChanges] = []
    store.database.on_commit = seen.append
    with pytest.raises(NotFound):
        store.messages.add_user_turn(99, "to nobody")
    with pytest.raises(NotFound):
        store.conversations.rename(99, "x")
    assert seen == []
    assert store.database.scalar("SELECT count(*) FROM messages") == 0


def test_text_that_utf8_cannot_hold_is_kept_but_for_those_characters(store: ConversationStore, chat: int) -> None:
    turn = store.messages.add_user_turn(chat, "a\ud83db\x00c")
    assert store.messages.get(turn).content == "a\ufffdb\ufffdc"


def test_statistics_of_other_versions_are_read_as_far_as_they_go(store: ConversationStore, chat: int) -> None:
    _turn, answer = ask(store, chat, "q", "a")
    store.database.execute("UPDATE messages SET stats = ? WHERE id = ?", ('{"rounds": 3, "of_tomorrow": 1}', answer))
    assert store.messages.get(answer).stats == RequestStats(rounds=3)


@pytest.mark.parametrize("damaged", ["{", "[1]", "\ufffd\ufffd", '{"generated_tokens": "x"}'])
def test_a_bad_byte_beside_the_words_does_not_hide_them(store: ConversationStore, damaged: str) -> None:
    chat = store.conversations.create(title="Precious")
    turn, answer = ask(store, chat, "What was it?", "This.")
    store.presets.save("mine", "", {})
    for statement in (
        "UPDATE conversations SET settings = ?1, draft_attachments = ?1",
        "UPDATE messages SET settings = ?1, attachments = ?1, seed = ?1, stats = ?1, error = ?1",
        "UPDATE presets SET settings = ?1",
    ):
        store.database.execute(statement, (damaged,))
    assert [listed.title for listed in store.conversations.view()] == ["Precious"]
    assert texts(store, chat) == ["What was it?", "This."]
    assert [preset.name for preset in store.presets.all()] == ["mine"]
    assert store.messages.get(turn).attachments == ()
    assert store.messages.get(answer).stats in (None, RequestStats())
