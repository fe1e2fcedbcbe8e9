"""Answers on machines without noise, for tests of the controller's choices."""

from __future__ import annotations

from collections.abc import Callable

from engine.speculation.choosing.choice import Choice, MeasuredRound, Offer
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.costs import Costs
from engine.speculation.choosing.texts import AnswerState
from tests.engine.speculation.simulation import learn

PLAIN_S = 0.02


def round_s(depth: int) -> float:
    """Return the seconds of a round; with four accepted draft tokens it is about twice as fast as plain decoding."""
    return PLAIN_S * (1.0 + 0.4 * depth)


def measure(costs: Costs, source: str = "draft", depths: tuple[int, ...] = (1, 4, 8), plain_s: float = PLAIN_S) -> None:
    """Observe rounds as a calibration does; half of the time beyond a plain round is drafting."""
    for _ in range(3):
        costs.observe(1, plain_s)
    for depth in depths:
        beyond = 0.2 * depth * plain_s
        for _ in range(3):
            costs.observe(depth + 1, plain_s + 2 * beyond, (source, depth), beyond)


def familiar(accepted: int, *, source: str = "draft", constrained: bool = False) -> tuple[Controller, AnswerState]:
    """Return a calibrated pair with `accepted` of eight draft tokens accepted in ten answers, and its next answer."""
    controller = Controller()
    answer = controller.begin(constrained=constrained)
    measure(answer.costs, source)
    for _ in range(10):
        answer = controller.begin(constrained=constrained)
        for _ in range(4):
            answer.observe(source, 8, accepted)
    empty_budget(controller)
    return controller, controller.begin(constrained=constrained)


def empty_budget(controller: Controller) -> None:
    """Allow no exploration until the budget has earned something."""
    controller.learned.exploration_budget = 0.0


def choose(
    controller: Controller, answer: AnswerState, limits: dict[str, int] | None = None, **offer: object
) -> Choice:
    """Choose the next round of an answer that decodes alone."""
    [choice] = controller.choose([(answer, Offer(limits or {"draft": 8}, **offer))])  # type: ignore[arg-type]
    return choice


def play(
    controller: Controller,
    answer: AnswerState,
    rounds: int,
    right: Callable[[int], int],
    seconds: Callable[[int], float] = round_s,
    limits: dict[str, int] | None = None,
) -> list[Choice]:
    """Play rounds in which the first `right(round)` draft tokens are accepted; returns the choices."""
    chosen = []
    for number in range(rounds):
        choice = choose(controller, answer, limits)
        chosen.append(choice)
        accepted = min(choice.depth, right(number))
        learn(controller, answer, choice, accepted, seconds(choice.depth))
    return chosen


def plain_round(controller: Controller, answer: AnswerState, seconds: float = PLAIN_S, answers: int = 1) -> None:
    controller.observe_round(answer, MeasuredRound(answers, answers, seconds))
    controller.observe(answer, Choice(None, 0), 0, 0, 0)
