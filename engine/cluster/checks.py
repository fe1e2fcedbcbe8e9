"""Checks each machine before ranks are started there: its versions, memory and files, and the speed of its link.

Each machine runs `tandem cluster report`, whose end is here too. Imports no MLX. Takes seconds and waits for the
network, so it must not run on the thread of a window.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
import select
import socket
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.advice.fit import memory_for_models
from engine.cluster.messages import ECHO, Ping
from engine.cluster.plan import choose_split, files_of_others
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine, Machines, listen_at
from engine.computers.model_identity import are_alike, fingerprint, folder_of, is_on_hub, portable_name
from engine.computers.processes import Process, command_on
from engine.computers.versions import other_versions, versions
from engine.errors import EngineError
from engine.files.system_memory import system_memory
from engine.machine.local_network import is_denied
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model
from engine.wire.channel import Channel
from engine.wire.handshake import Listener, connect
from engine.wire.messages import ChannelClosed

# Seconds that a machine may take to report.
REPORT_S = 20.0
# Seconds without input after which the command ends.
_LONGEST_S = 60.0
_ROUND_TRIPS = 20
_BULK_MESSAGES = 8
_BULK_BYTES = 2**20


@dataclass(frozen=True, slots=True)
class HostCheck:
    """The check of one machine; `problem` keeps it from taking part, None if nothing does.

    `versions` are (package, version). `memory` is in bytes, of which a model may use `free`. `round_trip_s` and
    `bytes_per_s` measure the link from this machine; None for this machine itself. `lacks` are the files of weights to
    download, if the problem is "download".
    """

    host: str
    problem: ClusterError | None = None
    system: str = ""
    versions: tuple[tuple[str, str], ...] = ()
    memory: int = 0
    free: int = 0
    round_trip_s: float | None = None
    bytes_per_s: float | None = None
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A model by its portable name ("": none), and the sizes of the files of weights that a machine needs of it."""

    name: str = ""
    files: Mapping[str, int] = field(default_factory=dict)


def check_machines(machines: Machines, model: str | Path | None = None, split: str = "auto") -> tuple[HostCheck, ...]:
    """Check all machines at once, and return one check each, in the order of ranks.

    With a `model`, each needs the same files of it; by layers (`split` as in `plan.choose_split`), a machine may lack
    the files of others' layers. Raises `ModelNotUsable` if this machine does not have the model.
    """
    ranks = len(machines.all)
    wanted = [_Wanted() if model is None else _wanted(model, split, rank, ranks) for rank in range(ranks)]
    report_here = own_report(wanted[0].name or None)
    with ThreadPoolExecutor(ranks) as pool:
        started = [
            pool.submit(_check, machine, label, wanted_here, report_here)
            for machine, label, wanted_here in zip(machines.all, machines.labels, wanted, strict=True)
        ]
        return tuple(check.result() for check in started)


