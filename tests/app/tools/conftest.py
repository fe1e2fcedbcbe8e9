"""Hosts of servers of tools for a test, and the processes that they must not leave behind."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.tools.host import ToolHost
from app.tools.servers import Server
from app.tools.tool import Tool, ToolFailed, ToolResult

SCRIPT = Path(__file__).with_name("start_hostile_server.py")
# How long something takes that has to happen decides nothing.
WAIT_S = 60


def hostile(behaviour: str = "", *arguments: str, name: str = "", values: dict[str, str] | None = None) -> Server:
    """A server with one behaviour, agreed to."""
    named, args = name or behaviour or "good", (str(SCRIPT), behaviour, *arguments)
    return Server(name=named, command=sys.executable, args=args, values=values or {}).as_approved()


def each(behaviours: Any, in_every_run: set[Any]) -> list[Any]:
    """Return the parameters of a test; what is not in every run is in the full one."""
    return [pytest.param(one, marks=() if one in in_every_run else pytest.mark.full) for one in behaviours]


class Hosts:
    """Makes hosts, asks them and waits for them."""

    def __init__(self) -> None:
        self.made: list[ToolHost] = []

    def start(
        self, *servers: Server, changed: Callable[[], None] = lambda: None, start_s: float = WAIT_S
    ) -> list[Tool]:
        """Make a host and return the tools of its servers."""
        self.made.append(ToolHost(servers, changed, start_s=start_s))
        return self.tools(*(server.name for server in servers))

    @property
    def host(self) -> ToolHost:
        """The last one."""
        return self.made[-1]

    def tools(self, *names: str) -> list[Tool]:
        return self.host.tools(names).result(WAIT_S)

    def call(self, tool: Tool, silence_s: float = WAIT_S, **arguments: object) -> ToolResult:
        return self.host.call(tool, arguments or {"text": "hello"}, silence_s=silence_s).result(WAIT_S)

    def failure(self, tool: Tool, silence_s: float = WAIT_S) -> ToolFailed:
        """Return why a call fails."""
        with pytest.raises(ToolFailed) as found:
            self.call(tool, silence_s)
        return found.value

    def error(self, name: str) -> ToolFailed:
        """Return why a server does not run."""
        error = self.host.status(name).error
        assert error is not None
        return error


@pytest.fixture(autouse=True)
def no_authorities(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read no certificates of authorities, which takes longer than a call: servers on loopback have none."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(own_home))


@pytest.fixture
def hosts() -> Iterator[Hosts]:
    """Hosts that are closed in the end with all their processes."""
    hosts = Hosts()
    yield hosts
    found = servers_below(psutil.Process())
    for host in hosts.made:
        host.close()
    psutil.wait_procs(found, timeout=WAIT_S)
    assert not [one for one in found if is_running(one)]


@pytest.fixture
def ended_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package would wait for a server to end by itself, and for its group, whose orphans nobody may reap."""
    for name in ("PROCESS_TERMINATION_TIMEOUT", "FORCE_KILL_TIMEOUT"):
        monkeypatch.setattr(f"mcp.client.stdio.{name}", 0.1)


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_S
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
