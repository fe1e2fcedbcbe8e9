"""What the pair can do besides answering questions about Tandem, one family a module."""

from __future__ import annotations

from collections.abc import Callable

from resources.starter.recipe.conversations import Turn
from resources.starter.recipe.skills.arithmetic import arithmetic, chained_arithmetic
from resources.starter.recipe.skills.counting import counting
from resources.starter.recipe.skills.lists import listing
from resources.starter.recipe.skills.rewriting import rewriting
from resources.starter.recipe.skills.translation import translation
from resources.starter.recipe.skills.units import units
from resources.starter.recipe.voice import Voice

Skill = Callable[[Voice], list[Turn]]

SKILLS: dict[str, tuple[Skill, float]] = {
    "arithmetic": (arithmetic, 3.2),
    "chained": (chained_arithmetic, 0.5),
    "units": (units, 1.0),
    "counting": (counting, 1.4),
    "lists": (listing, 0.8),
    "rewriting": (rewriting, 5.5),
    "translation": (translation, 2.8),
}
"""Each family's generator and its weight in the mix."""


def draw_skill(voice: Voice) -> list[Turn]:
    """The turns of one exercise of a family drawn by weight."""
    skills = [skill for skill, _ in SKILLS.values()]
    skill = voice.rng.choices(skills, [weight for _, weight in SKILLS.values()])[0]
    return skill(voice)
