"""Several texts in one pass: each row computes what its text does alone, whatever happens to the others."""

from __future__ import annotations

import pytest

from engine.speculation.caches import cache_kinds, row_layout
from engine.speculation.caches.cache_kinds import KINDS
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import rows_obstacle
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import KINDS_WITH_ROWS, SERVED, build, fresh_caches, kinds_of, skip_without_rows
from tests.engine.speculation.forced_batches import PROMPTS, ForcedTexts, check_family
from tests.engine.speculation.plain_decoding import decode_plainly
from tests.engine.tiers import by_tier

# Families whose caches would be rows in another family.
UNFIT = sorted(cache_kinds.NEVER_BATCHED.union(*(kind.reads_padding for kind in KINDS.values())))


# Those that have one kind of cache only.
EACH_KIND = ("llama", "llama:quantised", "llama:window", "deepseek_v32", "mamba2")


@pytest.mark.parametrize("name", by_tier([*KINDS_WITH_ROWS, "qwen3_5", "gpt2", "gemma3_text", "gpt_oss"], EACH_KIND))
def test_every_row_is_what_it_is_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Buffers grow by 8 slots, so that windows of 8 move their rows many times."""
    monkeypatch.setattr(row_layout, "GROWTH_SLOTS", 8)
    check_family(name, seed=1, rounds=7)


@pytest.mark.campaign
@pytest.mark.parametrize("step", [4, 256])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", SERVED)
def test_every_row_of_every_family_is_what_it_is_alone(
    name: str, seed: int, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_layout, "GROWTH_SLOTS", step)
    skip_without_rows(name)
    check_family(name, seed, rounds=24)


def test_every_kind_with_rows_is_held_here() -> None:
    assert kinds_of(KINDS_WITH_ROWS) == {name for name, kind in KINDS.items() if kind.rows is not None}


@pytest.mark.full
@pytest.mark.parametrize("name", UNFIT)
def test_a_family_that_cannot_has_a_reason(name: str) -> None:
    """If this fails, mlx-lm has corrected the family, and it can be served."""
    assert str(rows_obstacle(CachedSequence(build(name), fresh_caches(name)))).endswith(f" of {name}")
    with pytest.raises((AssertionError, ValueError)):
        check_family(name, seed=1, rounds=9)


@pytest.mark.full
@pytest.mark.parametrize(
    "name", by_tier(["llama", "llama:window", "llama:quantised", "qwen3_next"], ["llama:window", "qwen3_next"])
)
def test_caches_that_leave_a_batch_are_those_of_plain_decoding(name: str) -> None:
    texts = ForcedTexts(name, 3, max(PROMPTS) + 20)
    for sequence in texts.sequences:
        texts.batch.join(sequence)
    for patterns in ([(4, 2), (1, 0), (0, 0)], [(0, 0), (3, 3), (2, 1)], [(2, 2), (1, 1), (4, 0)]):
        texts.round(patterns)
    for index, sequence in enumerate(texts.sequences):
        texts.batch.leave(sequence)
        while sequence.prefill(64):
            pass
        _, plain = decode_plainly(name, sequence.tokens, PROMPTS[index])
        for cache, expected in zip(sequence.caches, plain, strict=True):
            assert largest_difference(cache, expected) <= texts.tolerance
