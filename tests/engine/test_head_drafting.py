"""Heads in the whole engine: the text stays as it is, and the head is fed whatever becomes of the rounds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest

from engine import drafters
from engine.events import Finished
from engine.loading import load
from engine.requests import ChatRequest, SpeculationSettings
from engine.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.proposers.head import HeadProposer
from engine.speculation.sequence import PREFILL_CHUNK
from engine.speculation.sequence import Sequence as CachedSequence
from tests.engine.serving import PLAIN, alone, load_models, request, run, set_draft, submit
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.speculation.oracle_head import KeptRows, OracleHead
from tests.tiny_heads import OracleKind, write_head
from tests.tiny_models import QWEN3, write_model

HEAD = SpeculationSettings(method="draft", depth=3)


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    scheduler = Scheduler()
    yield scheduler
    scheduler.close()


@pytest.fixture
def oracle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OracleKind:
    """A kind of drafter more: one entry is all that the engine needs to know of it."""
    kind = OracleKind(tmp_path / "oracle")
    kind.folder.mkdir()
    (kind.folder / "config.json").write_text('{"model_type": "qwen3"}')
    monkeypatch.setattr(drafters, "KINDS", (kind.entry, *drafters.KINDS))
    return kind


@pytest.fixture
def served(scheduler: Scheduler, oracle: OracleKind, tiny_main: Path) -> tuple[Scheduler, OracleHead]:
    load_models(scheduler, tiny_main, oracle.folder)
    assert oracle.head is not None
    return scheduler, oracle.head


def plain(scheduler: Scheduler, asked: ChatRequest) -> Finished:
    return alone(scheduler, replace(asked, speculation=PLAIN))


def teach(scheduler: Scheduler, head: OracleHead, asked: ChatRequest) -> Finished:
    """The plain answer, which the head knows from now on."""
    finished = plain(scheduler, asked)
    head.answers = [*prompt_of(scheduler, asked), *finished.ids]
    return finished


def prompt_of(scheduler: Scheduler, asked: ChatRequest) -> list[int]:
    ids: list[int] = scheduler.models.main.tokenizer.apply_chat_template(
        list(asked.messages), add_generation_prompt=True, tokenize=True, return_dict=False
    )
    return ids


def kept(scheduler: Scheduler) -> Any:
    """The session of the latest conversation in the prefix cache."""
    session = scheduler.prefix_cache.latest.head
    assert session is not None
    return session


def assert_read_all(scheduler: Scheduler) -> None:
    """What the head has read in the last conversation is what one pass over the whole text gives."""
    conversation = scheduler.prefix_cache.latest
    session, tokens = kept(scheduler), conversation.main.tokens[: conversation.main.position]
    context = session.context
    assert isinstance(context, KeptRows)
    assert session.unread == 0
    assert context.tokens == tokens[context.start :]
    main = scheduler.models.main
    caches, rows = main.new_caches(), []
    for start in range(0, len(tokens), PREFILL_CHUNK):
        with session.taps.record() as outputs:
            mx.eval(main.model(mx.array([tokens[start : start + PREFILL_CHUNK]], mx.uint32), cache=caches))
        rows.append(mx.concatenate(outputs, axis=-1))
    expected = np.array(mx.concatenate(rows, axis=1)[0, context.start :])
    assert np.abs(np.array(context.rows[0]) - expected).max() <= 1e-3 * np.abs(expected).max()


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("acceptance", ["match", "rejection"])
def test_a_right_head_is_accepted_and_changes_nothing(
    served: tuple[Scheduler, OracleHead], temperature: float, acceptance: str
) -> None:
    scheduler, head = served
    speculation = replace(HEAD, acceptance=acceptance)
    asked = request(temperature=temperature, speculation=speculation)
    expected = teach(scheduler, head, asked)
    [client] = run(scheduler, asked)

    if temperature == 0.0 or acceptance == "match":
        assert client.finished.ids == expected.ids
        assert client.finished.text == expected.text
        assert client.finished.stats.accept_rate == 1.0
    assert client.finished.stats.drafted > 0
    assert {token.source for event in client.committed for token in event.tokens} >= {"main", "head"}
    assert_read_all(scheduler)


@pytest.mark.parametrize(
    "sampling",
    [
        {"temperature": 0.9, "top_p": 0.8, "top_k": 20, "min_p": 0.02},
        {"repetition_penalty": 1.3, "presence_penalty": 0.4, "frequency_penalty": 0.2},
        {"temperature": 0.7, "repetition_penalty": 1.2, "logit_bias": {7: 4.0, 9: -50.0}},
    ],
    ids=["truncated", "penalties", "penalties and bias"],
)
def test_every_sampling_setting_gives_the_plain_text(
    served: tuple[Scheduler, OracleHead], sampling: dict[str, Any]
) -> None:
    scheduler, head = served
    for right in (True, False):
        asked = request(max_tokens=24, speculation=HEAD, **sampling)
        expected = teach(scheduler, head, asked)
        if not right:
            head.answers = [(token + index % 3) % 90 for index, token in enumerate(head.answers)]
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
        assert_read_all(scheduler)


@pytest.mark.parametrize("family", ["qwen3", "gemma3_text", "qwen3_next", "llama:window"])
def test_families_of_every_kind_of_cache_answer_as_without(
    scheduler: Scheduler, oracle: OracleKind, tmp_path: Path, family: str
) -> None:
    config = QWEN3 if family == "qwen3" else {"model_type": family.split(":")[0], **FAMILIES[family]}
    main = write_model(tmp_path / "main", config=config)
    load_models(scheduler, main, oracle.folder)
    assert oracle.head is not None
    for temperature in (0.0, 0.8):
        asked = request(max_tokens=30, temperature=temperature, speculation=HEAD)
        expected = teach(scheduler, oracle.head, asked)
        # Right for a while, then wrong, then right again: partial acceptance in every place.
        oracle.head.answers = [(t + 1) % 90 if i % 5 == 0 else t for i, t in enumerate(oracle.head.answers)]
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert 0 < client.finished.stats.accepted < client.finished.stats.drafted
        assert_read_all(scheduler)


@pytest.mark.parametrize("layers", [("full_attention", "full_attention"), ("sliding_attention", "full_attention")])
def test_a_head_on_disk_drafts_and_leaves_the_text_as_it_is(
    scheduler: Scheduler, tiny_main: Path, tmp_path: Path, layers: tuple[str, ...]
) -> None:
    pair = load_models(scheduler, tiny_main, write_head(tmp_path / "head", tiny_main, layers=layers))
    assert pair.draft_problem is None
    assert pair.draft is not None
    assert (pair.draft.kind, pair.draft.architecture) == ("head", "dflash")
    for temperature in (0.0, 0.8):
        asked = request(temperature=temperature, speculation=replace(HEAD, depth=7))
        expected = plain(scheduler, asked)
        [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert client.finished.stats.drafted > 0
        assert client.finished.stats.draft == "head"


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


def test_the_next_turn_finds_what_the_head_has_read(served: tuple[Scheduler, OracleHead]) -> None:
    scheduler, _ = served
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


def test_an_edited_question_rewinds_the_head_too(served: tuple[Scheduler, OracleHead]) -> None:
    scheduler, _ = served
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
    oracle.head.answers = [*prompt_of(scheduler, asked), *expected.ids]
    while len(client.committed) < 16:
        scheduler.step()
    set_draft(scheduler, None)
    while scheduler.busy:
        scheduler.step()

    assert client.finished.ids == expected.ids
    assert client.finished.stats.accepted > 0
    assert "no-draft" in client.reasons


def test_answers_that_join_and_leave_a_batch_leave_the_head_informed(
    served: tuple[Scheduler, OracleHead], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, _ = served
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
    assert "batch" in first.reasons
    assert first.finished.stats.drafted > 0
    assert kept(scheduler).start == 0
    assert_read_all(scheduler)


@pytest.mark.parametrize("end", ["cancel", "stop string"])
def test_however_an_answer_ends_the_head_keeps_what_was_committed(
    served: tuple[Scheduler, OracleHead], end: str
) -> None:
    scheduler, head = served
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


def test_quantised_mains_get_small_blocks_until_wider_passes_were_measured(
    scheduler: Scheduler, oracle: OracleKind, tiny_main: Path
) -> None:
    main = load(tiny_main)
    scheduler.install(replace(main, config={**main.config, "quantization": {"bits": 4}}), None)
    set_draft(scheduler, oracle.folder)
    assert oracle.head is not None
    asked = request(speculation=SpeculationSettings(method="draft"), max_tokens=100)
    teach(scheduler, oracle.head, asked)
    [client] = run(scheduler, asked)
    assert 0 < max(event.round.drafted for event in client.committed) <= 4

    scheduler.calibrate()
    scheduler.clear_prefix_cache()
    [measured] = run(scheduler, asked)
    assert max(event.round.drafted for event in measured.committed) > 4


@pytest.mark.expects_log
def test_a_head_that_fails_is_left_out_and_the_answer_goes_on(
    served: tuple[Scheduler, OracleHead], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, head = served
    asked = request(speculation=HEAD)
    expected = plain(scheduler, asked)
    for method in ("extend", "propose"):
        with monkeypatch.context() as patched:
            patched.setattr(head, method, lambda *_: 1 / 0)
            scheduler.clear_prefix_cache()
            [client] = run(scheduler, asked)
        assert client.finished.ids == expected.ids
        assert "draft-failed" in client.reasons


@pytest.mark.parametrize("method", ["off", "ngram"])
def test_nothing_is_tapped_for_answers_that_do_not_use_the_head(
    served: tuple[Scheduler, OracleHead], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, _ = served
    source = scheduler.models.drafter
    monkeypatch.setattr(type(source.taps), "record", lambda _self: pytest.fail("tapped"))  # type: ignore[union-attr]
    [client] = run(scheduler, request(speculation=SpeculationSettings(method=method)))
    assert client.finished.stats.generated_tokens > 0


def test_confidence_ends_a_proposal_early(served: tuple[Scheduler, OracleHead]) -> None:
    scheduler, head = served
    asked = request(speculation=SpeculationSettings(method="draft"), max_tokens=120)
    expected = teach(scheduler, head, asked)
    head.confidence = [0.9, 0.9, 0.1, 0.9] * 4
    scheduler.calibrate()
    [client] = run(scheduler, asked)

    assert client.finished.ids == expected.ids
    drafted = {event.round.drafted for event in client.committed}
    assert max(drafted) == 3


def test_a_head_that_sees_too_little_has_the_text_read_again(
    served: tuple[Scheduler, OracleHead], monkeypatch: pytest.MonkeyPatch
) -> None:
    scheduler, _ = served
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
