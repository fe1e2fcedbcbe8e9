"""The record of an answer's part in a round."""

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
    """The round that ended at `ended_at` with `committed` tokens, the first `accepted` of which are from `proposal`.

    `seconds` went into drafting, into the main model's pass and into waiting for the host.
    """
    depth = 0 if proposal is None else proposal.count
    # Draft tokens behind the end of the answer were not judged by the main model, so they do not count.
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
