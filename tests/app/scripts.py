"""Scripts of answers: rounds with known draft tokens, and the events and figures that an engine reports of them.

The figures are counted here, independently of the engine's code, so that tests can compare them with what the window
shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from engine.errors import EngineError
from engine.events import Event, Failed, Finished, PrefillProgress, Token, TokensCommitted
from engine.stats import PlainSpan, RequestStats, RoundRecord


@dataclass(frozen=True)
class ScriptedRound:
    """A round that accepts `accepted` of `drafted` tokens of `source`; without draft tokens it has a `reason`."""

    drafted: int
    accepted: int
    source: str = "draft"
    reason: str = ""
    arguments: tuple[tuple[str, float | str], ...] = ()


STORY = "Once upon a time there was a draft model that guessed what comes next, and it was right most of the time."
FULL = ScriptedRound(4, 4)
PLAIN = ScriptedRound(0, 0, "main", "off")
PATTERN = (FULL, ScriptedRound(4, 2), ScriptedRound(5, 5), ScriptedRound(4, 0), ScriptedRound(6, 6, "ngram"))


@dataclass(frozen=True)
class Script:
    """The course of one request: the tokens of `text` are distributed over the rounds of `pattern`, which repeat.

    Without a text, the request fails at once.

    `opening` is the marker with which the prompt opens the thoughts. The token in place `other_at` has an id of its
    own, and every token leads the next best by `top2_margin`. `figures` are more figures of it, or other ones than
    those that follow from its rounds.
    """

    text: str = "Hello there."
    pattern: Sequence[ScriptedRound] = PATTERN
    error: EngineError | None = None
    fail_after: int | None = None
    reason: str = "stop"
    plain_tps: float | None = 32.8
    round_s: float = 0.05
    prompt_tokens: int = 24
    opening: str = ""
    other_at: int | None = None
    top2_margin: float | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)


def pieces(text: str) -> list[str]:
    """Split a text as a tokenizer might: words with the space before them, other characters alone."""
    return re.findall(r" ?[A-Za-z]+|.", text, re.DOTALL)


def play(script: Script) -> Iterator[Event]:
    """Yield all events of a script, in order."""
    words, at, counts = pieces(script.text), script.round_s, _Counts(script)
    if not words:
        assert script.error is not None
        yield Failed(script.error, "")
        return
    yield PrefillProgress(0, script.prompt_tokens)
    yield PrefillProgress(script.prompt_tokens, script.prompt_tokens)
    yield counts.commit([Token(0, words[0], "main", 0, 0, -0.01)], ScriptedRound(0, 0, "main", "first-token"), at)
    index, number = 1, 1
    while index < len(words):
        if script.fail_after is not None and number > script.fail_after:
            assert script.error is not None
            yield Failed(script.error, "".join(words[:index]), counts.stats())
            return
        plan = script.pattern[(number - 1) % len(script.pattern)]
        part = words[index : index + plan.accepted + 1]
        tokens = [
            Token(
                index + place + (1000 if index + place == script.other_at else 0),
                text,
                plan.source if place < plan.accepted else "main",
                place,
                number,
                -0.02 * place,
                top2_margin=script.top2_margin,
            )
            for place, text in enumerate(part)
        ]
        at += script.round_s
        yield counts.commit(tokens, plan, at)
        index, number = index + len(part), number + 1
    if script.error is not None:
        yield Failed(script.error, script.text, counts.stats())
        return
    yield Finished(script.reason, script.text, tuple(range(len(words))), counts.stats())


class _Counts:
    def __init__(self, script: Script) -> None:
        self._script = script
        self._rounds: list[RoundRecord] = []

    def commit(self, tokens: list[Token], plan: ScriptedRound, at: float) -> TokensCommitted:
        record = RoundRecord(
            number=len(self._rounds),
            source=plan.source,
            drafted=plan.drafted,
            accepted=plan.accepted,
            committed=len(tokens),
            rows=plan.drafted + 1,
            at_s=at,
            draft_s=self._script.round_s * 0.3 if plan.drafted else 0.0,
            verify_s=self._script.round_s * 0.6,
            host_s=self._script.round_s * 0.1,
            reason=plan.reason,
            arguments=plan.arguments,
        )
        self._rounds.append(record)
        return TokensCommitted("".join(token.text for token in tokens), tuple(tokens), record, self.stats())

    def stats(self) -> RequestStats:
        rounds = self._rounds
        drafted = sum(record.drafted for record in rounds)
        accepted = sum(record.accepted for record in rounds)
        generated = sum(record.committed for record in rounds)
        decode_s = rounds[-1].at_s - rounds[0].at_s if len(rounds) > 1 else 0.0
        decode_tps = (generated - rounds[0].committed) / decode_s if decode_s else None
        plain = self._script.plain_tps
        speedup = decode_tps / plain if decode_tps and plain else None
        positions = []
        for place in range(max((record.drafted for record in rounds), default=0)):
            reached = sum(record.drafted > place and record.accepted >= place for record in rounds)
            positions.append((reached, sum(record.accepted > place for record in rounds)))
        stats = RequestStats(
            prompt_tokens=self._script.prompt_tokens,
            opening=self._script.opening,
            generated_tokens=generated,
            rounds=len(rounds),
            drafted=drafted,
            accepted=accepted,
            accept_rate=accepted / drafted if drafted else None,
            accept_by_position=tuple(positions),
            tokens_per_round=generated / len(rounds) if rounds else None,
            ttft_s=rounds[0].at_s if rounds else None,
            decode_tps=decode_tps,
            plain_tps=plain,
            speedup=speedup,
            speedup_low=speedup and 0.97 * speedup,
            speedup_high=speedup and 1.03 * speedup,
            saved_s=speedup and decode_s * (speedup - 1),
            draft_s=sum(record.draft_s for record in rounds),
            verify_s=sum(record.verify_s for record in rounds),
            host_s=sum(record.host_s for record in rounds),
            main="main",
            draft="draft",
            plain_spans=_spans(rounds),
        )
        return replace(stats, **self._script.figures)


def _spans(rounds: Sequence[RoundRecord]) -> tuple[PlainSpan, ...]:
    spans: list[PlainSpan] = []
    for record in rounds:
        if not record.reason:
            continue
        if spans and spans[-1].reason == record.reason:
            spans[-1] = PlainSpan(spans[-1].tokens + record.committed, record.reason, record.arguments)
        else:
            spans.append(PlainSpan(record.committed, record.reason, record.arguments))
    return tuple(spans)
