"""What a terminal shows in the end of an output with control characters and codes (ECMA-48), such as a progress bar."""

from __future__ import annotations

import re

# A control sequence with its numbers and its final character, a command to the system such as a link, another code, a
# control character, or words. A command that never ends takes the rest of its line only.
_TOKEN = re.compile(
    r"\x1b\[(?P<numbers>[0-?]*)[ -/]*(?P<code>[@-~])"
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?"
    r"|(?P<control>[\x00-\x08\n-\x1f\x7f])|(?P<words>[^\x00-\x08\n-\x1f\x7f]+)"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# Terminals have fewer columns; what a code moves further is at their edge.
_MOST_COLUMNS = 1000


def shown_in_terminal(output: str) -> str:
    """Return the lines that a terminal without edges shows of an output, whose lines end in "\\n".

    "10%\\r20%" is "20%". Each character takes one column.
    """
    if not _CONTROL.search(output):
        return output
    terminal = _Terminal()
    for token in _TOKEN.finditer(output):
        if words := token["words"]:
            terminal.write(words)
        elif control := token["control"]:
            terminal.control(control)
        elif code := token["code"]:
            first, _, second = token["numbers"].partition(";")
            terminal.follow(code, _number(first), _number(second))
    return "\n".join("".join(line).rstrip() for line in terminal.lines)


class _Terminal:
    """The lines of a terminal, and the cursor, at which it writes over what is there."""

    def __init__(self) -> None:
        self.lines: list[list[str]] = [[]]
        self._row = 0
        self._column = 0

    def write(self, words: str) -> None:
        line = self.lines[self._row]
        line += " " * (self._column - len(line))
        end = self._column + len(words)
        line[self._column : end] = words
        self._column = end

    def control(self, character: str) -> None:
        """Apply a control character; characters that move nothing are passed over."""
        match character:
            case "\n":
                self._row += 1
                self._column = 0
                if self._row == len(self.lines):
                    self.lines.append([])
            case "\r":
                self._column = 0
            case "\b":
                self._column = max(0, self._column - 1)

    def follow(self, code: str, first: int | None, second: int | None) -> None:
        """Apply a control sequence with its numbers, None for numbers that it does not name. Colours change nothing."""
        count = first or 1
        match code:
            case "A" | "F":
                self._go_to(self._row - count, self._column if code == "A" else 0)
            case "B" | "E":
                self._go_to(self._row + count, self._column if code == "B" else 0)
            case "C":
                self._go_to(self._row, min(self._column + count, max(self._column, _MOST_COLUMNS)))
            case "D":
                self._go_to(self._row, self._column - count)
            case "G":
                self._go_to(self._row, min(count - 1, _MOST_COLUMNS))
            case "H" | "f":
                self._go_to(count - 1, min((second or 1) - 1, _MOST_COLUMNS))
            case "J":
                self._erase_lines(first or 0)
            case "K":
                self._erase(first or 0)

    def _go_to(self, row: int, column: int) -> None:
        self._row = max(0, min(row, len(self.lines) - 1))
        self._column = max(0, column)

    def _erase(self, part: int) -> None:
        """Erase the line of the cursor: 0 for what is behind it, 1 for what is before it, 2 for all."""
        line = self.lines[self._row]
        if part == 0:
            del line[self._column :]
        elif part == 1:
            line[: self._column + 1] = " " * len(line[: self._column + 1])
        else:
            line.clear()

    def _erase_lines(self, part: int) -> None:
        """Erase the screen: 0 for what is behind the cursor, 1 for what is before it, 2 and 3 for all."""
        if part == 0:
            del self.lines[self._row + 1 :]
        elif part == 1:
            for line in self.lines[: self._row]:
                line.clear()
        else:
            self.lines = [[]]
            self._row = 0
        self._erase(part)


def _number(text: str) -> int | None:
    """Return a number of a control sequence, bounded as no screen has so many rows; None for what is none."""
    return min(int(text), 2**16) if text.isdecimal() and len(text) < 10 else None
