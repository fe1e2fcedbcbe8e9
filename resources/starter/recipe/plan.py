"""The amount of training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """How much to train besides main's courses. The defaults made the shipped pair."""

    seed: int = 20
    long_conversations: int = 310
    own_answers: int = 400
    written_answers: int = 24_000
    draft_steps: int = 3600
    head_steps: int = 3800
    eagle_steps: int = 1500
    mtp_steps: int = 1500
    refresh_head_steps: int = 4200
    head_own_answers: int = 240
    head_odd_requests: int = 96
    head_written_answers: int = 7200
    head_long_rows: int = 24
