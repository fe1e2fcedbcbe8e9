"""Random Markdown as a model streams it: pieces of plain words, blocks and delimiters."""

from __future__ import annotations

import random

PLAIN = (
    "word ",
    "a line of words ",
    "wo",
    "rd, and ",
    "more. ",
    "한국어 문장이 ",
    "이어집니다. ",
    "中文，字。",
    "  ",
    " ",
)
BLOCKS = ("\n", "\n\n", "\n", "1", ". ", "2. two ", "- ", "* ", "# ", "> ", "    ", "| a | b |", "a | b", "\n--|--\n")
PAIRS = (
    "**",
    "*",
    "_",
    "`",
    "~~",
    "```\n",
    "```",
    "===",
    "---",
    "$$",
    "$",
    "x^2",
    "\\(",
    "\\)",
    "[",
    "]",
    "](",
    ")",
    "]: ",
)
ODD = ("http://", "www.", "example.org", "me@", "&amp", ";", "<b>", "</b>", "\\", "!", "5", ": ", "'title'", "(", "\t")


def stream(seed: int) -> list[str]:
    """Return pieces of Markdown, most of them plain words."""
    draw = random.Random(seed)
    return [draw.choice(PLAIN if draw.random() < 0.6 else BLOCKS + PAIRS + ODD) for _ in range(40)]
