"""Blocks of code between fences. No Qt in here."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Also inside a line, where people write a few words of code between fences.
_ANY_BLOCK = re.compile(r"(```|~~~).*?(\1|\Z)", re.DOTALL)
_TICKS = re.compile("`+")


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a code block."""
    return line.lstrip().startswith(("```", "~~~"))


def without_blocks(markdown: str, instead: str) -> str:
    """Replace each code block by `instead`; the last one may be open."""
    return _ANY_BLOCK.sub(instead, markdown)


def fenced(text: str, language: str = "") -> str:
    """Return a code block of that text, between fences that do not occur in it."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def file_block(name: str, text: str) -> str:
    """Return the text of a file as a code block under its name, as models read it."""
    return f"{name}\n{fenced(text.rstrip())}"


@dataclass
class OpenBlock:
    """A code block that is being written: its fence of `count` times `sign`, and the lines so far."""

    sign: str
    count: int
    indent: int
    language: str
    content: str = ""

    @classmethod
    def of(cls, opening: str) -> OpenBlock:
        """Begin a block with its complete first line."""
        text = opening.strip()
        info = text.lstrip(text[0])
        language = info.split()[0] if info.split() else ""
        return cls(text[0], len(text) - len(info), len(opening) - len(opening.lstrip(" ")), language)

    def closes(self, line: str) -> bool:
        """Return whether a complete line is the closing fence."""
        text = line.strip()
        return len(text) >= self.count and set(text) == {self.sign} and len(line) - len(line.lstrip(" ")) < 4

    def may_close(self, line: str) -> bool:
        """Return whether an incomplete line may become the closing fence and should not be shown yet."""
        return bool(line.strip()) and set(line.strip()) == {self.sign}

    def dedented(self, line: str) -> str:
        """Return a line of code without the indent of the opening fence."""
        return line[min(self.indent, len(line) - len(line.lstrip(" "))) :]
