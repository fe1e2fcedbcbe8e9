"""`tandem serve`: the local API in a terminal, for machines without a screen."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.agents.table import KEY_VARIABLE, Endpoint, serving_endpoint
from app.cli.command import BAD_USAGE, DONE, add_command
from app.cli.pair_options import add_pair_options, checked, chosen_pair, own_settings
from app.cli.terminal import say
from app.settings.engine_settings import OWN_SAMPLING

if TYPE_CHECKING:
    from app.api.guard import ApiSettings
    from app.api.local_api import LocalApi
    from app.settings.declarations import SettingsValues

_DEFAULT_PORT = 8642
_KEYCHAIN = "keychain"
_KEY_HELP = f"require a key: the one in {KEY_VARIABLE}, or else one made once and kept in the keychain"
# The key's entry in the keychain has the names that app/settings/keychain.py and app/api/local_api.py give it.
_LOOKUP = (
    "security find-generic-password -s Tandem -a local-api -w"
    if sys.platform == "darwin"
    else "secret-tool lookup service Tandem username local-api"
)
_NO_KEYCHAIN = (
    f"tandem: there is no keychain for a key: set {KEY_VARIABLE} to one of your own, such as what `openssl rand -hex "
    "24` prints."
)
_OPEN_SERVER_WARNING = (
    "tandem: other computers can reach {host}: whoever has the key can use your models and this computer's power, and "
    "everything is sent unencrypted. Serve only on a network you trust, and with --key."
)
_SHARED = (
    "tandem: other people have accounts on this computer, and their programs can use your models. --key keeps them out."
)


def add_parser(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "serve",
        "serve the models to other programs",
        ("tandem serve", "tandem serve --main mlx-community/Qwen3-8B-4bit --port 8080", "tandem serve --key"),
        "Serve the models to other programs on this computer, through the OpenAI, Anthropic "
        "and Ollama APIs. Answers are decoded speculatively and are the same as in the window with the same settings. "
        "Sampling that a request leaves out is as the model's authors recommend or, without a recommendation, at "
        f"temperature 0; the window then uses temperature {OWN_SAMPLING['temperature']} and top p "
        f"{OWN_SAMPLING['top_p']}.",
    )
    add_pair_options(parser)
    add = parser.add_argument
    add("--host", default="127.0.0.1", help="address to listen on (127.0.0.1: only programs on this computer)")
    add("--port", type=port, default=_DEFAULT_PORT, help=f"port to listen on ({_DEFAULT_PORT})")
    add("--key", action="store_true", help=_KEY_HELP)
    add("--origin", action="append", default=[], metavar="URL", help="let web pages of this origin connect; repeatable")


def run(arguments: argparse.Namespace) -> int:
    """Run the command until it is interrupted; returns the exit code."""
    # Not at the top: other commands should not wait for the server's libraries.
    from app.api.guard import ApiSettings, is_loopback
    from app.system.accounts import others_have_accounts
    from engine import SpeculationSettings

    if not is_loopback(arguments.host):
        say(_OPEN_SERVER_WARNING.format(host=arguments.host))
        if not arguments.key:
            return BAD_USAGE
    values = own_settings()
    speculation = SpeculationSettings(same_text=values.same_text)
    key, origin = api_key() if arguments.key else (None, "")
    if arguments.key and key is None:
        say(_NO_KEYCHAIN)
        return BAD_USAGE
    settings = ApiSettings(arguments.host, arguments.port, key, tuple(arguments.origin), speculation)
    with serving(values, chosen_pair(arguments), settings) as api:
        _say_where(api.status.address, origin)
        if key is None and others_have_accounts():
            say(_SHARED)
        _until_interrupted()
    return DONE


@contextmanager
def serving(values: SettingsValues, pair: tuple[str, str | None], settings: ApiSettings) -> Iterator[LocalApi]:
    """Serve a main and a draft model as long as the context lasts. Raises the engine's CodedError."""
    from app.api.engine_host import EngineHost
    from app.api.local_api import LocalApi
    from app.settings.engine_settings import engine_settings_of
    from engine import Engine

    # Programs do not draft from chats, and only one process may write their index.
    with Engine(replace(engine_settings_of(values), answer_index_folder=None)) as engine:
        host = EngineHost(engine, tuple(map(Path, values.model_folders)))
        api = LocalApi(host)
        checked(host.load(*pair).result())
        host.keep(pair[0])
        api.start(settings)
        try:
            yield api
        finally:
            api.stop()


def _say_where(address: str, origin: str) -> None:
    """Print the address, and where the key is if one is needed. Not the key itself: logs may keep the output."""
    with_key = f' -H "Authorization: Bearer ${KEY_VARIABLE}"' if origin else ""
    # These hosts stand for all addresses of this computer; no other computer can connect to them.
    for any_host, local_host in (("0.0.0.0", "127.0.0.1"), ("[::]", "[::1]")):
        if any_host not in address:
            continue
        from app.session.api_service import network_address

        own_address = network_address()
        if own_address:
            say(f"tandem: serving other computers at {address.replace(any_host, own_address)}/v1")
        address = address.replace(any_host, local_host)
        break
    say(f"tandem: serving at {address}/v1 (Ctrl-C ends it)")
    say(
        f"  curl {address}/v1/chat/completions{with_key} -H 'Content-Type: application/json' "
        """-d '{"messages": [{"role": "user", "content": "Hello"}]}'"""
    )
    if origin == _KEYCHAIN:
        say(f"  The key is in the keychain: export {KEY_VARIABLE}=$({_LOOKUP})")


def _until_interrupted() -> None:
    ended = threading.Event()
    # Service managers send SIGTERM; Ctrl-C raises KeyboardInterrupt.
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: ended.set())
    try:
        ended.wait()
    except KeyboardInterrupt:
        # The terminal has printed ^C on the line.
        print(file=sys.stderr)
    finally:
        signal.signal(signal.SIGTERM, before)


def api_key() -> tuple[str | None, str]:
    """Return the key of the environment or the keychain, and which of them it is from; None without a keychain."""
    from app.api.local_api import kept_key
    from app.settings.keychain import Keychain

    if given := os.environ.get(KEY_VARIABLE, "").strip():
        return given, KEY_VARIABLE
    return kept_key(Keychain()), _KEYCHAIN


def reached(declared: Endpoint) -> Endpoint | None:
    """Return the API that serves at `declared`, or None if none does.

    The key comes from the environment or else, if one may be needed, from the keychain. A server that asks for no key,
    such as `tandem serve` without --key, is used without one, unless the environment names a key. Raises NotProved
    (app/api/proof.py) if the server does not prove that it knows the key.
    """
    given = os.environ.get(KEY_VARIABLE)
    if given is not None:
        return serving_endpoint(declared, given.strip())
    known_key = api_key()[0] if declared.needs_key else None
    return serving_endpoint(declared, known_key or "", key_optional=True)


def port(text: str) -> int:
    if text.isdecimal() and int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(f"a port is a number up to 65535, not {text!r}")
