"""A replica that only gets the journal has the same caches as rank 0 after any changes there."""

from __future__ import annotations

import gc
import random
from collections import deque
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import pytest

from engine.cluster.messages import Change, Changes
from engine.cluster.mirrored_caches import Journal, MirroredCaches, MirroredModel, MirroredText, Replay
from engine.speculation.caches.cache_rules import flatten
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.sequence_batch import SequenceBatch, rows_obstacle
from tests.engine.speculation.cache_state import largest_difference
from tests.engine.speculation.families import build, fresh_caches
from tests.engine.speculation.family_configs import VOCABULARY

# Full attention, windows, recurrent state, chunks and several kinds in one model.
FAMILIES = (
    *("llama", "gpt_oss", "qwen3_5", "llama4"),
    *(pytest.param(family, marks=pytest.mark.full) for family in ("llama:quantised", "deepseek_v3")),
)


class Ranks:
    """Rank 0 and one replica in this process with the same whole model, so that their caches must be equal."""

    def __init__(self, family: str) -> None:
        self.family, self.model = family, build(family)
        self.journal = Journal(self._repeat)
        self.leading = MirroredModel(lambda: fresh_caches(family), self.journal)
        self._ids: deque[mx.array] = deque()
        self._caches: dict[int, list[Any]] = {}
        self.replay = Replay(lambda: fresh_caches(family), self._run)

    def sequence(self) -> CachedSequence:
        return CachedSequence(self._leading(), self.leading.new())

    def differs(self, caches: MirroredCaches) -> float:
        """Return the largest difference between these caches and the replica's after a pass."""
        other = self._caches[caches.number]
        return max(largest_difference(one, two) for one, two in zip(flatten(caches), flatten(other), strict=True))

    def _leading(self) -> Any:
        ranks, model = self, self.model

        class Leading:
            def __call__(self, ids: mx.array, cache: MirroredCaches) -> mx.array:
                ranks._ids.append(ids)
                ranks.journal.flush(cache.number, ids.shape)
                logits: mx.array = model(ids, cache=cache)
                return logits

        Leading.__module__ = type(model).__module__
        return Leading()

    def _run(self, caches: list[Any], _shape: Sequence[int]) -> None:
        mx.eval(self.model(self._ids.popleft(), cache=caches))
        self._caches[self._number] = caches

    def _repeat(self, changes: Changes) -> None:
        self._number = changes.caches
        self.replay.repeat(changes)


def rounds(sequence: CachedSequence, draw: random.Random, count: int) -> None:
    """Run rounds with random draft tokens and a random number of accepted ones; some rounds are aborted."""
    for _ in range(count):
        drafts = [draw.randrange(VOCABULARY) for _ in range(draw.randrange(5))] if sequence.plain_only is None else []
        mx.eval(sequence.verify(drafts))
        if drafts and draw.random() < 0.2:
            sequence.abort()
            continue
        accepted = draw.randint(0, len(drafts))
        sequence.commit(accepted, [*drafts[:accepted], draw.randrange(VOCABULARY)])


@pytest.mark.parametrize("family", FAMILIES)
def test_a_rank_follows_rounds_forks_and_rewinds(family: str) -> None:
    draw = random.Random(family)
    ranks = Ranks(family)
    sequence = ranks.sequence()
    sequence.append([draw.randrange(VOCABULARY) for _ in range(24)])
    sequence.boundaries = (9,)
    while sequence.prefill(10):
        pass
    rounds(sequence, draw, 6)
    sequence.remember()
    twin = sequence.fork()
    assert twin is not None
    rounds(sequence, draw, 4)
    assert twin.rewind(9)
    twin.append([1, 2, 3])
    rounds(twin, draw, 5)
    for used in (sequence, twin):
        mx.eval(used.verify([5]))
        used.commit(1, [5, 6])
        assert isinstance(used.caches, MirroredText)
        assert ranks.differs(used.caches) == 0.0


@pytest.mark.parametrize("family", ["qwen3", "gpt_oss", "qwen3_5"])
def test_a_rank_follows_texts_that_join_and_leave_a_batch(family: str) -> None:
    draw = random.Random(family)
    ranks = Ranks(family)
    members = [ranks.sequence() for _ in range(3)]
    for length, sequence in zip((5, 12, 20), members, strict=True):
        sequence.append([draw.randrange(VOCABULARY) for _ in range(length)])
        sequence.prefill(100)
    assert rows_obstacle(members[0]) is None
    batch = SequenceBatch(members[0])
    for sequence in members[:2]:
        batch.join(sequence)
    for index in range(8):
        if index == 3:
            batch.join(members[2])
        if index == 6:
            batch.leave(members[0])
        drafts = [[draw.randrange(VOCABULARY) for _ in range(draw.randrange(4))] for _ in batch.members]
        done = batch.verify(drafts)
        mx.eval(done.logits)
        keep = [draw.randint(1, count) for count in done.counts]
        before = [member.position for member in batch.members]
        batch.commit(keep)
        for member, kept, own, at in zip(batch.members, keep, drafts, before, strict=True):
            fed = [*member.tokens[at:], *own][:kept]
            member.tokens[at:] = [*fed, draw.randrange(VOCABULARY)]
    for sequence in list(batch.members):
        batch.leave(sequence)
    for sequence in members:
        mx.eval(sequence.verify([3]))
        sequence.commit(1, [3, 4])
        assert isinstance(sequence.caches, MirroredText)
        assert ranks.differs(sequence.caches) == 0.0


def test_a_rank_drops_the_caches_that_rank_0_no_longer_has() -> None:
    ranks = Ranks("llama")
    sequence: CachedSequence | None = ranks.sequence()
    assert sequence is not None
    assert isinstance(sequence.caches, MirroredText)
    number = sequence.caches.number
    ranks.journal.flush()
    del sequence
    gc.collect()
    ranks.journal.flush()
    with pytest.raises(KeyError):
        ranks.replay.repeat(Changes([], [], number, (1, 1)))


@pytest.mark.parametrize(
    "change",
    [
        Change(2, "rewind", 0, [0], [False, None]),
        Change(2, "rewind", 0, [0], [True, 1]),
        Change(2, "remember", 0, [0], [9, None]),
        Change(2, "advance", 0, [1], [0, None]),
        Change(2, "__init__", 0, [], [None, None]),
        Change(1, "clear", 0, [], [None, None]),
        Change(7, "begin", 0, [1], [None, None]),
    ],
)
def test_a_rank_stops_at_what_comes_out_otherwise_or_is_no_change_of_caches(change: Change) -> None:
    ranks = Ranks("llama")
    assert ranks.sequence() is not None
    ranks.journal.flush()
    with pytest.raises((RuntimeError, LookupError)):
        ranks.replay.repeat(Changes([change], []))
