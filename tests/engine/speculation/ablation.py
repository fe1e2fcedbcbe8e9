"""What each constant and each part of `engine.speculation.choosing` gives, in the worlds of `worlds`.

`python -m tests.engine.speculation.ablation` is the command that `tests.tools.ablation` describes.
"""

from __future__ import annotations

import inspect
import multiprocessing
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from multiprocessing.queues import SimpleQueue
from types import ModuleType

from engine.requests import MAX_DEPTH
from engine.speculation.choosing import controller, costs, exploration, plans, speedup, texts
from tests.engine.recorded_figures import Figures
from tests.engine.speculation.worlds import RECORD, WORLDS, figures
from tests.tools.ablation import BASE, Ablation, main

MODULES = (costs, texts, plans, speedup, exploration, controller)
COMMENT = """\
What the controller reaches in simulated worlds (tests/engine/speculation/worlds.py): ratios, better the
larger they are. Written by `python -m tests.engine.speculation.ablation record`; `first` are the first seeds alone."""
# A number that is never reached.
NEVER = 1e9

# Texts of the code that several variants replace.
COSTS_NOISE = "self.noise += (max((error / beyond) ** 2 - known, ROUND_DRIFT**2) - self.noise) / FADING_ROUNDS"
COMPARED_NOISE = (
    "self.comparisons.noise += ((log(seconds) - before) ** 2 / 2.0 - self.comparisons.noise) / NOISE_ROUNDS"
)
PLAIN_KNOWN = "self.known and self.verify(answers).variance < max(FIRST_NOISE**2, self.noise)"
EVEN = "float(len(tokens) / sqrt(sum(count**-2.0 for count in tokens) / len(tokens)))"
FULL_BUDGET = "self._budget.is_full"
FIRST_REFILL = "self._state.budget_refill = self._first_refill"

# Names of the worlds in which the controller compares plain rounds with their neighbours.
COMPARING = tuple(
    name for name in WORLDS if name.startswith(("pairs", "Apple", "kinds", "copies", "shown", "short answers"))
)
SEVERAL = tuple(name for name in WORLDS if name.startswith("several"))


@dataclass(frozen=True)
class Variant:
    """A controller without something: `apply` changes the modules of this process, for good."""

    apply: Callable[[], None]
    worlds: tuple[str, ...] = tuple(WORLDS)


def constant(module: ModuleType, **values: object) -> Callable[[], None]:
    """Return a function that sets constants of `module`, also where they were imported."""

    def apply() -> None:
        for name, value in values.items():
            before = getattr(module, name)
            for other in MODULES:
                if getattr(other, name, None) is before:
                    setattr(other, name, value)

    return apply


def alone(module: ModuleType, **values: object) -> Callable[[], None]:
    """Return a function that sets constants in `module` only."""

    def apply() -> None:
        for name, value in values.items():
            setattr(module, name, value)

    return apply


def code(owner: object, name: str, *changes: tuple[str, str]) -> Callable[[], None]:
    """Return a function that replaces texts, each of which occurs once, in the function `name` of `owner`."""

    def apply() -> None:
        text = textwrap.dedent(inspect.getsource(getattr(owner, name)))
        for before, after in changes:
            if text.count(before) != 1:
                raise ValueError(f"{name} has {text.count(before)} times {before!r}")
            text = text.replace(before, after)
        module = owner if isinstance(owner, ModuleType) else sys.modules[owner.__module__]
        found: dict[str, object] = {}
        exec(compile(text, name, "exec"), vars(module), found)
        setattr(owner, name, found[name])

    return apply


def each(*changes: Callable[[], None]) -> Callable[[], None]:
    def apply() -> None:
        for change in changes:
            change()

    return apply


def starting(change: Callable[[controller.Controller], None]) -> Callable[[], None]:
    """Return a function after which every new controller is changed."""

    def apply() -> None:
        begin = controller.Controller.__init__

        def changed(self: controller.Controller, learned: controller.ControllerState | None = None) -> None:
            begin(self, learned)
            change(self)

        controller.Controller.__init__ = changed  # type: ignore[method-assign]

    return apply


