"""Forced accept and reject patterns on every family of both libraries, against plain decoding of the same tokens."""

from __future__ import annotations

import random

import pytest

from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.families import (
    EVERY_KIND,
    ONE_OF_A_KIND,
    REFUSED,
    SERVED,
    build,
    change_kinds,
    fresh_caches,
)
from tests.engine.speculation.forced_rounds import check_family
from tests.engine.tiers import by_tier

DEPTH = 5
PLAIN = (0, 0)
# (draft tokens, accepted): every length of accepted prefix for every depth.
PATTERNS = [(k, accepted) for k in range(DEPTH + 1) for accepted in range(k + 1)]
SHORT = [*((DEPTH, accepted) for accepted in range(DEPTH + 1)), (1, 0), (2, 1), (3, 3), *[PLAIN] * 6]


@pytest.mark.parametrize("name", by_tier(SERVED, ONE_OF_A_KIND))
def test_rejected_tokens_leave_every_cache_as_if_never_seen(name: str) -> None:
    """From empty caches, every length of accepted prefix with plain rounds between: 8-token windows wrap four times."""
    check_family(name, prompt=1, patterns=shuffled(SHORT, seed=1), seed=1)


# Kinds that have buffers of full attention, alone and beside others.
GROWING = ("llama:quantised", "deepseek_v32", "qwen3_next")


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(SERVED, GROWING))
def test_rejections_while_a_cache_grows_leave_no_trace(name: str) -> None:
    """Rounds around token 256, where full-attention caches allocate their second block."""
    check_family(name, prompt=246, patterns=[(5, 2), (4, 0), (5, 3), PLAIN, (3, 3), (5, 0), PLAIN], seed=2)


ONE_BY_ONE = ("llama:window", "mamba2")


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(EVERY_KIND, ONE_BY_ONE))
def test_tokens_that_a_draft_model_fed_one_by_one_leave_no_trace(name: str) -> None:
    """A transaction has several passes of one row, which a window's cache writes in place."""
    check_family(name, prompt=1, patterns=shuffled(SHORT, seed=3), seed=3, one_by_one=True)


@pytest.mark.parametrize("one_by_one", by_tier([False, True], [True]))
def test_more_draft_tokens_than_a_window_holds_leave_no_trace(one_by_one: bool) -> None:
    patterns = [(16, 0), (16, 9), PLAIN, (16, 3), (16, 16), PLAIN, (12, 7), (16, 8), PLAIN]
    check_family("llama:window", prompt=1, patterns=patterns, seed=4, one_by_one=one_by_one)


@pytest.mark.campaign
@pytest.mark.parametrize(("prompt", "seed"), [(1, 0), (7, 1), (9, 2), (40, 3), (240, 5)])
@pytest.mark.parametrize("name", SERVED)
def test_long_runs_leave_every_cache_as_if_never_seen(name: str, prompt: int, seed: int) -> None:
    check_family(name, prompt, shuffled([*PATTERNS * 2, *[PLAIN] * 20], seed), seed, one_by_one=seed % 2 == 1)


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(REFUSED, ("phi3small",)))
def test_a_verify_pass_of_a_refused_family_is_not_plain_decoding(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If this fails, its library has corrected the family, and it can be served."""
    assert CachedSequence(build(name), fresh_caches(name)).plain_only

    change_kinds(monkeypatch, width_dependent=frozenset())
    with pytest.raises(AssertionError, match=r"after \d+ tokens"):
        check_family(name, prompt=1, patterns=[(15, 15)] * 4, seed=1)


@pytest.mark.parametrize("name", by_tier(REFUSED, ("phi3small",)))
def test_a_refused_family_decodes_plainly(name: str) -> None:
    check_family(name, prompt=3, patterns=[PLAIN] * 12, seed=1)


def shuffled(patterns: list[tuple[int, int]], seed: int) -> list[tuple[int, int]]:
    return random.Random(seed).sample(patterns, len(patterns))
