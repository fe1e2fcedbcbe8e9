"""`tandem connect`: sets another program up to use the local API, or starts it for one run."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.agents.endpoint import Endpoint, KeyRefused, declared_endpoint, serving_endpoint
from app.agents.table import APPS, App
from app.cli.exit_codes import BAD_USAGE, DONE, FAILED
from app.cli.help_text import add_command
from app.cli.pair_options import add_pair_options, chosen_pair, explained, use_last_pair
from app.settings.store import SettingsStore
from app.system.paths import settings_folder
from engine import SpeculationSettings
from engine.errors import CodedError

if TYPE_CHECKING:
    from app.agents.connecting import Plan
    from app.settings.declarations import SettingsValues

_KEY_VARIABLE = "TANDEM_API_KEY"


def add_parser(subparsers: Any) -> None:
    """Declare the command and its options."""
    parser = add_command(
        subparsers,
        "connect",
        "set another program up to use the local API",
        ("tandem connect", "tandem connect zed", 'tandem connect claude-code --run -p "What does main.py do?"'),
        "Show what another program needs to use the local API, and write it after a yes. Without a name, list the "
        "programs.",
    )
    parser.add_argument("name", nargs="?", choices=tuple(APPS), metavar="NAME", help=", ".join(APPS))
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--print", action="store_true", help="only show what would be written")
    actions.add_argument("--undo", action="store_true", help="put the program's file back as it was")
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
    """Run the command; returns the exit code."""
    if arguments.name is None:
        return _list()
    app = APPS[arguments.name]
    values = SettingsStore(settings_folder() / "settings.json").values
    try:
        if arguments.starts is not None:
            return _run(app, arguments, values)
        return _take_back(app) if arguments.undo else _connect(app, values, only_show=arguments.print)
    except CodedError as error:
        print(f"tandem: {explained(error)}", file=sys.stderr)
        if text := error.arguments.get("text"):
            print(f"\n{text}", file=sys.stderr)
        return FAILED


def _list() -> int:
    from app.agents.connecting import connected, file_of
    from app.cli.tables import print_table

    rows = [
        (app.id, app.name, "yes" if connected(app) else "", str(file_of(app) or "variables")) for app in APPS.values()
    ]
    print_table(("NAME", "PROGRAM", "CONNECTED", "WRITES"), rows)
    return DONE


def _connect(app: App, values: SettingsValues, *, only_show: bool) -> int:
    from app.agents.connecting import plan, write

    planned = plan(app, _told(values))
    if planned.file is None:
        print(f"{app.name} takes its connection from variables:\n")
        print("".join(f"  export {name}={shlex.quote(value)}\n" for name, value in planned.variables.items()))
    elif not planned.changes:
        print(f"{planned.file} is as it should be.")
    else:
        print(f"{planned.file}{'' if planned.before is None else ' (changed lines)'}:\n\n{planned.changes}")
        if only_show:
            return DONE
        if not _agreed(f"Write {planned.file}?"):
            print("Nothing was written.")
            return DONE
        copy = write(planned)
        print(f"Written. As it was: {copy}" if copy else "Written.")
        print(f"`tandem connect {app.id} --undo` takes it back.")
    _say_next(planned)
    return DONE


def _say_next(planned: Plan) -> None:
    if planned.start:
        print(f"Start it with: {planned.start}")
    elif planned.file is not None:
        print(f"Choose the model Tandem in {planned.app.name}. If it asks for a key, enter any that is not empty.")
    if planned.key_variable:
        print(f"The API asks for a key: set {planned.key_variable} to it where {planned.app.name} starts.")


def _take_back(app: App) -> int:
    from app.agents.connecting import take_back

    print(f"{take_back(app)} is as it was before.")
    return DONE


def _agreed(question: str) -> bool:
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _told(values: SettingsValues) -> Endpoint:
    """Return what programs have to be told: of the API that serves now, or else of the settings."""
    declared = declared_endpoint(values)
    try:
        return serving_endpoint(values.api_port, os.environ.get(_KEY_VARIABLE, "")) or declared
    except KeyRefused:
        return replace(declared, needs_key=True)


def _run(app: App, arguments: argparse.Namespace, values: SettingsValues) -> int:
    if app.run is None:
        print(f"tandem: {app.name} is not started from a terminal: `tandem connect {app.id}`", file=sys.stderr)
        return BAD_USAGE
    program = app.run(declared_endpoint(values))[0][0]
    if shutil.which(program) is None:
        print(f"tandem: there is no command {program}: install {app.name} first", file=sys.stderr)
        return FAILED
    with _reached(arguments, values) as endpoint:
        command, variables = app.run(endpoint)
        key = {app.key_variable: endpoint.key} if endpoint.needs_key else {}
        # The program decides what Ctrl-C means.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            code = subprocess.call(
                [*command, *arguments.starts],
                env=os.environ | dict(variables) | key,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
            )
        finally:
            signal.signal(signal.SIGINT, before)
    return DONE if code == 0 else FAILED


@contextmanager
def _reached(arguments: argparse.Namespace, values: SettingsValues) -> Iterator[Endpoint]:
    """Yield the API of the window or of `tandem serve`, or else serve one meanwhile. Raises `CodedError`."""
    from app.api.local_api import ApiSettings
    from app.cli.serve import api_key, serving

    key = api_key() if declared_endpoint(values).needs_key else os.environ.get(_KEY_VARIABLE, "").strip()
    if (found := serving_endpoint(values.api_port, key)) is not None:
        yield found
        return
    use_last_pair(arguments, values)
    print("tandem: the local API is off, so this serves the models meanwhile", file=sys.stderr)
    settings = ApiSettings(port=0, key=key or None, speculation=SpeculationSettings(same_text=values.same_text))
    with serving(values, chosen_pair(arguments), settings) as (api, _):
        endpoint = serving_endpoint(int(api.status.address.rpartition(":")[2]), key)
        assert endpoint is not None
        yield endpoint
