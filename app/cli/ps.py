"""`tandem ps`: the models in memory of the window or of `tandem serve`, as their local API lists them."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from app.agents.table import KEY_VARIABLE, Endpoint, declared_endpoint
from app.cli.command import DONE, FAILED, add_command
from app.cli.pair_options import own_settings
from app.cli.terminal import format_bytes, print_table, say


def add_parser(subparsers: Any) -> None:
    what = "list the models in memory of the window or of `tandem serve`"
    add_command(subparsers, "ps", what, ("tandem ps",), f"{what.capitalize()}, whose local API has to be on.")


def run(arguments: argparse.Namespace) -> int:
    """Run the command; returns the exit code. Raises NotProved (app/api/proof.py)."""
    del arguments
    api = own_api()
    if isinstance(api, Refused):
        say(f"tandem: {api.reason}")
        # Where nothing serves, the answer is that no model is in memory.
        return FAILED if api.serves else DONE
    reply = reply_of(api, "GET", "/api/ps")
    if reply is None:
        return FAILED
    rows = [(model["name"], format_bytes(model["size"]), f"{model['context_length']:,}") for model in reply["models"]]
    print_table(("MODEL", "IN MEMORY", "CONTEXT"), rows, figures=("IN MEMORY", "CONTEXT"))
    return DONE


@dataclass(frozen=True)
class Refused:
    """Why the local API on this computer cannot be asked: it asks for a key that is not known, or nothing serves."""

    reason: str
    serves: bool


def own_api() -> Endpoint | Refused:
    """Return the local API that serves on this computer, with its key. Raises NotProved."""
    # Not at the top: other commands should not wait for it.
    from app.cli.serve import reached

    declared = declared_endpoint(own_settings())
    endpoint = reached(declared)
    if endpoint is None:
        return Refused(f"the local API at {declared.address} is off: `tandem serve` starts it", serves=False)
    if endpoint.needs_key and not endpoint.key:
        return Refused(f"the local API at {declared.address} asks for its key: set {KEY_VARIABLE} to it", serves=True)
    return endpoint


def reply_of(api: Endpoint, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Return the reply of `api`; None, after a sentence, where it does not answer."""
    # Not at the top: other commands should not wait for it.
    import httpx2

    headers = {"Authorization": f"Bearer {api.key}"} if api.key else {}
    try:
        reply = httpx2.request(method, f"{api.address}{path}", headers=headers, json=body, trust_env=False)
        content: dict[str, Any] = reply.raise_for_status().json()
    except httpx2.HTTPError as error:
        say(f"tandem: the local API at {api.address} does not answer: {error}")
        return None
    return content
