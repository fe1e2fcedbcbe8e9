"""`tandem completion`: the script that completes the command's words in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from app.cli.exit_codes import DONE

_INSTALL = """\
examples, which install it:
  bash  tandem completion bash > ~/.local/share/bash-completion/completions/tandem
  zsh   tandem completion zsh > FOLDER/_tandem   (a folder of $fpath)
  fish  tandem completion fish > ~/.config/fish/completions/tandem.fish"""


def add_parser(subparsers: Any, whole_parser: Callable[[], argparse.ArgumentParser]) -> None:
    """Declare the command. `whole_parser` builds the parser of all commands, from which the script is generated."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print the script that completes the words of `tandem` in a shell.",
        epilog=_INSTALL,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.set_defaults(run=lambda arguments: _run(arguments, whole_parser()))


def _run(arguments: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    # Not at the top: the window's start imports this module to declare the command.
    import shtab

    print(shtab.complete(parser, arguments.shell))
    return DONE
