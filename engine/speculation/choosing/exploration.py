"""The exploration budget: what rounds that try a plan, or measure the speed-up, may cost.

It is counted in plain rounds, and refilled with a share of all time. So no answer becomes noticeably slower, whatever
is tried.
"""

from __future__ import annotations

from typing import Protocol

# The exploration budget in plain rounds, at first and at most. With more, a machine on which nothing pays would delay
# the first answers noticeably; with less, a first trial of a deep plan could not be afforded. With 2, text in turns is
# 3.8 % slower; without a limit, hopeless pairs are 28 % slower.
FULL_BUDGET = 4.0
# The share of all time that refills the budget: what exploration may cost in the long run. Without a refill, a text
# that becomes easier would stay plain for ever: such a text is 15 % slower, and answers after hopeless ones 23 %.
REFILL_SHARE = 0.02
# The least factor of REFILL_SHARE after failed trials, so that drafting is tried again when the text gets easier: text
# in turns is 7.7 % slower without it. If failed trials do not halve the refill at all, hopeless pairs are 2.7 % slower.
LEAST_REFILL = 1 / 8


class BudgetState(Protocol):
    """What a budget keeps between runs.

    `exploration_budget` is the cost, in plain rounds, that exploration may still have. It is below zero after a sample
    on credit. `budget_refill` is the factor of REFILL_SHARE, from LEAST_REFILL to 1.
    """

    exploration_budget: float
    budget_refill: float


class ExplorationBudget:
    """Limits what exploration costs; it changes `state`.

    Arguments in seconds are turned into plain rounds by `plain_s`, the seconds of a plain round.

    For example, a plain round takes 20 ms. A trial takes 60 ms and commits what the fastest known plan commits in
    30 ms, so it lost 30 ms: it costs 1.5 of the four rounds, and halves the refill from 2 % of all time to 1 %. After
    some 150 plain rounds the budget is full again.
    """

    def __init__(self, state: BudgetState) -> None:
        self._state = state
        # The factor of the refill when the latest answer began.
        self._first_refill = state.budget_refill

    @property
    def is_full(self) -> bool:
        """Whether the budget earns nothing more."""
        return self._state.exploration_budget >= FULL_BUDGET

    @property
    def is_spent(self) -> bool:
        """Whether nothing is left, so that not even a sample may begin."""
        return self._state.exploration_budget <= 0.0

    def affords(self, loss_s: float, plain_s: float) -> bool:
        """Whether a trial that loses `loss_s` seconds is covered."""
        return loss_s <= self._state.exploration_budget * plain_s

    def begin_answer(self) -> None:
        """Begin an answer: failed trials in the last one have at most halved the refill that this one begins with."""
        self._first_refill = max(self._state.budget_refill, self._first_refill / 2.0)
        self._state.budget_refill = self._first_refill

    def earn(self, seconds: float, plain_s: float) -> None:
        """Refill the budget for a round that took `seconds`."""
        refill = self._state.budget_refill * REFILL_SHARE * (seconds / plain_s)
        self._state.exploration_budget = min(FULL_BUDGET, self._state.exploration_budget + refill)

    def pay(self, lost_s: float, plain_s: float) -> None:
        """Charge a trial that lost `lost_s` seconds, negative if it gained.

        A failed trial halves the refill, a successful one doubles it.
        """
        state = self._state
        state.exploration_budget = min(FULL_BUDGET, max(0.0, state.exploration_budget - lost_s / plain_s))
        if lost_s < 0.0:
            state.budget_refill = min(1.0, 2.0 * state.budget_refill)
        else:
            state.budget_refill = max(LEAST_REFILL, state.budget_refill / 2.0)

    def charge_sample(self, cost_s: float, plain_s: float) -> None:
        """Charge a sample that costs `cost_s` seconds, also on credit.

        It pays the same factor of its cost as the refill has, so that failed trials do not make samples rarer.
        """
        self._state.exploration_budget -= self._state.budget_refill * cost_s / plain_s
