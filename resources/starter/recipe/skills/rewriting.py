"""Working on a given text: repeating, recasing, reversing, listing, shortening, replacing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.skills.texts import (
    bullets,
    numbered,
    sentence,
    short_text,
    some_items,
    some_words,
)
from resources.starter.recipe.voice import Voice

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources.starter.recipe.conversations import Turn

FAMILY = "rewriting"


def rewriting(voice: Voice) -> list[Turn]:
    """One exercise on one text."""
    exercises, weights = zip(*_EXERCISES, strict=True)
    exercise: Callable[[Voice], Turn] = voice.rng.choices(exercises, weights)[0]
    return [exercise(voice)]


def _repeat(voice: Voice) -> Turn:
    text = short_text(voice)
    return voice.turn("repeat", FAMILY, {"text": text, "quoted": voice.loosely_quoted(text)})


def _repeat_times(voice: Voice) -> Turn:
    text = voice.rng.choice(voice.vocabulary()) if voice.rng.random() < 0.7 else " ".join(some_words(voice, 1, 2))
    count = voice.rng.randint(2, 6)
    times = voice.rng.choice([str(count), voice.phrases["numbers"][count]])
    slots = {"text": text, "quoted": voice.quoted(text), "times": times, "texts": " ".join([text] * count)}
    return voice.turn("repeat_times", FAMILY, slots)


def _recase(voice: Voice) -> Turn:
    latin = Voice("en", voice.rng)
    text = " ".join(some_words(latin, 1, 4)) if voice.rng.random() < 0.5 else short_text(latin, longest=6)
    skill = "upper" if voice.rng.random() < 0.65 else "lower"
    if skill == "lower":
        text = text.lower()
    slots = {
        "text": text,
        "upper": text.upper(),
        "quoted": voice.loosely_quoted(text),
        "quoted_upper": voice.quoted(text.upper()),
    }
    return voice.turn(skill, FAMILY, slots)


def _reverse(voice: Voice) -> Turn:
    if voice.language in ("en", "ko") and voice.rng.random() < 0.6:
        words = some_words(voice, 2, 6)
        slots = {"text": " ".join(words), "reversed": " ".join(reversed(words))}
        return voice.turn("reverse_words", FAMILY, slots)
    items = some_items(voice, 2, 6)
    return voice.turn(
        "reverse_items", FAMILY, {"list": voice.join(items), "reversed": voice.join(list(reversed(items)))}
    )


def _make_list(voice: Voice) -> Turn:
    items = some_items(voice, 2, 6)
    slots = {"list": voice.join(items), "bullets": bullets(items), "numbered": numbered(items)}
    skill = voice.rng.choices(["bullets", "numbered", "join"], [5, 3, 2])[0]
    return voice.turn(skill, FAMILY, slots)


def _pick_word(voice: Voice) -> Turn:
    skill = voice.rng.choice(["first", "last"])
    words = some_words(voice, 2, 7)
    text = " ".join(words) if voice.language in ("en", "ko") else voice.join(words)
    word = words[0] if skill == "first" else words[-1]
    return voice.turn(skill, FAMILY, {"text": text, "quoted": voice.quoted(text), "word": word})


def _shorten(voice: Voice) -> Turn:
    long, short = sentence(voice)
    return voice.turn("shorten", FAMILY, {"long": long, "short": short})


def _quote(voice: Voice) -> Turn:
    text = short_text(voice)
    return voice.turn("quote", FAMILY, {"text": text, "quoted": voice.quoted(text)})


def _sort(voice: Voice) -> Turn:
    numbers = voice.rng.sample(range(voice.rng.choice([10, 20, 50])), voice.rng.randint(3, 5))
    return voice.turn("sort", FAMILY, {"numbers": voice.join(numbers), "sorted": voice.join(sorted(numbers))})


def _replace(voice: Voice) -> Turn:
    words = some_words(voice, 3, 6)
    old, new = voice.rng.choice(words), voice.rng.choice(voice.vocabulary("animal", "thing", "fruit"))
    gap = " " if voice.language in ("en", "ko") else str(voice.phrases["separator"])
    replaced = [new if word == old else word for word in words]
    return voice.turn(
        "replace", FAMILY, {"text": gap.join(words), "old": old, "new": new, "replaced": gap.join(replaced)}
    )


_EXERCISES: tuple[tuple[Callable[[Voice], Turn], float], ...] = (
    (_repeat, 3.0),
    (_repeat_times, 1.0),
    (_recase, 3.0),
    (_reverse, 3.2),
    (_make_list, 2.0),
    (_pick_word, 0.8),
    (_shorten, 1.0),
    (_quote, 0.4),
    (_sort, 0.6),
    (_replace, 0.6),
)
