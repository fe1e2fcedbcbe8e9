from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import RotatingKVCache

from engine.files.steps import run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.speculation.rounds.compiled_steps import CompiledSteps, compiled_steps, reserve
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.tiers import by_tier


@pytest.fixture(scope="module")
def loaded(tiny_main: Path) -> LoadedModel:
    return load(tiny_main)


@pytest.fixture
def steps(loaded: LoadedModel) -> CompiledSteps:
    found = run_to_completion(compiled_steps(loaded))
    assert found is not None
    return found


def sequence(loaded: LoadedModel, tokens: list[int], steps: CompiledSteps | None = None) -> CachedSequence:
    made = CachedSequence(loaded.model, loaded.new_caches())
    made.append(tokens)
    made.prefill(len(tokens))
    made.steps = steps
    return made


def drafts(made: CachedSequence, count: int) -> list[int]:
    """Greedy draft tokens, fed one by one and then all rolled back but the first."""
    logits = made.verify()
    made.commit(0, [])
    made.open_drafts(count - 1)
    drafted = [mx.argmax(logits, axis=-1)]
    while len(drafted) < count:
        drafted.append(mx.argmax(made.draft(drafted[-1]), axis=-1))
    ids: list[int] = mx.concatenate(drafted).tolist()  # type: ignore[assignment]
    made.commit(1, [*ids[:1], 7])
    return ids


@pytest.mark.full
@pytest.mark.parametrize("length", by_tier([3, 250, 255, 256, 257], (3, 255)))
def test_compiled_steps_draft_what_the_model_drafts(loaded: LoadedModel, steps: CompiledSteps, length: int) -> None:
    text = [(7 * index) % loaded.vocabulary for index in range(length)]
    plain, compiled = sequence(loaded, text), sequence(loaded, text, steps)
    for _ in range(3):
        assert drafts(compiled, 5) == drafts(plain, 5)
        assert (compiled.position, compiled.tokens) == (plain.position, plain.tokens)


def test_rows_behind_the_position_are_never_seen(loaded: LoadedModel, steps: CompiledSteps) -> None:
    text = [5, 6, 7, 8]
    clean, dirty = sequence(loaded, text, steps), sequence(loaded, text, steps)
    drafts(dirty, 6)
    dirty.rewind(len(text))
    for cache in dirty.caches:
        cache.keys[..., cache.offset :, :] = 1e4
        cache.values[..., cache.offset :, :] = 1e4
    dirty.tokens = list(text)
    dirty.rewind(len(text) - 1)
    dirty.append([8])
    clean.rewind(len(text) - 1)
    clean.append([8])
    assert mx.allclose(clean.verify(), dirty.verify())


def test_a_copy_of_the_caches_keeps_its_contents(loaded: LoadedModel, steps: CompiledSteps) -> None:
    original = sequence(loaded, [5, 6, 7, 8], steps)
    twin = original.fork()
    assert twin is not None
    before = [mx.array(cache.keys[..., : cache.offset, :]) for cache in twin.caches]
    mx.eval(before)
    drafts(original, 6)
    after = [cache.keys[..., : cache.offset, :] for cache in twin.caches]
    assert all(mx.array_equal(one, other) for one, other in zip(before, after, strict=True))


@pytest.mark.parametrize(
    ("held", "offset", "rows", "size"), [(256, 255, 1, 256), (256, 255, 2, 512), (316, 60, 1, 512)]
)
def test_buffers_come_in_few_sizes(loaded: LoadedModel, held: int, offset: int, rows: int, size: int) -> None:
    cache = loaded.new_caches()[0]
    cache.keys = cache.values = mx.zeros((1, 2, held, 16))
    cache.offset = offset
    reserve(cache, rows)
    assert cache.keys.shape[2] == cache.values.shape[2] == size


class Counting:
    """A model that uses its position as a number."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.layers = model.layers

    def __call__(self, rows: mx.array, cache: Any) -> mx.array:
        range(cache[0].offset)
        logits: mx.array = self._model(rows, cache=cache)
        return logits


class Windowed(Counting):
    """A model with sliding windows."""

    def make_cache(self) -> list[RotatingKVCache]:
        return [RotatingKVCache(64) for _ in self.layers]


class Forgetful(Counting):
    """A model that computes other logits if its position is an array."""

    def __call__(self, rows: mx.array, cache: Any) -> mx.array:
        logits: mx.array = self._model(rows, cache=cache)
        return logits if isinstance(cache[0].offset, int) else -logits


@pytest.fixture
def traced() -> Iterator[None]:
    """Enable compilation: outside of a trace an array can be used as a number, and without a compiler there is none."""
    if sys.platform == "linux" and shutil.which("g++") is None:
        pytest.skip("needs a C++ compiler (g++)")
    mx.enable_compile()
    yield
    mx.disable_compile()


@pytest.mark.usefixtures("traced")
@pytest.mark.parametrize("kind", by_tier([Counting, Forgetful, Windowed], [Counting]))
def test_a_model_that_cannot_be_traced_is_left_as_it_is(loaded: LoadedModel, kind: type[Counting]) -> None:
    other: Any = kind(loaded.model)
    assert (
        run_to_completion(
            compiled_steps(LoadedModel(loaded.info, other, loaded.tokenizer, loaded.vocabulary, frozenset()))
        )
        is None
    )
