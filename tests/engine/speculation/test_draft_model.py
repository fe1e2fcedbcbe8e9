"""A draft that is the main model itself is always right: whatever its caches are, nothing it wrote gets lost."""

from __future__ import annotations

import mlx.core as mx
import pytest

from engine.requests import SamplingSettings
from engine.sampling import Sampler
from engine.speculation.proposers import draft_model
from engine.speculation.proposers.draft_model import DraftModelProposer, Likelihood, _as_rounds, estimated_chance
from engine.speculation.round import Rounds
from engine.speculation.sequence import Sequence
from tests.engine.speculation.families import EVERY_KIND, build, fresh_caches

pytestmark = pytest.mark.usefixtures("without_compilation")

PROMPT = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
VOCABULARY = 64


def sequence_of(name: str) -> Sequence:
    sequence = Sequence(build(name), fresh_caches(name))
    sequence.append(PROMPT)
    return sequence


def rounds_with_itself_as_draft(name: str, sampler: Sampler, *, stops_early: bool = False) -> Rounds:
    draft = DraftModelProposer(sequence_of(name), sampler, 10**6)
    draft.stops_early = stops_early
    return Rounds(sequence_of(name), sampler, {"draft": draft})


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_draft_that_is_the_main_model_is_never_wrong(name: str, temperature: float) -> None:
    rounds = rounds_with_itself_as_draft(name, Sampler(SamplingSettings(temperature=temperature, seed=4), VOCABULARY))
    drafted = accepted = 0
    # As if the main model had said something else after `keep` guesses: every pattern of rejected rows.
    for number in range(16):
        flight = rounds.launch("draft", 4)
        landing = rounds.land(flight)
        drafted += 4
        accepted += landing.accepted
        keep = min(number % 5, landing.accepted)
        rounds.commit(flight, keep, [*landing.tokens[:keep], (landing.tokens[keep] + 1) % VOCABULARY])
    assert accepted >= drafted - 2  # ties between rows of different width may go either way


