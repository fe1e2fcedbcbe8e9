"""Training examples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """One question and its answer; `kind` names the topic's or skill's family for the reports."""

    user: str
    answer: str
    kind: str


@dataclass(frozen=True)
class Conversation:
    """Turns in order, in one language, with or without a system message.

    `opening` cuts the last answer after so many tokens: once an answer is known by heart, its first words are
    what a question teaches, and a short example leaves room for another question.
    """

    language: str
    turns: tuple[Turn, ...]
    system: str | None = None
    opening: int | None = None
