"""The figures of answers under the names that clients of several servers know, and those of speculation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.stats import RequestStats


def speculation(answers: Sequence[RequestStats]) -> dict[str, Any]:
    """Return tokens and rates over all answers of a call, and the speed-up and the rounding of a single one.

    If only its bounds are known, `speedup` is null.
    """
    rounds, drafted, accepted, generated = (
        sum(getattr(stats, name) for stats in answers) for name in ("rounds", "drafted", "accepted", "generated_tokens")
    )
    alone = answers[0] if len(answers) == 1 else RequestStats()
    return {
        "rounds": rounds,
        "drafted": drafted,
        "accepted": accepted,
        "accept_rate": accepted / drafted if drafted else None,
        "tokens_per_round": generated / rounds if rounds else None,
        "speedup": alone.speedup,
        "speedup_low": alone.speedup_low,
        "speedup_high": alone.speedup_high,
        "rounding": alone.rounding or None,
        "one_in": alone.one_in,
        "same_text_cost": alone.same_text_cost,
        "draft": answers[0].draft or None,
    }


def openai_usage(answers: Sequence[RequestStats]) -> dict[str, Any]:
    """Return `usage` of /v1/chat/completions and /v1/completions; the prompt of several choices counts once."""
    prompt, generated = answers[0].prompt_tokens, sum(stats.generated_tokens for stats in answers)
    found = speculation(answers)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": generated,
        "total_tokens": prompt + generated,
        "prompt_tokens_details": {"cached_tokens": max(stats.cached_tokens for stats in answers)},
        "completion_tokens_details": {
            "accepted_prediction_tokens": found["accepted"],
            "rejected_prediction_tokens": found["drafted"] - found["accepted"],
        },
        "speculation": found,
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
        "why_plain": [span.reason for span in stats.plain_spans],
    }
