"""The history's figures: sorted, filtered, and summed as totals over totals."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.conversations import request_history
from app.conversations.database.records import UNCOUNTED, AnswerSource
from app.conversations.request_history import COLUMNS, ProgramRequest, RequestRow, Totals
from engine.stats import RequestStats, rounded_speedup, summed

if TYPE_CHECKING:
    from app.conversations.store import ConversationStore
    from tests.app.conversations.conftest import Clock


@pytest.fixture
def history(store: ConversationStore, clock: Clock) -> list[int]:
    chat = store.conversations.create(title="=figures")
    requests = [
        ("big", "small", "draft", RequestStats(generated_tokens=101, rounds=40, drafted=100, accepted=60,
                                               accept_rate=0.6, decode_tps=50.0, plain_tps=25.0, speedup=2.0,
                                               speedup_low=1.9, speedup_high=2.1)),
        ("big", "small", "draft", RequestStats(generated_tokens=301, rounds=160, drafted=300, accepted=140,
                                               accept_rate=140 / 300, decode_tps=30.0, plain_tps=30.0, speedup=1.0,
                                               speedup_low=0.95, speedup_high=1.05)),
        ("big", "", "ngram", RequestStats(generated_tokens=11, rounds=10, drafted=0, accepted=0, decode_tps=20.0)),
    ]  # fmt: skip
    answers = []
    for main, draft, method, stats in requests:
        clock.now += 10
        answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource(main, draft, method))
        store.answers.finish(answer, "stop", stats, "a")
        answers.append(answer)
    return answers


def test_every_column_sorts_both_ways_with_missing_figures_last(store: ConversationStore, history: list[int]) -> None:
    assert len(history) == 3
    for column in COLUMNS:
        for descending in (False, True):
            rows = store.history.rows(order=column, descending=descending)
            values = [getattr(row, column) for row in rows]
            present = [value for value in values if value is not None]
            assert present == sorted(present, reverse=descending)
            assert values[len(present) :] == [None] * (len(values) - len(present))
    with pytest.raises(KeyError):
        store.history.rows(order="id; DROP TABLE requests")


def test_filters_keep_a_pair_and_the_newest(store: ConversationStore, history: list[int]) -> None:
    pair = store.history.rows(pair=("big", "small"), descending=False)
    assert [row.message_id for row in pair] == history[:2]
    assert [row.message_id for row in store.history.rows(limit=1)] == history[2:]


@pytest.mark.usefixtures("history")
def test_a_summary_divides_totals_by_totals(store: ConversationStore) -> None:
    first, second = store.history.by_pair()
    assert (first.main_model, first.draft_model, first.method, first.answers) == ("big", "small", "draft", 2)
    assert (first.generated_tokens, first.drafted) == (402, 400)
    assert first.accept_rate == pytest.approx(0.5)
    assert first.speedup == pytest.approx((100 / 25 + 300 / 30) / (100 / 50 + 300 / 30))
    assert (first.speedup_low, first.speedup_high) == pytest.approx((0.95 * first.speedup, 1.05 * first.speedup))
    assert (second.method, second.accept_rate, second.speedup) == ("ngram", None, None)


def test_totals_are_of_all_answers_since_a_time(store: ConversationStore, history: list[int], clock: Clock) -> None:
    assert len(history) == 3
    everything = store.history.totals()
    assert (everything.answers, everything.accept_rate) == (3, pytest.approx(0.5))
    assert everything.speedup == pytest.approx((100 / 25 + 300 / 30) / (100 / 50 + 300 / 30))
    assert everything.saved_s == pytest.approx(100 / 25 - 100 / 50)
    newest = store.history.totals(since=clock.now)
    assert (newest.answers, newest.speedup, newest.saved_s) == (1, None, None)
    assert store.history.totals(since=clock.now + 1) == Totals()


def test_an_answer_that_knows_only_bounds_of_its_speedup_counts_in_totals(
    store: ConversationStore, history: list[int], clock: Clock
) -> None:
    assert history
    clock.now += 1
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("big", "small", "draft"))
    stats = RequestStats(
        generated_tokens=61, drafted=60, accepted=55, decode_tps=5.0, speedup_low=2.0, speedup_high=4.0
    )
    store.answers.finish(answer, "stop", stats, "a")
    alone, everything = store.history.totals(since=clock.now), store.history.totals()
    assert (alone.speedup_low, alone.speedup, alone.speedup_high, alone.saved_s) == (2.0, 3.0, 4.0, None)
    assert everything.speedup_low == pytest.approx((2 * 1.9 + 10 * 0.95 + 12 * 2.0) / (2 + 10 + 12))
    assert everything.saved_s == pytest.approx(100 / 25 - 100 / 50)


@pytest.mark.parametrize("reason", UNCOUNTED)
def test_an_answer_that_nobody_wants_faster_is_listed_but_in_no_sum(
    store: ConversationStore, history: list[int], reason: str
) -> None:
    before = store.history.totals(), store.history.by_pair()
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("big", "small", "draft"))
    stats = RequestStats(
        generated_tokens=900, drafted=900, accepted=890, decode_tps=90.0, speedup=9.0, speedup_low=8.0, speedup_high=9.9
    )
    store.answers.finish(answer, reason, stats, "a a a a")
    assert (store.history.totals(), store.history.by_pair()) == before
    assert len(store.history.rows()) == len(history) + 1
    assert store.history.rows()[0].finish_reason == reason


def test_an_answer_without_a_token_is_in_no_total(store: ConversationStore) -> None:
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("big", "", "auto"))
    store.answers.finish(answer, None, None, error=("internal", {"detail": "x"}))
    assert store.history.totals() == Totals()


@pytest.mark.usefixtures("history")
def test_csv_and_json_hold_every_row_and_no_formula(store: ConversationStore) -> None:
    rows = store.history.rows()
    table = list(csv.DictReader(io.StringIO(store.history.as_csv(rows))))
    assert [float(row["decode_tps"]) for row in table] == [20.0, 30.0, 50.0]
    assert {row["title"] for row in table} == {"'=figures"}
    objects = json.loads(store.history.as_json(rows))
    assert [entry["stats"]["generated_tokens"] for entry in objects] == [11, 301, 101]


def test_a_speedup_of_an_earlier_version_is_not_shown(store: ConversationStore) -> None:
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("big", "small", "draft"))
    old = RequestStats(generated_tokens=9, drafted=8, accepted=2, decode_tps=50.0, plain_tps=4.0, speedup=12.5)
    store.answers.finish(answer, "stop", old, "a")
    assert store.history.rows()[0].speedup is None
    assert store.history.by_pair()[0].speedup is None
    [*_, message] = store.messages.path(chat)
    assert message.stats is not None
    assert (message.stats.speedup, message.stats.plain_tps) == (None, None)


def test_no_stored_figure_exceeds_the_tokens_a_round(store: ConversationStore) -> None:
    """In 1,000 random histories, as earlier versions stored them."""
    chance, requests = random.Random(0), []
    for number in range(1000):
        for _ in range(chance.randint(1, 4)):
            rounds = chance.randint(2, 300)
            tokens = round(chance.uniform(1.0, 16.0) * rounds)
            factor, error = chance.lognormvariate(1.0, 1.0), chance.choice((0.05, 0.6))
            stored: dict[str, object] = {
                "generated_tokens": tokens, "rounds": rounds, "tokens_per_round": tokens / rounds, "drafted": 9,
                "decode_tps": chance.lognormvariate(3.0, 1.0), "speedup_low": factor / (1.0 + error),
                "speedup_high": factor * (1.0 + error), "speedup": factor if error < 0.1 else None,
            }  # fmt: skip
            request = asked_by("curl", RequestStats(), float(number))
            requests.append(replace(request, main_model=str(number), stats=stored))  # type: ignore[arg-type]
    store.history.add(requests)
    by_history: dict[str, list[RequestRow]] = {}
    for row in store.history.rows():
        by_history.setdefault(row.main_model, []).append(row)
        assert largest(row) <= (row.tokens_per_round or 0.0)
    summaries = store.history.by_pair()
    assert len(summaries) == 1000
    for summary in summaries:
        own = by_history[summary.main_model]
        rate = sum(row.generated_tokens or 0 for row in own) / sum(row.rounds or 0 for row in own)
        assert largest(summary) <= rate
        if summary.main_model == "999":
            assert largest(store.history.totals(since=999.0)) == largest(summary)


def largest(one: RequestRow | Totals) -> float:
    return max(one.speedup or 0.0, one.speedup_low or 0.0, one.speedup_high or 0.0)


def test_a_speedup_that_an_earlier_version_measured_during_a_stall_is_not_known(store: ConversationStore) -> None:
    chat = store.conversations.create()
    answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource("big", "small", "draft"))
    stored = {"generated_tokens": 97, "rounds": 10, "tokens_per_round": 9.7, "drafted": 90, "decode_tps": 50.0}
    stored |= {"speedup": 200.0, "speedup_low": 182.9, "speedup_high": 220.0, "saved_s": 300.0}
    store.answers.finish(answer, "stop", stored, "a")  # type: ignore[arg-type]
    [*_, message] = store.messages.path(chat)
    assert message.stats is not None
    assert (message.stats.speedup, message.stats.saved_s) == (None, None)
    for known in (message.stats, *store.history.rows(), *store.history.by_pair(), store.history.totals()):
        assert (known.speedup_low, known.speedup_high) == (0.0, 9.7)
        assert rounded_speedup(known.speedup, known.speedup_low, known.speedup_high) is None
    assert store.history.totals().saved_s is None


def asked_by(client: str, stats: RequestStats, finished_at: float = 5.0) -> ProgramRequest:
    return ProgramRequest(client, "/v1/chat/completions", finished_at, "big", "small", "draft", "stop", stats)


@pytest.mark.usefixtures("history")
def test_requests_of_programs_count_and_belong_to_no_chat(store: ConversationStore, clock: Clock) -> None:
    stats = RequestStats(generated_tokens=50, rounds=20, drafted=100, accepted=40, accept_rate=0.4)
    store.history.add([asked_by("=openai", stats, clock.now + 1)])
    newest, *others = store.history.rows()
    assert (newest.client, newest.endpoint, newest.accept_rate) == ("=openai", "/v1/chat/completions", 0.4)
    assert (newest.conversation_id, newest.message_id, newest.title) == (None, None, "")
    assert [row.client for row in others] == [""] * 3
    assert store.history.by_pair()[0].answers == 3
    assert store.history.totals().answers == 4
    assert "'=openai" in store.history.as_csv([newest])
    assert json.loads(store.history.as_json([newest]))[0]["stats"]["accepted"] == 40
    # Figures of chats go with their chat, and not before it is purged.
    store.conversations.trash(1)
    assert len(store.history.rows()) == 4
    store.conversations.purge(1)
    assert [row.client for row in store.history.rows()] == ["=openai"]


@pytest.mark.usefixtures("history")
def test_of_programs_only_the_newest_requests_stay(store: ConversationStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_history, "MOST_OF_PROGRAMS", 3)
    for number in range(5):
        store.history.add([asked_by(str(number), RequestStats())])
    assert sorted(row.client for row in store.history.rows()) == ["", "", "", "2", "3", "4"]


@pytest.mark.usefixtures("history")
def test_requests_of_programs_are_deleted_and_those_of_chats_stay(store: ConversationStore) -> None:
    store.history.add([asked_by("one", RequestStats()), asked_by("other", RequestStats())])
    store.history.delete_programs()
    assert [row.client for row in store.history.rows()] == ["", "", ""]


@pytest.mark.full
def test_the_figures_of_an_answer_are_those_that_the_history_sums_up(store: ConversationStore) -> None:
    chance = random.Random(2)
    for number in range(100):
        parts = []
        for _ in range(chance.randint(2, 4)):
            rounds, factor, error = chance.randint(2, 60), chance.uniform(0.3, 6.0), chance.choice((0.05, 0.6))
            tokens = chance.randint(rounds, 8 * rounds)
            parts.append(
                RequestStats(
                    generated_tokens=tokens, rounds=rounds, tokens_per_round=tokens / rounds, drafted=9, accepted=4,
                    decode_tps=chance.uniform(9.0, 90.0), speedup=factor if error < 0.1 else None,
                    speedup_low=factor / (1.0 + error), speedup_high=factor * (1.0 + error),
                )
            )  # fmt: skip
        pair = f"main {number}"
        store.history.add([replace(asked_by("", one), main_model=pair) for one in parts])
        [known] = [one for one in store.history.by_pair() if one.main_model == pair]
        shown = [rounded_speedup(one.speedup, one.speedup_low, one.speedup_high) for one in (summed(parts), known)]
        assert shown[0] == shown[1]


def test_a_sum_has_a_speedup_exactly_if_one_of_its_answers_shows_one(store: ConversationStore) -> None:
    ends = [0.5, 0.85, 0.9, 0.91, 1.0, 1.09, 1.11, 1.3]
    bounds = [(low, high) for low in ends for high in ends if low <= high]
    cases = [(factor, low, high) for low, high in bounds for factor in (None, (low + high) / 2)]
    for number, (factor, low, high) in enumerate(cases):
        stats = RequestStats(
            generated_tokens=90, rounds=10, tokens_per_round=9.0, drafted=90, decode_tps=50.0,
            speedup=factor, speedup_low=low, speedup_high=high,
        )  # fmt: skip
        chat = store.conversations.create()
        answer = store.answers.start(store.messages.add_user_turn(chat, "q"), AnswerSource(str(number), "", "ngram"))
        store.answers.finish(answer, "stop", stats, "a")
    found = {one.main_model: one.speedup is not None for one in store.history.by_pair()}
    assert found == {str(number): rounded_speedup(*case) is not None for number, case in enumerate(cases)}
