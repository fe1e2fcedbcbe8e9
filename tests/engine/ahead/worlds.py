"""Machines, runners and texts on which `engine.ahead` is judged: the real `DraftingAhead` answers on a simulated clock.

The controller is not part of it: each round has the source and the depth that are fastest by the true costs, so that a
figure tells of drafting ahead alone. Rounds are drawn at random, with a seed.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from math import prod
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from engine import ahead
from engine.ahead import deepening, drafting_ahead, messages
from engine.ahead.drafting_ahead import DraftingAhead
from engine.ahead.messages import DraftReply, End, RoundOutcome
from engine.ahead.worth import Worth
from engine.main_model.sampling import Sampler
from engine.requests import SamplingSettings
from tests.engine.recorded_figures import Figures

# A figure that may change while a run goes on from 0 to 1.
Course = Callable[[float], float]
# What the worlds gave when they were recorded.
RECORD = Path(ahead.__file__).parent / "expected.toml"
# The tokens of a run, the most draft tokens of a round, the cost of a further row in passes of one.
RUN = 1200
DEPTH = 8
ROW = 0.07
# The rounds of a run before the time of drafting in this process is known.
UNTIMED = 3
VOCABULARY = 100


def steady(value: float) -> Course:
    return lambda _: value


def turning(before: float, after: float) -> Course:
    return lambda progress: before if progress < 0.5 else after


def stalling(usual: float, stalled: float) -> Course:
    """Return a course with two short stalls in a run."""
    return lambda progress: stalled if 0.2 < progress < 0.22 or 0.6 < progress < 0.62 else usual


def alternating(one: float, other: float) -> Course:
    """Return a course that changes six times in a run."""
    return lambda progress: one if int(progress * 6) % 2 == 0 else other


@dataclass(frozen=True)
class World:
    """A machine with a runner, and a text.

    A pass of one row takes `pass_s`, and `slowdown` more while the runner works. A draft token costs `draft` passes
    here. A round's outcome was prepared with probability `hits`, and `reply_s` pass before it is here. A draft token is
    accepted with probability `acceptance`. The logarithms of durations vary by `noise`, and each 50th round is
    `stalled`: it takes five times as long. Answers have `answer` tokens and perhaps a `fixed` depth. Each reply of a
    runner that `is_bad` has a token that the main model does not have.
    """

    slowdown: Course = field(default_factory=lambda: steady(0.03))
    draft: float = 0.1
    hits: Course = field(default_factory=lambda: steady(0.85))
    acceptance: Course = field(default_factory=lambda: steady(0.8))
    reply_s: Course = field(default_factory=lambda: steady(0.0005))
    pass_s: float = 0.05
    noise: float = 0.05
    stalled: bool = False
    answer: int = 250
    fixed: int | None = None
    is_bad: bool = False


# By what the runner does to the speed of answers.
WORLDS = {
    "helps": World(),
    "helps a little": World(steady(0.1), 0.07, steady(0.6)),
    "on another computer": World(steady(0.0), hits=steady(0.7), reply_s=steady(0.002)),
    "too far away": World(steady(0.0), reply_s=steady(0.1)),
    "prepares nothing": World(steady(0.22), 0.07, steady(0.0)),
    "takes a core": World(steady(0.22), 0.07, steady(0.6)),
    "nothing is accepted": World(steady(0.2), 0.08, steady(0.5), steady(0.2)),
    "begins to help": World(steady(0.05), 0.12, turning(0.0, 0.85)),
    "begins to slow": World(turning(0.03, 0.3), 0.12, steady(0.7)),
    "text changes": World(steady(0.12), 0.1, alternating(0.85, 0.2), alternating(0.9, 0.3)),
    "helps, disturbed": World(noise=0.15, stalled=True),
    "slows, disturbed": World(steady(0.22), 0.07, steady(0.3), noise=0.15, stalled=True),
    "helps short answers": World(answer=40),
    "slows short answers": World(steady(0.22), 0.07, steady(0.0), answer=40),
    "fast model": World(pass_s=0.004, draft=0.05, reply_s=steady(0.001), slowdown=steady(0.0)),
    "fixed depth, helps": World(fixed=4),
    "fixed depth, too far away": World(steady(0.22), fixed=4, reply_s=steady(0.1)),
    "fixed depth, link stalls": World(fixed=4, reply_s=stalling(0.0005, 0.1)),
    "fixed depth, prepares nothing": World(steady(0.22), 0.07, steady(0.0), fixed=4),
    "fixed depth, bad replies": World(steady(0.22), 0.07, fixed=4, is_bad=True),
    "link stalls": World(reply_s=stalling(0.0005, 0.1)),
    "bad replies": World(steady(0.22), 0.07, is_bad=True),
}


def speed_figures(seed: int) -> Figures:
    """Return the expected tokens a second in each world."""
    return {name: Play(world, seed).tokens_s() for name, world in WORLDS.items()}


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


class _Runner:
    """A runner with its link, as `DraftingAhead` sees them, on `clock`."""

    state = "ready"
    reason = ""
    host = ""
    detail = ""
    runner_number = 1

    def __init__(self, world: World, clock: _Clock, draw: random.Random) -> None:
        self._world = world
        self._clock = clock
        self._draw = draw
        self._replies: deque[tuple[float, DraftReply]] = deque()
        # The time at which it began to prepare for the next outcome; None while it rests.
        self._begun: float | None = None
        self.progress = 0.0

    @property
    def works(self) -> bool:
        return self._begun is not None

    def begin(self, _message: Any, _asker: Any) -> None:
        self._begun = None

    def send(self, message: Any) -> bool:
        now = self._clock.now
        if isinstance(message, End):
            self._begun = None
        elif isinstance(message, RoundOutcome):
            is_hit = self._draw.random() < self._world.hits(self.progress)
            count = 0
            if self._begun is not None and is_hit:
                count = min(message.depth, int((now - self._begun) / (self._world.draft * self._world.pass_s)))
            token = VOCABULARY if self._world.is_bad else 1
            position = message.position + len(message.tokens)
            reply = DraftReply(message.conversation, message.round, position, (token,) * (count or self._world.is_bad))
            late_s = self._world.reply_s(self.progress) * self._draw.lognormvariate(0.0, 0.5)
            self._replies.append((now + late_s, reply))
            self._begun = now
        return True

    def receive(self, timeout_s: float) -> DraftReply | None:
        until = self._clock.now + timeout_s
        if not self._replies or self._replies[0][0] > until:
            self._clock.now = until
            return None
        at, reply = self._replies.popleft()
        self._clock.now = max(self._clock.now, at)
        return reply


class Play:
    """One run in a world."""

    def __init__(self, world: World, seed: int) -> None:
        self._world = world
        self._draw = random.Random(seed)
        self._clock = _Clock()
        self._runner = _Runner(world, self._clock, self._draw)
        self._worth = Worth()
        self._rounds = 0
        self._expected = 0.0

    def tokens_s(self) -> float:
        """Return the expected tokens a second of the whole run, so that luck with accepted tokens does not count."""
        tokens = 0
        with patch.object(drafting_ahead, "time", SimpleNamespace(monotonic=self._clock.monotonic)):
            while tokens < RUN:
                text = [1]
                ahead = DraftingAhead(
                    self._runner,  # type: ignore[arg-type]
                    Sampler(SamplingSettings(), VOCABULARY),
                    text,
                    self._drafting_s,
                    self._world.fixed,
                    self._worth,
                )
                ahead.report_round(0)
                while len(text) < self._world.answer:
                    self._runner.progress = min(1.0, (tokens + len(text)) / RUN)
                    self._round(ahead, text)
                ahead.end()
                tokens += len(text)
        return self._expected / self._clock.now

    def _drafting_s(self, tokens: int) -> float | None:
        return tokens * self._world.draft * self._world.pass_s if self._rounds >= UNTIMED else None

    def _round(self, ahead: DraftingAhead, text: list[int]) -> None:
        world = self._world
        progress = self._runner.progress
        started = self._clock.now
        prepared = len(ahead.prepared())
        slower = 1.0 + world.slowdown(progress) * self._runner.works
        acceptance = world.acceptance(progress)
        depth, is_ahead = self._fastest(prepared, acceptance)
        drafting = 0.0 if is_ahead else depth * world.draft * slower
        seconds = world.pass_s * ((1.0 + ROW * depth) * slower + drafting) * self._draw.lognormvariate(0.0, world.noise)
        self._rounds += 1
        if world.stalled and self._draw.random() < 0.02:
            seconds *= 5.0
        self._clock.now += seconds
        expected = _committed(depth, acceptance)
        accepted = 0
        while accepted < depth and self._draw.random() < acceptance:
            accepted += 1
        text += [1] * (accepted + 1)
        self._expected += expected
        ahead.observe_round(self._clock.now - started, expected)
        ahead.report_round(depth if is_ahead else 0)

    def _fastest(self, prepared: int, acceptance: float) -> tuple[int, bool]:
        """Return how many draft tokens the round has, and whether they are the prepared ones."""
        world = self._world
        if world.fixed is not None:
            return (prepared, True) if prepared else (world.fixed, False)
        return _fastest(prepared, acceptance, world.draft)


@cache
def _fastest(prepared: int, acceptance: float, draft: float) -> tuple[int, bool]:
    """Return the draft tokens of the fastest round, and whether they are the prepared ones."""
    here = max(range(DEPTH + 1), key=lambda depth: _speed(depth, acceptance, draft))
    ahead = max(range(prepared + 1), key=lambda depth: _speed(depth, acceptance, 0.0))
    is_ahead = ahead > 0 and _speed(ahead, acceptance, 0.0) > _speed(here, acceptance, draft)
    return (ahead, True) if is_ahead else (here, False)


@cache
def _committed(depth: int, acceptance: float) -> float:
    return sum(acceptance**accepted for accepted in range(depth + 1))


def _speed(depth: int, acceptance: float, draft: float) -> float:
    return _committed(depth, acceptance) / (1.0 + (ROW + draft) * depth)


@dataclass(frozen=True)
class Tree:
    """A text for which branches are deepened.

    A further row of the draft model's pass costs `row` passes of one row. A draft token is accepted with probability
    `acceptance`. If the main model takes none of the likelier tokens, it takes the next with probability `next_best`.
    The outcome comes after a time within `window`, in passes of one row.
    """

    row: float
    acceptance: float = 0.7
    next_best: float = 0.5
    window: tuple[float, float] = (2.0, 14.0)


DEEPENING = {
    "rows are free": Tree(0.0),
    "rows are cheap": Tree(0.1),
    "rows as on a processor": Tree(0.72),
    "rows as on a processor, accepted": Tree(0.72, 0.9),
    "rows as on a processor, rejected": Tree(0.72, 0.4),
    "recovery tokens are sure": Tree(0.1, next_best=0.98, window=(30.0, 60.0)),
}
# The rounds of a text, their draft tokens, and the tokens that are wanted to follow.
TREE_ROUNDS = 60
TREE_DEPTH = 4


def deepening_figures(seed: int) -> Figures:
    """Return how many prepared tokens are accepted in a round, and how many are for each pass."""
    found: Figures = {}
    for name, tree in DEEPENING.items():
        prepared = deepened(tree, seed)
        found[f"{name}: accepted"] = prepared.accepted
        found[f"{name}: accepted a pass"] = prepared.accepted / prepared.passes
    return found


@dataclass(frozen=True)
class Deepened:
    """How many of the prepared tokens are accepted in a round, and how many passes it took to prepare all."""

    accepted: float
    passes: float


def deepened(tree: Tree, seed: int) -> Deepened:
    """Prepare for the outcomes of some rounds; costs are learned from passes of which one in ten is disturbed."""
    draw = random.Random(seed)
    costs = deepening.PassCosts()
    total = 0.0
    passes = 0
    rates: Sequence[float] = messages.FIRST_ACCEPTANCE
    for number in range(TREE_ROUNDS):
        if number % 2 == 0:
            # After a miss the runner drafts the proposal itself, in passes of one row.
            costs.observe(1, draw.lognormvariate(0.0, 0.05))
        cuts = deepening.cut_chances(rates, TREE_DEPTH)
        truth = deepening.cut_chances([tree.acceptance], TREE_DEPTH)
        recovery = [tree.next_best * (1.0 - tree.next_best) ** rank for rank in range(messages.MOST_RECOVERY)]
        chances = [cut * chance for cut in cuts for chance in recovery]
        true_chances = [cut * chance for cut in truth for chance in recovery]
        window = draw.uniform(*tree.window)
        depths = [0] * len(chances)
        in_time = list(depths)
        time = 0.0
        while chosen := deepening.branches_to_deepen(chances, depths, TREE_DEPTH, rates, costs.row):
            took = (1.0 + tree.row * (len(chosen) - 1)) * draw.lognormvariate(0.0, 0.05)
            took *= 4.0 if draw.random() < 0.1 else 1.0
            costs.observe(len(chosen), took)
            time += took
            passes += 1
            for branch in chosen:
                depths[branch] += 1
            # The outcome comes during this pass.
            if time > window:
                break
            in_time = list(depths)
        total += _prepared(in_time, true_chances, tree.acceptance)
        rates = (tree.acceptance,)
    return Deepened(total / TREE_ROUNDS, passes / TREE_ROUNDS)


def _prepared(depths: Sequence[int], chances: Sequence[float], acceptance: float) -> float:
    joint = [0.0, *accumulate(prod([acceptance] * count) for count in range(1, TREE_DEPTH + 1))]
    return sum(chance * joint[reached] for chance, reached in zip(chances, depths, strict=True))


def figures(seed: int) -> Figures:
    """Return the figures of all worlds for `seed`."""
    return speed_figures(seed) | deepening_figures(seed)
