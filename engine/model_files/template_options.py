"""What a chat template lets its caller choose: whether, and how much, the model thinks before it answers."""

from __future__ import annotations

import re
from typing import Any

# Low to high, as templates with levels name them.
EFFORTS = ("low", "medium", "high")


def thinking_of(template: Any) -> str:
    """Whether a template has levels of thinking ("effort"), only a switch ("switch") or neither ("")."""
    texts = template.values() if isinstance(template, dict) else [template]
    text = "\n".join(part for part in texts if isinstance(part, str))
    if re.search(r"\breasoning_effort\b", text):
        return "effort"
    return "switch" if re.search(r"\benable_thinking\b", text) else ""


def thinking_options(kind: str, chosen: str) -> dict[str, str | bool]:
    """The template's variables for "auto" (its own default), "off", "on" or one of EFFORTS.

    A template that has levels and no switch thinks least instead of not at all.
    """
    if not kind or chosen == "auto":
        return {}
    if kind == "switch":
        return {"enable_thinking": chosen != "off"}
    return {} if chosen == "on" else {"reasoning_effort": "low" if chosen == "off" else chosen}
