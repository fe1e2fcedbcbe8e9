"""Why a program has ended: the line of its standard error that says so, which is rarely the last one.

Its lines are read as blocks of the forms below, and the last block that says something is why. The forms are those that
Node.js 20, npm 11, Python 3.11, pip, uv, click, typer, Docker and shells were seen to write:

- A traceback of Python: its exception is the first line that is not indented, "ValueError: no key". Of a chain, the
  last exception says why; of a group of exceptions, the first one in it. An error of the syntax has no first line.
- An error that Node.js, a JVM or .NET prints: a line "TypeError: no key", perhaps behind words of the program, then the
  rest of its message, frames "    at f (server.js:1:2)", and perhaps fields in braces.
- The lines "npm error …" (once "npm ERR!"): codes, paths and the log's name stand around the one that says why.
- A line that begins with "error:", or follows the name of a program, as those of argparse, click, uv and Docker do. Its
  causes and the help below it belong to it.
- A line of a log whose level is ERROR or worse.
- Any other line. What says nothing is passed over: lines of logs with lower levels, notices of npm, versions, warnings,
  hints, the marks below a line of code, and rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

# Lines of one message that are joined, and lines to look ahead for the frames of its stack.
_MOST_JOINED = 12
_FARTHEST_FRAME = 60
# Characters of a line that are looked at.
_LONGEST_LINE = 1000

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f]")
# What programs draw around their words.
_FRAME_START = re.compile(r"^\s*[│┃║╭╰╔╚┌└├×─━═▶]+[ ╭╰─━═▶]*")
_FRAME_END = re.compile(r"\s*[│┃║╮╯╗╝┐┘─━═]+\s*$")
_SAYS_NOTHING = re.compile(
    r"\W*$"
    r"|Node\.js v|Bun v|\(Use `node|\(node:\d+\)|npm (?:warn|WARN|notice|http fetch(?!.* failed))\b"
    r"|-+ .* -+$|<-+ .* -+>$|\s*\d+: 0x[0-9a-f]+\b"
    r"|\S.*:\d+: \w*Warning: |Exception ignored in"
    r"|(?i:usage|hint|note|help|tip)\b.*:|(?:Try|Run|See) '.*--help"
    r"|(?:(?!(?i:error)).){0,60}\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING)\b"
    r'|\{.*"level": ?(?:"(?:trace|debug|info|notice|warn|warning)"|[1-4]0\b)'
)
_PYTHON_START = re.compile(r'Traceback \(most recent call last\):|\s*File "[^"]*", line \d+')
_GROUP_START = re.compile(r"\s*\+ Exception Group Traceback")
_GROUP_LINE = re.compile(r"\s+[|+]")
# An exception in a group, not the group itself.
_GROUP_MEMBER = re.compile(r"\s+\| (?!(?:\w+\.)*\w*ExceptionGroup\b)([A-Za-z_][\w.]*(?:: .*|$))")
_STACK_FRAME = re.compile(r"\s+(?:at |\.\.\. \d+ )")
# What stands below frames, and is not the reason.
_EMITTED = re.compile(r"Emitted '\w+' event")
_NAMED_ERROR = re.compile(r"(?:Error|Exception|Rejection)(?: \[\w+\])?:")
_ERROR = re.compile(
    r"\W*(?i:fatal|error|panic|critical)\b|[^:\s]+: (?i:fatal |fatal: )?(?i:error)\b"
    r"|An executable named .* is not provided|Package .* does not provide"
)
_LOGGED_ERROR = re.compile(r".{0,60}\b(?:ERROR|FATAL|CRITICAL)\b")
_NPM = re.compile(r"npm (?:error|ERR!) ?(.*)")
_NPM_SAYS_NOTHING = re.compile(r"(?:code|syscall|path|dest|file|errno|cwd|argv|node|npm) |A complete log|\d*$|\s")
_CAUSE = re.compile(r"\s*(?:cause|Caused by): ?")
# A line that announces what stands on the next ones.
_ANNOUNCES = re.compile(r".*(?:[:\[{(]|validation errors? for \S+)$")
_CONTINUES = re.compile(r"\s|- ")


class _StderrBlock(NamedTuple):
    """Some lines that belong together: what they say ("" for nothing), and the index behind the last."""

    words: str
    end: int


def reason_in(stderr: str) -> str:
    """Return the line of a program's standard error that says why the program has ended; "" if there is none.

    A message of several lines becomes one line.
    """
    lines = [_clean(line) for line in stderr.splitlines()]
    said = ""
    place = 0
    while place < len(lines):
        block = next(block for form in _FORMS if (block := form(lines, place)) is not None)
        said = block.words or said
        place = block.end
    written = [line for line in lines if re.search(r"\w", line)]
    return said or (written[-1].strip() if written else "")


def _clean(line: str) -> str:
    """Return a line without colours, without the frame that is drawn around it, and not too long."""
    line = _ESCAPES.sub("", line[:_LONGEST_LINE])
    if _FRAME_START.match(line):
        line = _FRAME_END.sub("", _FRAME_START.sub("", line))
    return line.rstrip()


def _traceback(lines: Sequence[str], place: int) -> _StderrBlock | None:
    if not _PYTHON_START.match(lines[place]):
        return None
    raised = place + 1
    while raised < len(lines) and (lines[raised][:1].isspace() or not lines[raised]):
        raised += 1
    if raised == len(lines):
        return _StderrBlock("", raised)
    # The message may go on, and notes may follow.
    end = raised + 1
    while end < len(lines) and lines[end] and not _begins_another(lines[end]):
        end += 1
    return _StderrBlock(_joined(lines[raised:end]) if _ANNOUNCES.match(lines[raised]) else lines[raised], end)


def _group(lines: Sequence[str], place: int) -> _StderrBlock | None:
    if not _GROUP_START.match(lines[place]):
        return None
    end = place + 1
    while end < len(lines) and _GROUP_LINE.match(lines[end]):
        end += 1
    members = [member[1] for line in lines[place:end] if (member := _GROUP_MEMBER.match(line))]
    return _StderrBlock(members[0] if members else "", end)


def _npm(lines: Sequence[str], place: int) -> _StderrBlock | None:
    told = list[str]()
    end = place
    while end < len(lines) and (line := _NPM.match(lines[end])):
        told.append(line[1])
        end += 1
    if end == place:
        return None
    telling = [words for words in told if not _NPM_SAYS_NOTHING.match(words)]
    return _StderrBlock((telling or told)[0], end)


def _nothing(lines: Sequence[str], place: int) -> _StderrBlock | None:
    if not _SAYS_NOTHING.match(lines[place]):
        return None
    end = _end_of_indented(lines, place + 1)
    is_ignored = lines[place].startswith("Exception ignored in")
    if is_ignored and end < len(lines) and (ignored := _traceback(lines, end)):
        end = ignored.end
    return _StderrBlock("", end)


def _error_with_stack(lines: Sequence[str], place: int) -> _StderrBlock | None:
    if not _NAMED_ERROR.search(lines[place]):
        return None
    for index in range(place + 1, min(place + _FARTHEST_FRAME, len(lines))):
        if _STACK_FRAME.match(lines[index]):
            return _StderrBlock(_joined(lines[place:index]), _end_of_stack(lines, index))
        if not lines[index]:
            break
    return None


def _error(lines: Sequence[str], place: int) -> _StderrBlock | None:
    line = lines[place]
    if _ERROR.match(line) or _NAMED_ERROR.search(line):
        end = place + 1
        while end < len(lines) and lines[end] and not _begins_another(lines[end]):
            end += 1
    elif _LOGGED_ERROR.match(line):
        end = _end_of_indented(lines, place + 1)
    else:
        return None
    if not re.search(r"\w+\W+\w", line):
        # It is a heading alone: what follows says why.
        return _StderrBlock("", place + 1)
    return _StderrBlock(_told(lines[place:end]), end)


def _line(lines: Sequence[str], place: int) -> _StderrBlock | None:
    end = _end_of_indented(lines, place + 1)
    return _StderrBlock(_told(lines[place:end]), end)


_FORMS: tuple[Callable[[Sequence[str], int], _StderrBlock | None], ...] = (
    _traceback,
    _group,
    _npm,
    _error_with_stack,
    _nothing,
    _error,
    _line,
)


def _told(lines: Sequence[str]) -> str:
    """Return what a line says, with its causes, and with what it announces."""
    first, *others = lines
    if _ANNOUNCES.match(first):
        return _joined(lines)
    causes = [_CAUSE.sub("", line, count=1) for line in others if _CAUSE.match(line)]
    return _joined([first, *causes], ": ")


def _joined(lines: Sequence[str], between: str = " ") -> str:
    """Return the lines of a message in one."""
    words = list[str]()
    for line in lines[:_MOST_JOINED]:
        if line.startswith("Require stack:"):
            break
        words.append(" ".join(line.split()))
    return between.join(filter(None, words))


def _begins_another(line: str) -> bool:
    """Whether a line belongs to no message that stands above it."""
    starts = (_PYTHON_START, _GROUP_START, _NPM, _SAYS_NOTHING, _LOGGED_ERROR)
    return any(start.match(line) for start in starts) and not _CONTINUES.match(line)


def _end_of_indented(lines: Sequence[str], place: int) -> int:
    while place < len(lines) and _CONTINUES.match(lines[place]):
        place += 1
    return place


def _end_of_stack(lines: Sequence[str], place: int) -> int:
    """Return the index behind the frames of a stack and what Node.js writes below them."""
    while place < len(lines) and (
        _CONTINUES.match(lines[place]) or _EMITTED.match(lines[place]) or lines[place] == "}"
    ):
        place += 1
    return place
