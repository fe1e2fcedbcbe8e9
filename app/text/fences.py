"""Code in Markdown: blocks between fences and spans between backticks. No Qt in here.

All of the app's rules for what is a fence are in this module.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Parts of verbose patterns with re.DOTALL and re.MULTILINE. A line in quotes and lists begins with LEAD.
LEAD = r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)*"
FENCED_BLOCK = r"(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?^[ \t>]*(?P=fence)[`~]*[ \t]*$|.*\Z)"
CODE_SPAN = r"(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)"

# In a line too, where people write a few words of code between fences.
_ANY_BLOCK = re.compile(r"(```|~~~).*?(\1|\Z)", re.DOTALL)
_TICKS = re.compile("`+")


def is_fence(line: str) -> bool:
    """Whether a line opens or closes a code block."""
    return line.lstrip().startswith(("```", "~~~"))


def without_blocks(markdown: str, instead: str) -> str:
    """The text with `instead` for each code block, the last of which may be open."""
    return _ANY_BLOCK.sub(instead, markdown)


def fenced(text: str) -> str:
    """A code block of that text, between fences that do not occur in it."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


@dataclass
class OpenBlock:
    """A code block that is being written: its fence, of `count` times `sign`, and the lines so far."""

    sign: str
    count: int
    indent: int
    language: str
    content: str = ""

    @classmethod
    def of(cls, opening: str) -> OpenBlock:
        """Begin a block with its whole first line."""
        text = opening.strip()
        info = text.lstrip(text[0])
        language = info.split()[0] if info.split() else ""
        return cls(text[0], len(text) - len(info), len(opening) - len(opening.lstrip(" ")), language)

    def closes(self, line: str) -> bool:
        """Whether a whole line is the closing fence."""
        text = line.strip()
        return len(text) >= self.count and set(text) == {self.sign} and len(line) - len(line.lstrip(" ")) < 4

    def may_close(self, line: str) -> bool:
        """Whether an unfinished line may be the closing fence and is better not shown yet."""
        return bool(line.strip()) and set(line.strip()) == {self.sign}

    def dedented(self, line: str) -> str:
        """A line of code without the indent of the opening fence."""
        return line[min(self.indent, len(line) - len(line.lstrip(" "))) :]
