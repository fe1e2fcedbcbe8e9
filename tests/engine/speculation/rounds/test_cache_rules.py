"""Which rule serves which cache, and what the rules share: copies, and walking nested caches."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import pytest
from mlx_lm.models.cache import (
    ArraysCache,
    CacheList,
    ChunkedKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
)

from engine.speculation.rounds.cache_kinds import rules_for
from engine.speculation.rounds.cache_rules import UnknownCacheKind, copies, flatten, leaves


def rows(count: int) -> mx.array:
    return mx.arange(count * 4.0).reshape(1, 1, count, 4)


def filled(cache: Any, count: int) -> Any:
    cache.update_and_fetch(rows(count), rows(count))
    return cache


class Subclass(KVCache):  # type: ignore[misc]
    """Might have changed anything."""


@pytest.mark.parametrize(
    ("cache", "restores_only", "cuts_anywhere"),
    [
        (KVCache(), False, True),
        (QuantizedKVCache(), False, True),
        (ChunkedKVCache(8), False, False),
        (RotatingKVCache(8), False, False),
        (ArraysCache(2), True, False),
    ],
)
def test_every_kind_of_cache_has_its_rule(cache: Any, restores_only: bool, cuts_anywhere: bool) -> None:
    [rule] = rules_for([cache])
    assert (rule.cache, rule.restores_only, rule.cuts_anywhere) == (cache, restores_only, cuts_anywhere)


@pytest.mark.parametrize(
    ("cache", "kind"), [(Subclass(), "Subclass"), (RotatingKVCache(8, keep=2), "RotatingKVCache with keep")]
)
def test_a_cache_without_a_rule_is_refused_by_name(cache: Any, kind: str) -> None:
    with pytest.raises(UnknownCacheKind) as caught:
        rules_for([KVCache(), cache])
    assert caught.value.kind == kind


def test_nested_caches_have_a_rule_each() -> None:
    first, second, third = KVCache(), ArraysCache(1), KVCache()
    nested = [CacheList(first, CacheList(second)), third]
    assert [rule.cache for rule in rules_for(nested)] == list(flatten(nested)) == [first, second, third]


@pytest.mark.parametrize("cache", [KVCache(), ChunkedKVCache(8), RotatingKVCache(8)])
def test_a_cut_leaves_the_rows_before_it(cache: Any) -> None:
    [rule] = rules_for([filled(cache, 6)])
    assert rule.position == 6
    assert rule.holds(4)
    rule.cut(4)
    assert rule.position == 4
    keys, _ = cache.update_and_fetch(rows(1), rows(1))
    assert keys[..., :4, :].tolist() == rows(4).tolist()


@pytest.mark.parametrize("cache", [KVCache(), ChunkedKVCache(8), RotatingKVCache(8)])
def test_a_layer_that_the_model_never_used_stays_unused(cache: Any) -> None:
    [rule] = rules_for([cache])
    assert rule.position is None
    rule.begin(3)
    rule.cut(0)
    rule.restore(0)
    assert rule.position is None
    assert list(rule.arrays()) == []


@pytest.mark.parametrize("cache", [KVCache(), ChunkedKVCache(8), RotatingKVCache(4)])
def test_a_restore_removes_what_was_fed_since_begin(cache: Any) -> None:
    [rule] = rules_for([filled(cache, 5)])
    rule.begin(2)
    filled(cache, 2)
    rule.restore(5)
    assert rule.position == 5


def test_recurrent_state_returns_to_its_snapshot_only() -> None:
    cache = ArraysCache(1)
    cache[0] = mx.ones((1, 2))
    [rule] = rules_for([cache])
    rule.begin(1)
    cache[0] = mx.zeros((1, 2))
    assert not rule.holds(0)
    rule.restore(0)
    assert cache[0].tolist() == [[1.0, 1.0]]
    with pytest.raises(AssertionError, match="cannot go back"):
        rule.cut(0)


def test_a_remembered_state_can_be_recalled() -> None:
    cache = filled(RotatingKVCache(4), 6)
    [rule] = rules_for([cache])
    state = rule.remember()
    before = cache.keys.tolist()
    filled(cache, 1)
    rule.recall(state, 6)
    assert (cache.keys.tolist(), cache.offset) == (before, 6)
    assert rules_for([KVCache()])[0].remember() is None


def test_copies_are_written_without_changing_the_original() -> None:
    original = [filled(KVCache(), 3), CacheList(filled(KVCache(), 3))]
    for twin in flatten(copies(original)):
        twin.keys[..., 0, :] = 9.0
        twin.offset = 1
    assert [cache.offset for cache in flatten(original)] == [3, 3]
    assert all(cache.keys[0, 0, 0].tolist() == rows(3)[0, 0, 0].tolist() for cache in flatten(original))


def test_every_array_of_a_nested_value_is_found() -> None:
    one, two, three = (mx.array(number) for number in range(3))
    assert [leaf.item() for leaf in leaves([one, {"a": (two, None)}, [three], "text"])] == [0, 1, 2]
