"""What the Starter cannot do, as far as a question tells: it writes no code and no texts, and adds small numbers.

It learned to decline such questions, and yet it answers some of them with what it knows of Tandem. No Qt in here.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from app.session.starter_words import starter_words


class Subject(Enum):
    """What a question is about: anything, what may be beyond the Starter, or what is beyond it for certain.

    Questions on Tandem may name what may be beyond it, so that there its answer decides.
    """

    ANY = "any"
    DOUBTFUL = "doubtful"
    BEYOND = "beyond"


# Beyond the Starter, whatever else the question names.
_ALWAYS = ("sum", "code", "said_in", "text", "translated")
# Beyond it unless what is asked, before a text that follows, is about Tandem.
_TASKS = ("rewriting", "made_up", "advice")
_TEXT_FOLLOWS = re.compile(r"[:：\n]")
# In characters: what is longer says itself what it is about.
_LONGEST_FOLLOWUP = 48
_WORD = re.compile(r"\w+")


@lru_cache(maxsize=64)
def subject_of(question: str) -> Subject:
    """Return what a question is about, as far as its words tell."""
    tandem = starter_words("limits", "tandem")
    asked = _TEXT_FOLLOWS.split(question.strip(), 1)[0]
    # Names of programming languages may stand next to letters that are not ASCII.
    programming = starter_words("limits", "programming", flags=re.ASCII | re.IGNORECASE)
    if (
        starter_words("limits", *_ALWAYS).search(question)
        or (programming.search(question) and not tandem.search(question))
        or (starter_words("limits", *_TASKS).search(question) and not tandem.search(asked))
    ):
        return Subject.BEYOND
    doubtful = starter_words("limits", "doubtful", flags=re.ASCII | re.IGNORECASE | re.MULTILINE)
    return Subject.DOUBTFUL if doubtful.search(question) else Subject.ANY


def names_tandem(question: str) -> bool:
    """Return whether a question names Tandem or a part of it that nothing else has."""
    return starter_words("limits", "only_tandem").search(question) is not None


def is_for_tools(question: str) -> bool:
    """Return whether a question may ask for what the tools of Tandem tell: the models here, today's acceptance."""
    return starter_words("limits", "told_by_tools").search(question) is not None


def is_followup(question: str) -> bool:
    """Return whether a question asks on about what the one before was about.

    It is short, and names nothing; or it points back, and names only what belongs to Tandem.
    """
    short = question.strip()
    if len(short) > _LONGEST_FOLLOWUP:
        return False
    named = _named_in(short)
    if not named:
        return True
    names_another = _WORD.search(starter_words("limits", "tandem", "only_tandem", "beside").sub("", named))
    return names_another is None and starter_words("limits", "followup").search(short) is not None


def is_held_by(question: str, text: str) -> bool:
    """Return whether a text has everything that a question names, which names something."""
    named = _named_in(question).casefold()
    return bool(named) and all(word in text.casefold() for word in named.split())


def _named_in(question: str) -> str:
    """Return what a question names: its words without those that every question may have; "" if it names nothing."""
    named = starter_words("limits", "plain").sub(" ", question)
    return " ".join(_WORD.findall(named))
