"""The options that choose a main and a draft model."""

from __future__ import annotations

import argparse

from engine import starter_pair


def add_pair_options(parser: argparse.ArgumentParser) -> None:
    """Declare --main and --draft."""
    parser.add_argument("--main", metavar="MODEL", help="folder or Hub name of the main model (default: the starter)")
    parser.add_argument("--draft", metavar="MODEL", help='folder or Hub name of the draft model, or "none"')


def chosen_pair(arguments: argparse.Namespace) -> tuple[str, str | None]:
    """Main and draft model: the starter pair by default, no draft model for another main model."""
    starter_main, starter_draft = starter_pair()
    draft = arguments.draft or (None if arguments.main else str(starter_draft))
    return arguments.main or str(starter_main), None if draft == "none" else draft
