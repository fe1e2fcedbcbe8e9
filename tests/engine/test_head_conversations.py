"""What a head has read of a conversation is kept with it: through turns, edits, reopening and other heads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.proposers.head import HeadProposer
from tests.engine.oracle_serving import HEAD, assert_read_all, kept
from tests.engine.serving_requests import PLAIN, load_models, request, run
from tests.engine.speculation.oracle_head import OracleHead
from tests.tiny_heads import OracleKind


def test_the_next_turn_finds_what_the_head_has_read(oracle_served: tuple[Scheduler, OracleHead]) -> None:
    scheduler, _ = oracle_served
    first = request("the quick brown fox jumps over the lazy dog", speculation=HEAD)
    [client] = run(scheduler, first)
    follow_up = replace(
        first,
        messages=[
            *first.messages,
            {"role": "assistant", "content": client.finished.text},
            {"role": "user", "content": "and then"},
        ],
    )
    [again] = run(scheduler, follow_up)

    assert again.finished.stats.cached_tokens > 0
    assert kept(scheduler).start == 0
    assert_read_all(scheduler)


def test_an_edited_question_rewinds_the_head_too(oracle_served: tuple[Scheduler, OracleHead]) -> None:
    scheduler, _ = oracle_served
    run(scheduler, request("the quick brown fox jumps over the lazy dog", speculation=HEAD))
    [client] = run(scheduler, request("the quick brown fox jumps over a cat", speculation=HEAD))

    assert client.finished.stats.cached_tokens > 0
    assert kept(scheduler).start == 0
    assert_read_all(scheduler)


def test_a_reopened_chat_is_not_blind(
    scheduler: Scheduler, oracle: OracleKind, tiny_main: Path, tmp_path: Path
) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    load_models(scheduler, tiny_main, oracle.folder)
    asked = replace(request("the quick brown fox jumps over the lazy dog", speculation=HEAD), conversation="chat")
    [client] = run(scheduler, asked)
    # Saves what is in memory.
    load_models(scheduler, tiny_main, oracle.folder)
    follow_up = [
        *asked.messages,
        {"role": "assistant", "content": client.finished.text},
        {"role": "user", "content": "and then"},
    ]
    [again] = run(scheduler, replace(asked, messages=follow_up))

    assert again.finished.stats.cached_tokens > 20
    assert kept(scheduler).start == 0
    assert oracle.head is not None
    assert_read_all(scheduler)


@pytest.mark.parametrize("other", ["identity", "arrays"])
def test_a_chat_kept_with_another_head_is_continued_without_what_that_has_read(
    scheduler: Scheduler,
    oracle: OracleKind,
    tiny_main: Path,
    tmp_path: Path,
    other: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    load_models(scheduler, tiny_main, oracle.folder)
    asked = replace(request("the quick brown fox jumps over the lazy dog", speculation=HEAD), conversation="chat")
    [client] = run(scheduler, asked)
    if other == "identity":
        monkeypatch.setattr(OracleHead, "identity", "another")
    else:
        oracle.taps = (1,)
    load_models(scheduler, tiny_main, oracle.folder)
    more = [*asked.messages, {"role": "assistant", "content": client.finished.text}, {"role": "user", "content": "go"}]
    [again] = run(scheduler, replace(asked, messages=more))

    assert again.finished.stats.cached_tokens > 20
    assert again.finished.stats.drafted > 0
    assert_read_all(scheduler)


def test_a_chat_kept_without_the_head_is_continued_with_a_shorter_context(
    scheduler: Scheduler, oracle: OracleKind, tiny_main: Path, tmp_path: Path
) -> None:
    scheduler.configure(EngineSettings(prefix_cache_folder=tmp_path / "prefixes"))
    load_models(scheduler, tiny_main, None)
    asked = replace(request("the quick brown fox jumps over the lazy dog"), conversation="chat")
    [client] = run(scheduler, asked)
    load_models(scheduler, tiny_main, oracle.folder)
    assert oracle.head is not None
    more = [*asked.messages, {"role": "assistant", "content": client.finished.text}, {"role": "user", "content": "go"}]
    follow_up = replace(asked, messages=more, speculation=SpeculationSettings(method="off"))
    [unassisted] = run(scheduler, follow_up)
    load_models(scheduler, tiny_main, oracle.folder)
    [assisted] = run(scheduler, replace(follow_up, speculation=HEAD))

    assert assisted.finished.stats.cached_tokens > 0
    assert assisted.finished.ids == unassisted.finished.ids
    assert assisted.finished.stats.drafted > 0
    assert_read_all(scheduler)


def test_a_head_that_sees_too_little_has_the_text_read_again(
    oracle_served: tuple[Scheduler, OracleHead], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, _ = oracle_served
    long = request("the quick brown fox jumps over the lazy dog " * 4, max_tokens=8, speculation=PLAIN)
    [client] = run(scheduler, long)
    assert scheduler.prefix_cache.latest.head is None
    messages = [
        *long.messages,
        {"role": "assistant", "content": client.finished.text},
        {"role": "user", "content": "go"},
    ]
    asked = replace(long, messages=messages, speculation=HEAD, max_tokens=30)
    again: list[int] = []
    prepare = HeadProposer.prepare

    def counted(proposer: HeadProposer) -> bool:
        again.append(proposer.backlog)
        return prepare(proposer)

    monkeypatch.setattr(HeadProposer, "prepare", counted)
    [with_head] = run(scheduler, asked)

    assert with_head.finished.stats.cached_tokens > 32
    assert max(again) > 64
    assert kept(scheduler).start == 0
    assert with_head.finished.stats.draft_prefill_tokens > 64
    assert_read_all(scheduler)
