"""SIGSTOP for a minute, as by Ctrl+Z, while models are downloaded and loaded and stores are backed up.

Everything goes on where it was: nothing is lost or left, and no process that only stood still is taken for dead.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from app.conversations.backups import list_backups
from tests.app.conversations.database.damaged_files import CHATS, MESSAGES, write_store
from tests.engine.hub.downloading import NAME, Site
from tests.fakehub.server import FakeHub
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.campaign
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
AT_ONCE, STOPPED_S = int(8 * SIZE), 60.0
LOADS, ROUNDS = 40, 20
TABLES = ("conversations", "messages")
# Each says "begun" and works for some seconds, then says what came of it.
DOWNLOAD = """
import sys, time
from pathlib import Path
from engine.hub.client import HubAccess
from engine.hub.download_job import JobSettings
from engine.hub.downloads import DownloadQueue
name, cache, endpoint = sys.argv[1:]
print("begun", flush=True)
queue = DownloadQueue(Path(cache), HubAccess(endpoint), settings=JobSettings(space_margin=0))
queue.add(name)
while (status := queue.status(name)) is not None and status.runs:
    time.sleep(0.01)
print(status.state, status.error)
queue.close()
"""
LOAD = """
import logging, sys
from engine import ChatRequest, Engine
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
logging.disable()
for number in range(int(sys.argv[2])):
    with Engine() as engine:
        engine.load(sys.argv[1]).result()
        *_, finished = engine.submit(ChatRequest([{"role": "user", "content": "hello"}], max_tokens=8))
        print("ids", *finished.ids) if number else print("begun", flush=True)
        logging.disable(logging.NOTSET)
"""
BACK_UP = """
import sys
from pathlib import Path
from app.conversations.backups import back_up_now, remove_chats, restore
from app.conversations.worker import StoreThread
path, uid = Path(sys.argv[1]), sys.argv[2]
print("begun", flush=True)
for number in range(int(sys.argv[3])):
    thread = StoreThread(path)
    backup = thread.submit(lambda store: back_up_now(store, path)).result()
    thread.submit(lambda store: store.conversations.create(title=f"more {number}")).result()
    thread.submit(thread._back_up_daily).result()
    print("left", *thread.submit(lambda store: thread.remove_from_backups([uid])).result())
    thread.close(None)
    restore(path, backup.name)
print("done")
"""


@dataclass
class Worker:
    """A process with what it wrote, once it has ended."""

    process: subprocess.Popen[str]
    output: str = ""


@pytest.fixture
def started() -> Iterator[list[Worker]]:
    workers = list[Worker]()
    yield workers
    for worker in workers:
        worker.process.kill()
        worker.process.communicate()


def start(script: str, *arguments: str) -> Worker:
    command = [sys.executable, "-c", script, *arguments]
    return Worker(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))


def victims_of(worker: Worker, named: str) -> list[psutil.Process]:
    """Return the processes of a worker that a name stands for: its own, those below it, or all."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(worker.process.pid)
        below = process.children(recursive=True)
        return {"app": [process], "children": below}.get(named, [process, *below])
    return []


def stop_for_a_minute(workers: list[Worker], named: str, within_s: float, draw: random.Random) -> int:
    """Stop each at a moment of its own, continue it, and wait for its end; return how many were stopped."""
    for worker in workers:
        assert worker.process.stdout is not None
        assert worker.process.stdout.readline() == "begun\n"
    begun = time.monotonic()
    moments = sorted((draw.uniform(0.0, within_s), index) for index in range(len(workers)))
    stopped = dict[int, list[psutil.Process]]()
    for moment, index in moments:
        time.sleep(max(0.0, begun + moment - time.monotonic()))
        stopped[index] = victims_of(workers[index], named)
        send(stopped[index], signal.SIGSTOP)
    for moment, index in moments:
        time.sleep(max(0.0, begun + moment + STOPPED_S - time.monotonic()))
        send(stopped[index], signal.SIGCONT)
    for worker in workers:
        assert worker.process.stdout is not None
        worker.output = worker.process.stdout.read()
        assert worker.process.wait(PATIENCE_S) == 0, worker.output
    return sum(bool(processes) for processes in stopped.values())


def send(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def test_downloads(tmp_path: Path, started: list[Worker]) -> None:
    with FakeHub() as hub:
        sites = [Site(hub, tmp_path / f"cache-{number}") for number in range(AT_ONCE)]
        hub.bytes_a_second = 50_000
        started += [start(DOWNLOAD, NAME, str(site.cache), hub.endpoint) for site in sites]
        stopped = stop_for_a_minute(started, "app", 10.0, random.Random(107))
        assert [worker.output for worker in started] == ["ready None\n"] * AT_ONCE
        for site in sites:
            site.assert_complete()
    print(f"{stopped} of {AT_ONCE} downloads were stopped")


@pytest.mark.parametrize("named", ["app", "children", "all"])
def test_loads(tiny_main: Path, started: list[Worker], named: str) -> None:
    started += [start(LOAD, str(tiny_main), str(LOADS)) for _ in range(AT_ONCE)]
    stopped = stop_for_a_minute(started, named, 8.0, random.Random(named))
    answers = [line for worker in started for line in worker.output.splitlines() if line.startswith("ids")]
    assert answers == answers[:1] * (LOADS - 1) * AT_ONCE
    ended = [line for worker in started for line in worker.output.splitlines() if "a sandbox" in line]
    print(f"{named}: {stopped} of {AT_ONCE} stopped, {len(ended) // 2} sandboxes replaced")
    # Stopped alone for as long, a sandbox is taken for hung, and another one does its task.
    assert named == "children" or not ended


def test_backups(tmp_path: Path, started: list[Worker]) -> None:
    paths = [tmp_path / f"home-{number}" / "chats.db" for number in range(AT_ONCE)]
    for path in paths:
        write_store(path)
        with closing(sqlite3.connect(path)) as connection:
            uid = connection.execute("SELECT uid FROM conversations WHERE id = 4").fetchone()[0]
        started.append(start(BACK_UP, str(path), uid, str(ROUNDS)))
    stopped = stop_for_a_minute(started, "app", 6.0, random.Random(109))
    for path, worker in zip(paths, started, strict=True):
        assert worker.output == "left\n" * ROUNDS + "done\n"
        assert not [file.name for file in path.parent.rglob("*") if file.suffix in (".unfinished", ".restoring")]
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            counts = [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in TABLES]
        assert counts == [CHATS - 1, (CHATS - 1) * MESSAGES]
        assert len(list_backups(path)) >= 5
    print(f"{stopped} of {AT_ONCE} stopped while they backed up")
