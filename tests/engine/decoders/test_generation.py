"""An answer from prompt to last token: the same text with every method, exact limits, consistent figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Engine, Failed, PrefillProgress, RequestStats, TokensCommitted
from engine.errors import PromptTooLong
from engine.events import Finished
from engine.requests import MAX_DRAFTED, ChatRequest
from tests.engine.serving_requests import ask, finished
from tests.patience import PATIENCE_S


@pytest.mark.full
def test_the_deepest_round_can_be_fixed(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, method="draft", depth=MAX_DRAFTED, max_tokens=MAX_DRAFTED + 8)
    drafted = [event.round.drafted for event in events if isinstance(event, TokensCommitted)]
    assert max(drafted) == MAX_DRAFTED


def test_joined_deltas_are_the_final_text(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, method="draft", depth=4, temperature=0.9)
    committed = [event for event in events if isinstance(event, TokensCommitted)]
    last = finished(events)
    assert "".join(event.text for event in committed) == last.text
    assert [token.id for event in committed for token in event.tokens] == list(last.ids)
    for event in committed:
        # Accepted draft tokens come first, then the main model's own token.
        accepted = event.round.accepted
        sources = [token.source for token in event.tokens]
        assert sources == ["draft"] * accepted + ["main"] * (len(sources) - accepted)


@pytest.mark.first
def test_figures_follow_from_the_rounds(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, method="draft", depth=4)
    rounds = [event.round for event in events if isinstance(event, TokensCommitted)]
    stats = finished(events).stats
    assert stats.rounds == len(rounds)
    assert stats.drafted == sum(record.drafted for record in rounds)
    assert stats.accepted == sum(record.accepted for record in rounds)
    assert stats.generated_tokens == sum(record.committed for record in rounds) == 60
    assert stats.accept_rate == stats.accepted / stats.drafted
    assert stats.accept_by_position[0] == (
        sum(record.drafted > 0 for record in rounds),
        sum(record.accepted > 0 for record in rounds),
    )
    assert set(stats.sources) == {record.source for record in rounds if record.drafted}
    assert stats.draft == "draft"
    assert stats.ttft_s is not None


@pytest.mark.full
def test_the_draft_model_prefills_the_prompt_only_when_it_drafts(tiny_main: Path, tiny_draft: Path) -> None:
    with Engine() as engine:
        engine.load(tiny_main, tiny_draft).result(timeout=PATIENCE_S)
        assert finished(ask(engine, method="off")).stats.draft_prefill_tokens == 0
        stats = finished(ask(engine, method="draft", depth=2, sample_share=0.0)).stats
        assert stats.draft_prefill_tokens == stats.prompt_tokens


def test_plain_spans_say_why(engine_with_pair: Engine) -> None:
    off = finished(ask(engine_with_pair, method="off", max_tokens=8)).stats
    assert [(span.tokens, span.reason) for span in off.plain_spans] == [(1, "first-token"), (7, "off")]
    fixed = finished(ask(engine_with_pair, method="draft", depth=4, max_tokens=8)).stats
    assert fixed.plain_spans[0].reason == "first-token"


@pytest.mark.first
def test_max_tokens_is_exact_inside_a_round(engine_with_pair: Engine) -> None:
    for limit in (1, 2, 3, 6, 7, 11):
        last = finished(ask(engine_with_pair, method="draft", depth=4, max_tokens=limit))
        assert (len(last.ids), last.reason) == (limit, "length")


def test_a_stop_string_cuts_the_text_exactly(engine_with_pair: Engine) -> None:
    whole = finished(ask(engine_with_pair, method="off")).text
    stop = whole[10:13]
    for depth in (0, 1, 4, 8):
        last = finished(ask(engine_with_pair, method="draft", depth=depth, stop=(stop,)))
        assert last.reason == "stop"
        assert last.text == whole[: whole.index(stop)]


def test_a_prompt_longer_than_the_context_is_refused_with_the_count(engine_with_pair: Engine) -> None:
    [failed] = ask(engine_with_pair, messages=[{"role": "user", "content": "fox " * 600}])
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, PromptTooLong)
    assert failed.error.arguments["limit"] == 512
    assert finished(ask(engine_with_pair, max_tokens=2)).ids


@pytest.mark.full
def test_the_answer_ends_where_the_context_does(engine_with_pair: Engine) -> None:
    long = [{"role": "user", "content": "lazy dog " * 225}]
    events = ask(engine_with_pair, messages=long, max_tokens=5000, method="draft", depth=6)
    last = finished(events)
    assert last.reason in ("length", "stop")
    assert last.stats.prompt_tokens > 450
    assert last.stats.prompt_tokens + len(last.ids) <= 512


def test_prefill_progress_ends_at_the_last_prompt_token_but_one(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, messages=[{"role": "user", "content": "lazy dog " * 30}], max_tokens=1)
    progress = [event for event in events if isinstance(event, PrefillProgress)]
    assert progress[-1].done == progress[-1].total - 1


def test_stats_keys_are_those_of_the_contract() -> None:
    expected = {
        "prompt_tokens", "cached_tokens", "draft_prefill_tokens", "generated_tokens", "rounds", "drafted", "accepted",
        "accept_rate", "accept_by_position", "tokens_per_round", "ttft_s", "decode_tps", "plain_tps", "speedup",
        "draft_s", "verify_s", "host_s", "plain_spans",
    }  # fmt: skip
    assert expected <= set(RequestStats.__slots__)


def test_the_figures_tell_which_thoughts_the_prompt_opened(engine_with_pair: Engine) -> None:
    for prompt, opening in (("the fox <think>\n", "<think>\n"), ("the quick fox", "")):
        events = list(engine_with_pair.submit(ChatRequest((), prompt=prompt, max_tokens=4)))
        assert [event.stats.opening for event in events[-2:] if not isinstance(event, PrefillProgress)] == [opening] * 2


def test_the_figures_tell_which_thoughts_a_message_opened(engine_with_pair: Engine) -> None:
    for text, opening in (("<think>\nthe quick", "<think>"), ("<think>the</think> quick", ""), ("the quick", "")):
        turns = ({"role": "user", "content": "the fox"}, {"role": "assistant", "content": text})
        events = list(engine_with_pair.submit(ChatRequest(turns, max_tokens=4)))
        assert isinstance(events[-1], Finished)
        assert events[-1].stats.opening == opening


@pytest.mark.full
def test_a_round_tells_the_words_that_were_rejected(engine_with_pair: Engine) -> None:
    events = ask(engine_with_pair, method="draft", depth=3)
    rounds = [(event.round, event.tokens) for event in events if isinstance(event, TokensCommitted)]
    assert {bool(record.rejected) for record, _ in rounds} == {True, False}
    for record, tokens in rounds:
        assert bool(record.rejected) == (record.drafted > record.accepted)
        # The main model's own token differs.
        assert not record.rejected or not record.rejected.startswith(tokens[record.accepted].text or "\0")
