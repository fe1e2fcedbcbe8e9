"""Answers at once in simulated seconds: the controller's choices beside plain decoding, without a model.

Nothing depends on the load of the machine that runs this.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean

from engine.requests import MAX_DRAFTED
from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.plans import DEPTHS
from engine.speculation.choosing.texts import AnswerState

# (rows or answers, milliseconds), ascending; linear between two points and beyond the last two.
Curve = Sequence[tuple[int, float]]


@dataclass(frozen=True)
class BatchMachine:
    """Milliseconds of a pass by rows in all, and of drafting one token for each answer by answers.

    `noise` is the standard deviation of a round's natural logarithm.
    """

    passes: Curve
    drafting: Curve
    noise: float = 0.03

    def round_ms(self, answers: int, depth: int) -> tuple[float, float]:
        """Return the durations of the pass and of the drafting in a round of `depth` draft tokens for each answer."""
        return _value(self.passes, answers * (1 + depth)), depth * _value(self.drafting, answers) if depth else 0.0


# The starter on one core, in seconds of its processor.
STARTER = BatchMachine(
    (
        *((1, 5.6), (2, 5.9), (4, 6.6), (8, 9.3), (16, 14.1), (24, 16.3)),
        *((40, 24.3), (72, 39.5), (104, 49.7), (136, 68.0)),
    ),
    ((1, 0.42), (2, 0.9), (4, 0.95), (8, 1.6)),
)
# Passes that hardly grow up to some thirty rows, and then in proportion.
MEMORY_BOUND = BatchMachine(
    ((1, 20.0), (8, 21.5), (16, 24.0), (32, 32.0), (64, 56.0), (128, 110.0)), ((1, 1.6), (8, 1.9))
)


@dataclass(frozen=True)
class Text:
    """An answer of `length` tokens, each of which a draft predicts with the probability `rate`."""

    length: int
    rate: float


@dataclass(eq=False)
class _Member:
    """A text that is being answered: `count` of its tokens are committed."""

    text: Text
    answer: AnswerState
    draw: random.Random
    count: int = 1

    @property
    def offer(self) -> Offer:
        most = min(MAX_DRAFTED, self.text.length - self.count - 1)
        return Offer({"draft": most}) if most > 0 else Offer(forced=Choice(None, 0))

    def accepted(self, depth: int) -> int:
        return next((index for index in range(depth) if self.draw.random() >= self.text.rate), depth)


@dataclass(frozen=True)
class Stall:
    """Another program makes a round `times` as long: the `number`th one in which anything is drafted, from 1."""

    number: int
    times: float


@dataclass
class Batches:
    """A pair on a machine, with what its controller has learned; single answers are `calibrated` or not.

    `depths` are the draft tokens for each answer of all rounds so far.
    """

    machine: BatchMachine
    seed: int = 0
    controller: Controller = field(default_factory=Controller)
    calibrated: bool = True
    stall: Stall | None = None
    depths: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._noise = random.Random(self.seed)
        if self.calibrated:
            self._calibrate()

    def _calibrate(self) -> None:
        answer = self.controller.begin()
        for depth in (0, *sorted(DEPTHS, reverse=True)):
            for _ in range(6):
                self._learn([answer], depth, min(depth, MAX_DRAFTED), [1])
        self.depths.clear()

    @property
    def depths_behind_stall(self) -> list[int]:
        """The draft tokens for each answer of all rounds behind the stalled one."""
        assert self.stall is not None
        drafted = [index for index, depth in enumerate(self.depths) if depth]
        return self.depths[drafted[self.stall.number - 1] + 1 :]

    def plain_ms(self, texts: Sequence[Text]) -> list[float]:
        """Return how long each of the answers takes at once with the others without draft tokens."""
        ended, ms, before = [0.0] * len(texts), 0.0, 0
        for index, text in sorted(enumerate(texts), key=lambda numbered: numbered[1].length):
            active = sum(other.length >= text.length for other in texts)
            ms += (text.length - 1 - before) * self.machine.round_ms(active, 0)[0]
            before = text.length - 1
            ended[index] = ms
        return ended

    def answer(self, texts: Sequence[Text], seed: int = 0) -> list[float]:
        """Answer `texts` at once as the controller decides; return how long each of them takes."""
        draws = [random.Random(f"{seed} {index}") for index in range(len(texts))]
        members = [_Member(text, self.controller.begin(), draw) for text, draw in zip(texts, draws, strict=True)]
        active, ended, ms = members, dict[_Member, float](), 0.0
        while active:
            choices = self.controller.choose([(member.answer, member.offer) for member in active])
            depth = max(choice.depth for choice in choices)
            accepted = [member.accepted(choice.depth) for member, choice in zip(active, choices, strict=True)]
            answers = [member.answer for member in active]
            measured = self._learn(answers, depth, depth, [1 + right for right in accepted])
            ms += 1e3 * measured.seconds
            for member, choice, right in zip(active, choices, accepted, strict=True):
                self.controller.observe(member.answer, choice, choice.depth, choice.depth, right)
                member.count += 1 + right
                ended[member] = ms
            active = [member for member in active if member.count < member.text.length]
        return [ended[member] for member in members]

    def gains(self, rates: Sequence[float], batches: int) -> list[float]:
        """Return by what factor each of `batches` batches is faster than plain decoding.

        Each has one answer for each of `rates`; the longest have some three times the tokens of the shortest.
        """
        draw = random.Random(self.seed)
        found = []
        for number in range(batches):
            texts = [Text(max(8, round(draw.lognormvariate(4.0, 0.3))), rate) for rate in rates]
            found.append(max(self.plain_ms(texts)) / max(self.answer(texts, seed=100 * self.seed + number)))
        return found

    def _learn(
        self, answers: Sequence[AnswerState], depth: int, drafted: int, committed: Sequence[int]
    ) -> MeasuredRound:
        """Let the controller learn a round in which these answers `committed` so many tokens each; return it."""
        verifying, _ = self.machine.round_ms(len(answers), depth)
        _, drafting = self.machine.round_ms(len(answers), drafted)
        noise = self._noise.lognormvariate(0.0, self.machine.noise)
        self.depths.append(depth)
        if self.stall is not None and depth and sum(map(bool, self.depths)) == self.stall.number:
            noise *= self.stall.times
        seconds = noise * (verifying + drafting) / 1e3
        draft = ("draft", drafted) if drafted else None
        # The drafting for several is timed in one round of many.
        timed_s = noise * drafting / 1e3 if drafted and len(answers) == 1 else None
        rows = len(answers) * (1 + depth)
        measured = MeasuredRound(rows, sum(committed), seconds, draft, timed_s, answers=len(answers))
        self.controller.observe_round(answers[0], measured)
        if len(answers) > 1:
            self.controller.observe_lag([*zip(answers, committed, strict=True)], measured)
        return measured


def mean_gain(machine: BatchMachine, rates: Sequence[float], seeds: int, skipped: int, batches: int) -> float:
    """Return the mean gain of `batches` batches after the first `skipped`, over pairs with `seeds` seeds."""
    pairs = [Batches(machine, seed) for seed in range(seeds)]
    return mean(gain for pair in pairs for gain in pair.gains(rates, skipped + batches)[skipped:])


def slowest_pace(machine: BatchMachine, texts: Sequence[Text], seeds: int, batches: int) -> float:
    """Return by what factor the slowest of `texts` ends earlier than it does plainly: the mean of so many batches.

    They follow each other on a pair for each of `seeds` seeds.
    """
    paces = []
    for pair in [Batches(machine, seed) for seed in range(seeds)]:
        for number in range(batches):
            ended = pair.answer(texts, seed=100 * pair.seed + number)
            paces.append(min(plain / ours for plain, ours in zip(pair.plain_ms(texts), ended, strict=True)))
    return mean(paces)


def _value(curve: Curve, key: int) -> float:
    right = min(max(1, bisect_left([at for at, _ in curve], key)), len(curve) - 1)
    (low, before), (high, after) = curve[right - 1], curve[right]
    return before + (after - before) * (key - low) / (high - low)