def _noise(to: float) -> Callable[[], None]:
    def change(one: controller.Controller) -> None:
        one.learned.unconstrained.costs.noise = one.learned.constrained.costs.noise = to**2

    return each(constant(costs, FIRST_NOISE=to), starting(change))


def _budget(to: float) -> Callable[[], None]:
    def change(one: controller.Controller) -> None:
        one.learned.exploration_budget = to

    return each(constant(exploration, FULL_BUDGET=to), starting(change))


def _states(*rates: float) -> Callable[[], None]:
    return constant(texts, FIRST_RATES=rates, STATES=tuple(product(range(len(rates)), repeat=2)))


def _independent() -> None:
    """Let the state of the drafter and that of other sources tell nothing of each other."""
    moved = texts._moved
    count = len(texts.FIRST_RATES)

    def changed(shares: Sequence[float], towards: Sequence[float], part: float) -> list[float]:
        joint = moved(shares, towards, part)
        drafter = [sum(joint[count * state : count * (state + 1)]) for state in range(count)]
        other = [sum(joint[state::count]) for state in range(count)]
        return [first * second / sum(drafter) for first, second in product(drafter, other)]

    texts._moved = changed


def _noise_of_costs() -> None:
    """Let comparisons have the noise that the costs of rounds have learned."""
    code(
        speedup.SpeedupMeter,
        "observe",
        (COMPARED_NOISE, "pass"),
    )()
    code(
        controller.Controller,
        "observe_round",
        ("self._budget.earn(", "self.learned.comparisons.noise = costs.noise\n    self._budget.earn("),
    )()


