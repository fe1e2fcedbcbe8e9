"""Heads in the whole engine: the text is the same, and the head is fed after every kind of round."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.lossless.chain_sessions import session_of
from tests.engine.lossless.oracle_serving import HEAD, assert_read_all, teach
from tests.engine.serving_requests import (
    ask_for_words,
    assistant_turn,
    load_models,
    plain,
    request,
    run,
    set_draft,
    submit,
    user,
)
from tests.engine.speculation.oracle_head import OracleHead
from tests.engine.tiers import by_tier
from tests.tiny_heads import OracleKind, write_head
from tests.tiny_models import BFLOAT16, MXFP4, NVFP4, QWEN3, SIX_BITS, Stored, write_model


@pytest.mark.full
@pytest.mark.parametrize(
    ("temperature", "acceptance"),
    by_tier(product((0.0, 0.8), ("match", "rejection")), [(0.0, "match")]),
)
def test_a_right_head_is_accepted_and_changes_nothing(
    oracle_served: tuple[Scheduler, OracleHead], temperature: float, acceptance: str
) -> None:
    scheduler, head = oracle_served
    speculation = replace(HEAD, acceptance=acceptance)
    asked = request(temperature=temperature, speculation=speculation)
    expected = teach(scheduler, head, asked)
    [client] = run(scheduler, asked)

    if temperature == 0.0 or acceptance == "match":
        assert client.finished.ids == expected.ids
        assert client.finished.text == expected.text
        assert client.finished.stats.accept_rate == 1.0
        assert {token.source for event in client.committed for token in event.tokens} >= {"main", "head"}
    assert client.finished.stats.drafted > 0
    assert_read_all(scheduler)


@pytest.mark.parametrize(
    "sampling",
    [
        pytest.param({"temperature": 0.9, "top_p": 0.8, "top_k": 20, "min_p": 0.02}, marks=pytest.mark.full),
        pytest.param(
            {"repetition_penalty": 1.3, "presence_penalty": 0.4, "frequency_penalty": 0.2}, marks=pytest.mark.full
        ),
        {"temperature": 0.7, "repetition_penalty": 1.2, "logit_bias": {7: 4.0, 9: -50.0}},
    ],
    ids=["truncated", "penalties", "penalties and bias"],
)
def test_every_sampling_setting_gives_the_plain_text(
    oracle_served: tuple[Scheduler, OracleHead], sampling: dict[str, Any]
) -> None:
    scheduler, head = oracle_served
    for right in (True, False):
        asked = request(max_tokens=24, speculation=HEAD, **sampling)
        expected = teach(scheduler, head, asked)
        if not right:
            head.answers = [(token + index % 3) % 90 for index, token in enumerate(head.answers)]
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
        assert_read_all(scheduler)


@pytest.mark.full
def test_a_chat_goes_on_and_back_where_its_head_has_dropped_rows(scheduler: Scheduler, tmp_path: Path) -> None:
    main = write_model(tmp_path / "main", config={**QWEN3, "max_position_embeddings": 4096})
    load_models(scheduler, main, write_head(tmp_path / "head", main, positions=64))
    turns = [user("the quick brown fox " * 72)]
    told = ask_for_words(scheduler, *turns)
    turns += [assistant_turn(told), user("over the lazy dog " * 20)]
    ask_for_words(scheduler, *turns)
    assert session_of(scheduler).start > 0
    assert scheduler.prefix_cache.usage.conversations == 1
    again = ask_for_words(scheduler, *turns[:1])
    assert again.ids == told.ids
    assert again.stats.drafted > 0


def test_a_head_for_another_main_model_is_refused_and_the_main_model_goes_on(
    scheduler: Scheduler, tiny_main: Path, tmp_path: Path
) -> None:
    other = write_model(tmp_path / "other", config={**QWEN3, "hidden_size": 32})
    pair = load_models(scheduler, tiny_main, write_head(tmp_path / "head", other))
    assert pair.draft is None
    assert pair.draft_problem is not None
    assert pair.draft_problem.arguments["reason"] == "wrong-main"
    [client] = run(scheduler, request())
    assert client.finished.stats.generated_tokens > 0


@pytest.mark.full
def test_a_head_that_is_loaded_during_an_answer_takes_part_in_it(
    scheduler: Scheduler, oracle: OracleKind, tiny_main: Path
) -> None:
    load_models(scheduler, tiny_main, None)
    asked = request(max_tokens=60, speculation=HEAD)
    expected = plain(scheduler, asked)
    client = submit(scheduler, asked)
    while len(client.committed) < 10:
        scheduler.step()
    set_draft(scheduler, oracle.folder)
    assert oracle.head is not None
    oracle.head.answers = [*scheduler.models.main.prompt_ids(asked.messages), *expected.ids]
    while len(client.committed) < 16:
        scheduler.step()
    set_draft(scheduler, None)
    while scheduler.busy:
        scheduler.step()

    assert client.finished.ids == expected.ids
    assert client.finished.stats.accepted > 0
    assert "no-draft" in client.reasons


def test_answers_that_join_and_leave_a_batch_leave_the_head_informed(
    oracle_served: tuple[Scheduler, OracleHead], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, _ = oracle_served
    monkeypatch.setattr(CachedSequence, "unread", lambda *_: pytest.fail("read again"))
    long, short = request("aa bb cc", max_tokens=40, speculation=HEAD), request("dd", max_tokens=8, speculation=HEAD)
    expected = [plain(scheduler, asked).ids for asked in (long, short)]
    scheduler.clear_prefix_cache()
    first = submit(scheduler, long)
    while len(first.committed) < 4:
        scheduler.step()
    second = submit(scheduler, short)
    while scheduler.busy:
        scheduler.step()

    assert [first.finished.ids, second.finished.ids] == expected
    assert first.finished.stats.drafted > 0
    assert second.finished.stats.drafted > 0
    assert session_of(scheduler).start == 0
    assert_read_all(scheduler)


@pytest.mark.full
@pytest.mark.parametrize("end", ["cancel", "stop string"])
def test_however_an_answer_ends_the_head_keeps_what_was_committed(
    oracle_served: tuple[Scheduler, OracleHead], end: str
) -> None:
    scheduler, head = oracle_served
    asked = request(max_tokens=60, speculation=HEAD)
    expected = teach(scheduler, head, asked)
    if end == "stop string":
        asked = replace(asked, stop=(expected.text[9:12],))
    client = submit(scheduler, asked)
    while scheduler.busy:
        scheduler.step()
        if end == "cancel" and len(client.committed) == 3:
            client.stream.cancel()

    assert client.finished.reason == ("cancelled" if end == "cancel" else "stop")
    assert_read_all(scheduler)


@pytest.mark.full
@pytest.mark.parametrize("stored", by_tier([BFLOAT16, MXFP4, NVFP4, SIX_BITS], [MXFP4]), ids=str)
def test_a_main_model_is_tapped_however_it_is_stored(scheduler: Scheduler, tmp_path: Path, stored: Stored) -> None:
    main = write_model(tmp_path / "main", seed=1, stored=stored)
    load_models(scheduler, main, write_head(tmp_path / "head", main))
    asked = request(speculation=HEAD)
    expected = plain(scheduler, asked)
    [client] = run(scheduler, asked)
    assert client.finished.ids == expected.ids
    assert client.finished.stats.drafted > 0


@pytest.mark.expects_log
def test_a_head_that_fails_is_left_out_and_the_answer_goes_on(
    oracle_served: tuple[Scheduler, OracleHead], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, head = oracle_served
    asked = request(speculation=HEAD)
    expected = plain(scheduler, asked)
    for method in ("extend", "propose"):
        with monkeypatch.context() as patched:
            patched.setattr(head, method, lambda *_: 1 / 0)
            scheduler.clear_prefix_cache()
            [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert "draft-failed" in client.reasons


@pytest.mark.parametrize("method", by_tier(["off", "ngram"], ["ngram"]))
def test_nothing_is_tapped_for_answers_that_do_not_use_the_head(
    oracle_served: tuple[Scheduler, OracleHead], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, _ = oracle_served
    source = scheduler.models.drafter
    monkeypatch.setattr(type(source.taps), "record", lambda _self: pytest.fail("tapped"))  # type: ignore[union-attr]
    [client] = run(scheduler, request(speculation=SpeculationSettings(method=method)))
    assert client.finished.stats.generated_tokens > 0


def test_a_head_is_asked_again_among_plain_rounds_that_are_pipelined(
    oracle_served: tuple[Scheduler, OracleHead],
) -> None:
    scheduler, head = oracle_served
    asked = request(speculation=SpeculationSettings(method="draft"), max_tokens=60)
    expected = teach(scheduler, head, asked)
    # The cost of a plain round has to be measured again.
    scheduler.models.forget_learned()
    [client] = run(scheduler, asked)

    assert client.finished.ids == expected.ids
    assert "measuring" in client.reasons
    assert "no-guess" not in client.reasons
    assert client.finished.stats.drafted > 0
