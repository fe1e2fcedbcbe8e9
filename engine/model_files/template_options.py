"""How chat templates handle a model's thoughts: what a caller can choose about them, and how they are marked."""

from __future__ import annotations

import re
from typing import Any

# Low to high, as templates with levels name them.
EFFORTS = ("low", "medium", "high")
# What opens and what closes the thoughts in an answer.
THOUGHT_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel>thought", "<channel|>"),
)


# A template that asks whether the switch is off, or that it is missing or on, thinks by default.
_THINKS_BY_DEFAULT = re.compile(
    r"\benable_thinking\s+is\s+(?:sameas\s*\(?\s*)?false\b"
    r"|\bnot\s+enable_thinking\b(?!\s+is\b)"
    r"|\benable_thinking\s*(?:==\s*false|\|\s*default\s*\(\s*true)\b"
    r"|\benable_thinking\s+is\s+(?:not\s+defined|undefined)\s+or\b",
    re.IGNORECASE,
)


def thinking_of(template: Any) -> str:
    """Whether a template has levels of thinking ("effort"), only a switch ("switch", or "switch-off" where a model
    thinks only if told to) or neither ("").
    """
    texts = template.values() if isinstance(template, dict) else [template]
    text = "\n".join(part for part in texts if isinstance(part, str))
    if re.search(r"\breasoning_effort\b", text):
        return "effort"
    if not re.search(r"\benable_thinking\b", text):
        return ""
    return "switch" if _THINKS_BY_DEFAULT.search(text) else "switch-off"


def thinking_options(kind: str, chosen: str) -> dict[str, str | bool]:
    """The template's variables for "auto" (its own default), "off", "on" or one of EFFORTS.

    A template that has levels and no switch thinks least instead of not at all.
    """
    if not kind or chosen == "auto":
        return {}
    if kind != "effort":
        return {"enable_thinking": chosen != "off"}
    return {} if chosen == "on" else {"reasoning_effort": "low" if chosen == "off" else chosen}


def opened_thought(prompt_end: str) -> str:
    """The mark with which the end of a prompt opens thoughts, with the white space behind it; "" for none."""
    marked = prompt_end.rstrip()
    mark = next((opening for opening, _ in THOUGHT_MARKS if marked.endswith(opening)), "")
    return prompt_end[len(marked) - len(mark) :] if mark else ""
