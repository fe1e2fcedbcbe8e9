"""Transactions over caches: exceptions, misuse, snapshots, and windows against a plain list of rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import mlx.core as mx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlx_lm.models.cache import (
    ArraysCache,
    BatchKVCache,
    CacheList,
    ChunkedKVCache,
    KVCache,
    QuantizedKVCache,
    RotatingKVCache,
)
from mlx_lm.models.deepseek_v41 import LayerCache
from mlx_vlm.models import cache as vlm
from mlx_vlm.models.qwen4_exp.language import QSAKVCache

from engine.speculation.caches.cache_kinds import rules_for
from engine.speculation.caches.cache_rules import flatten
from engine.speculation.caches.rollback import CachesOutOfStep, Rollback, UnknownCacheKind
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import EVERY_KIND, ONE_OF_A_KIND, build, fresh_caches
from tests.engine.speculation.family_configs import WINDOW
from tests.engine.tiers import by_tier

# How each kind of cache is written to.
WRITES = [
    (KVCache, "update_and_fetch"),
    (QuantizedKVCache, "update_and_fetch"),
    (RotatingKVCache, "update_and_fetch"),
    (ChunkedKVCache, "update_and_fetch"),
    (ArraysCache, "__setitem__"),
    (LayerCache, "update_window"),
    (vlm.ArraysCache, "__setitem__"),
    (vlm.ArraysCache, "update_recurrent"),
    (vlm.KVCache, "update_and_fetch"),
    (vlm.PoolingCache, "accumulate_windows"),
    (vlm.PoolingCache, "update_and_fetch"),
    (QSAKVCache, "update_indexer"),
]
TOKENS = [(7 * index + 3) % 96 for index in range(64)]
# (family, tokens held, rows of the pass) in the default tier.
STOPPED = [*((name, WINDOW + 5, 4) for name in ONE_OF_A_KIND), ("llama", 0, 4), ("llama:window", WINDOW - 2, 4)]
STOPPED += [("llama:window", 0, 1), ("llama:window", WINDOW + 5, 1)]


class StoppedPass(Exception):
    """The tests raise it in the middle of a forward pass."""


def feed(name: str, caches: list[Any], tokens: list[int]) -> mx.array:
    logits: mx.array = build(name)(mx.array([tokens], mx.uint32), cache=caches)
    mx.eval(logits)
    return logits[0]


def filled(name: str, count: int) -> list[Any]:
    """Caches that have seen the first `count` tokens: all but three in one pass, then one by one."""
    caches = fresh_caches(name)
    if count > 3:
        feed(name, caches, TOKENS[: count - 3])
    for token in TOKENS[max(0, count - 3) : count]:
        feed(name, caches, [token])
    return caches


def stop_at_write(number: int, after: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise at write `number` to any cache, before or after it has happened."""
    remaining = [number]

    def stopping(write: Callable[..., Any]) -> Callable[..., Any]:
        def stopped(*arguments: Any) -> Any:
            remaining[0] -= 1
            if remaining[0] == -1 and not after:
                raise StoppedPass
            result = write(*arguments)
            if remaining[0] == -1 and after:
                raise StoppedPass
            return result

        return stopped

    for kind, method in WRITES:
        monkeypatch.setattr(kind, method, stopping(getattr(kind, method)))


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "held", "rows"), by_tier(product(EVERY_KIND, (0, WINDOW - 2, WINDOW + 5), (1, 4)), STOPPED)
)
def test_a_pass_that_stops_anywhere_leaves_every_cache_as_before(name: str, held: int, rows: int) -> None:
    caches, untouched = filled(name, held), filled(name, held)
    rollback = Rollback(caches)
    for number in range(100):
        rollback.begin(rows)
        try:
            with pytest.MonkeyPatch.context() as monkeypatch:
                stop_at_write(number // 2, number % 2 == 1, monkeypatch)
                feed(name, caches, TOKENS[20 : 20 + rows])
        except StoppedPass:
            rollback.abort()
            continue
        rollback.abort()
        break
    else:
        pytest.fail("the pass never ended")

    assert number > 2
    assert rollback.position in (held, None)
    for width in (1, 3, 1):
        expected, logits = (feed(name, both, TOKENS[40 : 40 + width]) for both in (untouched, caches))
        assert mx.allclose(logits, expected, rtol=1e-4, atol=1e-5)
    if name != "llama:quantised":
        for cache, plain in zip(caches, untouched, strict=True):
            assert largest_difference(cache, plain) <= 1e-4


def test_a_pass_of_another_width_is_taken_back_whole() -> None:
    caches = filled("llama", 4)
    rollback = Rollback(caches)

    rollback.begin(3)
    feed("llama", caches, [1, 2])
    with pytest.raises(CachesOutOfStep) as raised:
        rollback.commit(3)

    assert (raised.value.kind, raised.value.position, raised.value.expected) == ("KVCache", 6, 7)
    assert rollback.position == 4
    assert not rollback.active


class _OwnCache(KVCache):
    """A subclass may have changed what the rule for its parent relies on."""


@pytest.mark.parametrize(
    ("cache", "kind"),
    [
        (_OwnCache(), "_OwnCache"),
        (BatchKVCache([0]), "BatchKVCache"),
        (CacheList(KVCache(), CacheList(_OwnCache())), "_OwnCache"),
        (RotatingKVCache(max_size=8, keep=4), "RotatingKVCache with keep"),
    ],
)
def test_a_kind_of_cache_without_a_rule_is_refused_by_name(cache: Any, kind: str) -> None:
    with pytest.raises(UnknownCacheKind) as refused:
        Rollback([KVCache(), cache])

    assert refused.value.kind == refused.value.arguments["kind"] == kind


def test_pinned_rows_are_refused_because_wide_passes_do_not_see_them() -> None:
    """If this fails, mlx-lm masks pinned rows correctly in wide passes, and windows with `keep` can be served."""
    narrow, wide = ([RotatingKVCache(max_size=8, keep=4) for _ in range(2)] for _ in range(2))
    for caches in (narrow, wide):
        for token in TOKENS[:12]:
            feed("llama", caches, [token])

    one_by_one = mx.stack([feed("llama", narrow, [token])[0] for token in TOKENS[12:16]])

    assert mx.abs(one_by_one - feed("llama", wide, TOKENS[12:16])).max().item() > 1e-2


# One transaction on a lone cache: the widths of its passes, and the share of its rows that is kept (None aborts).
TRANSACTIONS = st.lists(
    st.tuples(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.none() | st.floats(0, 1)), min_size=1, max_size=12
)
REWINDS = st.lists(st.integers(0, 12), max_size=3)
KINDS = st.sampled_from(["window", "window", "chunk", "full"])
SPAN = 6


@settings(max_examples=100)
@given(transactions=TRANSACTIONS, rewinds=REWINDS, kind=KINDS)
def test_every_row_sees_what_it_would_see_without_rejections(
    transactions: list[tuple[list[int], float | None]], rewinds: list[int], kind: str
) -> None:
    follow_rows(transactions, rewinds, kind)


@pytest.mark.campaign
@settings(max_examples=20_000)
@given(transactions=TRANSACTIONS, rewinds=REWINDS, kind=KINDS)
def test_every_row_sees_what_it_would_see_over_many_histories(
    transactions: list[tuple[list[int], float | None]], rewinds: list[int], kind: str
) -> None:
    follow_rows(transactions, rewinds, kind)


def follow_rows(transactions: list[tuple[list[int], float | None]], rewinds: list[int], kind: str) -> None:
    """Rows hold their own number, so the rows that a row sees can be compared with a list of the committed ones."""
    cache = new_cache(kind)
    rollback = Rollback([cache])
    committed: list[int] = []
    fresh = 0
    for index, (widths, share) in enumerate(transactions):
        rollback.begin(sum(widths))
        rows: list[int] = []
        for width in widths:
            new = list(range(fresh + 1, fresh + width + 1))
            fresh += width
            for row, seen in enumerate(seen_by_each(cache, new)):
                assert seen == visible([*committed, *rows, *new[: row + 1]], kind)
            rows += new
        if share is None:
            rollback.abort()
        else:
            keep = round(share * len(rows))
            kept = rollback.commit(keep)
            # Rows that several passes have pushed out can only be restored.
            assert kept == keep or (kept == 0 and len(widths) > 1 and kind in ("window", "chunk"))
            committed += rows[:kept]
        assert rollback.position in (len(committed), None)
        if committed and index < len(rewinds):
            target = max(0, len(committed) - rewinds[index])
            if rollback.rewind(target):
                del committed[target:]
            else:
                assert kind in ("window", "chunk")


def new_cache(kind: str) -> Any:
    spans = {"window": RotatingKVCache, "chunk": ChunkedKVCache}
    return spans[kind](SPAN) if kind in spans else KVCache()


def seen_by_each(cache: Any, new: list[int]) -> list[list[int]]:
    """Feed rows with the numbers `new` in one pass; returns the numbers of the rows that each attends to."""
    if isinstance(cache, ChunkedKVCache):
        cache.maybe_trim_front()
        start, offset = cache.start_position, cache.offset
        mask = [
            [
                key // cache.chunk_size == row // cache.chunk_size and key <= row
                for key in range(start, offset + len(new))
            ]
            for row in range(offset, offset + len(new))
        ]
    else:
        mask = cache.make_mask(len(new), window_size=None, return_array=True) if len(new) > 1 else None
        mask = mask.tolist() if mask is not None else None
    rows = mx.array(new, mx.float32).reshape(1, 1, -1, 1)
    keys, values = cache.update_and_fetch(rows, -rows)
    mx.eval(keys, values)
    assert mx.array_equal(keys, -values)
    numbers = [int(number) for number in keys.reshape(-1).tolist()]
    if mask is None:
        return [sorted(numbers)]
    return [sorted(number for number, shown in zip(numbers, row, strict=True) if shown) for row in mask]


def visible(text: list[int], kind: str) -> list[int]:
    if kind == "window":
        return text[-SPAN:]
    if kind == "chunk":
        return text[(len(text) - 1) // SPAN * SPAN :]
    return text


@pytest.mark.parametrize("name", by_tier(EVERY_KIND, ONE_OF_A_KIND))
def test_no_cache_is_cut_where_it_does_not_hold_what_the_next_pass_reads(name: str) -> None:
    held, untouched = filled(name, 3 * WINDOW), filled(name, 3 * WINDOW)
    for rule, plain in zip(rules_for(held), flatten(untouched), strict=True):
        for position in (0, 3, 3 * WINDOW - 1, 3 * WINDOW):
            if not rule.holds(position):
                with pytest.raises(AssertionError, match=f"cannot go back to {position}"):
                    rule.cut(position)
        if rule.restores_only:
            assert not rule.holds(3)
            assert largest_difference(rule.cache, plain) <= 1e-4


@pytest.mark.parametrize("keep", by_tier([0, 1, 3], [1]))
@pytest.mark.parametrize("name", by_tier(EVERY_KIND, ("llama", "llama:window", "llama4", "mamba2", "deepseek_v41")))
def test_fewer_rows_than_announced_may_come(name: str, keep: int) -> None:
    caches, wanted = filled(name, 20), filled(name, 20)
    rollback = Rollback(caches)
    rollback.begin(7)
    for token in TOKENS[20:23]:
        feed(name, caches, [token])
    rollback.shorten(3)
    kept = rollback.commit(keep)
    assert kept == keep or (kept == 0 and rollback.carries)
    for token in TOKENS[20 : 20 + kept]:
        feed(name, wanted, [token])
    assert mx.allclose(feed(name, caches, [5]), feed(name, wanted, [5]), atol=1e-4)
