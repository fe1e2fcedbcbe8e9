"""Answers of stored chats are proposed in other chats, and change no text; nothing else enters their index."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import (
    PLAIN,
    Client,
    open_scheduler,
    open_with_pair,
    run,
    serve_and_act,
    set_draft,
    submit,
)
from tests.engine.serving_requests import request as unnamed
from tests.engine.tiers import by_tier

# Random, so that lookup in the conversation finds nothing.
LOOKUP = SpeculationSettings(method="ngram", depth=4, sample_share=0.0)


def request(conversation: str | None, speculation: SpeculationSettings = LOOKUP, seed: int = 5) -> ChatRequest:
    asked = unnamed(max_tokens=40, temperature=1.0, seed=seed, speculation=speculation)
    return replace(asked, conversation=conversation)


@pytest.fixture
def scheduler(pair: tuple[LoadedModel, LoadedModel], tmp_path: Path) -> Iterator[Scheduler]:
    with open_with_pair(pair, answer_index_folder=tmp_path) as scheduler:
        yield scheduler


def ask(scheduler: Scheduler, *requests: ChatRequest) -> list[Client]:
    """Answer the requests after all earlier answers were indexed."""
    answers = scheduler.models.drafting.answers
    assert answers is not None
    answers.forget([]).result()
    return run(scheduler, *requests)


def from_chats(client: Client) -> int:
    """Return how many tokens of the answer other chats proposed."""
    return sum(token.source == "chats" for event in client.committed for token in event.tokens)


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.full
@pytest.mark.parametrize("requests", by_tier([1, 3], [3]))
def test_a_new_chat_is_answered_from_an_earlier_one(scheduler: Scheduler, requests: int) -> None:
    [plain] = run(scheduler, request(None, PLAIN))
    [first] = ask(scheduler, request("chat"))
    again = ask(scheduler, *(request("other") for _ in range(requests)))
    assert from_chats(first) == 0
    for client in again:
        assert client.finished.ids == first.finished.ids == plain.finished.ids
        assert from_chats(client) > 20
    assert "chats" in again[0].finished.stats.sources


def test_answers_of_a_batch_go_on_from_an_earlier_one_without_the_draft(scheduler: Scheduler) -> None:
    ask(scheduler, request("chat"))
    answers = scheduler.models.drafting.answers
    assert answers is not None
    answers.forget([]).result()
    clients = [submit(scheduler, request("other")) for _ in range(2)]
    serve_and_act(scheduler, clients[0], 2, lambda: set_draft(scheduler, None))
    assert all(from_chats(client) > 20 for client in clients)


@pytest.mark.full
def test_the_draft_model_and_other_chats_are_weighed_against_each_other(scheduler: Scheduler) -> None:
    auto = SpeculationSettings(sample_share=0.0)
    run(scheduler, request("chat", auto))
    answers = [ask(scheduler, request("other", auto))[0].finished for _ in range(4)]
    assert len({answer.ids for answer in answers}) == 1
    learned = scheduler.models.drafting.controller.learned.unconstrained.texts.counts
    assert {"chats", "draft"} <= learned.keys()


@pytest.mark.full
def test_a_chat_without_a_name_neither_enters_nor_looks_up(scheduler: Scheduler) -> None:
    run(scheduler, request(None))
    [again] = ask(scheduler, request("chat"))
    assert from_chats(again) == 0
    [unnamed] = ask(scheduler, request(None))
    assert from_chats(unnamed) == 0
    assert scheduler.models.drafting.answers.usage().result().tokens == len(again.finished.ids)


def test_a_deleted_chat_is_not_proposed_any_more(scheduler: Scheduler, tmp_path: Path) -> None:
    run(scheduler, request("chat"))
    client = submit(scheduler, request("other"))
    serve_and_act(scheduler, client, 3, lambda: scheduler.changes.stores.forget_conversations(["chat", "other"]))
    [again] = ask(scheduler, request("new"))
    assert from_chats(again) == 0
    scheduler.changes.stores.keep_stored(())
    ask(scheduler)
    assert files(tmp_path) == []


@pytest.mark.parametrize("again", by_tier([True, False], [True]))
@pytest.mark.expects_log
def test_an_index_that_is_switched_off_and_cannot_be_deleted_is_deleted_later(
    scheduler: Scheduler, tmp_path: Path, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **_options: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    run(scheduler, request("chat"))
    on, off = scheduler.settings, replace(scheduler.settings, answer_index_folder=None)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refused)
        scheduler.configure(off)
    assert files(tmp_path)
    if again:
        # Switched on meanwhile, it has nothing of before.
        scheduler.configure(on)
        [client] = ask(scheduler, request("other"))
        assert from_chats(client) == 0
        scheduler.configure(off)
    else:
        run(scheduler, request("other"))
    assert files(tmp_path) == []


def test_an_index_that_no_model_has_used_is_deleted_when_it_is_switched_off(tiny_main: Path, tmp_path: Path) -> None:
    with open_scheduler(tiny_main, answer_index_folder=tmp_path) as before:
        run(before, request("chat"))
    assert files(tmp_path)
    with open_scheduler(answer_index_folder=tmp_path) as later:
        later.configure(replace(later.settings, answer_index_folder=None))
        assert files(tmp_path) == []


@pytest.mark.full
def test_the_next_start_finds_earlier_answers(tiny_main: Path, tmp_path: Path) -> None:
    for expected in (0, 20):
        with open_scheduler(tiny_main, answer_index_folder=tmp_path) as scheduler:
            [client] = ask(scheduler, request("chat"))
        assert from_chats(client) >= expected
    with open_scheduler(answer_index_folder=tmp_path) as scheduler:
        # No model is loaded.
        scheduler.changes.stores.keep_stored(["other"])
    assert files(tmp_path) == []


def test_without_its_folder_the_index_is_emptied(scheduler: Scheduler, tmp_path: Path) -> None:
    run(scheduler, request("chat"))
    scheduler.configure(replace(scheduler.settings, answer_index_folder=None))
    assert files(tmp_path) == []
    [again] = run(scheduler, request("chat"))
    assert from_chats(again) == 0
    scheduler.configure(replace(scheduler.settings, answer_index_folder=tmp_path))
    run(scheduler, request("chat"))
    [again] = ask(scheduler, request("chat"))
    assert from_chats(again) > 20
