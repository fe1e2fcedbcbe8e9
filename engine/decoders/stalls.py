"""Watches rounds for stalls, which a kernel of ours can cause although it won a race of some seconds."""

from __future__ import annotations

from engine.row_kernels.choice import STALLED
from engine.speculation.choosing.pauses import LEAST_PAUSE_S
from engine.speculation.drafting import Drafting


def watch_round(
    drafting: Drafting, rows: int, drafted: tuple[str, int] | None, seconds: float, answers: int = 1
) -> None:
    """Report a round to `drafting.on_stall` if it took STALLED times as long as its pass and its drafting should.

    Its `rows` are the rows of so many `answers`. While no costs are known, it should take as long as usual. In less
    than LEAST_PAUSE_S, other programs may have delayed it.
    """
    costs = drafting.controller.costs
    expected_s = drafting.timing.pauses.usual
    if costs.known:
        drafting_s = 0.0 if drafted is None else costs.drafting(*drafted, answers).seconds
        expected_s = costs.verify(rows).seconds + drafting_s
    if expected_s is not None and seconds > max(LEAST_PAUSE_S, STALLED * expected_s):
        drafting.on_stall(rows, seconds / expected_s)
