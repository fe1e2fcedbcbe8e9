"""Lists everybody knows, a few things of a kind, and what comes next in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resources.starter.recipe.skills.texts import bullets

if TYPE_CHECKING:
    from resources.starter.recipe.conversations import Turn
    from resources.starter.recipe.voice import Voice

FAMILY = "lists"


def listing(voice: Voice) -> list[Turn]:
    """One list, or one neighbour in an ordered list."""
    rng = voice.rng
    lists = voice.phrases["lists"]
    whole = [table for table in lists.values() if "items" in table]
    draw = rng.random()
    if draw < 0.4:
        table = rng.choice(whole)
        return [voice.turn("list_all", FAMILY, {"what": rng.choice(table["names"])}, bullets(table["items"]))]
    if draw < 0.65:
        table = rng.choice([table for table in whole if "one" in table])
        place = rng.randrange(len(table["items"]) - 1)
        pair = table["items"][place : place + 2]
        skill = rng.choice(["after", "before"])
        item, other = pair if skill == "after" else reversed(pair)
        return [voice.turn(skill, FAMILY, {"one": table["one"], "item": item, "other": other})]
    kind, table = rng.choice([(kind, table) for kind, table in lists.items() if "several" in table])
    count = rng.randint(2, 7)
    number = rng.choice([str(count), voice.phrases["numbers"][count]])
    slots = {"n": number, "what": rng.choice(table["several"])}
    return [voice.turn("list_some", FAMILY, slots, bullets(voice.vocabulary(kind)[:count]))]
