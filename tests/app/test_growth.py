"""What the app does once more, for an answer, a request or a notice, costs no more where many are kept.

Lists of the engine are in tests/engine/endurance/test_growth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.api.activity import FINISHED, Activity, ApiCall
from app.conversations.database.records import AnswerSource
from app.conversations.opening import open_store
from app.conversations.request_history import ProgramRequest
from app.conversations.store import ConversationStore
from app.session.listed_conversations import ListedConversations
from app.widgets.banner import Banner
from engine.events import Finished
from engine.stats import RequestStats
from tests.counted_steps import FEW, MANY, Statements, assert_stays, counted_statements, lines

STATS = RequestStats(generated_tokens=9, rounds=3, drafted=8, accepted=6)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Iterator[Statements]:
    with counted_statements(monkeypatch) as statements:
        yield statements


@pytest.fixture
def store(tmp_path: Path, statements: Statements) -> Iterator[ConversationStore]:
    """An open store that leaves the disk alone, and whose statements are counted."""
    assert statements.steps == 0
    store, _damaged = open_store(tmp_path / "conversations.db")
    store.database.execute("PRAGMA synchronous = OFF")
    yield store
    store.close()


def cost_with_few_and_many(work: Callable[[], object], cost: Callable[[Callable[[], object]], int]) -> tuple[int, int]:
    """Return what `work` costs once more after it was done FEW and MANY times."""
    found = list[int]()
    for kept in (FEW, MANY - FEW):
        for _ in range(kept):
            work()
        # Now and then SQLite tidies an index of the search up.
        found.append(min(cost(work) for _ in range(3)))
    return found[0], found[1]


@pytest.mark.full
def test_an_answer_is_stored_at_the_same_cost(store: ConversationStore, statements: Statements) -> None:
    numbers = count()

    def answer() -> None:
        chat = store.conversations.create()
        question = store.messages.add_user_turn(chat, f"question {next(numbers):04}")
        message = store.answers.start(question, AnswerSource("big", "small", "draft"))
        store.answers.append(message, "an answer")
        store.answers.finish(message, "stop", STATS, " that ends")

    assert_stays(*cost_with_few_and_many(answer, statements.of))


def test_a_request_of_a_program_is_noted_at_the_same_cost(store: ConversationStore, statements: Statements) -> None:
    request = ProgramRequest("openai", "/v1/chat/completions", 1.0, "big", "small", "draft", "stop", STATS)

    assert_stays(*cost_with_few_and_many(partial(store.history.add, [request]), statements.of))


@pytest.mark.full
def test_the_list_of_chats_is_read_again_as_far_as_it_changed(store: ConversationStore) -> None:
    listed = ListedConversations()
    store.database.on_commit = listed.note
    numbers, last = count(), list[int]()

    def make() -> None:
        last[:] = [store.conversations.create(title=f"chat {next(numbers)}")]

    def cost(work: Callable[[], object]) -> int:
        work()
        listed.read(store)
        store.conversations.rename(last[0], "renamed")
        return lines(partial(listed.read, store))

    assert_stays(*cost_with_few_and_many(make, cost))


def test_an_event_of_a_call_is_noted_at_the_same_cost() -> None:
    activity, numbers = Activity(), count()

    def call() -> None:
        name = f"call {next(numbers)}"
        activity.begin(ApiCall(name, "/v1/chat/completions", "big", "openai", 1.0))
        activity.note(name, 0, Finished("stop", "text", (1, 2), STATS))
        activity.end(name, FINISHED)

    assert_stays(*cost_with_few_and_many(call, lines))
    assert len(activity.ended) <= MANY


@pytest.mark.full
def test_a_notice_is_shown_at_the_same_cost(qtbot: QtBot) -> None:
    banner, numbers = Banner(), count()
    qtbot.addWidget(banner)

    def notice() -> None:
        sentence = f"problem {next(numbers)}"
        banner.show_message(lambda: sentence)

    assert_stays(*cost_with_few_and_many(notice, lines))
