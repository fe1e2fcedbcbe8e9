"""How many rows of a cached prompt the main model reads again for a head that has not seen them.

A head drafts from the main model's hidden states, which no cache keeps. If a prompt was cached without the head, as
before "Answer again" with another method, the head begins without any, and its first rounds are rejected until it has
read some rows of the answer. The main model can read the newest rows of the prompt again to give it their states.
"""

from __future__ import annotations

from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.plans import DEPTHS
from engine.speculation.choosing.texts import AnswerState
from engine.speculation.drafters.sources import HeadSource

# With so many rows before the answer, trained heads (DFlash, EAGLE-3) drafted as well as with the whole prompt.
ENOUGH_ROWS = 8


def rows_to_read_again(controller: Controller, drafter: HeadSource, seen: int, remaining: int) -> int:
    """Return how many more rows pay to be read again, 0 if none do.

    The head will have `seen` rows before the answer anyway, and the answer will have at most `remaining` tokens.

    Reading n rows takes a pass of n rows, by the measured costs. Without them the head loses its `blind_rounds`, as far
    as it lacks ENOUGH_ROWS rows. Such a round commits one token in place of the T that the best depth is expected to
    commit in S seconds, so it loses (T - 1) * S / T seconds; nothing is lost if plain decoding is faster anyway. For
    example, a plain round takes 20 ms, a pass of 8 rows 33 ms, and 3.5 tokens are expected in rounds of 40 ms: a head
    that loses two rounds without rows loses 2 * 28.6 ms, so 8 rows are read again. With 1.5 tokens in 28 ms it loses
    2 * 9.3 ms, and none are.

    Before any round was measured, reading is assumed to pay if the head loses more than a round. An answer of
    ENOUGH_ROWS tokens or fewer is over before the head has seen as many rows as it needs, so nothing is read again.
    """
    missing = ENOUGH_ROWS - seen
    if missing <= 0 or remaining <= ENOUGH_ROWS:
        return 0
    costs = controller.costs
    lost_rounds = drafter.head.blind_rounds * missing / ENOUGH_ROWS
    if not costs.known:
        return missing if lost_rounds > 1.0 else 0
    lost_s = lost_rounds * _lost_in_a_round(controller, drafter.source, drafter.max_proposals)
    return missing if costs.verify(missing).seconds < lost_s else 0


def _lost_in_a_round(controller: Controller, source: str, most_depth: int) -> float:
    """Return the seconds that a round loses whose draft tokens are all rejected, against the best depth."""
    costs = controller.costs
    forecast = AnswerState(costs, controller.learned.unconstrained.texts).forecast(source, most_depth)
    # The seconds of a token, and what a rejected round loses: nothing with plain decoding.
    best_s = costs.verify(1).seconds
    lost_s = 0.0
    for depth in (depth for depth in DEPTHS if depth <= most_depth):
        round_s = costs.verify(depth + 1).plus(costs.drafting(source, depth)).seconds
        token_s = round_s / (1.0 + forecast.accepted[depth])
        if token_s < best_s:
            best_s = token_s
            lost_s = round_s - token_s
    return lost_s
