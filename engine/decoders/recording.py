"""Records of rounds."""

from __future__ import annotations

from typing import cast

from engine.decoders.generation import Generation
from engine.speculation.choosing.choice import Choice
from engine.speculation.rounds.proposal import Proposal
from engine.stats import RoundRecord


def round_record(
    generation: Generation,
    choice: Choice,
    proposal: Proposal | None,
    committed: int,
    accepted: int,
    rows: int,
    ended_at: float,
    seconds: tuple[float, float, float],
) -> RoundRecord:
    """Return the record of a round that committed `committed` tokens, the first `accepted` of them from `proposal`.

    `seconds` are the durations of drafting, of the main model's pass and of waiting for the host.
    """
    depth = 0 if proposal is None else proposal.count
    # Draft tokens past the end of the answer do not count: the main model has not verified them.
    drafted = depth if committed > accepted or accepted == 0 else accepted
    rejected = ""
    if proposal is not None and drafted > accepted:
        tokens = proposal.tokens
        ids = tokens if isinstance(tokens, list) else cast("list[int]", tokens.tolist())
        rejected = generation.text_of(ids[accepted:])
    draft_s, verify_s, host_s = seconds
    return RoundRecord(
        number=generation.round,
        source="main" if proposal is None else proposal.source,
        drafted=drafted,
        accepted=accepted,
        committed=committed,
        rows=rows,
        at_s=ended_at - generation.log.started,
        draft_s=draft_s,
        verify_s=verify_s,
        host_s=host_s,
        reason=choice.reason or ("" if depth else "no-guess"),
        arguments=choice.arguments,
        rejected=rejected,
    )
