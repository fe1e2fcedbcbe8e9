"""Losslessness with unknown tokens, alternatives, changes of the method and cancellation."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise, product
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import BadRequest
from engine.events import Failed
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.lossless.faulty_model import FaultyModel
from tests.engine.serving_requests import Client, ask, ids, request, run, submit
from tests.engine.tiers import by_tier
from tests.tiny_models import write_model


def load_with_fewer_rows(folder: Path) -> LoadedModel:
    """Remove the rows of the tokenizer's last tokens from the model in `folder`, and load it."""
    weights = mx.load(str(folder / "model.safetensors"))
    config = json.loads((folder / "config.json").read_text())
    rows = config["vocab_size"] - 20
    for name in [name for name in weights if name.startswith(("model.embed_tokens.", "lm_head."))]:
        weights[name] = weights[name][:rows]
    mx.save_safetensors(str(folder / "model.safetensors"), weights, metadata={"format": "mlx"})
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": rows}))
    return load(folder)


@pytest.mark.parametrize(
    "speculation", [pytest.param({"method": "off"}, marks=pytest.mark.full), {"method": "draft", "depth": 3}]
)
def test_a_token_that_only_the_tokenizer_has_is_refused_before_prefill(
    scheduler: Scheduler, tmp_path: Path, speculation: dict[str, Any]
) -> None:
    # Reading past the last row of the embedding would read foreign memory.
    model = load_with_fewer_rows(write_model(tmp_path / "model"))
    rows = model.rows
    assert rows is not None
    assert rows < model.vocabulary
    scheduler.changes.install(model, model)
    known, unknown = (model.tokenizer.decode([token]) for token in (rows - 1, rows))
    [refused] = run(scheduler, request(unknown, speculation=SpeculationSettings(**speculation)))
    assert isinstance(refused.last, Failed)
    assert isinstance(refused.last.error, BadRequest)
    [served] = run(scheduler, request(known, speculation=SpeculationSettings(**speculation), max_tokens=4))
    assert max(served.finished.ids) < rows


@pytest.mark.full
def test_a_draft_is_never_fed_a_token_that_it_has_no_row_for(
    scheduler: Scheduler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A replayed pass would not call the watched model, so nothing is compiled.
    monkeypatch.setattr("engine.speculation.drafters.sources.compiled_steps", lambda _: iter(()))
    folder = write_model(tmp_path / "model")
    main = load(folder)
    draft = load_with_fewer_rows(Path(shutil.copytree(folder, tmp_path / "draft")))
    assert draft.rows is not None
    fed: list[int] = []

    class Watched(FaultyModel):
        def __call__(self, tokens: mx.array, cache: Any) -> mx.array:
            fed.append(int(tokens.max().item()))
            return super().__call__(tokens, cache)

    unknown = main.tokenizer.decode([draft.rows])
    scheduler.changes.install(main, None)
    [expected] = run(scheduler, request(unknown, logit_bias={draft.rows: 8.0}))
    scheduler.changes.install(main, replace(draft, model=Watched(draft.model)))
    [client] = run(scheduler, request(unknown, logit_bias={draft.rows: 8.0}))
    assert client.finished.ids == expected.finished.ids
    assert draft.rows in client.finished.ids
    assert 0 < max(fed) < draft.rows


@pytest.mark.parametrize(("temperature", "others"), by_tier(product((0.0, 0.9), (0, 2)), [(0.0, 2)]))
def test_an_answer_under_way_changes_its_method_at_its_next_round(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel], temperature: float, others: int
) -> None:
    scheduler.changes.install(*pair)
    off = SpeculationSettings(method="off")
    asked = partial(request, max_tokens=40, temperature=temperature, speculation=off)
    [plain] = run(scheduler, asked())
    client = submit(scheduler, asked())
    for number in range(others):
        submit(scheduler, request(f"jumps over {number}", max_tokens=60))
    changes = [
        (4, SpeculationSettings(method="draft", depth=3, sample_share=0.0)),
        (12, SpeculationSettings(method="draft", depth=1, sample_share=0.0)),
        (18, off),
        (24, SpeculationSettings(method="draft", depth=4, sample_share=0.0)),
    ]
    while scheduler.busy:
        tokens = sum(len(event.tokens) for event in client.committed)
        for first, settings in changes:
            if tokens >= first:
                client.stream.speculate(settings)
        scheduler.step()
    assert client.finished.ids == plain.finished.ids
    depths = [event.round.drafted for event in client.committed]
    ends = list(accumulate(event.round.committed for event in client.committed))
    # A round that has begun is not changed any more.
    for (first, settings), (last, _) in pairwise([(1, off), *[(at + 5, chosen) for at, chosen in changes], (40, off)]):
        within = [depth for depth, end in zip(depths, ends, strict=True) if first <= end <= min(last - 5, 36)]
        assert all(depth <= (settings.depth or 0) for depth in within), (settings, within)
    assert {0, 1} < set(depths)


@pytest.mark.full
def test_each_of_several_answers_has_as_many_alternatives_as_it_asked_for(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel]
) -> None:
    scheduler.changes.install(*pair)
    asked = partial(request, max_tokens=16, temperature=0.9, top_p=0.7, alternatives=4)
    [plain] = run(scheduler, asked(speculation=SpeculationSettings(method="off")))
    together = run(scheduler, asked(), asked("jumps over", alternatives=0), asked(seed=6, alternatives=2))
    expected = tops(plain)
    assert [len(top) for top in expected] == [4] * len(plain.finished.ids)
    assert together[0].finished.ids == plain.finished.ids
    for alternatives, top in zip(tops(together[0]), expected, strict=True):
        # Rounding may exchange two of the likeliest that are nearly equal.
        assert sorted(alternatives.values()) == pytest.approx(sorted(top.values()), abs=1e-3)
        assert all(
            alternatives[token] == pytest.approx(top[token], abs=1e-3) for token in alternatives.keys() & top.keys()
        )
    assert not any(top for top in tops(together[1]))
    assert {len(top) for top in tops(together[2])} == {2}


def tops(client: Client) -> list[dict[int, float]]:
    """Return the alternatives of each token of an answer; asserts their order and the token's own log-probability."""
    found = []
    for token in (token for event in client.committed for token in event.tokens):
        values = [other.logprob for other in token.alternatives]
        assert values == sorted(values, reverse=True)
        own = [other.logprob for other in token.alternatives if other.id == token.id]
        assert own in ([], [pytest.approx(token.logprob, abs=1e-5)])
        found.append({other.id: other.logprob for other in token.alternatives})
    return found


def test_cancelling_after_any_number_of_rounds_leaves_caches_that_the_next_answer_can_use(
    scheduler: Scheduler, pair: tuple[LoadedModel, LoadedModel]
) -> None:
    scheduler.changes.install(*pair)
    expected = ids(ask(scheduler, max_tokens=24, method="off"))
    for rounds in (0, 1, 3):
        client = submit(scheduler, request(speculation=SpeculationSettings(method="draft", depth=3), seed=9))
        while scheduler.busy:
            if len(client.committed) == rounds:
                client.stream.cancel()
            scheduler.step()
        assert expected[: len(client.finished.ids)] == client.finished.ids
        assert ids(ask(scheduler, max_tokens=24, method="draft", depth=3)) == expected
