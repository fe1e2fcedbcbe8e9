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
    """Run the command; returns the exit code. Raises NotProved (app/api/proof.py)."""
    del arguments
    reply = reply_of("GET", "/api/ps")
    if reply is None:
        return FAILED
    rows = [(model["name"], format_bytes(model["size"]), f"{model['context_length']:,}") for model in reply["models"]]
    print_table(("MODEL", "IN MEMORY", "CONTEXT"), rows, figures=("IN MEMORY", "CONTEXT"))
    return DONE


def reply_of(method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Return the reply of the local API on this computer; None, after a sentence, without one. Raises NotProved."""
    # Not at the top: other commands should not wait for it.
    import httpx2

    from app.cli.serve import reached

    declared = declared_endpoint(own_settings())
    endpoint = reached(declared)
    if endpoint is None or (endpoint.needs_key and not endpoint.key):
        missing = f"asks for its key: set {KEY_VARIABLE} to it" if endpoint else "is off: `tandem serve` starts it"
        say(f"tandem: the local API at {declared.address} {missing}")
        return None
    headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else {}
    try:
        reply = httpx2.request(method, f"{endpoint.address}{path}", headers=headers, json=body, trust_env=False)
        content: dict[str, Any] = reply.raise_for_status().json()
    except httpx2.HTTPError as error:
        say(f"tandem: the local API at {endpoint.address} does not answer: {error}")
        return None
    return content
