"""`tandem cluster`: one main model over several machines, from the terminal."""

from __future__ import annotations

import argparse
import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli import chat
from app.cli.command import DONE, FAILED, add_actions, add_command
from app.cli.pair_options import STARTER, add_pair_options, chosen_pair, model_folder, model_path, own_engine_settings
from app.cli.terminal import format_bytes, say
from engine.client import EngineClient

if TYPE_CHECKING:
    from engine.hub.client import HubAccess

_EXAMPLE = "mlx-community/Qwen3-235B-A22B-4bit"
_EXAMPLE_HOSTS = "127.0.0.1,mac-studio.local"
_HOSTS_HELP = (
    "names or addresses with commas between them, as ssh takes them; 127.0.0.1 is this computer, which is always the "
    "first"
)
_SPLIT_HELP = "split the model by heads (tensor) or by layers (pipeline) (auto)"
_OPEN_NETWORK_WARNING = (
    "tandem: what the computers exchange is not encrypted: connect them only over a network you trust, "
    "or better, by cable."
)


def add_parser(subparsers: Any) -> None:
    asked = f"--hosts {_EXAMPLE_HOSTS} --main {_EXAMPLE}"
    run_example = f'tandem cluster run {asked} "What is a draft model?"'
    parser = add_command(
        subparsers,
        "cluster",
        "run a model that is too large for one computer on several",
        (f"tandem cluster check {asked}", run_example),
        "Run a model that is too large for one computer on several, which are reached over ssh with keys.",
    )
    commands = add_actions(parser)
    for name, summary, example in (
        ("check", "check each computer and the link to it", f"tandem cluster check {asked}"),
        ("download", "download on each computer what it lacks of the model", f"tandem cluster download {asked}"),
        ("run", "start the model on all computers and chat, like `tandem chat`", run_example),
    ):
        action = add_command(commands, name, summary, (example,))
        action.add_argument("--hosts", required=True, metavar="HOSTS", help=_HOSTS_HELP)
        action.add_argument("--split", choices=("auto", "tensor", "pipeline"), default="auto", help=_SPLIT_HELP)
        if name == "run":
            chat.add_options(action)
        else:
            add_pair_options(action)
        if name == "check":
            action.add_argument("--json", action="store_true", help="print one JSON object per computer")
    # Run on other machines over ssh.
    for name in ("rank", "draft"):
        commands.add_parser(name).add_argument("--inner", action="store_true")
    commands.add_parser("report")
    commands.add_parser("fetch")


def run(arguments: argparse.Namespace) -> int:
    commands = {
        "check": _check,
        "download": _download,
        "run": _run,
        "rank": _rank,
        "draft": _draft,
        "report": _report,
        "fetch": _fetch,
    }
    return commands[arguments.action](arguments)


def _check(arguments: argparse.Namespace) -> int:
    from app.wording.machines import check_line, part_line
    from engine.cluster.checks import check_machines
    from engine.cluster.plan import make_plan, model_size
    from engine.computers.hosts import parse_machines
    from engine.model_files.names import resolve_model

    machines = parse_machines(arguments.hosts)
    main = str(model_folder(chosen_pair(arguments)[0]))
    checks = check_machines(machines, main, arguments.split)
    size = model_size(resolve_model(main))
    plan = make_plan(size, main, machines.labels, [check.free or None for check in checks], 4096, arguments.split)
    code = DONE
    for check, part in zip(checks, plan.parts, strict=True):
        problem = str(check.problem) if check.problem is not None else ""
        if not problem and part.fits is False:
            problem = f"needs {format_bytes(part.needed_bytes)} and may use {format_bytes(part.free_bytes)}"
        first, last = part.heads if plan.split == "tensor" else part.layers
        facts = {
            "host": check.host,
            "problem": problem,
            "system": check.system,
            "versions": dict(check.versions),
            "memory_bytes": check.memory,
            "free_bytes": check.free,
            "round_trip_s": check.round_trip_s,
            "bytes_per_s": check.bytes_per_s,
            "split": plan.split,
            "from": first,
            "below": last,
            "weight_bytes": part.weight_bytes,
        }
        print(
            json.dumps(facts) if arguments.json else f"{check_line(check)}\n{part_line(part, plan.split)}", flush=True
        )
        code = FAILED if problem else code
    return code


def _download(arguments: argparse.Namespace) -> int:
    from engine.cluster.checks import check_machines
    from engine.cluster.fetch import fetch_configuration, fetch_missing
    from engine.computers.hosts import parse_machines

    machines = parse_machines(arguments.hosts)
    main = model_path(arguments.main or STARTER)
    hub = _hub()
    fetch_configuration(main, *hub)
    checks = check_machines(machines, main, arguments.split)
    for check in checks:
        if check.problem is not None and not check.lacks:
            raise check.problem

    def show(host: str, done: int, total: int) -> None:
        say(f"tandem: {host}: {format_bytes(done)} of {format_bytes(total)}")

    fetch_missing(machines, checks, main, hub, show)
    return DONE


def _run(arguments: argparse.Namespace) -> int:
    from engine.cluster.cluster import Cluster
    from engine.computers.hosts import parse_machines

    machines = parse_machines(arguments.hosts)
    if not all(machine.is_local for machine in machines.all):
        say(_OPEN_NETWORK_WARNING)

    @contextmanager
    def engine() -> Iterator[EngineClient]:
        signal.signal(signal.SIGTERM, _interrupt)
        with Cluster(machines, own_engine_settings(), split=arguments.split) as cluster:
            yield cluster.engine

    return chat.run(arguments, engine)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _rank(arguments: argparse.Namespace) -> int:
    from engine.cluster.rank import INNER, main

    return main([INNER] if arguments.inner else [])


def _draft(arguments: argparse.Namespace) -> int:
    from engine.ahead.other_computer import INNER, main

    return main([INNER] if arguments.inner else [])


def _report(_arguments: argparse.Namespace) -> int:
    from engine.cluster.checks import serve_report

    return serve_report()


def _fetch(_arguments: argparse.Namespace) -> int:
    from engine.cluster.fetch import serve_fetch

    return serve_fetch(*_hub())


def _hub() -> tuple[HubAccess, Path]:
    """Return access to the Hub and the cache, as `tandem models download` uses them without options."""
    from app.cli.models import chosen_access, chosen_cache

    plain = argparse.Namespace(endpoint=None, cache=None)
    return chosen_access(plain), chosen_cache(plain)
