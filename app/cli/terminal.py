"""Writes to a terminal, and keeps text of models, the Hub and files from acting as its commands.

Control characters can set a terminal's title, clear it, or write the clipboard (OSC 52). Pipes and files get every
character unchanged.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

# A pipe gets every row of a table as one line.
_WIDTH_IN_A_PIPE = 10_000
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


def in_terminal(sentences: str) -> str:
    """Return the window's English sentences as the terminal says them, which may run on a computer that is no Mac."""
    return sentences.replace("this Mac", "this computer").replace("This Mac", "This computer")


def say(text: str) -> None:
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


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], figures: Collection[str] = ()) -> None:
    """Print rows under their head. Columns whose heads are in `figures` are aligned right.

    In a pipe, lines have no trailing spaces.
    """
    # Not at the top: the window's start imports this module to declare the commands.
    from rich.console import Console
    from rich.table import Table

    width = None if sys.stdout.isatty() else _WIDTH_IN_A_PIPE
    console = Console(width=width, markup=False, highlight=False, emoji=False)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=None)
    for name in head:
        table.add_column(name, justify="right" if name in figures else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        print(line.rstrip())


def format_bytes(count: int | None) -> str:
    """Format a size in powers of 1000, as the Finder does; "-" for None."""
    if count is None:
        return "-"
    size = float(count)
    units = ["B", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size = size / 1000.0
        units = units[1:]
    return f"{size:.0f} {units[0]}" if units[0] in ("B", "kB") or size >= 99.5 else f"{size:.1f} {units[0]}"


def format_time(seconds: float) -> str:
    """Format a short time as the window does: "310 ms", and from one second on "1.3 s" or "12 s"."""
    if round(1e3 * seconds) < 1e3:
        return f"{1e3 * seconds:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 9.95 else f"{seconds:.0f} s"
