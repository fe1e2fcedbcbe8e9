"""A head proposes only from the row before the newest token."""

from __future__ import annotations

from engine.main_model.sampling import Sampler
from engine.requests import MAX_DRAFTED, SamplingSettings
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.proposers.head import HeadProposer
from engine.speculation.rounds.sequence import CachedSequence
from engine.speculation.rounds.taps import Taps
from tests.engine.speculation.families import build, fresh_caches
from tests.engine.speculation.oracle_head import OracleHead

VOCABULARY, WIDTH = 96, 32
TAPS = (0, 1)


def read_on(sequence: CachedSequence, token: int) -> None:
    """Append a token, and read all but this one."""
    sequence.append([token])
    while sequence.prefill(4):
        pass


def test_a_head_that_missed_a_row_proposes_nothing_until_it_is_fed_again() -> None:
    sequence = CachedSequence(build("llama"), fresh_caches("llama"))
    session = HeadSession(OracleHead(TAPS, WIDTH, VOCABULARY), Taps(sequence.model, TAPS))
    proposer = HeadProposer(session, sequence, Sampler(SamplingSettings(), VOCABULARY))
    sequence.listener = session
    sequence.append([3, 1, 4])
    read_on(sequence, 1)
    most = min(MAX_DRAFTED, session.head.max_proposals)
    assert proposer.max_proposals() == most

    sequence.listener = None
    read_on(sequence, 5)
    assert session.length == len(sequence.tokens) - 2
    assert proposer.max_proposals() == 0

    sequence.listener = session
    read_on(sequence, 9)
    assert proposer.max_proposals() == most
