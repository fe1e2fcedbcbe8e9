"""The log-probabilities of a prompt's tokens are those that mlx-lm computes directly, within bounds of memory."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import pytest

from engine.decoders import prompt_tokens
from engine.errors import BadRequest
from engine.events import PrefillProgress, PromptToken
from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from tests.engine.endurance.counting_model import CountingModel
from tests.engine.serving_requests import Client, run
from tests.engine.tiers import by_tier

PROMPTS = ["The quick brown fox jumps over the lazy dog. " * 3, "A naïve café 안녕 🙂", "The"]


@pytest.fixture(params=by_tier([0, 1], [1]))
def main(request: pytest.FixtureRequest, starter: tuple[LoadedModel, LoadedModel], scheduler: Scheduler) -> LoadedModel:
    """The starter's main model in a scheduler, without or with its draft model."""
    scheduler.changes.install(starter[0], starter[1] if request.param else None)
    return starter[0]


@pytest.fixture
def small_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passes of nine tokens, of which two are normalised at once."""
    monkeypatch.setattr(prompt_tokens, "_PASS_BYTES", 9 * 2 * 4096)
    monkeypatch.setattr(prompt_tokens, "_PIECE_BYTES", 2 * 4 * 4096)


def scored(client: Client) -> list[PromptToken]:
    return [token for event in client.events if isinstance(event, PrefillProgress) for token in event.read]


def expected(main: LoadedModel, ids: list[int]) -> mx.array:
    """The log-probabilities (tokens - 1, vocabulary) in the places of all tokens but the first."""
    logits = main.model(mx.array([ids]))[0, :-1, : main.vocabulary].astype(mx.float32)
    return logits - mx.logsumexp(logits, axis=-1, keepdims=True)


@pytest.mark.full
@pytest.mark.usefixtures("small_passes")
def test_all_prompts_at_once_are_scored_as_mlx_lm_would(scheduler: Scheduler, main: LoadedModel) -> None:
    requests = [ChatRequest(prompt=text, prompt_logprobs=True, max_tokens=0, alternatives=3) for text in PROMPTS]
    for text, client in zip(PROMPTS, run(scheduler, *requests), strict=True):
        tokens, ids = scored(client), main.tokenizer.encode(text)
        assert [token.id for token in tokens] == ids
        assert "".join(token.text for token in tokens) == text
        assert (client.finished.reason, client.finished.text, client.finished.ids) == ("length", "", ())
        first, *others = tokens
        assert (first.logprob, first.alternatives) == (None, ())
        for token, row in zip(others, expected(main, ids) if others else (), strict=True):
            assert token.logprob == pytest.approx(row[token.id].item(), abs=0.05)
            assert [one.logprob for one in token.alternatives] == pytest.approx(mx.sort(row)[:-4:-1].tolist(), abs=0.05)


@pytest.mark.full
def test_an_answer_follows_a_scored_prompt_as_any_other(scheduler: Scheduler, main: LoadedModel) -> None:
    asked = {"prompt": PROMPTS[0], "max_tokens": 8}
    [client, plain] = run(scheduler, ChatRequest(**asked, prompt_logprobs=True), ChatRequest(**asked))  # type: ignore[arg-type]
    assert client.finished.ids == plain.finished.ids
    assert len(scored(client)) == len(main.tokenizer.encode(PROMPTS[0]))
    assert not scored(plain)


@pytest.mark.usefixtures("small_passes")
def test_no_pass_has_more_logits_than_the_bound_and_nothing_is_kept(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = CountingModel(pair[0].model)
    monkeypatch.setattr(prompt_tokens, "_PASS_BYTES", 9 * 2 * pair[0].vocabulary)
    scheduler.changes.install(replace(pair[0], model=model), None)
    for _ in range(2):
        [client] = run(scheduler, ChatRequest(prompt=list(range(3, 43)), prompt_logprobs=True, max_tokens=0))
        assert client.finished.stats.cached_tokens == 0
        assert [token.id for token in scored(client)] == list(range(3, 43))
    assert max(width for _, width in model.passes) == 9
    assert scheduler.prefix_cache.bytes == 0


def test_only_prompts_can_be_scored() -> None:
    with pytest.raises(BadRequest):
        ChatRequest([{"role": "user", "content": "Hello"}], prompt_logprobs=True)
