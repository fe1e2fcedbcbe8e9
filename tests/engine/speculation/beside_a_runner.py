"""A runner that drafts ahead beside answers, whose rounds the real controller chooses and `Worth` judges.

Rounds are drawn at random, with a seed. Their unit is the main model's pass.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from engine.ahead.worth import Worth
from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from tests.engine.ahead.worlds import Course, steady, turning
from tests.engine.recorded_figures import Figures

# The tokens of a run. In the shorter ones trying the slower way is a larger part.
RUNS = (2000, 600)
# The tokens of an answer, the most draft tokens, the cost of a further row, and how much rounds vary.
ANSWER, DEPTH, ROW, NOISE = 250, 8, 0.07, 0.05
# One round in this many has its drafting timed apart.
TIMED_EVERY = 64
# Seconds of a pass of one row, and in passes what taking a prepared draft costs.
PASS_S, TAKING = 0.05, 0.005


@dataclass(frozen=True)
class World:
    """How much the runner slows passes down, what a draft token costs, and how often it is prepared and accepted."""

    slowdown: Course
    draft: float
    hits: Course
    acceptance: float = 0.8


WORLDS = {
    "its drafts are there": World(steady(0.03), 0.1, steady(0.85)),
    "on another computer": World(steady(0.0), 0.1, steady(0.7)),
    "a little": World(steady(0.1), 0.07, steady(0.6)),
    "no outcome is prepared": World(steady(0.22), 0.07, steady(0.0)),
    "its passes take a core": World(steady(0.22), 0.07, steady(0.6)),
    "nothing is accepted": World(steady(0.2), 0.08, steady(0.5), 0.2),
    "its drafts begin to be there": World(steady(0.05), 0.12, turning(0.0, 0.85)),
    "the machine gets busy": World(turning(0.03, 0.25), 0.12, steady(0.7)),
}


class Play:
    """A run in a world. The runner `works` always, never, or, for None, as `Worth` says."""

    def __init__(self, world: World, works: bool | None, length: int, seed: int) -> None:
        self._world, self._works, self._length = world, works, length
        self._random = random.Random(seed)
        self._worth = Worth()
        self._controller = Controller()
        self._has_worked = False
        self._rounds = 0
        self.tokens = 0
        self.expected = 0.0
        self.seconds = 0.0

    def speed(self) -> float:
        """Return the expected tokens a second of the whole run, so that luck does not count."""
        while self.tokens < self._length:
            answer = self._controller.begin()
            end = self.tokens + ANSWER
            while self.tokens < end:
                works = self._worth.works if self._works is None else self._works
                offer = Offer({"draft": DEPTH} | ({"ahead": DEPTH} if self._is_prepared(works) else {}))
                [choice] = self._controller.choose([(answer, offer)])
                measured = self._round(choice, works)
                self._controller.observe_round(answer, measured)
                self._controller.observe(answer, choice, choice.depth, choice.depth, measured.tokens - 1)
                tokens = 1.0 + answer.forecast("draft", choice.depth).accepted[choice.depth]
                self._worth.observe(measured.seconds, tokens)
        return self.expected / self.seconds

    def _is_prepared(self, works: bool) -> bool:
        """Whether the outcome of the round before was prepared; a runner that has rested has prepared nothing."""
        could_be, self._has_worked = self._has_worked and works, works
        return could_be and self._random.random() < self._world.hits(self.tokens / self._length)

    def _round(self, choice: Choice, works: bool) -> MeasuredRound:
        slower = 1.0 + self._world.slowdown(self.tokens / self._length) * works
        drafting = {"draft": choice.depth * self._world.draft * slower, "ahead": TAKING}.get(choice.source or "", 0.0)
        unit_s = PASS_S * self._random.lognormvariate(0.0, NOISE)
        seconds = unit_s * ((1.0 + ROW * choice.depth) * slower + drafting)
        accepted = 0
        while accepted < choice.depth and self._random.random() < self._world.acceptance:
            accepted += 1
        self.tokens += 1 + accepted
        self.expected += sum(self._world.acceptance**count for count in range(1 + choice.depth))
        self.seconds += seconds
        draft = None if choice.source is None else (choice.source, choice.depth)
        self._rounds += 1
        # As in the engine, drafting is seldom timed apart, and never where a runner drafts.
        is_timed = choice.source == "draft" and self._rounds % TIMED_EVERY == 1
        return MeasuredRound(1 + choice.depth, 1 + accepted, seconds, draft, unit_s * drafting if is_timed else None)


def shares(seed: int) -> Figures:
    """Return for each world and length of a run the share of the better way's speed. The goal is 0.97.

    The better way is to let the runner work always, or never.
    """
    found: Figures = {}
    for name, world in WORLDS.items():
        for length in RUNS:
            better = max(Play(world, works, length, seed).speed() for works in (False, True))
            found[f"beside a runner, {name}, {length}"] = Play(world, None, length, seed).speed() / better
    return found
