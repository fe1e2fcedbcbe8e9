"""What all commands share: their exit codes, their help with examples below it, and their actions.

The module of a command has `add_parser(subparsers)`, and `run(arguments)`, which returns the exit code.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from textwrap import fill, indent
from typing import Any

# The exit codes of the command tandem.
DONE = 0
FAILED = 1
# As argparse has it.
BAD_USAGE = 2
# 128 + SIGINT, as shells report it.
INTERRUPTED = 130
# 128 + SIGPIPE: nobody reads the output any more, as after `| head`.
UNREAD = 141

# The width of descriptions; a terminal that nobody has resized has 80 columns.
_WIDTH = 79


def add_command(
    subparsers: Any, name: str, summary: str, examples: Sequence[str], description: str = ""
) -> argparse.ArgumentParser:
    """Declare a command or an action. Its help shows the summary or description, and ends with the examples."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        name,
        help=summary,
        description=fill(description or f"{summary[:1].upper()}{summary[1:]}.", _WIDTH),
        epilog="examples:\n" + indent("\n".join(examples), "  "),
        # Lines of examples stay lines.
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def add_actions(parser: argparse.ArgumentParser) -> Any:
    """Return what declares the actions of a command, which are in `action`: None where `help_of_actions` is due."""
    parser.set_defaults(help_of_actions=parser.print_help)
    return parser.add_subparsers(dest="action", metavar="ACTION", title="actions")
