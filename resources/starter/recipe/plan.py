"""How much the recipe trains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """How much to train. The defaults made the shipped pair."""

    seed: int = 20
    conversations: int = 56_000
    bold_conversations: int = 30_000
    long_conversations: int = 260
    first_course_steps: int = 1200
    main_steps: int = 2150
    own_answers: int = 4000
    draft_steps: int = 800
