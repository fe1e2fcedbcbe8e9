"""What one who knows the pair could reach: the controller's goals are judged beside it.

He knows what every round costs and, in hindsight, the best arm of each kind of prompt, but not which draft tokens of an
answer are right nor when it ends. The clock makes the same kind of noise as for the controller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tests.engine.speculation.judging import SHORT, Verdict, drawn, fixed_ms, verdict
from tests.engine.speculation.played import Answer, Pair, Player

# The least speed of a short and of a longer answer, of plain decoding.
LEAST_SHORT, LEAST_LONG = 0.9, 0.95


def knowing(pair: Pair, seed: int) -> Verdict:
    """Every answer with the best arm of its kind."""
    answers = drawn(pair, seed)
    fixed, best = fixed_ms(pair, seed, answers), _best_of_kind(pair, seed, answers)
    ms = [fixed[best[answer.kind]][index] for index, answer in enumerate(answers)]
    return verdict(pair, seed, answers, ms)


def cautious(pair: Pair, seed: int) -> Verdict:
    """The same, but without a round that could make an answer slower than the goals allow, if it ended there."""
    answers = drawn(pair, seed)
    best, player = _best_of_kind(pair, seed, answers), Player(pair, seed)
    ms = [player.fixed(answer, *best[answer.kind], _bearable(pair)) for answer in answers]
    return verdict(pair, seed, answers, ms)


def _best_of_kind(pair: Pair, seed: int, answers: Sequence[Answer]) -> dict[str, tuple[str, int]]:
    fixed = fixed_ms(pair, seed, answers)

    def seconds(arm: tuple[str, int], kind: str) -> float:
        return sum(ms for answer, ms in zip(answers, fixed[arm], strict=True) if answer.kind == kind)

    kinds = {answer.kind for answer in answers}
    return {kind: min(fixed, key=lambda arm, kind=kind: seconds(arm, kind)) for kind in kinds}  # type: ignore[misc]


def _bearable(pair: Pair) -> Callable[[float, int], bool]:
    def bearable(ms: float, tokens: int) -> bool:
        least = LEAST_SHORT if tokens < SHORT else LEAST_LONG
        return least * ms <= tokens * pair.machine.pipelined

    return bearable
