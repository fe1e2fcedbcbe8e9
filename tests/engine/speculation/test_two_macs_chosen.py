"""The controller chooses between drafting here and drafting ahead on a second Mac, by measured rounds."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.engine.speculation.two_macs import READ_AGAIN, READ_ONCE, Link, Protocol, draft_model
from tests.engine.speculation.two_macs_chosen import THUNDERBOLT_MS, Chosen, answers
from tests.engine.tiers import by_tier

WIRELESS_MS = 20.0


@dataclass(frozen=True)
class Case:
    """A draft model with its acceptance, a link, what a row costs on the M2, and the gain that `two_macs` finds."""

    draft: str
    acceptance: float
    message_ms: float
    row: float
    possible: float

    def answers(self, *, both: bool) -> Chosen:
        link = Link(self.message_ms, Protocol.ASK)
        return answers(draft_model(self.draft, self.row), self.acceptance, link, both=both)


CASES = {
    "small": Case("0.6B", 0.75, THUNDERBOLT_MS, READ_AGAIN, 1.04),
    "small for code": Case("0.6B", 0.9, THUNDERBOLT_MS, READ_AGAIN, 1.08),
    "with cheap rows": Case("1.7B", 0.75, THUNDERBOLT_MS, READ_ONCE, 1.15),
    "large": Case("4B", 0.9, THUNDERBOLT_MS, READ_AGAIN, 1.0),
    "wireless": Case("0.6B", 0.75, WIRELESS_MS, READ_AGAIN, 0.87),
}


@pytest.mark.full
@pytest.mark.parametrize("name", by_tier(CASES, ["wireless"]))
def test_it_drafts_ahead_where_that_pays_and_rests_where_it_does_not(name: str) -> None:
    case = CASES[name]
    chosen, alone = (case.answers(both=both) for both in (True, False))
    assert chosen.tokens_s > alone.tokens_s * max(0.96, case.possible - 0.06)
    if case.possible > 1.1:
        # One branch a cut is right for at most six rounds in ten.
        assert chosen.ahead > 0.35
    elif case.possible < 0.9:
        assert chosen.ahead < 0.05
