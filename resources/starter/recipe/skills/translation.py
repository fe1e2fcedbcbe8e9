"""Common words from one of the four languages into another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.content import LANGUAGES, read_words
from resources.starter.recipe.conversations import Turn

if TYPE_CHECKING:
    from resources.starter.recipe.voice import Voice

FAMILY = "translation"


def translation(voice: Voice) -> list[Turn]:
    """One word into another language, or a foreign word into the voice's own."""
    entry = voice.rng.choice(read_words())
    other = voice.rng.choice([language for language in LANGUAGES if language != voice.language])
    names = voice.phrases["languages"][other]
    name = voice.rng.choice(names) if voice.rng.random() < 0.5 else names[0]
    into_own = voice.rng.random() < 0.35
    word, target = (entry[other], entry[voice.language]) if into_own else (entry[voice.language], entry[other])
    slots = {"q": voice.loosely_quoted(word), "word": word, "target": target, "language": names[0]}
    skill = "meaning" if into_own else "translate"
    table = voice.phrases["skills"][skill]
    question = voice.word(table["questions"], {**slots, "language": name})
    answer = voice.turn(skill, FAMILY, slots).answer
    return [Turn(question, answer, FAMILY)]
