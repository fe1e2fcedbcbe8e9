"""Plain text of mails whose lines go on in the next one: RFC 3676, `format=flowed`."""

from __future__ import annotations

from typing import NamedTuple

# The line before a signature, which never goes on.
_BEGINS_SIGNATURE = "-- "


class _FlowedLine(NamedTuple):
    """A line without its marks: how many signs of quoting it had, and whether the next line may go on with it."""

    depth: int
    words: str
    goes_on: bool


class _JoinedLines(NamedTuple):
    """The words of the lines that are one."""

    depth: int
    words: list[str]


def joined_lines(text: str, *, deletes_spaces: bool) -> str:
    """Return text whose lines end in "\\n", with those joined that only its program broke.

    `deletes_spaces` is `delsp=yes`: the space at the end of a line that goes on is no part of the text. "> " stands
    before each level of a quotation. An empty line stays one, also where the line before it seems to go on.
    """
    paragraphs: list[_JoinedLines] = []
    last = _FlowedLine(0, "", False)
    for line in map(_line_of, text.split("\n")):
        if last.goes_on and last.depth == line.depth and line.words not in ("", _BEGINS_SIGNATURE):
            paragraphs[-1].words.append(line.words)
            if deletes_spaces:
                paragraphs[-1].words[-2] = last.words[:-1]
        else:
            paragraphs.append(_JoinedLines(line.depth, [line.words]))
        last = line
    return "\n".join(f"{'> ' * paragraph.depth}{''.join(paragraph.words)}".rstrip() for paragraph in paragraphs)


def _line_of(line: str) -> _FlowedLine:
    words = line.lstrip(">")
    depth = len(line) - len(words)
    # A space before the words is only there so that they do not begin with a sign of quoting, for instance.
    words = words.removeprefix(" ")
    return _FlowedLine(depth, words, words.endswith(" ") and words != _BEGINS_SIGNATURE)
