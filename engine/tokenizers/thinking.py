"""The choices of thinking that a chat template offers, found by rendering it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.errors import TemplateFailed
from engine.tokenizers.prompts import render

_SWITCH, _EFFORT = "enable_thinking", "reasoning_effort"
SWITCHED = ("off", "on")
# The efforts as templates name them, in rising order.
_EFFORTS = ("low", "medium", "high")
_QUESTION = ({"role": "user", "content": "a"},)


@dataclass(frozen=True, slots=True)
class ThinkingChoice:
    """The `levels` of a template: "off", "on" and efforts, as far as they change its text.

    `default` is the level that the template has by itself, "" if that is none of them.
    """

    levels: tuple[str, ...] = ()
    default: str = ""

    def level(self, chosen: str) -> str:
        """Return the template's level for "auto" or a level of any template; "" leaves the choice to the template.

        Without a switch, "off" becomes the least effort. A level that the template has nothing like becomes "".
        """
        if chosen in self.levels:
            return chosen
        if chosen == "off":
            return next(iter(self.levels), "")
        return "on" if chosen != "auto" and "on" in self.levels else ""

    def options(self, chosen: str) -> dict[str, str | bool]:
        """Return the template's variables for a choice."""
        level, found = self.level(chosen), dict[str, str | bool]()
        if level and "off" in self.levels:
            found[_SWITCH] = level != "off"
        if level in _EFFORTS:
            found[_EFFORT] = level
        return found


def may_choose(template: Any) -> bool:
    """Whether a template mentions a variable that `thinking_of` tries."""
    return any(variable in str(template) for variable in (_SWITCH, _EFFORT))


def thinking_of(tokenizer: Any) -> ThinkingChoice:
    """Find the choice that a tokenizer's template offers. This runs the template, which is foreign code."""
    levels: tuple[str, ...] = ()
    prompts = {"": _prompt(tokenizer, {})}
    for some in (SWITCHED, _EFFORTS):
        choice = ThinkingChoice((*levels, *some))
        found = {level: ids for level in some if (ids := _prompt(tokenizer, choice.options(level)))}
        if len(set(found.values())) > 1:
            levels, prompts = (*levels, *found), prompts | found
    return ThinkingChoice(levels, next((level for level in levels if prompts[level] == prompts[""]), ""))


def _prompt(tokenizer: Any, options: dict[str, str | bool]) -> tuple[int, ...]:
    """Render a short prompt; () if the template refuses, as many do with levels that they do not know."""
    try:
        return tuple(render(tokenizer, _QUESTION, options))
    except TemplateFailed:
        return ()
