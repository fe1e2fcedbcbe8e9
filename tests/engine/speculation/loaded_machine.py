"""A simulated machine whose load changes while answers are decoded; the true speed-up of each is known."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.speculation.choosing.choice import Choice, Offer
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.texts import AnswerState
from engine.stats import RequestLog, RequestStats, RoundRecord
from tests.engine.speculation.simulation import learn

# Seconds since the machine was made -> how many times as long everything takes.
Load = Callable[[float], float]

PLAIN_S = 0.02


def quiet(_at: float) -> float:
    return 1.0


def waves(at: float) -> float:
    """Become between one and three times as slow, every twenty seconds."""
    return 2.0 + math.sin(at * 2 * math.pi / 20.0)


def steps(at: float) -> float:
    """Simulate a program that takes most of the processor in every other period of seven seconds."""
    return 3.5 if int(at / 7.0) % 2 else 1.0


def growing(at: float) -> float:
    return min(6.0, 1.0 + at / 20.0)


def bursts(seconds: float, share: float = 0.4) -> Load:
    """Return the load of programs that take two to five times their share of the processor for `seconds` at a time.

    They do so during a `share` of the time.
    """

    def load(at: float) -> float:
        chance = random.Random(int(at / seconds))
        return chance.uniform(2.0, 5.0) if chance.random() < share else 1.0

    return load


LOADS: dict[str, Load] = {"quiet": quiet, "waves": waves, "steps": steps, "growing": growing}


@dataclass
class LoadedMachine:
    """One pair of models. `now` is its clock.

    A round of `depth` draft tokens takes 1 + `row` * depth + `draft` * depth plain steps, and each draft token is
    accepted with probability `acceptance`. `depth` fixes the draft tokens of a round. With `waits_at_launch` launching
    a pass waits for the one before, so the first plain round of a run takes two steps and the last one none. `stall`
    says how many times as long a round with some number of draft tokens takes at some time; the truth leaves that out.
    """

    load: Load = quiet
    acceptance: float = 0.75
    row: float = 0.06
    draft: float = 0.08
    noise: float = 0.03
    limit: int = 6
    depth: int | None = None
    waits_at_launch: bool = False
    stall: Callable[[float, int], float] = lambda _at, _depth: 1.0
    seed: int = 0
    now: float = 0.0
    controller: Controller = field(default_factory=Controller)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def answer(self, tokens: int, share: float = 0.02, *, plain: bool = False) -> Answered:
        """Decode an answer as the engine does. `share` limits the cost of plain samples; `plain` never speculates."""
        controller = self.controller
        log = RequestLog(self.now, RequestStats(prompt_tokens=9, main="main", draft="draft"))
        controller.speedup.begin(0)
        self._answer: AnswerState = controller.begin()
        answered = Answered(log)
        self._round(answered, 0, "first-token")
        pipelined = False
        following: tuple[int, str] | None = None
        while answered.tokens < tokens:
            depth, reason = following or self._decide(tokens - answered.tokens, share, plain=plain)
            following = None
            if depth == 0 and tokens - answered.tokens > 1:
                # The launch of the next pass is decided before this one is read.
                following = self._decide(tokens - answered.tokens - 1, share, plain=plain)
                following = following if following[0] == 0 else None
            before, started = log.snapshot().accepted, self.now
            committed = self._round(answered, depth, reason, pipelined=pipelined, followed=following is not None)
            accepted = log.snapshot().accepted - before
            seconds, typical = self.now - started, depth > 0 or (pipelined and following is not None)
            choice = Choice("draft", depth) if depth else Choice(None, 0)
            known = typical or not self._answer.costs.plain_known()
            # Drafting is timed apart until that is known, as the engine does.
            unknown = depth > 0 and self._answer.costs.drafting_share("draft", depth, depth + 1) is None
            drafting_s = seconds * depth * self.draft / (1.0 + depth * (self.row + self.draft)) if unknown else None
            learn(controller, self._answer, choice, accepted, seconds, drafting_s, typical=known)
            controller.speedup.observe(choice.source, depth + 1, committed, seconds, typical=typical)
            if answered.tokens >= tokens:
                controller.speedup.compare()
            log.speedup = controller.measured_speedup(self._answer)
            pipelined = following is not None
        controller.speedup.end()
        return answered

    def _decide(self, remaining: int, share: float, *, plain: bool) -> tuple[int, str]:
        """Return the draft tokens of a round, and the reason if there are none."""
        if self.controller.speedup.take_plain_round():
            return 0, "measuring"
        choice = self._choose(plain)
        depth = min(choice.depth, remaining - 1)
        if depth > 0 and self.controller.begin_sample_if_due(share):
            return 0, "measuring"
        return depth, choice.reason or ("off" if plain else "")

    def _choose(self, plain: bool) -> Choice:
        if self.depth is not None and not plain:
            return Choice("draft", self.depth)
        [choice] = self.controller.choose([(self._answer, Offer({} if plain else {"draft": self.limit}))])
        return choice

    def _round(
        self, answered: Answered, depth: int, reason: str, *, pipelined: bool = False, followed: bool = False
    ) -> int:
        load = self.load(self.now)
        steps = 1.0 + depth * (self.row + self.draft) if depth or pipelined else 1.1
        if depth == 0 and self.waits_at_launch:
            steps += 0.9 * (followed - pipelined)
        accepted = 0
        while accepted < depth and self._random.random() < self.acceptance:
            accepted += 1
        seconds = steps * PLAIN_S * load * self._random.lognormvariate(0.0, self.noise)
        undisturbed_s = seconds
        seconds *= self.stall(self.now, depth)
        self.now += seconds
        if reason != "first-token":
            answered.tokens += accepted + 1
            answered.plain_s += (accepted + 1) * PLAIN_S * load
            answered.decode_s += undisturbed_s
            answered.clock_s += seconds
        number = len(answered.rounds)
        source, at_s = "draft" if depth else "main", self.now - answered.log.started
        tokens, times = (depth, accepted, accepted + 1), (0.3 * seconds * (depth > 0), 0.6 * seconds, 0.0)
        record = RoundRecord(number, source, *tokens, depth + 1, at_s, *times, "" if depth else reason)
        answered.rounds.append(record)
        answered.log.add(record, self.now)
        answered.kept.append(answered.log.snapshot())
        return accepted + 1


@dataclass
class Answered:
    """An answer: its rounds with the figures after each, and its true duration, also that of plain decoding.

    `clock_s` is its duration with the stalls, which the true ones leave out.
    """

    log: RequestLog
    tokens: int = 0
    plain_s: float = 0.0
    decode_s: float = 0.0
    clock_s: float = 0.0
    rounds: list[RoundRecord] = field(default_factory=list)
    kept: list[RequestStats] = field(default_factory=list)

    @property
    def stats(self) -> RequestStats:
        return self.log.snapshot()

    @property
    def truth(self) -> float:
        return self.plain_s / self.decode_s

    @property
    def truth_of_stalled_drafting(self) -> float:
        """The speed-up if plain decoding would not have stalled in this time, as speculative rounds did."""
        return self.plain_s / self.clock_s
