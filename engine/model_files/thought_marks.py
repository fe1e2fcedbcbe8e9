"""How a model's thoughts are marked."""

from __future__ import annotations

# What opens and what closes the thoughts in an answer.
THOUGHT_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel>thought", "<channel|>"),
)


def opened_thought(prompt_end: str) -> str:
    """The mark with which the end of a prompt opens thoughts, with the white space behind it; "" for none."""
    marked = prompt_end.rstrip()
    mark = next((opening for opening, _ in THOUGHT_MARKS if marked.endswith(opening)), "")
    return prompt_end[len(marked) - len(mark) :] if mark else ""
