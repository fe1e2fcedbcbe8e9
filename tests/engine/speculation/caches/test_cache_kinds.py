"""One entry makes a kind of cache known, so that it is rolled back, batched and stored; every entry is checked."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import mlx.core as mx
import pytest
from mlx_lm.models.cache import KVCache

from engine.main_model.loaded_model import LoadedModel
from engine.prefix.store import PrefixStore
from engine.speculation.caches.cache_kinds import KINDS, CacheKind, kind_name
from engine.speculation.caches.cache_rules import DeepSeekLayerRule, Rule, SnapshotOnly, TrimRule
from engine.speculation.caches.row_kinds import KeyValueRows
from engine.speculation.conversation import CachedConversation
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.families import EVERY_KIND, ONE_OF_A_KIND, VARIANTS, build, fresh_caches, kinds_of
from tests.engine.speculation.family_configs import FAMILIES
from tests.engine.speculation.forced_batches import check_family as check_batch
from tests.engine.speculation.forced_rounds import check_family as check_rollback
from tests.engine.speculation.plain_decoding import assert_same_logits, decode_plainly
from tests.engine.tiers import by_tier

TEXT = [(7 * index + 3) % 96 for index in range(40)]
# The end of a turn: every kind of cache can go back to it.
TURN = 12


class ToyCache(KVCache):  # type: ignore[misc]
    """A kind of cache that a new version of mlx-lm might add."""


class ToyRows(KeyValueRows):
    def _empty(self) -> ToyCache:
        return ToyCache()


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    """A family whose kind of cache is known by one entry."""
    monkeypatch.setitem(VARIANTS, "toy", lambda _: ToyCache())
    monkeypatch.setitem(FAMILIES, "llama:toy", FAMILIES["llama"])
    assert CachedSequence(build("llama:toy"), fresh_caches("llama:toy")).plain_only == "ToyCache"
    monkeypatch.setitem(KINDS, kind_name(ToyCache()), CacheKind(TrimRule, ToyRows))
    return "llama:toy"


@pytest.mark.first
def test_a_kind_with_an_entry_is_rolled_back_batched_and_stored(toy: str, tmp_path: Path) -> None:
    check_rollback(toy, prompt=1, patterns=[(5, 2), (4, 0), (3, 3), (0, 0)], seed=1)
    check_batch(toy, seed=1, rounds=7)
    check_stored(toy, tmp_path)


def test_every_kind_is_held_by_a_family() -> None:
    """A new kind needs a family in `EVERY_KIND`: rollback, batches and the store are checked on these."""
    assert kinds_of(EVERY_KIND) == kinds_of(ONE_OF_A_KIND) == set(KINDS)


@pytest.mark.parametrize("name", by_tier(EVERY_KIND, ONE_OF_A_KIND))
def test_every_kind_is_stored(name: str, tmp_path: Path) -> None:
    check_stored(name, tmp_path)


WITHOUT_ROWS = sorted({kind.rule for kind in KINDS.values() if issubclass(kind.rule, SnapshotOnly)}, key=str)


@pytest.mark.parametrize("rule", WITHOUT_ROWS)
def test_a_cache_without_rows_refuses_every_cut(rule: type[Rule]) -> None:
    """A state that has read too many tokens would give a wrong text without any sign of it."""
    made = rule(SimpleNamespace(offset=7))
    # One kind counts its rows: "cutting" at their end, which drops none, is all that it can do.
    assert made.position == (7 if rule is DeepSeekLayerRule else None)
    assert made.holds(7) == (rule is DeepSeekLayerRule)
    for position in (0, 3, 6, 8):
        with pytest.raises(AssertionError, match=f"cannot go back to {position}"):
            made.cut(position)


def check_stored(name: str, folder: Path) -> None:
    """Store a text in the middle of a turn, and continue the found one at its end and at the end of the turn."""
    info: Any = SimpleNamespace(path=folder, kv_bits=None, taught="")
    model = SimpleNamespace(model=build(name), new_caches=partial(fresh_caches, name), info=info, states={})
    loaded = cast("LoadedModel", model)
    sequence = CachedSequence(loaded.model, loaded.new_caches())
    sequence.append(TEXT[:21])
    sequence.boundaries = (TURN,)
    while sequence.prefill(64):
        pass
    mx.eval(sequence.arrays())
    PrefixStore(folder / "store", loaded, 2**30).save(CachedConversation(sequence, name="chat"))

    found = PrefixStore(folder / "store", loaded, 2**30).find(TEXT, better_than=0)
    assert found is not None
    assert found.main.position == 20
    for length in (20, TURN):
        found.main.rewind(length)
        assert found.main.position == length
        found.main.append(TEXT[length : length + 1])
        expected, _ = decode_plainly(name, TEXT[: length + 2], 1)
        assert_same_logits(found.main.verify()[0], expected[-1], f"{name} after {length} tokens", 1e-2)
        found.main.abort()