# By name: the constant, or what is simpler, and what is neutral.
VARIANTS: dict[str, Variant] = {
    # Costs.
    "FIRST_NOISE as ROUND_DRIFT": Variant(_noise(costs.ROUND_DRIFT)),
    "ROUND_DRIFT 0.002": Variant(constant(costs, ROUND_DRIFT=0.002)),
    "ANSWER_DRIFT 0": Variant(constant(costs, ANSWER_DRIFT=0.0)),
    "no common level": Variant(
        each(constant(costs, ANSWER_DRIFT=0.0), code(costs.Costs, "_learn", ("+ ROUND_DRIFT**2", "* 0.0")))
    ),
    "noise not learned": Variant(
        code(
            costs.Costs,
            "_divide",
            (COSTS_NOISE, "pass"),
        )
    ),
    "costs without a floor": Variant(code(costs.Costs, "_divide", (", self.noise / FADING_ROUNDS)", ", 0.0)"))),
    "costs FADING_ROUNDS 20": Variant(alone(costs, FADING_ROUNDS=20.0)),
    "costs DISTURBED_DEVIATIONS 50": Variant(alone(costs, DISTURBED_DEVIATIONS=50.0)),
    "costs disturbed like the level": Variant(code(costs.Costs, "_divide", ("beyond**-2.0", "1.0 / beyond"))),
    "costs not widened": Variant(code(costs.Costs, "_divide", ("beyond if error < 0.0 else 1.0", "1.0"))),
    "costs DISTURBED_FACTOR 1": Variant(alone(costs, DISTURBED_FACTOR=1.0)),
    "UNTIMED one pair": Variant(constant(costs, UNTIMED={"draft": (0.002, 0.5), "read": (0.002, 0.5)})),
    "UNTIMED as a pass": Variant(constant(costs, UNTIMED={"draft": (1.0, 1.0), "read": (1.0, 1.0)})),
    "costs no steps between": Variant(
        code(costs.Costs, "_figure", (" + share * (1.0 - share) * (above.mean - below.mean) ** 2", ""))
    ),
    "costs extrapolation certain": Variant(
        code(costs._LogNormal, "between", ("self.variance + log(most / least) ** 2 / 12.0", "self.variance"))
    ),
    "plain known at once": Variant(
        code(
            costs.Costs,
            "plain_known",
            (PLAIN_KNOWN, "self.known"),
        )
    ),
    "trial disturbed counts": Variant(
        code(
            controller.Controller,
            "observe_round",
            (" and not costs.is_disturbed(trial.plan.time, measured.seconds)", ""),
        )
    ),
    # Texts.
    "one state": Variant(_states(0.7)),
    "two states": Variant(_states(0.93, 0.4)),
    "independent states": Variant(_independent),
    "PRIOR_WEIGHT 1": Variant(constant(texts, PRIOR_WEIGHT=1.0)),
    "PRIOR_WEIGHT 8": Variant(constant(texts, PRIOR_WEIGHT=8.0)),
    "texts FADING_ROUNDS 1e4": Variant(alone(texts, FADING_ROUNDS=1e4)),
    "state kept": Variant(code(texts.AnswerState, "decay", ("1.0 / STATE_ROUNDS", "0.0"))),
    "STATE_ROUNDS 4": Variant(constant(texts, STATE_ROUNDS=4.0)),
    "STATE_ROUNDS 40": Variant(constant(texts, STATE_ROUNDS=40.0)),
    "no states of the answer": Variant(
        code(texts.AnswerState, "decay", ("self._of_answer.shares", "self._texts.usual.shares"))
    ),
    "no usual states": Variant(code(texts.AnswerState, "observe", ("texts.usual.learn(self._belief)\n", "pass\n"))),
    "SHARED_FROM none": Variant(constant(texts, SHARED_FROM=MAX_DEPTH)),
    "SHARED_FROM 0": Variant(constant(texts, SHARED_FROM=0)),
    "shared errors independent": Variant(
        code(texts.TextStatistics, "forecast", ("(2 * number - 1) * (1.0 - rate)", "(1.0 - rate)"))
    ),
    "stopped early not counted": Variant(code(controller.Controller, "observe", ("counted = verified + 1", "pass"))),
    # Plans.
    "KNOWN_ERROR 1e9": Variant(constant(plans, KNOWN_ERROR=NEVER)),
    "KNOWN_ERROR 0.05": Variant(constant(plans, KNOWN_ERROR=0.05)),
    "LEAST_PACE 0": Variant(constant(plans, LEAST_PACE=1e-9), SEVERAL),
    "even_tokens sum": Variant(
        code(
            plans,
            "even_tokens",
            (EVEN, "float(sum(tokens))"),
        ),
        SEVERAL,
    ),
    "reading at once": Variant(code(plans, "_reading", (" * min(1.0, tokens / (2.0 * STATE_ROUNDS))", ""))),
    "reading free": Variant(code(plans, "_reading", (" * min(1.0, tokens / (2.0 * STATE_ROUNDS))", " * 0.0"))),
    "loss by the mean": Variant(
        code(plans.Plan, "loss", (" * self.time.standard_error - self.least / speed", " - self.tokens / speed"))
    ),
    # Controller.
    "MARGIN 1": Variant(constant(controller, MARGIN=1.0)),
    "MARGIN of trials 1": Variant(code(controller, "_could_beat", ("MARGIN * rival_tokens", "rival_tokens"))),
    "FULL_BUDGET 2": Variant(_budget(2.0)),
    "FULL_BUDGET endless": Variant(_budget(NEVER)),
    "REFILL_SHARE 0": Variant(constant(exploration, REFILL_SHARE=0.0)),
    "LEAST_REFILL 1 (no halving)": Variant(constant(exploration, LEAST_REFILL=1.0)),
    "LEAST_REFILL 0": Variant(constant(exploration, LEAST_REFILL=0.0)),
    "refill of the last answer": Variant(code(exploration.ExplorationBudget, "begin_answer", (FIRST_REFILL, "pass"))),
    "plain share of time": Variant(
        each(
            constant(exploration, LEAST_REFILL=1.0),
            code(exploration.ExplorationBudget, "begin_answer", (FIRST_REFILL, "pass")),
            code(
                controller.Controller,
                "_plan_to_try",
                (FULL_BUDGET, "False"),
            ),
        )
    ),
    "nothing tried with a full budget": Variant(
        code(
            controller.Controller,
            "_plan_to_try",
            (FULL_BUDGET, "False"),
        )
    ),
    "nothing tried in plain text": Variant(
        code(controller.Controller, "_plan_to_try", ("default.depth == 0", "False"))
    ),
    "trials without evenness": Variant(
        code(controller.Controller, "observe_round", ("trial.plan.evenness * measured.tokens", "measured.tokens")),
        SEVERAL,
    ),
    # Speed-up.
    "no samples": Variant(
        code(controller.Controller, "begin_sample_if_due", ("if cost_s is None", "if True")), COMPARING
    ),
    "samples without credit": Variant(
        code(
            controller.Controller,
            "begin_sample_if_due",
            ("if cost_s is None", "if cost_s is None or cost_s >= plain_s * self.learned.exploration_budget"),
        ),
        COMPARING,
    ),
    "samples never overdue": Variant(
        code(controller.Controller, "begin_sample_if_due", ("not is_overdue and ", "")), COMPARING
    ),
    "samples by their cost": Variant(
        code(exploration.ExplorationBudget, "charge_sample", ("self._state.budget_refill * cost_s", "cost_s")),
        COMPARING,
    ),
    "RUN 3": Variant(constant(speedup, RUN=3, TYPICAL=1), COMPARING),
    "COMPARISON_NOISE 0.02": Variant(
        each(
            constant(speedup, COMPARISON_NOISE=0.02),
            starting(lambda one: setattr(one.learned.comparisons, "noise", 0.02**2)),
        ),
        COMPARING,
    ),
    "DISTURBED_PLAIN_FACTOR 1e9": Variant(alone(speedup, DISTURBED_PLAIN_FACTOR=NEVER), COMPARING),
    "KNOWN_COST_ERROR 0": Variant(constant(speedup, KNOWN_COST_ERROR=0.0), COMPARING),
    "comparisons last": Variant(
        code(speedup.SpeedupMeter, "end", ("variance + COMPARISON_NOISE**2 / FADING_ANSWERS", "variance")), COMPARING
    ),
    "fastest kept": Variant(
        code(speedup.SpeedupMeter, "_is_basis", ("(step - fastest) / FADING_ANSWERS", "0.0")), COMPARING
    ),
    "noise of costs": Variant(_noise_of_costs, COMPARING),
    "noise of comparisons not learned": Variant(
        code(
            speedup.SpeedupMeter,
            "observe",
            (
                COMPARED_NOISE,
                "pass",
            ),
        ),
        COMPARING,
    ),
    "sides of a run alike": Variant(code(speedup.SpeedupMeter, "compare", ("+ change**2", "")), COMPARING),
    "contradictions ignored": Variant(
        code(speedup.SpeedupMeter, "compare", (" * max(1.0, off**2 / both)", "")), COMPARING
    ),
    "costs of kinds not alike": Variant(
        code(speedup.SpeedupMeter, "_cost", (" + log(kind[1] / rows) ** 2", " + (0.0 if kind[1] == rows else 1e9)")),
        COMPARING,
    ),
    "speedup not by costs": Variant(
        code(controller.Controller, "measured_speedup", ("if not costs.known:", "if True:")), COMPARING
    ),
    "speedup DISTURBED_DEVIATIONS 1": Variant(alone(speedup, DISTURBED_DEVIATIONS=1.0), COMPARING),
}


@cache
def _today(seed: int) -> Figures:
    return figures(seed)


Results = SimpleQueue[tuple[int, Figures] | None]


def _play_changed(variant: str, seeds: Sequence[int], results: Results) -> None:
    """Put the figures of each seed into `results`, then None."""
    try:
        VARIANTS[variant].apply()
        for seed in seeds:
            results.put((seed, figures(seed, VARIANTS[variant].worlds)))
    finally:
        results.put(None)


def play(variant: str, seeds: Sequence[int]) -> Iterator[tuple[int, Figures]]:
    """Yield each seed with its figures; a variant is played in a process of its own.

    The process is forked when today's code has been played here, so it knows what the fixed arms took.
    """
    for seed in seeds:
        today = _today(seed)
        if variant == BASE:
            yield seed, today
    if variant == BASE:
        return
    apart = multiprocessing.get_context("fork")
    results: Results = apart.SimpleQueue()
    process = apart.Process(target=_play_changed, args=(variant, seeds, results))
    process.start()
    while (result := results.get()) is not None:
        yield result
    process.join()


if __name__ == "__main__":
    main(Ablation(play, list(VARIANTS), RECORD, COMMENT))
