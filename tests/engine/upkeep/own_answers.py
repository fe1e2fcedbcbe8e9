"""Answers of a main model, to teach with."""

from __future__ import annotations

import random

from engine.requests import OwnAnswer


def answers(count: int = 40, tokens: int = 60, highest: int = 250) -> list[OwnAnswer]:
    draw = random.Random(7)
    chats = [(f"chat {number}", [{"role": "user", "content": f"the fox {number}"}]) for number in range(count)]
    return [OwnAnswer(*chat, tuple(draw.randrange(3, highest) for _ in range(tokens))) for chat in chats]
