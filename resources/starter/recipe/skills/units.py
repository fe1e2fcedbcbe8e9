"""Unit conversion by whole numbers, and the temperatures people ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from resources.starter.recipe.conversations import Turn
    from resources.starter.recipe.voice import Voice

FAMILY = "units"

# How many of the second unit one of the first holds, and the largest number asked for.
_FACTORS = (
    ("kilometre", "metre", 1000, 30),
    ("metre", "centimetre", 100, 30),
    ("centimetre", "millimetre", 10, 50),
    ("kilogram", "gram", 1000, 30),
    ("tonne", "kilogram", 1000, 20),
    ("litre", "millilitre", 1000, 20),
    ("year", "month", 12, 12),
    ("week", "day", 7, 12),
    ("day", "hour", 24, 7),
    ("hour", "minute", 60, 12),
    ("minute", "second", 60, 12),
    ("foot", "inch", 12, 12),
)


def units(voice: Voice) -> list[Turn]:
    """One conversion, in either direction."""
    rng = voice.rng
    if rng.random() < 0.2:
        celsius = rng.randrange(-20, 101, 5)
        pairs = [("celsius", celsius), ("fahrenheit", celsius * 9 // 5 + 32)]
    else:
        large, small, factor, top = rng.choice(_FACTORS)
        number = rng.randint(1, top)
        pairs = [(large, number), (small, number * factor)]
    if rng.random() < 0.4:
        pairs.reverse()
    (source, given), (target, result) = pairs
    names = voice.phrases["units"]
    slots = {"n": given, "from": rng.choice(names[source]), "to": rng.choice(names[target])}
    gap = voice.phrases["unit_gap"]
    return [voice.turn("convert", FAMILY, slots, f"{given}{gap}{names[source][0]} = {result}{gap}{names[target][0]}")]
