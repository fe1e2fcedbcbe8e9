"""Exploring: trying an arm that is not the fastest known, because it could be, within what that may cost an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine.speculation.arm_estimate import PLAIN_ARM, Arm, ArmEstimate
from engine.speculation.round_cost import ENOUGH

# By which factor another arm has to appear faster, known or unexplored: every change of arm costs a slower round.
MARGIN = 1.05
# Plain rounds that exploring a new proposer may cost in an answer: it has to be tried, at a loss that one can bear.
BUDGET_ROUNDS = 6.0
# Verified first draft tokens after which a proposer is not new any more: then its own rates speak for it.
FAMILIAR = 4.0
# Beside that, the share of an answer's time so far that exploring may cost: little enough not to be felt.
ANSWER_SHARE = 0.02
# The same where speculation has saved time in the answer, as a share of that: who gained can afford to look further.
SAVED_SHARE = 0.3
# Plain rounds until another arm is retried that is not expected to be faster: the text may have become easier.
FIRST_RETRY = 16
# Where that interval, doubled with each retry, ends: long answers change too.
LAST_RETRY = 256
# Plain rounds that a retry at the start of an answer may cost, of what earlier answers left of their share: an answer
# in which nothing was right must not be the last one to speculate.
SAVED_UP_ROUNDS = 2.0


@dataclass(slots=True)
class _Exploration:
    """An arm that is explored for `rounds_left` more rounds, and what was expected of it."""

    arm: Arm
    estimate: ArmEstimate
    rounds_left: int = ENOUGH


@dataclass(slots=True)
class Retries:
    """When to retry an arm that is not expected to be faster: ever more rarely while nothing comes of it.

    `since` is the plain rounds since the last retry, in whichever answers, and `interval` how many there have to be.
    An answer whose predecessor left plain decoding (`left_plain`) starts with one.
    """

    since: int = FIRST_RETRY
    interval: int = FIRST_RETRY
    tried: bool = False
    left_plain: bool = False

    def begin(self) -> None:
        """An answer starts."""
        if self.left_plain:
            self.since = self.interval
        self.tried = self.left_plain = False

    @property
    def due(self) -> bool:
        return self.since >= self.interval

    @property
    def untried(self) -> bool:
        """Whether nothing but plain decoding was used in this answer."""
        return not (self.tried or self.left_plain)

    def retry(self) -> None:
        self.since, self.tried = 0, True
        self.interval = min(2 * self.interval, LAST_RETRY)

    def count(self, *, plain: bool, rounds: int = 1) -> None:
        """Typical rounds passed while plain decoding was in use, or another arm."""
        if plain:
            self.since += rounds
        else:
            self.since, self.interval, self.left_plain = 0, FIRST_RETRY, True


class Explorer:
    """Decides which arm is explored, and keeps account of an answer's time and of what exploring has cost in it.

    Costs are against the fastest arm known. What an explored round really brought counts, not what was expected of it:
    expectations of arms that are explored for their best case err to the good side.
    """

    def __init__(self) -> None:
        self._exploring: _Exploration | None = None
        self._best_speed = 0.0
        self._retries = Retries()
        # What answers did not spend of their share.
        self._saved_up_s = self._answer_s = self._spent_s = 0.0
        self.begin()

    def begin(self) -> None:
        """An answer starts: its text may be easier than that of the last one."""
        self._exploring = None
        self._saved_up_s = max(0.0, self._saved_up_s + ANSWER_SHARE * self._answer_s - self._spent_s)
        self._answer_s = self._spent_s = 0.0
        self._tokens = 0
        self._retries.begin()

    def choose(
        self, arms: Mapping[Arm, ArmEstimate], best: Arm, current: Arm, seen: Callable[[str], float], *, anchored: bool
    ) -> Arm | None:
        """The arm to explore in this round, or None. It gets a second round, which has no change of arm in it.

        `best` is the fastest arm known, `current` the one in use. `seen` gives how many first draft tokens of a
        proposer were verified. Unless `anchored`, nothing new is explored.
        """
        self._best_speed = arms[best].speed
        going_on = self._exploring
        if going_on is None or going_on.arm not in arms or going_on.rounds_left == 0:
            arm = self._worth_exploring(arms, current, seen) if anchored else None
            self._exploring = None if arm is None else _Exploration(arm, arms[arm])
        return None if self._exploring is None else self._exploring.arm

    def count(self, tokens: int, seconds: float) -> None:
        """Rounds of the answer brought so many tokens."""
        self._answer_s += seconds
        self._tokens += tokens

    def reconsider(self, current: Arm) -> None:
        """A round of a proposer, with `current` in use, held other work too, which need not be done again: what to
        explore is open anew.
        """
        self._exploring = None
        self._retries.count(plain=current == PLAIN_ARM)

    def settle(self, arm: Arm, current: Arm, tokens: int, seconds: float) -> None:
        """Account for a typical round of `arm` while `current` was in use.

        An exploration without an accepted token is not repeated if its cost was known already.
        """
        exploring = self._exploring
        if exploring is not None and exploring.arm == arm:
            hopeless = arm != PLAIN_ARM and tokens == 1 and exploring.estimate.known
            exploring.rounds_left = 0 if hopeless else exploring.rounds_left - 1
            # What took longer than the arm can take was disturbed.
            counted = min(seconds, exploring.estimate.most_seconds)
            self._spent_s += counted - tokens / self._best_speed
        self._retries.count(plain=current == PLAIN_ARM)

    def _worth_exploring(
        self, arms: Mapping[Arm, ArmEstimate], current: Arm, seen: Callable[[str], float]
    ) -> Arm | None:
        plain_s = arms[PLAIN_ARM].seconds
        allowance = {source: self._allowance(source, plain_s, seen) for source, _ in arms}
        affordable = [arm for arm, estimate in arms.items() if self._worst_loss(estimate) <= allowance[arm[0]]]
        wanted = MARGIN * self._best_speed
        promising = [arm for arm in affordable if arm != current and arms[arm].best_case > wanted]
        if promising:
            return max(promising, key=lambda arm: arms[arm].best_case)
        if current != PLAIN_ARM or not self._retries.due:
            return None
        saved_up = min(self._saved_up_s, SAVED_UP_ROUNDS * plain_s) if self._retries.untried else 0.0
        saved_up += ANSWER_SHARE * self._answer_s - self._spent_s
        for arm, estimate in arms.items():
            if arm != PLAIN_ARM and arm not in affordable and self._worst_loss(estimate) <= saved_up:
                affordable.append(arm)
        speculative = [arm for arm in affordable if arm != PLAIN_ARM]
        if not speculative:
            return None
        self._retries.retry()
        return max(speculative, key=lambda arm: arms[arm].speed)

    def _allowance(self, source: str | None, plain_s: float, seen: Callable[[str], float]) -> float:
        """Seconds that exploring an arm of `source` may still cost in this answer."""
        saved = self._tokens * plain_s - self._answer_s
        new = source is not None and seen(source) < FAMILIAR
        first = BUDGET_ROUNDS * plain_s if new else 0.0
        return first + max(SAVED_SHARE * saved, ANSWER_SHARE * self._answer_s) - self._spent_s

    def _worst_loss(self, estimate: ArmEstimate) -> float:
        """Seconds that exploring an arm could lose."""
        return ENOUGH * max(0.0, estimate.most_seconds - estimate.least_tokens / self._best_speed)
