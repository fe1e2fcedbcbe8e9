"""Makes machines download the missing files of a model, before ranks are started there. Imports no MLX.

A machine runs `tandem cluster fetch`: the first line of its input is an order, and it prints its progress, a JSON
object a line. It ends with its input; a later run continues where it stopped.
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.cluster.checks import HostCheck
from engine.computers.errors import ClusterError
from engine.computers.hosts import Machine, Machines
from engine.computers.model_identity import portable_name
from engine.computers.processes import Process, command_on
from engine.errors import ModelNotUsable
from engine.hub.client import HubAccess
from engine.hub.download_job import DownloadJob, JobSettings
from engine.hub.download_state import DownloadStatus
from engine.hub.failures import HubError
from engine.hub.repository_names import COMMIT, parse_repository
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model

# Seconds between two reports of a download's progress.
STEP_S = 0.5
_WEIGHTS = ".safetensors"

# Called on any thread with a machine's label, the bytes that it has, and the bytes in all.
OnBytes = Callable[[str, int, int], object]


def fetch_configuration(model: str | Path, access: HubAccess, cache: Path) -> None:
    """Download all but a model's weights that this machine lacks, enough to plan and check. Raises `HubError`."""
    try:
        resolve_model(model)
    except ModelNotUsable:
        _part(access, cache, parse_repository(str(model)), "", lambda name: not name.endswith(_WEIGHTS)).run()


def fetch_missing(
    machines: Machines,
    checks: Sequence[HostCheck],
    model: str | Path,
    here: tuple[HubAccess, Path] | None = None,
    on_bytes: OnBytes = lambda _host, _done, _total: None,
    stop: threading.Event | None = None,
) -> None:
    """Make all machines download at once the files that they lack by their checks of `model`, and wait for them.

    `here` is the access and the cache with which this machine downloads; with None it does not. Returns early, with
    nothing lost, soon after `stop` is set. Raises the `ClusterError` of the first machine that fails.
    """
    folder = ModelFolder(resolve_model(model))
    whole = {file.name for file in folder.weight_files} | set(folder.files_by_tensor.values())
    failures: list[ClusterError] = []

    def fetch(machine: Machine, check: HostCheck) -> None:
        without = sorted(whole - set(check.lacks))
        order = {"repository": portable_name(model), "commit": folder.path.name, "without": without}
        try:
            if not machine.is_local:
                _fetch_on(machine, check.host, order, on_bytes, stop or threading.Event())
            elif here is not None:
                _fetch_here(check.host, order, *here, on_bytes, stop or threading.Event())
        except ClusterError as error:
            failures.append(error)

    threads = [
        threading.Thread(target=fetch, args=(machine, check), name=f"fetch-{check.host}", daemon=True)
        for machine, check in zip(machines.all, checks, strict=True)
        if check.lacks
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _fetch_here(
    host: str, order: dict[str, Any], access: HubAccess, cache: Path, on_bytes: OnBytes, stop: threading.Event
) -> None:
    """Download the files that this machine lacks. Raises `ClusterError`; returns early once `stop` is set."""
    job = _ordered(access, cache, order)

    def tell(count: int, total: int) -> None:
        on_bytes(host, count, total)
        if stop.is_set():
            job.connections.end()

    try:
        _run(job, tell)
    except HubError as error:
        raise ClusterError("no-download", host, error.brief) from error


def _fetch_on(machine: Machine, host: str, order: dict[str, Any], on_bytes: OnBytes, stop: threading.Event) -> None:
    """Make another machine download the files that it lacks. Raises `ClusterError`; ends early once `stop` is set."""
    process = Process(host, command_on(machine, "cluster", "fetch"))
    try:
        process.tell(order)
        for said in process.messages():
            if "failed" in said:
                raise ClusterError("no-download", host, str(said["failed"])[:200])
            # It reports its progress every STEP_S seconds, so `stop` is seen soon.
            if "done" in said or stop.is_set():
                return
            on_bytes(host, int(said["bytes"]), int(said["total"]))
        if not stop.is_set():
            raise process.failure("no-download")
    except (ValueError, KeyError, TypeError) as error:
        raise ClusterError("no-download", host, str(error)[:200]) from error
    finally:
        process.kill()


def serve_fetch(access: HubAccess, cache: Path) -> int:
    """Download what the first line of the input orders, until the input ends; return the exit code."""
    job = _ordered(access, cache, json.loads(sys.stdin.readline()))

    def end_with_input() -> None:
        while select.select([0], [], [])[0] and os.read(0, 4096):
            pass
        job.connections.end()

    threading.Thread(target=end_with_input, name="fetch-input", daemon=True).start()
    try:
        done = _run(job, lambda count, total: _say(bytes=count, total=total))
    except HubError as error:
        _say(failed=error.brief)
        return 1
    _say(done=done)
    return 0


def _say(**message: Any) -> None:
    print(json.dumps(message), flush=True)


def _run(job: DownloadJob, on_bytes: Callable[[int, int], object]) -> bool:
    """Run a job and report its progress every STEP_S seconds; False if it was ended first. Raises `HubError`."""
    ended = threading.Event()

    def watch() -> None:
        going_on = True
        while going_on:
            going_on = not ended.wait(STEP_S)
            on_bytes(job.entry.bytes_done, job.entry.bytes_total)

    watching = threading.Thread(target=watch, name="fetch-watch", daemon=True)
    watching.start()
    try:
        return job.run()
    finally:
        ended.set()
        watching.join()


def _ordered(access: HubAccess, cache: Path, order: Mapping[str, Any]) -> DownloadJob:
    """Return the download that an order describes; an order comes from another machine, and is checked."""
    without = frozenset(order["without"])
    commit = str(order["commit"])
    repository = parse_repository(str(order["repository"]))
    commit = commit if COMMIT.fullmatch(commit) else ""
    return _part(access, cache, repository, commit, lambda name: name not in without)


def _part(access: HubAccess, cache: Path, repository: str, commit: str, wanted: Callable[[str], bool]) -> DownloadJob:
    entry = DownloadStatus(repository, "queued", commit=commit)
    return DownloadJob(access, cache, entry, JobSettings(), lambda _job, _state: None, lambda: 0, wanted=wanted)
