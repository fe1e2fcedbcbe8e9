"""Tables for a terminal or a pipe; in a pipe every row is one line without trailing spaces."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence

_WIDTH_IN_A_PIPE = 10_000


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]], figures: Collection[str] = ()) -> None:
    """Print rows under their head. Columns whose heads are in `figures` are aligned right."""
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
    size, units = float(count), ["B", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size, units = size / 1000.0, units[1:]
    return f"{size:.0f} {units[0]}" if units[0] in ("B", "kB") or size >= 99.5 else f"{size:.1f} {units[0]}"
