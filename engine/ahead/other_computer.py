"""A draft runner on another computer of the person's: how this one starts it, and how that one serves it.

It is started as a rank of a cluster is: over ssh, by a command of Tandem's that ends with its input. Through ssh it is
told the key of the connection over TCP that follows, and the name of the draft model, of which it has files of its own.
It drafts on that computer's GPU, if that has one.
"""

from __future__ import annotations

import json
import logging
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.ahead.link import NoRunner, RunnerConnection
from engine.ahead.messages import FROM_RUNNER, MOST_UNSENT, TO_RUNNER, FromRunner
from engine.ahead.runner import serve
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine, listen_at, parse_machine
from engine.computers.keeper import BEAT_S, keep
from engine.computers.model_identity import are_alike, fingerprint, folder_of, portable_name
from engine.computers.processes import Process, command_on
from engine.computers.versions import other_versions, versions
from engine.cpu_backend.backend import choose_device
from engine.errors import EngineError
from engine.files.system_memory import system_memory
from engine.machine.keep_awake import KeepAwake
from engine.machine.local_network import is_denied
from engine.main_model.loading import load
from engine.model_files.model_folder import ModelFolder
from engine.wire.channel import Channel
from engine.wire.handshake import CONNECT_S, Listener, NotAuthentic, prove
from engine.wire.messages import ChannelClosed

log = logging.getLogger(__name__)

INNER = "--inner"
# Seconds in which the other computer has to report, and afterwards has to be connected to.
REPORT_S = 60.0
_KEY_BYTES = 32


class _RunnerProcess(Process):
    """The command that serves a runner on `machine`. It gets signs of life until `kill`."""

    def __init__(self, machine: Machine) -> None:
        super().__init__(machine.name, own_command() if machine.is_local else command_on(machine, "cluster", "draft"))
        self._killed = threading.Event()

    def report_on(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Send the order, and return the report on it. Raises `ClusterError` if none comes within REPORT_S seconds."""
        giving_up = threading.Timer(REPORT_S, self.kill)
        giving_up.start()
        try:
            self.tell(dict(order))
            threading.Thread(target=self._beat, name="draft-runner-beat", daemon=True).start()
            report = next(self.messages(), None)
        finally:
            giving_up.cancel()
        if report is None:
            raise self.failure("unreachable")
        return report

    def kill(self) -> None:
        self._killed.set()
        super().kill()

    def _beat(self) -> None:
        while not self._killed.wait(BEAT_S):
            self.tell({"beat": 1})


def on_computer(host: str, folder: Path) -> RunnerConnection:
    """Start a runner on the computer `host` with its copy of the draft model in `folder`.

    Waits for that computer. Raises `NoRunner`.
    """
    try:
        machine = parse_machine(host)
        process = _RunnerProcess(machine)
        try:
            return _connection(process, machine, folder)
        except BaseException:
            process.kill()
            raise
    except ClusterError as error:
        raise NoRunner(error.reason, error.detail) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NoRunner("unreachable", f"it reports something else: {error}") from error


def connect(address: tuple[str, int], key: bytes) -> Channel[FromRunner]:
    """Connect to a runner at `address`, and prove that both ends know `key`. Raises `NoRunner`."""
    try:
        connection = socket.create_connection(address, timeout=CONNECT_S)
    except OSError as error:
        raise NoRunner("network-denied" if is_denied(error) else "no-address", str(error)) from error
    channel = Channel(connection, FROM_RUNNER, most_unsent=MOST_UNSENT)
    try:
        prove(channel, key)
    except NotAuthentic as error:
        raise NoRunner("other-key", str(error)) from error
    return channel


def compare(report: Mapping[str, Any], folder: Path) -> None:
    """Raise `NoRunner` unless a computer that reports so has the same Tandem, and this draft model with room for it."""
    if other := other_versions(report["versions"], versions()):
        raise NoRunner("other-version", other)
    if report["problem"]:
        raise NoRunner("no-model", str(report["problem"]))
    files = report["files"]
    files_here = fingerprint(folder)
    if files.keys() != files_here.keys() or not are_alike(files, files_here):
        raise NoRunner("other-model", portable_name(folder))
    needed = ModelFolder(folder).weight_bytes
    if needed > int(report["free"]):
        raise NoRunner("no-memory", f"{needed / 1e9:.1f} GB")


def _connection(process: _RunnerProcess, machine: Machine, folder: Path) -> RunnerConnection:
    """Return the connection with the runner that `process` serves. Raises `ClusterError` and `NoRunner`."""
    key = os.urandom(_KEY_BYTES)
    try:
        model = portable_name(folder)
    except EngineError as error:
        raise NoRunner("no-model", error.brief) from error
    report = process.report_on({"key": key.hex(), "address": machine.address, "model": model})
    compare(report, folder)
    channel = connect((machine.address, int(report["port"])), key)

    def end() -> None:
        # It may take seconds, and the engine's thread must not wait for another computer.
        threading.Thread(target=process.kill, name="draft-runner-end").start()

    return RunnerConnection(channel, end)


def own_command() -> list[str]:
    """Return the command that serves a runner on this computer, in a frozen app too."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "cluster", "draft"]
    return [sys.executable, "-m", "engine.ahead.other_computer"]


def own_report(model: str) -> dict[str, Any]:
    """Report versions, the bytes that a model may use, and the fingerprint ("files") of `model` or its problem."""
    report: dict[str, Any] = {"versions": versions(), "free": system_memory().usable, "files": {}, "problem": ""}
    try:
        report["files"] = fingerprint(folder_of(model))
    except EngineError as error:
        report["problem"] = error.brief
    return report


def main(arguments: Sequence[str]) -> int:
    """Run `tandem cluster draft` on the other computer: the process that keeps it, or with INNER the runner itself."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if INNER not in arguments:
        return keep([*own_command(), INNER])
    # Output of libraries must not be read as the report.
    output = os.dup(1)
    os.dup2(2, 1)
    order = json.loads(sys.stdin.readline())
    model = str(order["model"])
    listener = Listener(listen_at(str(order["address"])), bytes.fromhex(order["key"]), TO_RUNNER)
    report = own_report(model) | {"port": listener.port}
    os.write(output, json.dumps(report).encode() + b"\n")
    threading.Thread(target=_end_with_input, name="draft-runner-watch", daemon=True).start()
    serve_one(listener, model)
    # Without cleaning up: the thread that watches the input cannot be woken.
    os._exit(0)


def serve_one(listener: Listener[Any], model: str) -> None:
    """Draft with `model`, by its portable name, for the first peer that proves the key, until that is gone."""
    choose_device()
    try:
        _, channel = listener.accept(REPORT_S)
        listener.close()
        # When the other computer sends an outcome, this one must be awake.
        KeepAwake("Tandem drafts for another computer").keep(True)
        serve(channel, lambda: load(folder_of(model)))
    except (TimeoutError, ChannelClosed) as error:
        log.info("the engine is gone: %s", error)


def _end_with_input() -> None:
    """End this process with its input, even in the middle of a pass."""
    while select.select([0], [], [])[0] and os.read(0, 65536):
        pass
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
