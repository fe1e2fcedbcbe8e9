"""A simulated machine and text for the depth controller: seeded, without a model."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.texts import AnswerState

# (rows of the pass, tokens of context) -> cost of the pass, in one-row passes at an empty context.
PassCost = Callable[[int, int], float]
# (tokens committed so far, position of the draft token from 0) -> conditional acceptance.
Acceptance = Callable[[int, int], float]

PLAIN_MS = 20.0
# The most draft tokens of a round, and the tokens of the prompt.
LIMIT, CONTEXT = 8, 500
# In one-row passes: a pipelined plain step, the change to and from speculation, and reading a token in catch-up.
PIPELINED, ENTERING, CATCH_UP = 0.93, 0.3, 0.002


@dataclass(frozen=True)
class World:
    """A machine (pass cost, noise, stalls) and a proposer (drafting cost, acceptance)."""

    pass_cost: PassCost
    acceptance: Acceptance
    draft_cost: float = 0.06
    noise: float = 0.03
    stall_every: int = 0


@dataclass
class Run:
    """The result: tokens and seconds, changes of depth, those from plain decoding, rounds at each depth."""

    tokens: int = 0
    seconds: float = 0.0
    rounds: int = 0
    switches: int = 0
    entries: int = 0
    depths: dict[int, int] = field(default_factory=dict)

    @property
    def speed(self) -> float:
        return self.tokens / self.seconds


class Machine:
    """Plays rounds in a world; the same seed gives the same noise."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.random = random.Random(seed)
        self.run = Run()
        self._last_depth = 0
        self._undrafted = 0

    def play(self, depth: int) -> tuple[int, float, float]:
        """Play one round; returns (draft tokens accepted, seconds, seconds of drafting)."""
        world, run = self.world, self.run
        cost = world.pass_cost(1 + depth, CONTEXT + run.tokens) * (PIPELINED if depth == 0 else 1.0)
        drafting = 0.0 if depth == 0 else depth * world.draft_cost + self._undrafted * CATCH_UP
        if depth != self._last_depth:
            cost += ENTERING if 0 in (depth, self._last_depth) else 0.05
            run.switches += 1
            run.entries += self._last_depth == 0
        jitter = self.random.lognormvariate(0.0, world.noise)
        run.rounds += 1
        if world.stall_every and run.rounds % world.stall_every == 0:
            jitter *= 10.0
        accepted = 0
        while accepted < depth and self.random.random() < world.acceptance(run.tokens, accepted):
            accepted += 1
        seconds = (cost + drafting) * jitter * PLAIN_MS / 1e3
        self._undrafted = self._undrafted + 1 if depth == 0 else 0
        self._last_depth = depth
        run.tokens += accepted + 1
        run.seconds += seconds
        run.depths[depth] = run.depths.get(depth, 0) + 1
        return accepted, seconds, drafting * jitter * PLAIN_MS / 1e3


def fixed(world: World, depth: int, tokens: int, seed: int = 0) -> Run:
    """Play the whole answer at one depth."""
    machine = Machine(world, seed)
    while machine.run.tokens < tokens:
        machine.play(depth)
    return machine.run


def controlled(world: World, tokens: int, seed: int = 0, controller: Controller | None = None) -> Run:
    """Play the whole answer with the controller, by default a new one."""
    controller = Controller() if controller is None else controller
    machine = Machine(world, seed)
    answer = controller.begin()
    offer = Offer({"draft": LIMIT})
    while machine.run.tokens < tokens:
        [choice] = controller.choose([(answer, offer)])
        accepted, seconds, drafting = machine.play(choice.depth)
        learn(controller, answer, choice, accepted, seconds, drafting)
    return machine.run


def learn(
    controller: Controller,
    answer: AnswerState,
    choice: Choice,
    accepted: int,
    seconds: float,
    drafting_s: float | None = None,
    *,
    typical: bool = True,
) -> None:
    """Let the controller learn from a round with `accepted` draft tokens of the draft model."""
    depth = choice.depth
    rows = 1 if choice.source is None else 1 + depth
    draft = None if choice.source is None else (choice.source, depth)
    measured = MeasuredRound(rows, accepted + 1, seconds, draft, drafting_s if depth else None, typical=typical)
    controller.observe_round(answer, measured)
    controller.observe(answer, choice, depth, depth, accepted)


def flat(width: int, _: int) -> float:
    return 1.0 + 0.01 * (width - 1)


def linear(width: int, _: int) -> float:
    return float(width)


def gentle(width: int, _: int) -> float:
    return 1.0 + 0.25 * (width - 1)


def stepped(width: int, _: int) -> float:
    """Cost one reading of the weights for every five rows."""
    return 1.0 + 0.85 * ((width - 1) // 5) + 0.03 * (width - 1)


def drifting(width: int, context: int) -> float:
    """Grow with the context, by a common part and a part for each row."""
    return 1.0 + 0.08 * (width - 1) + context / 4000 * (0.3 + 0.12 * width)


COSTS: dict[str, PassCost] = {cost.__name__: cost for cost in (flat, gentle, linear, stepped, drifting)}


def constant(rate: float) -> Acceptance:
    return lambda _tokens, _position: rate


def alternating(prose: float, code: float, stretch: int) -> Acceptance:
    """Alternate between `stretch` tokens of prose and as many of code."""
    return lambda tokens, _position: code if tokens // stretch % 2 else prose


ACCEPTANCES: dict[str, Acceptance] = {
    "always wrong": constant(0.0),
    **{f"constant {rate}": constant(rate) for rate in (0.3, 0.6, 0.8, 0.95)},
    "decaying": lambda _tokens, position: 0.85 * 0.85**position,
    "prose and code": alternating(0.4, 0.92, 300),
}


def best_fixed(world: World, tokens: int, seeds: Sequence[int]) -> tuple[int, float]:
    """Return the depth that is best in hindsight, and its speed."""
    speeds = {
        depth: sum(fixed(world, depth, tokens, seed).speed for seed in seeds) / len(seeds) for depth in range(LIMIT + 1)
    }
    best = max(speeds, key=lambda depth: speeds[depth])
    return best, speeds[best]
