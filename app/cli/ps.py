"""`tandem ps`: the models in memory of the window or of `tandem serve`, as their local API lists them."""

from __future__ import annotations

import argparse
from typing import Any

from app.agents.table import KEY_VARIABLE, declared_endpoint
from app.cli.command import DONE, FAILED, add_command
from app.cli.pair_options import own_settings
from app.cli.terminal import format_bytes, print_table, say


def add_parser(subparsers: Any) -> None:
    what = "list the models in memory of the window or of `tandem serve`"
    add_command(subparsers, "ps", what, ("tandem ps",), f"{what.capitalize()}, whose local API has to be on.")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code. Raises `NotProved`."""
    del arguments
    reply = reply_of("GET", "/api/ps")
    if reply is None:
        return FAILED
    rows = [(one["name"], format_bytes(one["size"]), f"{one['context_length']:,}") for one in reply["models"]]
    print_table(("MODEL", "IN MEMORY", "CONTEXT"), rows, figures=("IN MEMORY", "CONTEXT"))
    return DONE


def reply_of(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Return the reply of the local API on this computer; None, after a sentence, without one. Raises `NotProved`."""
    # Not at the top: other commands should not wait for it.
    import httpx2

    from app.cli.serve import reached

    declared = declared_endpoint(own_settings())
    found = reached(declared)
    if found is None or (found.needs_key and not found.key):
        missing = f"asks for its key: set {KEY_VARIABLE} to it" if found else "is off: `tandem serve` starts it"
        say(f"tandem: the local API at {declared.address} {missing}")
        return None
    headers = {"Authorization": f"Bearer {found.key}"} if found.key else {}
    try:
        reply = httpx2.request(method, f"{found.address}{path}", headers=headers, json=body, trust_env=False)
        content: dict[str, Any] = reply.raise_for_status().json()
    except httpx2.HTTPError as error:
        say(f"tandem: the local API at {found.address} does not answer: {error}")
        return None
    return content
