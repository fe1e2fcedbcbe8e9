"""`tandem drafter`: a draft model on this computer that drafts for Tandem on another one."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from typing import Any

from app.cli.command import BAD_USAGE, DONE, FAILED, add_actions, add_command
from app.cli.pair_options import model_path
from app.cli.serve import port
from app.settings.engine_settings import SECRET_VARIABLE

DEFAULT_PORT = 8799
LEAST_SECRET = 16
_OPEN = (
    "tandem: the text of chats is sent to {host} unencrypted. Whoever knows the secret can use this computer's power. "
    "Serve only on a network you trust."
)


def add_parser(subparsers: Any) -> None:
    """Declare the command and its options."""
    examples = (
        "tandem drafter serve ~/models/Qwen3-0.6B-4bit",
        f"tandem drafter serve ~/models/Qwen3-0.6B-4bit --host 0.0.0.0 --port {DEFAULT_PORT}",
    )
    parser = add_command(
        subparsers,
        "drafter",
        "draft for Tandem on another computer",
        examples,
        "Let a draft model on this computer draft for Tandem on another one, while the main model there "
        "verifies. Answers stay those of the main model.",
    )
    serve = add_command(add_actions(parser), "serve", "serve a draft model until interrupted", examples)
    serve.add_argument("model", help="folder or name of the draft model, the same as on the other computer")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: only this computer)")
    serve.add_argument("--port", type=port, default=DEFAULT_PORT, help=f"port to listen on ({DEFAULT_PORT})")


def run(arguments: argparse.Namespace) -> int:
    """Run the command until it is interrupted; returns the exit code."""
    secret = os.environ.get(SECRET_VARIABLE, "").strip()
    if secret and len(secret) < LEAST_SECRET:
        print(f"tandem: {SECRET_VARIABLE} needs {LEAST_SECRET} characters or more.", file=sys.stderr)
        return BAD_USAGE
    # Not at the top: other commands should not wait for MLX.
    from engine.async_drafting.branches import NoBranches
    from engine.async_drafting.serving import DrafterServer
    from engine.main_model.loading import load

    if arguments.host not in ("127.0.0.1", "::1", "localhost"):
        print(_OPEN.format(host=arguments.host), file=sys.stderr)
    shown = not secret
    secret = secret or secrets.token_urlsafe(24)
    try:
        server = DrafterServer(load(model_path(arguments.model)), arguments.host, arguments.port, secret.encode())
    except NoBranches as error:
        print(f"tandem: this model cannot draft in parallel: {error}", file=sys.stderr)
        return FAILED
    except OSError as error:
        print(f"tandem: {arguments.host}:{arguments.port} cannot be used: {error}", file=sys.stderr)
        return FAILED
    print(f"tandem: drafting at {arguments.host}:{server.port} (Ctrl-C ends it)", file=sys.stderr, flush=True)
    if shown:
        print(f"tandem: the secret of this run is {secret}", file=sys.stderr, flush=True)
    try:
        while True:
            server.serve_one()
    except KeyboardInterrupt:
        # The terminal has printed ^C on the line.
        print(file=sys.stderr)
    finally:
        server.close()
    return DONE
