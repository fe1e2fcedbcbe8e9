"""The help of commands: examples below it, actions, and rare options that only --help-all lists."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from textwrap import fill, indent
from typing import Any

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


class RareOptions:
    """Options of a parser that --help leaves out and --help-all lists."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        self._hidden: dict[argparse.Action, str] = {}
        parser.add_argument(
            "--help-all", action=_HelpAll, nargs=0, hidden=self._hidden, help="list the rarer options, too, and exit"
        )

    def add(self, group: Any, name: str, help: str, **options: Any) -> None:
        """Declare an option in a group of the parser."""
        self._hidden[group.add_argument(name, help=argparse.SUPPRESS, **options)] = help


class _HelpAll(argparse.Action):
    def __init__(self, *, hidden: dict[argparse.Action, str], **options: Any) -> None:
        super().__init__(**options, default=argparse.SUPPRESS)
        self._hidden = hidden

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        for action, words in self._hidden.items():
            action.help = words
        parser.print_help()
        parser.exit()
