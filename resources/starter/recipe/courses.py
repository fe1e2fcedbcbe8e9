"""The courses of main's training, with their mixtures and learning rates."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Mix:
    """How often a conversation turns to what; what is left over goes to the skills.

    `followup` is the share of questions about a topic with follow-ups that are followed by one of them; `short` is the
    share of messages of a word or two, `declined` that of requests beyond a small model, `at_length` that of questions
    with the long answer, `fact` that of questions about the facts.
    """

    topic: float = 0.34
    small_talk: float = 0.11
    offtopic: float = 0.08
    memory: float = 0.06
    previous: float = 0.06
    followup: float = 0.25
    short: float = 0.0
    declined: float = 0.0
    at_length: float = 0.0
    fact: float = 0.0


@dataclass(frozen=True)
class Course:
    """Steps of one kind. The learning rate falls in a straight line between two shares of the full one.

    `lengths` weighs conversations of 1, 2, 3, 4 and 6 exercises. An answer known by heart is cut to its first words in
    these shares of the conversations that end with one (those to follow-ups come too seldom for that); `opening` is
    the range of tokens kept. `repeats` is the share of rows that repeat meaningless tokens; `question_weight` is what
    predicting a token of a question counts for against one of an answer. `tools` is the share of conversations that are
    given the tools; every second exercise of those is for one of them, and `near_tools` is the share of the others that
    are about a topic in similar words. `without_tools` is the share of the exercises without them that ask for
    one all the same.
    """

    steps: int
    seed: int
    conversations: int
    first_rate: float
    last_rate: float
    topic_opening: float
    offtopic_opening: float
    opening: tuple[int, int]
    languages: tuple[str, ...] = ("en", "ko", "ja", "zh")
    lengths: tuple[int, ...] = (70, 14, 9, 4, 3)
    repeats: float = 0.0
    question_weight: float = 0.0
    long_every: int = 8
    mix: Mix = Mix()
    tools: float = 0.0
    near_tools: float = 0.0
    without_tools: float = 0.0
    tokens_per_step: int = 3072


_IN_NUMBERS = Course(
    steps=900,
    seed=32,
    conversations=55_000,
    first_rate=0.5,
    last_rate=0.4,
    languages=("en", "ko", "ja", "zh", "en", "ko"),
    lengths=(84, 9, 5, 1, 1),
    topic_opening=0.92,
    offtopic_opening=0.97,
    opening=(3, 8),
    long_every=24,
)

_IN_QUESTIONS = replace(
    _IN_NUMBERS,
    steps=600,
    seed=33,
    conversations=160_000,
    first_rate=0.4,
    last_rate=5 / 14,
    question_weight=0.3,
)

COURSES = (
    # Whole answers, whole chats, and copying for its own sake.
    Course(
        steps=500,
        seed=31,
        conversations=26_000,
        first_rate=0.5,
        last_rate=0.5,
        topic_opening=0.6,
        offtopic_opening=0.9,
        opening=(6, 14),
        repeats=0.1,
        long_every=12,
    ),
    # Questions in numbers: short conversations, and only the first words of answers that are known by now.
    _IN_NUMBERS,
    # The same, and the questions' own words too: what may stand for what is learned from where it stands.
    _IN_QUESTIONS,
    replace(
        _IN_QUESTIONS, steps=1300, seed=35, conversations=76_000, first_rate=_IN_QUESTIONS.last_rate, last_rate=0.2
    ),
    # Answers alone again, at a falling rate.
    replace(
        _IN_NUMBERS,
        steps=2400,
        seed=34,
        conversations=140_000,
        first_rate=0.2,
        last_rate=0.0,
        languages=("en", "ko", "ja", "zh", "en"),
        long_every=32,
    ),
)

_DEEPER = replace(
    _IN_QUESTIONS,
    steps=2000,
    seed=41,
    conversations=95_000,
    first_rate=0.3,
    last_rate=0.18,
    lengths=(78, 12, 6, 2, 2),
    languages=("en", "ko", "ja", "zh", "en", "ja"),
    mix=Mix(topic=0.31, small_talk=0.09, offtopic=0.07, memory=0.08, previous=0.09, followup=0.45),
)

_LATE = replace(
    _DEEPER,
    steps=4500,
    seed=42,
    conversations=260_000,
    first_rate=0.18,
    last_rate=0.0,
    question_weight=0.0,
    languages=("en", "ko", "ja", "zh", "en"),
    long_every=32,
    mix=Mix(topic=0.26, small_talk=0.08, offtopic=0.06, memory=0.09, previous=0.09, followup=0.45),
)

# What the deeper main learns: more of what the first courses left weak, in the same two manners, and at last some more
# Japanese, where it was wrong most often.
DEEPER_COURSES = (
    _DEEPER,
    _LATE,
    replace(
        _LATE,
        steps=900,
        seed=43,
        conversations=60_000,
        first_rate=0.06,
        languages=("ja", "en", "ja", "ko", "ja", "zh"),
    ),
)

# The last course holds all that the guide knows in one mixture, since a course of one thing makes it forget others. New
# are messages of a word or two, what it cannot do, what it says at length, and what it asks the tools of Tandem.
EVERYTHING = replace(
    _LATE,
    steps=2160,
    seed=61,
    conversations=96_000,
    first_rate=0.25,
    last_rate=0.0,
    topic_opening=0.5,
    offtopic_opening=0.7,
    opening=(4, 16),
    lengths=(64, 20, 9, 4, 3),
    languages=("en", "ko", "ja", "zh"),
    long_every=40,
    mix=Mix(
        topic=0.25,
        small_talk=0.07,
        offtopic=0.11,
        memory=0.09,
        previous=0.1,
        followup=0.5,
        short=0.08,
        declined=0.16,
        at_length=0.012,
    ),
    tools=0.25,
    near_tools=0.4,
    without_tools=0.06,
    tokens_per_step=36_864,
)

# A short course for facts that have changed, amid all else that the guide knows, in steps that two cores do in seconds.
CHANGED_FACTS = replace(
    EVERYTHING,
    steps=1100,
    seed=62,
    conversations=99_000,
    first_rate=0.14,
    mix=Mix(
        topic=0.15,
        small_talk=0.05,
        offtopic=0.1,
        memory=0.05,
        previous=0.05,
        followup=0.4,
        short=0.09,
        declined=0.11,
        at_length=0.006,
        fact=0.34,
    ),
    tools=0.12,
    tokens_per_step=4224,
)

# Complete answers, which the draft and the head have to guess.
WHOLE = replace(
    EVERYTHING,
    topic_opening=0.0,
    offtopic_opening=0.0,
    lengths=(50, 26, 13, 6, 5),
    mix=Mix(
        topic=0.29,
        small_talk=0.09,
        offtopic=0.06,
        memory=0.08,
        previous=0.09,
        followup=0.4,
        short=0.09,
        declined=0.09,
        at_length=0.03,
    ),
    tools=0.15,
)
