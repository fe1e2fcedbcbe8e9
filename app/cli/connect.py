"""`tandem connect`: sets another program up to use the local API, or starts it for one run."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from app.agents.table import APPS, KEY_VARIABLE, App, Endpoint, NotProved, declared_endpoint, serving_endpoint
from app.cli.command import BAD_USAGE, DONE, FAILED, add_command
from app.cli.pair_options import add_pair_options, chosen_pair, models_here, own_settings, use_last_pair
from app.cli.terminal import print_table, say
from app.settings.declarations import SettingsValues
from engine import SpeculationSettings
from engine.errors import CodedError

_UNPROVED = (
    "tandem: what serves at {address} asks for no key, and other people have accounts on this computer: make sure that "
    f"it is your own Tandem. With `tandem serve --key` it proves that; {KEY_VARIABLE}= says that you know."
)


def add_parser(subparsers: Any) -> None:
    parser = add_command(
        subparsers,
        "connect",
        "set another program up to use the local API",
        ("tandem connect zed", 'tandem connect claude-code --run -p "What does main.py do?"'),
        "Show what another program needs to use the local API, and write it after a yes.",
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help=", ".join(APPS))
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--print", action="store_true", help="only show what would be written")
    actions.add_argument("--undo", action="store_true", help="remove what was written")
    actions.add_argument(
        "--run",
        dest="starts",
        nargs=argparse.REMAINDER,
        metavar="ARGUMENT",
        help="write nothing, and start the program once, with these arguments: against the API that serves, or else "
        "one of its own; the last option",
    )
    add_pair_options(parser.add_argument_group("models, where --run serves the API itself"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command, or show how all programs stand without a name; returns the exit code."""
    if arguments.name is None:
        _show_all(own_settings())
        return DONE
    if arguments.name not in APPS:
        say(_unknown(arguments.name))
        return BAD_USAGE
    app = APPS[arguments.name]
    values = own_settings()
    if arguments.starts is not None:
        return _run(app, arguments, values)
    return _take_back(app) if arguments.undo else _connect(app, values, only_show=arguments.print)


def _unknown(name: str) -> str:
    """Return the sentence about a program that is not known: the one with a similar name, or else all of them."""
    near = get_close_matches(name.lower(), APPS, 1)
    return f"tandem: there is no program {name!r} here. " + (
        f"Did you mean {near[0]}?" if near else f"Programs: {', '.join(APPS)}"
    )


def _show_all(values: SettingsValues) -> None:
    """Print which programs are installed, set up, and able to work with the API that serves, which is asked once."""
    from app.agents.connecting import connected, installed, leads_to
    from app.cli.serve import reached
    from app.wording.agents import room_sentence

    declared = declared_endpoint(values)
    endpoint = None
    state = f"No local API answers at {declared.address}: turn it on in the window's settings, or run `tandem serve`."
    try:
        endpoint = reached(declared)
    except NotProved as error:
        state = str(error)
    if endpoint is not None and endpoint.needs_key and not endpoint.key:
        state = f"The local API at {endpoint.address} asks for its key: set {KEY_VARIABLE} to it."
        endpoint = None
    elif endpoint is not None:
        state = f"The local API answers at {endpoint.address}."
    rows = []
    for app in APPS.values():
        is_set_up = connected(app)
        works = endpoint is not None and leads_to(app, endpoint) and not room_sentence(app, endpoint)
        states = [_word(is_set_up), _word(works)]
        if not app.file:
            # It gets variables with each start, or a person types its settings, of which nothing here knows.
            states = ["-", "-"]
        # A program without a place runs on other computers, too.
        here = _word(installed(app)) if app.file or app.command or app.place else "-"
        rows.append((app.id, app.name, here, *states))
    print_table(("NAME", "PROGRAM", "INSTALLED", "SET UP", "WORKS"), rows)
    print(f"\n{state}")


def _word(is_so: bool) -> str:
    return "yes" if is_so else "no"


def _connect(app: App, values: SettingsValues, *, only_show: bool) -> int:
    from app.agents.connecting import plan, write
    from app.wording.agents import next_sentence, plan_sentence, room_sentence, written_sentence

    declared = declared_endpoint(values)
    if (endpoint := serving_endpoint(declared, _given_key())) is None:
        contexts = {model.id: model.context or 0 for model in models_here() if "main" in model.kinds}
        endpoint = replace(declared, contexts=contexts)
    planned = plan(app, endpoint)
    print(f"{plan_sentence(planned)}\n\n{planned.text}")
    if problem := room_sentence(app, endpoint):
        print(f"{problem}\n")
    if planned.writes:
        if only_show:
            return DONE
        if not _agreed(f"Write {planned.file}?"):
            print("Nothing was written.")
            return DONE
        print(written_sentence(write(planned)), f"`tandem connect {app.id} --undo` takes it back.", sep="\n")
    print(next_sentence(planned))
    return FAILED if planned.after is None and planned.file is not None else DONE


def _take_back(app: App) -> int:
    from app.agents.connecting import connected, take_back

    if not connected(app):
        say(f"tandem: {app.name} is not connected, or its file was changed by hand")
        return FAILED
    print(f"Taken back: {take_back(app)}")
    return DONE


def _agreed(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _run(app: App, arguments: argparse.Namespace, values: SettingsValues) -> int:
    if app.run is None:
        say(f"tandem: {app.name} is not started from a terminal: `tandem connect {app.id}`")
        return BAD_USAGE
    [program, *_], _ = app.run(app.content(declared_endpoint(values)))
    if shutil.which(program) is None:
        say(f"tandem: there is no command {program}: install {app.name} first")
        return FAILED
    from app.wording.agents import room_sentence

    with _reached(arguments, values) as endpoint:
        if problem := room_sentence(app, endpoint):
            say(f"tandem: {problem}")
        command, variables = app.run(app.content(endpoint))
        key = {app.key_variable: endpoint.key} if endpoint.key else {}
        # The program decides what Ctrl-C means: it does not inherit this handler.
        before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
        try:
            code = subprocess.call([*command, *arguments.starts], env=os.environ | dict(variables) | key)
        finally:
            signal.signal(signal.SIGINT, before)
    return DONE if code == 0 else FAILED


def _given_key() -> str:
    return os.environ.get(KEY_VARIABLE, "").strip()


@contextmanager
def _reached(arguments: argparse.Namespace, values: SettingsValues) -> Iterator[Endpoint]:
    """Yield the API of the window or of `tandem serve`, or else serve one meanwhile. Raises `CodedError`."""
    from app.api.guard import ApiSettings
    from app.api.local_api import new_key
    from app.cli.serve import api_key, reached, serving

    declared = declared_endpoint(values)
    given = os.environ.get(KEY_VARIABLE)
    if (endpoint := reached(declared)) is not None:
        if endpoint.needs_key and not endpoint.key:
            raise CodedError(f"the local API asks for its key: set {KEY_VARIABLE} to it")
        if declared.needs_key and not endpoint.key and given is None:
            say(_UNPROVED.format(address=endpoint.address))
        yield endpoint
        return
    use_last_pair(arguments, values)
    say("tandem: the local API is off, so this serves the models meanwhile")
    # A key that cannot be kept is for this run only.
    key = api_key()[0] or new_key() if declared.needs_key else _given_key()
    settings = ApiSettings(port=0, key=key or None, speculation=SpeculationSettings(same_text=values.same_text))
    with serving(values, chosen_pair(arguments), settings) as api:
        served = serving_endpoint(Endpoint(api.status.address), key)
        assert served is not None
        yield served
