"""Tells which questions the built-in Starter cannot answer. No Qt in here."""

from __future__ import annotations

import re

from app.session.chats import Turn

# The name in stored figures, and the words with which the Starter itself refuses, in its four languages.
STARTER = "starter/main"
_REFUSALS = ("choose a larger model", "더 큰 모델을 골라", "大きなモデルを選ぶと", "换一个大模型")
_BEYOND = re.compile(
    # Code, JSON, translation, and arithmetic with more than one digit a number.
    r"```|\bjson\b|\bdef \w+\(|\bclass \w+[:({]|\bfunction \w*\(|#include|[;{]\s*$"
    r"|\btranslat|번역|翻訳|翻译|\b(?:python|javascript|swift|sql)\b"
    r"|\d{2,}\s*[-+*/×÷^]\s*\d+|\d+\s*[-+*/×÷^]\s*\d{2,}",
    re.IGNORECASE | re.MULTILINE,
)


def is_beyond_starter(turn: Turn) -> bool:
    """Whether the Starter answered, and its answer cannot be relied on, or refuses."""
    answer = turn.answer
    if answer.model != STARTER:
        return False
    asked = bool(turn.attachments) or _BEYOND.search(turn.question) is not None
    return asked or any(words in answer.text for words in _REFUSALS)
