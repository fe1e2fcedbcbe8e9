"""The figures of answers under the names that clients of several servers know, of speculation, and of tokens."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import accumulate, islice
from typing import Annotated, Any

from msgspec import Meta

from app.text.thinking import parts_of
from engine.events import Alternative, Finished, Token
from engine.requests import MOST_ALTERNATIVES
from engine.stats import RequestStats, summed


def speculation(answers: Sequence[RequestStats]) -> dict[str, Any]:
    """Return tokens and rates of all answers of a call, and the speed-up and the rounding of a single answer.

    If only its bounds are known, `speedup` is null.
    """
    whole = summed(answers)
    alone = answers[0] if len(answers) == 1 else RequestStats()
    return {
        "rounds": whole.rounds,
        "drafted": whole.drafted,
        "accepted": whole.accepted,
        "accept_rate": whole.accept_rate,
        "tokens_per_round": whole.tokens_per_round,
        "speedup": alone.speedup,
        "speedup_low": alone.speedup_low,
        "speedup_high": alone.speedup_high,
        "rounding": alone.rounding or None,
        "same_text_cost": alone.same_text_cost,
        "draft": answers[0].draft or None,
        **drafting_ahead(alone),
    }


def drafting_ahead(stats: RequestStats) -> dict[str, Any]:
    """Return what drafting ahead did in an answer, or why nothing was drafted ahead; nothing if it is off."""
    if not stats.ahead:
        return {}
    names = ("ahead", "ahead_hits", "ahead_misses", "ahead_late", "ahead_bad", "ahead_used", "ahead_hidden_s")
    return {name: getattr(stats, name) for name in names}


def reasoning_tokens(lengths: Sequence[int], finished: Finished) -> int:
    """Count the tokens before the reply of an answer with thoughts, by the `lengths` of the texts of all tokens."""
    parts = parts_of(finished.stats.opening + finished.text)
    end = parts.end - len(finished.stats.opening) if parts.thought else 0
    return sum(start < end for start in islice(accumulate(lengths, initial=0), len(lengths)))


def lengths_of(tokens: Sequence[Token]) -> list[int]:
    return [len(token.text) for token in tokens]


def openai_usage(answers: Sequence[RequestStats], reasoning: int) -> dict[str, Any]:
    """Return `usage` of /v1/chat/completions and /v1/completions; the prompt of several choices counts once."""
    prompt = answers[0].prompt_tokens
    generated = sum(stats.generated_tokens for stats in answers)
    speculation_figures = speculation(answers)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": generated,
        "total_tokens": prompt + generated,
        "prompt_tokens_details": {
            "cached_tokens": max(stats.cached_tokens for stats in answers),
            "cache_write_tokens": 0,
        },
        "completion_tokens_details": {
            "accepted_prediction_tokens": speculation_figures["accepted"],
            "rejected_prediction_tokens": speculation_figures["drafted"] - speculation_figures["accepted"],
            "reasoning_tokens": reasoning,
        },
        "speculation": speculation_figures,
    }


def timings(stats: RequestStats) -> dict[str, Any]:
    """Return the figures of one answer under the names of llama.cpp's server; durations in milliseconds."""
    read = stats.prompt_tokens - stats.cached_tokens
    prompt_ms = None if stats.ttft_s is None else stats.ttft_s * 1e3
    decode = stats.decode_tps
    return {
        "cache_n": stats.cached_tokens,
        "prompt_n": read,
        "prompt_ms": prompt_ms,
        "prompt_per_second": read / stats.ttft_s if stats.ttft_s else None,
        "predicted_n": stats.generated_tokens,
        "predicted_ms": stats.generated_tokens / decode * 1e3 if decode else None,
        "predicted_per_second": decode,
        "draft_n": stats.drafted,
        "draft_n_accepted": stats.accepted,
        "draft_rounds": stats.rounds,
        "merged_system_messages": stats.merged_messages,
        "thinking_limit": stats.thinking_limit,
        "why_plain": [span.reason for span in stats.plain_spans],
        **schema_notes(stats),
    }


def schema_notes(stats: RequestStats) -> dict[str, Any]:
    """Return the places in schemas that no grammar enforced, and the faults of the answer by these."""
    unchecked = {"schema_unchecked": stats.unchecked} if stats.unchecked else {}
    return unchecked | ({"schema_problems": stats.problems} if stats.problems else {})


TopLogprobs = Annotated[int, Meta(ge=0, le=MOST_ALTERNATIVES)]


def choice_logprobs(tokens: Sequence[Token]) -> dict[str, Any]:
    return {"content": token_logprobs(tokens), "refusal": None}


def token_logprobs(tokens: Sequence[Token]) -> list[dict[str, Any]]:
    """Return tokens with their log-probabilities. The texts of all tokens add up to the answer's text.

    An alternative's text is that of the token alone.
    """
    return [{**_entry(token), "top_logprobs": [_entry(other) for other in token.alternatives]} for token in tokens]


def _entry(token: Token | Alternative) -> dict[str, Any]:
    return {"token": token.text, "logprob": token.logprob, "bytes": list(token.part or token.text.encode())}


class MessageTokens:
    """Finds the tokens of an answer's message among those of its thoughts, calls and marks."""

    def __init__(self) -> None:
        # Tokens that are not assigned yet, each with its start in `_text`, the text since the last piece.
        self._waiting: deque[tuple[int, Token]] = deque()
        self._text = ""

    def add(self, token: Token) -> None:
        """Add the answer's next token."""
        self._waiting.append((len(self._text), token))
        self._text += token.text

    def take(self, piece: str, unshown: int) -> list[Token]:
        """Return the tokens of the message's next piece, which ends `unshown` characters before the end of their text.

        Tokens before the piece belong to no message. A token that is only partly in it counts once.
        """
        end = len(self._text) - unshown
        if not self._text.endswith(piece, 0, end):
            # The marks after it were removed.
            end = self._text.rfind(piece) + len(piece)
        start = end - len(piece)
        tokens = []
        while self._waiting and self._waiting[0][0] < end:
            begin, token = self._waiting.popleft()
            if begin >= start or begin + len(token.text) > start:
                tokens.append(token)
        self._text = self._text[end:]
        self._waiting = deque((begin - end, token) for begin, token in self._waiting)
        return tokens
