"""Keeps text of models, the Hub and files from acting as commands of the terminal.

Control characters can set a terminal's title, clear it, or write the clipboard (OSC 52). Pipes and files get every
character unchanged.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_KEPT = "\n\t"
_PICTURES = 0x2400
# Pictures for C0 and DEL; the replacement character for C1 and for characters that reorder their line.
_SHOWN: dict[int, int | None] = {code: _PICTURES + code for code in range(0x20) if chr(code) not in _KEPT}
_SHOWN |= {0x7F: 0x2421, ord("\r"): None}
_SHOWN |= dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)


def shown(text: str) -> str:
    """Replace control characters except newline and tab by signs, and remove carriage returns."""
    return text.translate(_SHOWN)


class TerminalText(io.TextIOWrapper):
    """Writes to a terminal through `shown`. `terminal` is the stream itself, for our own drawing."""

    def __init__(self, terminal: TextIO) -> None:
        self.terminal = terminal
        raw = io.FileIO(terminal.fileno(), "w", closefd=False)
        super().__init__(io.BufferedWriter(raw), terminal.encoding, errors="replace", line_buffering=True)

    def write(self, text: str) -> int:
        super().write(shown(text))
        return len(text)


def terminal_of(stream: TextIO) -> TextIO:
    """Return the stream that takes control characters, for progress bars, which contain no foreign text."""
    if isinstance(stream, TerminalText):
        stream.flush()
        return stream.terminal
    return stream


def say(text: str) -> None:
    """Print a message on standard error."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def shown_on_terminals() -> Iterator[None]:
    """Send everything that is printed to a terminal through `shown`."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (TerminalText(stream) if stream and stream.isatty() else stream for stream in before)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TerminalText):
                stream.flush()
        sys.stdout, sys.stderr = before
