"""Counting up, down, in steps, and counting what a text holds by numbering it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.skills.texts import short_text, some_items

if TYPE_CHECKING:
    from resources.starter.recipe.conversations import Turn
    from resources.starter.recipe.voice import Voice

FAMILY = "counting"

_KINDS = ("count_up", "count_to", "count_down", "count_step", "even", "odd", "count_words", "count_items")


def counting(voice: Voice) -> list[Turn]:
    """One exercise in counting."""
    rng = voice.rng
    kind = rng.choice(_KINDS)
    if kind == "count_words" and voice.language in ("en", "ko"):
        text = short_text(voice, longest=8)
        words = text.strip(".?!").split(" ")
        return [_numbered(voice, kind, {"text": text}, words)]
    if kind in ("count_words", "count_items"):
        items = some_items(voice, 2, 9)
        return [_numbered(voice, "count_items", {"list": voice.join(items)}, items)]
    return [_sequence(voice, kind)]


def _numbered(voice: Voice, kind: str, slots: dict[str, object], counted: list[str]) -> Turn:
    count = voice.join([f"{number} {word}" for number, word in enumerate(counted, 1)])
    return voice.turn(kind, FAMILY, {**slots, "count": count, "n": len(counted)})


def _sequence(voice: Voice, kind: str) -> Turn:
    rng = voice.rng
    step = rng.choice([2, 3, 4, 5, 10])
    start = rng.randint(2, 60)
    end = rng.randint(3, 20)
    slots: dict[str, object]
    if kind == "count_up":
        end = start + rng.randint(2, 12)
        slots, numbers = {"a": start, "b": end}, range(start, end + 1)
    elif kind == "count_to":
        slots, numbers = {"b": end}, range(1, end + 1)
    elif kind == "count_down":
        slots, numbers = {"a": end}, range(end, 0, -1)
    elif kind == "count_step":
        last = step * rng.randint(3, 10)
        slots, numbers = {"step": step, "b": last}, range(step, last + 1, step)
    else:
        slots, numbers = {"b": end}, range(2 if kind == "even" else 1, end + 1, 2)
    return voice.turn(kind, FAMILY, slots, ", ".join(str(number) for number in numbers))
