"""Embeddings are pooled as an embedding model's folder says, and token ids of another tokenizer are refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine.errors import BadRequest
from engine.events import Failed
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from tests.engine.serving_requests import run
from tests.engine.tiers import by_tier
from tests.tiny_models import FLOAT32, QWEN3, write_model

TEXT = "The quick brown fox jumps over the lazy dog. " * 5


def pooled(folder: Path, **modes: bool) -> Path:
    """Write the pooling of an embedding model into a folder."""
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 64, **modes}))
    return folder


# How a folder says it, and the row of the states that it means.
POOLINGS = [
    ("", "mean"),
    ("pooling_mode_mean_tokens", "mean"),
    ("pooling_mode_lasttoken", -1),
    ("pooling_mode_cls_token", 0),
]


@pytest.mark.parametrize(
    ("mode", "row"),
    by_tier(POOLINGS, [("", "mean"), ("pooling_mode_lasttoken", -1)]),
)
def test_the_vector_is_that_of_the_models_own_pooling(
    scheduler: Scheduler, starter: tuple[LoadedModel, LoadedModel], tmp_path: Path, mode: str, row: str | int
) -> None:
    main, _ = starter
    folder = pooled(tmp_path, **{mode: True}) if mode else tmp_path
    scheduler.changes.install(replace(main, info=replace(main.info, path=folder)), None)
    [client] = run(scheduler, ChatRequest(prompt=TEXT, max_tokens=0, embedding=True))
    states = main.model.model(mx.array([main.tokenizer.encode(TEXT)]))[0].astype(mx.float32)
    expected = states.mean(axis=0) if row == "mean" else states[row]
    # Passes of other widths round otherwise.
    similarity = mx.inner(mx.array(client.finished.embedding), expected / mx.linalg.norm(expected)).item()
    assert similarity == pytest.approx(1, abs=2e-3)


def test_a_pooling_that_is_not_known_is_refused(
    scheduler: Scheduler, starter: tuple[LoadedModel, LoadedModel], tmp_path: Path
) -> None:
    folder = pooled(tmp_path, pooling_mode_weightedmean_tokens=True)
    scheduler.changes.install(replace(starter[0], info=replace(starter[0].info, path=folder)), None)
    [client] = run(scheduler, ChatRequest(prompt=TEXT, max_tokens=0, embedding=True))
    [failed] = [event for event in client.events if isinstance(event, Failed)]
    assert isinstance(failed.error, BadRequest)


def test_token_ids_of_another_tokenizer_are_refused(
    scheduler: Scheduler, starter: tuple[LoadedModel, LoadedModel]
) -> None:
    main, _ = starter
    scheduler.changes.install(main, None)
    own = main.tokenizer.encode(TEXT)
    # A part of a longer text, which begins within a word, is this tokenizer's still.
    for ids in (own, own[3:40], own[:1]):
        [client] = run(scheduler, ChatRequest(prompt=ids, max_tokens=0, embedding=True))
        assert client.finished.embedding
    shifted = [(token * 7 + 11) % (main.vocabulary - 8) for token in own[:40]]
    [client] = run(scheduler, ChatRequest(prompt=shifted, max_tokens=0, embedding=True))
    [failed] = [event for event in client.events if isinstance(event, Failed)]
    assert "tokenizer" in str(failed.error.arguments["expected"])


@pytest.mark.parametrize("tied", [True, False])
def test_a_decoder_published_without_its_output_layer_embeds_as_the_whole_one(tmp_path: Path, tied: bool) -> None:
    whole = write_model(tmp_path / "whole", config={**QWEN3, "tie_word_embeddings": tied}, stored=FLOAT32)
    weights: Any = mx.load(str(whole / "model.safetensors"))
    published = Path(shutil.copytree(whole, tmp_path / "published"))
    inner = {name.removeprefix("model."): array for name, array in weights.items() if not name.startswith("lm_head.")}
    mx.save_safetensors(str(published / "model.safetensors"), inner)
    vectors = []
    for folder in (whole, published):
        pooled(folder, pooling_mode_lasttoken=True)
        scheduler = Scheduler()
        scheduler.changes.install(load(folder), None)
        [client] = run(scheduler, ChatRequest(prompt=TEXT, max_tokens=0, embedding=True))
        vectors.append(client.finished.embedding)
        scheduler.close()
    assert vectors[0] == vectors[1]
    assert any(vectors[0])
