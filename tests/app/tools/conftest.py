"""A host of servers of tools for a test, and the processes that it must not leave behind."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from app.tools.host import ToolHost
from app.tools.servers import Server

SCRIPT = Path(__file__).with_name("hostile_server.py")


def hostile(behaviour: str = "", *arguments: str, name: str = "") -> Server:
    """A server with one behaviour, agreed to."""
    named = name or behaviour or "good"
    return Server(name=named, command=sys.executable, args=(str(SCRIPT), behaviour, *arguments)).as_approved()


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for something that has to become true; how long that takes decides nothing."""
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until, "it did not become true"
        time.sleep(0.01)


def is_running(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def servers_below(process: psutil.Process) -> list[psutil.Process]:
    """The guardians below a process, and what is below them."""
    found: list[psutil.Process] = []
    for one in process.children():
        # It may end meanwhile.
        with suppress(psutil.NoSuchProcess):
            if "app.tools.guardian" in " ".join(one.cmdline()):
                found += [one, *one.children(recursive=True)]
    return found


@pytest.fixture
def hosts() -> Iterator[Callable[..., ToolHost]]:
    """Make hosts, which are closed in the end with all their processes."""
    made: list[ToolHost] = []

    def make(*servers: Server, changed: Callable[[], None] = lambda: None, start_s: float = 60.0) -> ToolHost:
        made.append(ToolHost(servers, changed, start_s=start_s))
        return made[-1]

    yield make
    found = servers_below(psutil.Process())
    for host in made:
        host.close()
    psutil.wait_procs(found, timeout=60)
    assert not [one for one in found if is_running(one)]
