"""What a training example is."""

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
    """Turns in order, in one language, with or without a system message."""

    language: str
    turns: tuple[Turn, ...]
    system: str | None = None