def _wanted(model: str | Path, split: str, rank: int, ranks: int) -> _Wanted:
    """Return which files of the model this rank needs, with their bytes. Raises `ModelNotUsable`."""
    folder = ModelFolder(resolve_model(model))
    try:
        spared = files_of_others(folder.path, choose_split(folder.config, ranks, split), rank, ranks)
    except ClusterError:
        # Starting the cluster reports that the model cannot be divided.
        spared = frozenset()
    names = set(folder.files_by_tensor.values()) or {"model.safetensors"}
    # Files that are missing here too are assumed to have the average size.
    sizes = dict.fromkeys(names, folder.weight_bytes // len(names))
    sizes |= {file.name: file.stat().st_size for file in folder.weight_files}
    return _Wanted(portable_name(model), {name: size for name, size in sizes.items() if name not in spared})


def _check(machine: Machine, label: str, wanted: _Wanted, report_here: Mapping[str, Any]) -> HostCheck:
    """Return the check of one machine: of its report, and of the link to it. Waits at most REPORT_S seconds."""
    if machine.is_local:
        return _compared(HostCheck(label), report_here, report_here, wanted)
    secret = secrets.token_bytes(32)
    try:
        process = Process(label, command_on(machine, "cluster", "report"))
    except ClusterError as error:
        return HostCheck(label, error)
    giving_up = threading.Timer(REPORT_S, process.kill)
    giving_up.start()
    try:
        process.tell({"secret": secret.hex(), "address": machine.address, "model": wanted.name or None})
        report = next(process.messages(), {})
        check = _compared(HostCheck(label), report, report_here, wanted)
        return _measured(check, machine, report, secret)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return HostCheck(label, process.failure("unreachable"))
    finally:
        giving_up.cancel()
        process.kill()


def _compared(
    check: HostCheck, report: Mapping[str, Any], report_here: Mapping[str, Any], wanted: _Wanted
) -> HostCheck:
    """Compare a machine's `report` with the report of this machine (see `own_report`), and return the result."""
    check = replace(
        check,
        system=str(report["system"]),
        versions=tuple((str(name), str(number)) for name, number in report["versions"].items()),
        memory=int(report["memory"]),
        free=int(report["free"]),
    )
    if other := other_versions(report["versions"], report_here["versions"]):
        return replace(check, problem=ClusterError("other-version", check.host, other))
    alike = are_alike(report["files"], report_here["files"])
    lacks = [name for name in wanted.files if not alike or name not in report["files"]]
    if not wanted.name or not lacks:
        return check
    if is_on_hub(wanted.name):
        count = sum(wanted.files[name] for name in lacks)
        problem = ClusterError("download", check.host, f"{count / 1e9:.1f} GB")
        return replace(check, problem=problem, lacks=tuple(lacks))
    if report["problem"] or alike:
        return replace(check, problem=ClusterError("no-model", check.host, str(report["problem"] or min(lacks))))
    return replace(check, problem=ClusterError("other-model", check.host, wanted.name))


def _measured(check: HostCheck, machine: Machine, report: Mapping[str, Any], secret: bytes) -> HostCheck:
    """Return the check with the speed of the link, or with its problem."""
    if "port" not in report:
        problem = ClusterError("no-address", check.host, str(report.get("link_problem", "")))
        return replace(check, problem=check.problem or problem)
    try:
        channel = connect((machine.address, int(report["port"])), secret, ECHO)
    except OSError as error:
        if is_denied(error):
            return replace(check, problem=ClusterError("network-denied", check.host))
        return replace(check, problem=check.problem or ClusterError("no-address", check.host, str(error)))
    try:
        round_trip_s = _answered(channel, Ping(), _ROUND_TRIPS)
        bulk_s = _answered(channel, Ping(bytes(_BULK_BYTES)), _BULK_MESSAGES)
    except OSError as error:
        return replace(check, problem=check.problem or ClusterError("no-address", check.host, str(error)))
    finally:
        channel.close()
    return replace(check, round_trip_s=round_trip_s, bytes_per_s=_BULK_BYTES / bulk_s)


def _answered(channel: Channel[Ping], message: Ping, count: int) -> float:
    """Return the mean seconds until an answer to a message. Raises `OSError`."""
    started = time.perf_counter()
    for _ in range(count):
        channel.send(message)
        channel.receive()
    return (time.perf_counter() - started) / count


def own_report(model: str | None) -> dict[str, Any]:
    """Report versions, memory in bytes, and the fingerprint ("files") of `model` (a portable name) or its problem."""
    memory = system_memory()
    report: dict[str, Any] = {
        "versions": versions(),
        "system": f"{platform.system()} {platform.mac_ver()[0] or platform.release()}",
        "memory": memory.total,
        "free": min(memory.usable, memory_for_models(memory.total)),
        "files": {},
        "problem": "",
    }
    if model is not None:
        try:
            report["files"] = fingerprint(folder_of(model))
        except EngineError as error:
            report["problem"] = error.brief
    return report


def serve_report() -> int:
    """Run `tandem cluster report` on a machine that is checked, over standard input and output.

    The first line of its input names a secret, an address for measuring the link, and a model. It prints one line,
    serves the measurement, and ends with its input.
    """
    order = json.loads(sys.stdin.readline())
    address = str(order.get("address", ""))
    report = own_report(order.get("model"))
    listening = None
    if address:
        try:
            listening = listen_at(address)
        except OSError as error:
            report["link_problem"] = str(error)
    if listening is not None:
        report["port"] = listening.getsockname()[1]
        secret = bytes.fromhex(order["secret"])
        threading.Thread(target=_serve, args=(listening, secret), daemon=True).start()
    print(json.dumps(report), flush=True)
    while select.select([0], [], [], _LONGEST_S)[0] and os.read(0, 4096):
        pass
    os._exit(0)


def _serve(listening: socket.socket, secret: bytes) -> None:
    """Answer the measurement of one peer that knows the secret."""
    listener = Listener(listening, secret, ECHO)
    _, channel = listener.accept()
    listener.close()
    echo(channel)


def echo(channel: Channel[Ping]) -> None:
    """Answer each message of a measurement at once, until the peer closes the channel."""
    try:
        while channel.receive() is not None:
            channel.send(Ping())
    except ChannelClosed:
        channel.close()
