"""A token of an answer in words: who proposed it, where in its round, and how likely it was."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from app.wording.figures import joined_lines, number, percent, rejected_text
from app.wording.sentences import translate
from app.wording.sources import source_name
from engine.events import Token
from engine.stats import RoundRecord


def token_text(token: Token, rounds: Sequence[RoundRecord]) -> str:
    """Return the tooltip of a token: its source, round, position and probability, and the token that it replaced."""
    words = translate("TokenView", "{source} · round {round}, position {position} · probability {percent}")
    text = words.format(
        source=source_name(token.source),
        round=number(token.round, 0),
        position=token.position + 1,
        percent=_probability(token.logprob),
    )
    at = bisect_left(rounds, token.round, key=lambda record: record.number)
    record = rounds[at] if at < len(rounds) else None
    # The first token after the accepted ones replaced the rejected ones.
    if record is None or record.number != token.round or token.position != record.accepted:
        return text
    return joined_lines(text, rejected_text(record))


def _probability(logprob: float) -> str:
    """Format a probability as whole percent, or as a bound if it would round to 0 or 100."""
    share = math.exp(min(logprob, 0.0))
    if share < 0.005:
        return f"< {percent(0.01)}"
    return f"> {percent(0.99)}" if 0.995 <= share < 1.0 else percent(share)
