"""`tandem stop`: takes a model out of the memory of the window or of `tandem serve`, through their local API."""

from __future__ import annotations

import argparse
from typing import Any

from app.agents.table import Endpoint
from app.cli.command import DONE, FAILED, add_command
from app.cli.pair_options import STARTER, STARTER_MAIN
from app.cli.ps import Refused, own_api, reply_of
from app.cli.terminal import say


def add_parser(subparsers: Any) -> None:
    parser = add_command(subparsers, "stop", "take a model out of memory", ("tandem stop starter",))
    parser.add_argument("id", metavar="MODEL", help="a name that `tandem ps` shows")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code. Raises NotProved (app/api/proof.py)."""
    api = own_api()
    if isinstance(api, Refused):
        say(f"tandem: {api.reason}")
        return FAILED
    names = _in_memory(api)
    if names is None:
        return FAILED
    name = STARTER_MAIN if arguments.id.lower() == STARTER else arguments.id
    if name not in names:
        say(f"tandem: {arguments.id} is not in memory. In memory: {', '.join(names) or 'no model'}")
        return FAILED
    reply_of(api, "POST", "/api/generate", {"model": name, "keep_alive": 0})
    if name not in (_in_memory(api) or ()):
        return DONE
    say(f"tandem: {name} stays: the picker of the window unloads its model, and Ctrl-C ends `tandem serve`.")
    return FAILED


def _in_memory(api: Endpoint) -> list[str] | None:
    """Return the names of the main models in memory; None, after a sentence, where the API does not answer."""
    reply = reply_of(api, "GET", "/api/ps")
    return None if reply is None else [model["name"] for model in reply["models"]]
