"""The marks around a model's thoughts."""

from __future__ import annotations

# Pairs of the mark that opens thoughts in an answer and the mark that closes them.
THOUGHT_MARKS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel>thought", "<channel|>"),
)


def opened_thought(prompt_end: str) -> str:
    """Return the mark that opens thoughts at the end of a prompt, with the white space after it; "" without one."""
    marked = prompt_end.rstrip()
    mark = next((opening for opening, _ in THOUGHT_MARKS if marked.endswith(opening)), "")
    return prompt_end[len(marked) - len(mark) :] if mark else ""
