"""A draft model that is the main model itself is always accepted, with every kind of cache."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.main_model.sampling import Sampler, top_probabilities
from engine.requests import SamplingSettings
from engine.speculation.proposers import draft_model
from engine.speculation.proposers.draft_model import DraftModelProposer, EarlyStop
from engine.speculation.rounds.sequence import CachedSequence
from tests.engine.speculation.families import EVERY_KIND, build, fresh_caches
from tests.engine.speculation.proposed_rounds import ProposedRounds
from tests.engine.tiers import by_tier

PROMPT = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
VOCABULARY = 64


def sequence_of(name: str) -> CachedSequence:
    sequence = CachedSequence(build(name), fresh_caches(name))
    sequence.append(PROMPT)
    return sequence


def self_drafting(
    name: str, sampler: Sampler, *, stops_early: bool = False
) -> tuple[ProposedRounds, DraftModelProposer]:
    """Rounds whose draft model is the main model itself."""
    draft = DraftModelProposer(sequence_of(name), sampler, 10**6)
    draft.stops_early = stops_early
    return ProposedRounds(sequence_of(name), sampler, draft), draft


FEW = ("llama:window", "mamba2")


@pytest.mark.full
@pytest.mark.parametrize("temperature", by_tier([0.0, 0.8], [0.8]))
@pytest.mark.parametrize("name", by_tier(EVERY_KIND, FEW))
def test_a_draft_that_is_the_main_model_is_never_wrong(name: str, temperature: float) -> None:
    rounds, _ = self_drafting(name, Sampler(SamplingSettings(temperature=temperature, seed=4), VOCABULARY))
    drafted = accepted = 0
    # Commit as if the main model had drawn another token after `keep` draft tokens.
    for number in range(16):
        current = rounds.propose(4)
        result = rounds.wait(current)
        drafted += 4
        accepted += result.accepted
        keep = min(number % 5, result.accepted)
        rounds.keep(current, keep, [*result.tokens[:keep], (result.tokens[keep] + 1) % VOCABULARY])
    assert accepted >= drafted - 2  # ties between rows of different width may go either way


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(EVERY_KIND, FEW))
def test_a_round_that_stops_early_leaves_the_caches_as_any_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds, _ = self_drafting(name, Sampler(SamplingSettings(), VOCABULARY), stops_early=True)
    drafted = accepted = 0
    for number in range(24):
        # Proposes the first draft token, the first three, or all.
        monkeypatch.setattr(draft_model, "MIN_JOINT_PROBABILITY", (1.0, 0.0)[number % 2])
        if number % 3 == 0:
            monkeypatch.setattr(draft_model, "EarlyStop", KeepThree)
        current = rounds.propose(5)
        monkeypatch.setattr(draft_model, "EarlyStop", EarlyStop)
        assert current.depth == (3 if number % 3 == 0 else (1, 5)[number % 2])
        assert current.proposal is not None
        assert current.proposal.stopped_early == (current.depth < 5)
        result = rounds.wait(current)
        drafted += current.depth
        accepted += result.accepted
        keep = min(number % 6, result.accepted)
        rounds.keep(current, keep, [*result.tokens[:keep], (result.tokens[keep] + 1) % VOCABULARY])
    assert accepted >= drafted - 2


class KeepThree(EarlyStop):
    """Stops when the fourth draft token is under way."""

    def reached(self) -> bool:
        self.asked = getattr(self, "asked", 0) + 1
        return self.asked == 4


def scores_of(*probabilities: float) -> list[mx.array]:
    """Return scores of two tokens; the first one has each of the `probabilities`."""
    return [mx.log(mx.array([[p, 1.0 - p]])) for p in probabilities]


@pytest.mark.parametrize(
    ("probabilities", "kept"), [((0.51, 0.99, 0.99), 1), ((0.95, 0.51, 0.99), 2), ((0.8, 0.8, 0.1), 3), ((0.51,), 1)]
)
def test_drafting_stops_once_the_joint_probability_is_low(
    probabilities: tuple[float, ...], kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token is waited for only while the next one is under way."""
    monkeypatch.setattr(draft_model, "MIN_JOINT_PROBABILITY", 0.6)
    early_stop, stops = EarlyStop(), []
    for scores in scores_of(*probabilities):
        early_stop.note(scores)
        stops.append(early_stop.reached())
    assert (stops.index(True) if True in stops else len(stops)) == kept


@pytest.mark.parametrize("vocabulary", [7, 64, 4096, 4099])
@pytest.mark.parametrize("spread", [1.0, 8.0])
def test_the_estimated_top_probability_is_close_to_the_true_one(vocabulary: int, spread: float) -> None:
    scores = mx.random.normal((1, vocabulary), key=mx.random.key(3)) * spread
    # Any token may be the likeliest, except the few behind the last whole group.
    scores[0, 5] = scores.max() + 6.0
    probability = mx.softmax(scores, axis=-1).max().item()
    estimate = top_probabilities(scores)
    assert estimate.shape == (1,)
    assert probability * 0.999 <= estimate.item() <= max(2.0 * probability, 0.05 + probability)


@pytest.mark.parametrize("name", by_tier(EVERY_KIND, FEW))
def test_a_draft_catches_up_on_exactly_what_plain_rounds_added(name: str) -> None:
    sampler = Sampler(SamplingSettings(), VOCABULARY)
    rounds, draft = self_drafting(name, sampler)
    for depth in (0, 0, 3, 0, 0, 0, 2, 4, 0, 1):
        result = rounds.play(depth)
        assert draft.sequence.tokens == rounds.sequence.tokens
        assert result.accepted == depth
    mx.clear_cache()
