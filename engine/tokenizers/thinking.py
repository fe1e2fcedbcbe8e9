"""The choices of thinking that a chat template offers, found by rendering it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from engine.errors import TemplateFailed
from engine.mlx_lm_private import template_of
from engine.tokenizers.prompts import Options, OptionValue, local_decoder, render

SWITCHED = ("off", "on")
_Ids = tuple[int, ...]
_QUESTION = ({"role": "user", "content": "a"},)
# A value that no template knows: one that takes it writes any value into the prompt.
_UNKNOWN = "tandem"


@dataclass(frozen=True, slots=True)
class TemplateSwitch:
    """A variable of chat templates, and its values for levels; None leaves it out."""

    variable: str
    values: Mapping[str, OptionValue | None]


# The switches of thinking, by the family that has them; the first that matches a template is used.
SWITCHES: Mapping[str, TemplateSwitch] = MappingProxyType(
    {
        "": TemplateSwitch("enable_thinking", {"off": False, "on": True}),
        "deepseek, granite, kimi": TemplateSwitch("thinking", {"off": False, "on": True}),
        "minimax": TemplateSwitch("thinking_mode", {"off": "disabled", "on": "enabled"}),
        "seed": TemplateSwitch("thinking_budget", {"off": 0, "on": -1}),
        "cohere": TemplateSwitch("reasoning_effort", {"off": "none", "on": None}),
        "hunyuan": TemplateSwitch("reasoning_effort", {"off": "no_think", "on": "high"}),
    }
)
# The efforts in rising order, as templates name them.
LEVELS = {level: level for level in ("low", "medium", "high", "max")}
# The variables that choose an effort.
EFFORTS: Mapping[str, TemplateSwitch] = MappingProxyType(
    {
        "": TemplateSwitch("reasoning_effort", LEVELS),
        "kimi": TemplateSwitch("thinking_effort", LEVELS),
        "muse": TemplateSwitch("reasoning_strength", LEVELS),
    }
)
# The tokens of thoughts at efforts that a template does not have, as Google's API maps OpenAI's efforts:
# https://ai.google.dev/gemini-api/docs/openai
BUDGETS = {"low": 1024, "medium": 8192, "high": 24576}
# Templates that write any value into the prompt mean these.
_COMMON = ("low", "medium", "high")


@dataclass(frozen=True, slots=True)
class ThinkingChoice:
    """The `levels` of a template: "off", "on" and efforts, as far as they change its text.

    `default` is the level that the template has by itself, "" if that is none of them. `switch` and `effort` are the
    names of its variables, in `SWITCHES` and `EFFORTS`.
    """

    levels: tuple[str, ...] = ()
    default: str = ""
    switch: str = ""
    effort: str = ""

    def level(self, chosen: str) -> str:
        """Return the template's level for "auto" or a level of any template; "" leaves the choice to the template.

        Without a switch, "off" becomes the least effort and "max" the most. A level that the template has nothing like
        becomes "".
        """
        if chosen in self.levels:
            return chosen
        if chosen == "off":
            return next(iter(self.levels), "")
        if chosen == "max" and "on" not in self.levels:
            return next(reversed(self.levels), "")
        return "on" if chosen != "auto" and "on" in self.levels else ""

    def budget(self, chosen: str, given: int | None) -> int | None:
        """Return the most tokens of thoughts: those `given`, or a choice's without efforts; None for no limit."""
        if chosen == "off" and not self.levels:
            return 0
        has_efforts = not LEVELS.keys().isdisjoint(self.levels)
        return given if given is not None or has_efforts else BUDGETS.get(chosen)

    def options(self, chosen: str, budget: int | None = None) -> dict[str, OptionValue]:
        """Return the template's variables for a choice; a `budget` of 0 tokens is "off"."""
        chosen = "off" if budget == 0 else chosen
        level = self.level(chosen)
        options = dict[str, OptionValue | None]()
        # There is a switch; an effort turns it on.
        if level and "off" in self.levels:
            switch = SWITCHES[self.switch]
            options[switch.variable] = switch.values["off" if level == "off" else "on"]
        # Where this is the switch's own variable, the effort takes its place.
        if level in LEVELS:
            options[EFFORTS[self.effort].variable] = level
        return {name: value for name, value in options.items() if value is not None}


def may_choose(template: str) -> bool:
    """Whether a template mentions a variable that `thinking_of` tries, or is a function of mlx-lm."""
    return any(_is_in(switch, template) for switch in (*SWITCHES.values(), *EFFORTS.values()))


def _is_in(switch: TemplateSwitch, template: str) -> bool:
    return switch.variable in template or template.startswith("mlx_lm.")


def thinking_of(tokenizer: Any) -> ThinkingChoice:
    """Find the choice that a tokenizer's template offers. This runs the template, which is foreign code."""
    template = template_of(tokenizer)
    prompts = {"": _prompt(tokenizer, {})}
    choice = ThinkingChoice()
    for name, switch in SWITCHES.items():
        tried = ThinkingChoice(SWITCHED, switch=name)
        if _is_in(switch, template) and (switched := _switched(tokenizer, tried, switch)):
            choice = tried
            prompts = prompts | switched
            break
    for name, switch in EFFORTS.items():
        tried = ThinkingChoice((*choice.levels, *LEVELS), switch=choice.switch, effort=name)
        if _is_in(switch, template) and (switched := _efforts(tokenizer, tried, switch, prompts)):
            levels = (*choice.levels, *(level for level in LEVELS if level in switched))
            choice = replace(choice, levels=levels, effort=name)
            prompts = prompts | switched
            break
    return replace(choice, default=next((level for level in choice.levels if prompts[level] == prompts[""]), ""))


def _switched(tokenizer: Any, tried: ThinkingChoice, switch: TemplateSwitch) -> dict[str, _Ids]:
    """Return the prompts of a switch's levels; none if it is not one of the template's."""
    prompts_by_level = {level: _prompt(tokenizer, tried.options(level)) for level in SWITCHED}
    refused = not all(prompts_by_level.values()) and switch.values["on"] is not True
    changes = len(set(prompts_by_level.values())) > 1 and not refused
    return prompts_by_level if changes and not _writes_any(tokenizer, switch, {}) else {}


def _efforts(
    tokenizer: Any, tried: ThinkingChoice, switch: TemplateSwitch, prompts: Mapping[str, _Ids]
) -> dict[str, _Ids]:
    """Return the prompts of those efforts that are unlike each other and unlike the switch's levels."""
    base = tried.options("on") if "on" in tried.levels else {}
    levels = _COMMON if _writes_any(tokenizer, switch, base) else LEVELS
    prompts_by_level = dict[str, _Ids]()
    # Of efforts with equal prompts, the outer ones stay.
    for level in sorted(levels, key=lambda name: name in ("medium", "max")):
        ids = _prompt(tokenizer, tried.options(level))
        if ids and ids not in (*prompts_by_level.values(), prompts.get("on"), prompts.get("off")):
            prompts_by_level[level] = ids
    return prompts_by_level if len(prompts_by_level) > ("on" not in tried.levels) else {}


def _writes_any(tokenizer: Any, switch: TemplateSwitch, base: Options) -> bool:
    """Whether a template takes any value of a variable and writes it into the prompt."""
    return _UNKNOWN in local_decoder(tokenizer)(_prompt(tokenizer, {**base, switch.variable: _UNKNOWN}))


def _prompt(tokenizer: Any, options: Options) -> _Ids:
    """Render a short prompt; () if the template refuses, as many do with levels that they do not know."""
    try:
        return tuple(render(tokenizer, _QUESTION, options))
    except TemplateFailed:
        return ()
