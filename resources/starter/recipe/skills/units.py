"""Unit conversion by whole numbers, and the temperatures people ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.unit_factors import FACTORS

if TYPE_CHECKING:
    from resources.starter.recipe.conversations import Turn
    from resources.starter.recipe.voice import Voice

FAMILY = "units"


def units(voice: Voice) -> list[Turn]:
    """One conversion, in either direction."""
    rng = voice.rng
    if rng.random() < 0.2:
        celsius = rng.randrange(-20, 101, 5)
        pairs = [("celsius", celsius), ("fahrenheit", celsius * 9 // 5 + 32)]
    else:
        large, small, factor, top = rng.choice(FACTORS)
        number = rng.randint(1, top)
        pairs = [(large, number), (small, number * factor)]
    if rng.random() < 0.4:
        pairs.reverse()
    (source, given), (target, result) = pairs
    names = voice.phrases["units"]
    slots = {"n": given, "from": rng.choice(names[source]), "to": rng.choice(names[target])}
    gap = voice.phrases["unit_gap"]
    return [voice.turn("convert", FAMILY, slots, f"{given}{gap}{names[source][0]} = {result}{gap}{names[target][0]}")]
