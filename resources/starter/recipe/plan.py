"""The amount of training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """How much to train besides main's courses. The defaults made the shipped pair."""

    seed: int = 20
    long_conversations: int = 260
    own_answers: int = 800
    written_answers: int = 8000
    draft_steps: int = 1500
    head_steps: int = 3800
    eagle_steps: int = 800
    mtp_steps: int = 600
    refresh_head_steps: int = 480
    head_own_answers: int = 160
    head_odd_requests: int = 80
    head_written_answers: int = 3000
    head_long_rows: int = 24