@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_round_that_ends_early_leaves_the_caches_as_any_other(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = rounds_with_itself_as_draft(name, Sampler(SamplingSettings(), VOCABULARY), stops_early=True)
    drafted = accepted = 0
    for number in range(24):
        # Ends after the first guess, after the third, or not at all.
        monkeypatch.setattr(draft_model, "LEAST_CHANCE", (2.0, 0.0)[number % 2])
        if number % 3 == 0:
            monkeypatch.setattr(draft_model, "Likelihood", Third)
        flight = rounds.launch("draft", 5)
        monkeypatch.setattr(draft_model, "Likelihood", Likelihood)
        assert flight.depth == (3 if number % 3 == 0 else (1, 5)[number % 2])
        assert flight.stopped == (flight.depth < 5)
        landing = rounds.land(flight)
        drafted += flight.depth
        accepted += landing.accepted
        keep = min(number % 6, landing.accepted)
        rounds.commit(flight, keep, [*landing.tokens[:keep], (landing.tokens[keep] + 1) % VOCABULARY])
    assert accepted >= drafted - 2


class Third(Likelihood):
    """Goes on until the third guess."""

    def goes_on(self, scores: mx.array) -> bool:  # noqa: ARG002
        self.asked = getattr(self, "asked", 0) + 1
        return self.asked < 3


def scores_of(*chances: float) -> list[mx.array]:
    """Scores of two tokens, the first of which is as likely as `chances` say."""
    return [mx.log(mx.array([[chance, 1.0 - chance]])) for chance in chances]


@pytest.mark.parametrize(
    ("chances", "guesses"),
    [
        # The first is waited for; later ones are looked at one guess behind.
        ((0.51, 0.99, 0.99, 0.99), 1),
        ((0.95, 0.51, 0.99, 0.99), 3),
        ((0.9, 0.9, 0.9, 0.9), 4),
        ((0.8, 0.8, 0.8, 0.8), 4),
    ],
)
def test_guesses_go_on_as_long_as_all_of_them_are_likely(
    chances: tuple[float, ...], guesses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_model, "LEAST_CHANCE", 0.6)
    likely = Likelihood()
    answers = [likely.goes_on(scores) for scores in scores_of(*chances)]
    assert (answers.index(False) + 1 if False in answers else len(answers)) == guesses


@pytest.mark.parametrize("vocabulary", [7, 64, 4096, 4099])
@pytest.mark.parametrize("spread", [1.0, 8.0])
def test_the_chance_of_a_guess_is_never_far_from_what_is_estimated(vocabulary: int, spread: float) -> None:
    scores = mx.random.normal((1, vocabulary), key=mx.random.key(3)) * spread
    # Any token may be the likeliest, but not one of the few behind the last whole term.
    scores[0, 5] = scores.max() + 6.0
    chance = mx.softmax(scores, axis=-1).max().item()
    estimate = estimated_chance(scores)
    assert estimate.shape == ()
    assert chance * 0.999 <= estimate.item() <= max(2.0 * chance, 0.05 + chance)


@pytest.mark.parametrize("sampling", [SamplingSettings(temperature=0.8, seed=4), SamplingSettings()])
def test_a_depth_that_was_set_is_kept(sampling: SamplingSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draft_model, "LEAST_CHANCE", 2.0)
    # Likely guesses of a sampled text are no likelier to be drawn by the main model as well.
    rounds = rounds_with_itself_as_draft(
        EVERY_KIND[0], Sampler(sampling, VOCABULARY), stops_early=sampling.temperature > 0
    )
    assert rounds.launch("draft", 4).depth == 4
    rounds.abandon()


@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_draft_catches_up_on_exactly_what_plain_rounds_added(name: str) -> None:
    sampler = Sampler(SamplingSettings(), VOCABULARY)
    rounds = rounds_with_itself_as_draft(name, sampler)
    draft = rounds._proposers["draft"]
    assert isinstance(draft, DraftModelProposer)
    for depth in (0, 0, 3, 0, 0, 0, 2, 4, 0, 1):
        flight = rounds.launch("draft" if depth else None, depth)
        landing = rounds.land(flight)
        rounds.commit(flight, landing.accepted, landing.tokens)
        assert draft.sequence.tokens == rounds.sequence.tokens
        assert landing.accepted == depth
    mx.clear_cache()


@pytest.mark.parametrize("temperature", [0.0, 0.8])
@pytest.mark.parametrize("name", EVERY_KIND)
def test_a_look_of_the_main_model_at_its_own_answer_finds_it_right(name: str, temperature: float) -> None:
    rounds = rounds_with_itself_as_draft(name, Sampler(SamplingSettings(temperature=temperature, seed=4), VOCABULARY))
    draft = rounds._proposers["draft"]
    assert isinstance(draft, DraftModelProposer)
    draft.reset(PROMPT)
    assert not draft.can_look
    for _ in range(20):
        flight = rounds.launch(None, 0)
        rounds.commit(flight, 0, rounds.land(flight).tokens)
    if not draft.can_look:
        assert draft.sequence.needs_boundaries
        return
    draft.look()
    assert not draft.can_look
    trials = draft.trials()
    # The newest token is not read yet, so nothing is known about what follows it.
    assert [(trial.drafted, trial.accepted) for trial in trials] == [(8, 8), (8, 8), (2, 2)]
    flight = rounds.launch("draft", 4)
    assert rounds.land(flight).accepted == 4
    rounds.abandon()


@pytest.mark.parametrize(
    ("guessed", "came", "rounds"),
    [
        ([], [], []),
        ([1, 2, 3], [1, 2, 3], [(3, 3)]),
        ([9, 2, 3], [1, 2, 3], [(3, 0), (2, 2)]),
        ([1, 9, 3, 4], [1, 2, 3, 4], [(4, 1), (2, 2)]),
        ([1] * 20, [1] * 20, [(8, 8), (8, 8), (2, 2)]),
    ],
)
def test_agreement_counts_as_the_rounds_that_it_stands_for(
    guessed: list[int], came: list[int], rounds: list[tuple[int, int]]
) -> None:
    assert [(trial.drafted, trial.accepted) for trial in _as_rounds(guessed, came)] == rounds
