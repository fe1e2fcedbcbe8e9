"""The training text: conversations drawn from the content and the skills, the same for the same seed.

Every question of the evaluation is kept out, whatever its case, spaces and punctuation.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from resources.starter.recipe.content import LANGUAGES, held_out_wordings
from resources.starter.recipe.conversations import Conversation, Turn
from resources.starter.recipe.courses import COURSES, Course
from resources.starter.recipe.dialogue import (
    NEAR_TOOLS,
    OFFTOPIC,
    TOPIC,
    draw_system,
    draw_topic,
    draw_turns,
    draw_without_tools,
)
from resources.starter.recipe.limits import DECLINED
from resources.starter.recipe.scripts import language_of
from resources.starter.recipe.templates import normalised
from resources.starter.recipe.tools import tool_turns, tools_line
from resources.starter.recipe.voice import Voice

if TYPE_CHECKING:
    from collections.abc import Iterator

# How many exercises a conversation strings together.
_LENGTHS = (1, 2, 3, 4, 6)
_TOOL_SHARE = 0.5


def conversations(seed: int, count: int, course: Course = COURSES[0]) -> Iterator[Conversation]:
    """Yield `count` conversations of a course, its languages in turn."""
    for index in range(count):
        rng = random.Random(f"{seed}/{index}")
        exercises = rng.choices(_LENGTHS, course.lengths)[0]
        yield _conversation(Voice(course.languages[index % len(course.languages)], rng, course), exercises)


def long_conversations(seed: int, count: int) -> Iterator[Conversation]:
    """Yield `count` conversations that fill most of the context, so that late positions are trained."""
    for index in range(count):
        rng = random.Random(f"long/{seed}/{index}")
        yield _conversation(Voice(LANGUAGES[index % len(LANGUAGES)], rng), rng.randint(12, 26))


def _conversation(voice: Voice, exercises: int) -> Conversation:
    language, rng = voice.language, voice.rng
    system = draw_system(voice)
    has_tools = voice.course.tools > 0 and rng.random() < voice.course.tools
    if has_tools:
        system = f"{system}\n\n{tools_line()}" if system else tools_line()
    turns: list[Turn] = []
    while not turns or exercises > 0:
        if rng.random() < 0.08:
            voice = Voice(rng.choice(LANGUAGES), rng, voice.course)
        if has_tools and rng.random() < _TOOL_SHARE:
            drawn = tool_turns(voice)
        elif has_tools and rng.random() < voice.course.near_tools:
            drawn = draw_topic(voice, NEAR_TOOLS)
        elif not has_tools and rng.random() < voice.course.without_tools:
            drawn = draw_without_tools(voice)
        else:
            drawn = draw_turns(voice, turns)
        exercises -= 1
        if not any(is_held_out(turn.user) or is_of_another_language(turn, voice.language) for turn in drawn):
            turns += drawn
    opening = None
    shares = {TOPIC: voice.course.topic_opening} | dict.fromkeys((OFFTOPIC, DECLINED), voice.course.offtopic_opening)
    if rng.random() < shares.get(turns[-1].kind, 0.0):
        opening = rng.randint(*voice.course.opening)
    return Conversation(language, tuple(turns), system, opening)


def is_of_another_language(turn: Turn, language: str) -> bool:
    """Whether a question about a topic is written in Latin letters alone where that is not the language's script.

    "dark mode" is English, whoever may also type it: a word must not be learned with answers in two languages.
    """
    if language == "en" or language_of(turn.user) != "en":
        return False
    # A sum or code alone is declined in English.
    has_latin = any("a" <= letter <= "z" for letter in turn.user.lower())
    return turn.kind == DECLINED or (turn.kind in (TOPIC, OFFTOPIC) and has_latin)


def is_held_out(wording: str) -> bool:
    """Return whether the evaluation asks this, ignoring case, spaces and punctuation."""
    return normalised(wording) in held_out_wordings()
