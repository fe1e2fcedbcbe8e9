"""Blocks of code between fences. No Qt in here."""

from __future__ import annotations

import re
from typing import NamedTuple

_TICKS = re.compile("`+")
# A fence, below the marks of items if `marks` is not empty. What follows a fence of backticks has none.
_FENCE = re.compile(r"(?P<marks>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<signs>`{3,}(?=[^`]*$)|~{3,})(?P<info>[^\n]*)")
# The end of a line that a model glued a fence to, instead of beginning a line with it.
_GLUED_FENCE = re.compile(r"(?:[^\s`\\]|[:\uff1a][ \t]+)(?P<signs>`{3,})(?P<info>[A-Za-z][\w+#.-]*)[ \t]*$")
# The end of the last line of code that a model glued the closing fence to. A quote or a colon says that a text begins.
_GLUED_END = re.compile(r"[^\s`\\\"':\uff1a](?P<signs>`{3,})[ \t]*$")
# Documents in these languages have blocks of code themselves.
_MARKDOWN = ("markdown", "md")
# In these languages a line may well end in three backticks.
_OF_WORDS = (*_MARKDOWN, "", "text", "txt", "plaintext")
# What stands before a quotation in its line, with the mark of the quotation.
_QUOTED = r"[ \t]*(?:(?:[-*+:~]|\d{1,9}[.)]|\[\^[^\]\n]+\]:)[ \t]+)*>"
# A line that is indented by so many columns more than a block of code begins does not close it.
_CODE_COLUMNS = 4


class Fence(NamedTuple):
    """The fence that opened a block of code, `columns` from the left. `language` is in lower case."""

    sign: str
    length: int
    columns: int
    language: str

    @property
    def holds_blocks(self) -> bool:
        """Whether the code is Markdown, which may have blocks of code in it."""
        return self.language in _MARKDOWN


# The fences that are open in a text, the outermost first.
OpenFences = tuple[Fence, ...]


class BegunCode(NamedTuple):
    """What the first lines of a block of code say about the others: its fence is in that `line` of the text.

    `columns` is the indentation that all lines lose, None before the first line that is not blank. `fences` are those
    that are open below these lines.
    """

    line: int
    columns: int | None
    fences: OpenFences


def is_fence(line: str) -> bool:
    """Return whether a line opens or closes a code block."""
    return line.lstrip().startswith(("```", "~~~"))


def opening_fence(text: str, columns: int) -> Fence | None:
    """Return the fence that a line opens a block of code with; None if it does not.

    `text` is the line from its first sign on, and `columns` where that stands.
    """
    fence = _FENCE.match(text)
    return _fence_of(fence, columns) if fence is not None and not fence["marks"] else None


def glued_fence(line: str) -> re.Match[str] | None:
    """Return where a line of words ends in the fence of a block of code, as "Run this:```sh" does; None if nowhere.

    It has `signs` and `info`. Without the name of a language it might as well be code in the line.
    """
    fence = _GLUED_FENCE.search(line)
    return fence if fence is not None and _is_unpaired(line, fence.start("signs")) else None


def after_line(fences: OpenFences, text: str, columns: int) -> OpenFences:
    """Return the fences that are open after a line of code; none if the line closes the block.

    `text` is the line from its first sign on, and `columns` where that stands. Models write documents in Markdown
    between fences that are no longer than those in them. So a fence with the name of a language opens a block in a
    document, and the next one without a name closes that:

        ```markdown
        ```sh
        ls
        ```
        ```
    """
    innermost = fences[-1]
    fence = _FENCE.match(text)
    if fence is None or fence["signs"][0] != innermost.sign or len(fence["signs"]) < innermost.length:
        return fences
    if fence["info"].strip():
        inner = _fence_of(fence, columns + len(fence["marks"]))
        return (*fences, inner) if innermost.holds_blocks else fences
    closes = not fence["marks"] and columns < innermost.columns + _CODE_COLUMNS
    return fences[:-1] if closes else fences


def glued_end(fences: OpenFences, text: str) -> int | None:
    """Return where a line of code ends that the closing fence is glued to, as in "print(1)```"; else None."""
    innermost = fences[-1]
    if len(fences) > 1 or innermost.sign != "`" or innermost.language in _OF_WORDS:
        return None
    end = _GLUED_END.search(text)
    if end is None or len(end["signs"]) != innermost.length or text.find("`") != end.start("signs"):
        return None
    return end.start("signs")


def closing_line(line: str, fence: Fence, quotes: int) -> str:
    """Return a line that closes the block of code that a line opens in so many quotations, as in "> - ```sh"."""
    quoted = re.match(f"(?:{_QUOTED}){{{quotes}}}", line)
    prefix = re.sub(r"[^>\s]", " ", quoted[0]) if quoted is not None else ""
    return f"{prefix}{fence.sign * fence.length}\n"


def ends_in_code(text: str) -> bool:
    """Return whether a text ends within a code block, or within code in a line."""
    fences: OpenFences = ()
    *lines, last = text.split("\n")
    for line in lines:
        fences = _after_any_line(fences, line)
    return bool(_after_any_line(fences, last)) or last.count("`") % 2 == 1


def _after_any_line(fences: OpenFences, line: str) -> OpenFences:
    """Return the fences that are open after a line of words or of code, in a list or not."""
    words = line.lstrip()
    columns = len(line) - len(words)
    if fences:
        return () if glued_end(fences, words) is not None else after_line(fences, words, columns)
    fence = opening_fence(words, columns)
    glued = glued_fence(line) if fence is None else None
    if glued is not None:
        fence = _fence_of(glued, columns)
    return (fence,) if fence is not None else ()


def _fence_of(fence: re.Match[str], columns: int) -> Fence:
    language = (fence["info"].split() or [""])[0].lower()
    return Fence(fence["signs"][0], len(fence["signs"]), columns, language)


def _is_unpaired(line: str, at: int) -> bool:
    """Return whether backticks end no code in the line that others before them begin."""
    begin = _TICKS.search(line)
    while begin is not None and begin.start() < at:
        end = re.compile(rf"(?<!`){begin[0]}(?!`)").search(line, begin.end())
        if end is not None and end.start() == at:
            return False
        begin = _TICKS.search(line, end.end() if end is not None else begin.end())
    return True


def fenced(text: str, language: str = "") -> str:
    """Return a code block of that text, between fences that do not occur in it."""
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def file_block(name: str, text: str) -> str:
    """Return the text of a file as a code block under its name, as models read it."""
    return f"{name}\n{fenced(text.rstrip())}"
