"""The courses of main's training: what each mixes, how freely it words things, and how fast it learns."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Mix:
    """How often a conversation turns to what; what is left over goes to the skills."""

    topic: float = 0.42
    offtopic: float = 0.10
    memory: float = 0.06
    previous: float = 0.05


@dataclass(frozen=True)
class Course:
    """Steps of one kind. The learning rate falls in a straight line between two shares of the full one.

    `lengths` weighs conversations of 1, 2, 3, 4 and 6 exercises. An answer known by heart is cut to its first
    words in these shares of the conversations that end with one; `opening` is the range of tokens kept.
    `rewriting` raises that skill's weight; `repeats` is the share of rows that repeat meaningless tokens.
    """

    steps: int
    seed: int
    conversations: int
    first_rate: float
    last_rate: float
    languages: tuple[str, ...] = ("en", "ko", "ja", "zh")
    is_bold: bool = False
    lengths: tuple[int, ...] = (66, 16, 10, 5, 3)
    topic_opening: float = 0.7
    offtopic_opening: float = 0.9
    opening: tuple[int, int] = (6, 14)
    rewriting: float = 1.0
    repeats: float = 0.0
    mix: Mix = Mix()
    row: int = 384
    long_every: int = 8


_IN_NUMBERS = Course(
    steps=550,
    seed=25,
    conversations=110_000,
    first_rate=0.3,
    last_rate=0.2,
    languages=("en", "ko", "ja", "zh", "en", "ko"),
    is_bold=True,
    lengths=(86, 8, 4, 1, 1),
    topic_opening=0.92,
    offtopic_opening=0.97,
    opening=(3, 8),
    rewriting=1.5,
    row=256,
    long_every=24,
)

COURSES = (
    # What the answers are, and how a chat goes.
    Course(steps=1200, seed=20, conversations=56_000, first_rate=1.0, last_rate=1.0),
    # Freer wordings.
    Course(steps=350, seed=23, conversations=30_000, first_rate=0.4, last_rate=0.25, is_bold=True),
    # Questions in numbers: short conversations, and only the first words of answers that are known by now.
    _IN_NUMBERS,
    # Copying for its own sake, among questions.
    replace(
        _IN_NUMBERS, steps=350, seed=26, conversations=40_000, first_rate=0.35, last_rate=0.3, repeats=0.4
    ),
    # Everything once more, while the rate falls to nothing.
    replace(
        _IN_NUMBERS, steps=850, seed=27, conversations=80_000, first_rate=0.3, last_rate=0.0, rewriting=2.0
    ),
)
