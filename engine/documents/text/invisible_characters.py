"""Characters that nobody sees and that can carry a text, as the tag characters do, which many models read as ASCII.

What scripts and emoji need stays: one variation selector behind a character that can have one, up to three joiners in a
row, the flags of England, Scotland and Wales, marks of direction, and fillers of Hangul.
"""

from __future__ import annotations

import re
from typing import NamedTuple

# The kind of content that a text leaves out for these.
INVISIBLE = "invisible-character"
# The only flags of regions that Unicode recommends for interchange, by their tags.
_REGIONS = ("gbeng", "gbsct", "gbwls")
_FLAGS = "|".join("".join(chr(0xE0000 + ord(letter)) for letter in region) for region in _REGIONS)
_FLAG = f"\U0001f3f4(?:{_FLAGS})\U000e007f"
# Those that have a form of their own for each selector of the supplement (UTS #37).
_IDEOGRAPHS = "\u3006\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_SUPPLEMENT = "\U000e0100-\U000e01ef"
_SELECTORS = "\ufe00-\ufe0f\u180b-\u180d\u180f"
# Tags, and what is never shown beside them and the supplement.
_TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
# Invisible operators of mathematics, and deprecated controls: no script has any of them.
_OPERATORS = "\u2061-\u2065\u206a-\u206f"
# Spaces without width, and joiners. No script has more of them in a row than three.
_WITHOUT_WIDTH = "\u200b-\u200d\u2060\ufeff\u180e"
_OTHERS = f"{_SELECTORS}{_SUPPLEMENT}{_TAGS}{_OPERATORS}"
_LEFT_OUT = re.compile(
    rf"""
    # What the group has stays.
    ({_FLAG})
    | [{_TAGS}{_OPERATORS}]
    | (?<![{_IDEOGRAPHS}])[{_SUPPLEMENT}]
    # A selector without a character before it that is seen.
    | (?<![^\s\x00-\x1f{_OTHERS}{_WITHOUT_WIDTH}])[{_SELECTORS}]
    # A run, also one that would be one without the others.
    | (?:[{_WITHOUT_WIDTH}][{_OTHERS}]*){{4,}}
    """,
    re.VERBOSE,
)


class SeenText(NamedTuple):
    """A text without the characters that nobody sees, and how many of them were left out."""

    text: str
    left_out: int


def without_invisible(text: str) -> SeenText:
    """Return a text without characters that nobody sees and that carry a text."""
    seen = text if text.isascii() else _LEFT_OUT.sub(r"\1", text)
    return SeenText(seen, len(text) - len(seen))
