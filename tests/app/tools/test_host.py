"""How servers of tools run and end."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import psutil
import pytest
from msgspec.structs import replace

from app.tools.host import ToolHost
from app.tools.servers import Server, ToolSettings
from app.tools.tool import ToolFailed, ToolProgress
from tests.app.hub_library import KeychainInMemory
from tests.app.tools.conftest import WAIT_S, Hosts, hostile, is_running, servers_below, wait_until

# An app that has a server answer, says so, and then does nothing.
APP = """
import sys, time
from app.tools.host import ToolHost
from tests.app.tools.conftest import hostile
host = ToolHost([hostile(sys.argv[1])], lambda: None)
[tool] = host.tools([sys.argv[1]]).result()
call = host.call(tool, {"text": ""})
print(call.result().text if len(sys.argv) == 2 else "under way", flush=True)
time.sleep(600)
"""


def test_a_server_starts_when_it_is_needed_and_ends_with_the_host(hosts: Hosts) -> None:
    hosts.start(hostile("prints"))
    host = hosts.made[0]
    host.set_servers([hostile(), hostile("prints")])
    assert host.status("good").state == "stopped"
    [tool] = hosts.tools("good")
    assert host.status("good").state == "running"
    assert tool.read_only
    assert tool.for_template()["function"]["name"] == "echo"
    host.set_servers([hostile()])
    wait_until(lambda: len(servers_below(psutil.Process())) == 3)
    assert (host.status("good").state, host.status("prints").state) == ("running", "stopped")
    server = servers_below(psutil.Process())
    host.close()
    wait_until(lambda: not any(is_running(one) for one in server))
    assert host.call(tool, {"text": ""}).cancelled()


def test_nothing_runs_that_was_not_agreed_to(hosts: Hosts) -> None:
    edited, off = replace(hostile(), name="edited", args=()), replace(hostile(), name="off", enabled=False)
    assert hosts.start(edited, off) == []
    assert hosts.host.status("edited").state == hosts.host.status("off").state == "stopped"


@pytest.mark.parametrize("command", ["no-such-command", "/no/such/file", "no/such/file"])
def test_a_command_that_is_not_there_is_named(hosts: Hosts, command: str) -> None:
    assert hosts.start(Server(name="files", command=command).as_approved()) == []
    assert (hosts.error("files").code, hosts.error("files").arguments["command"]) == ("no-command", command)


def test_a_file_that_is_no_program_says_so(hosts: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("no program")
    file.chmod(0o755)
    assert hosts.start(Server(name="files", command=str(file)).as_approved()) == []
    assert "Exec format error" in hosts.error("files").arguments["detail"]


def test_a_server_sees_its_own_variables_and_few_others(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    [tool] = hosts.start(hostile("tells-its-world", values={"KEY": "value", "PYTHONHOME": ""}))
    world = json.loads(hosts.call(tool).text)
    assert world["env"]["KEY"] == "value"
    assert "secret" not in str(world)
    assert {"PATH", "HOME"} <= set(world["env"])
    assert world["cwd"] == str(Path.home())


def test_secrets_come_when_a_server_starts(hosts: Hosts, tmp_path: Path) -> None:
    settings = ToolSettings(tmp_path / "tools.json", KeychainInMemory())
    hosts.made.append(ToolHost([hostile(values={"KEY": ""})], lambda: None, settings))
    assert hosts.tools("good") == []
    assert hosts.error("good").arguments == {"server": "good", "names": "KEY"}


@pytest.mark.full
def test_a_cancelled_call_is_cancelled_at_the_server(hosts: Hosts, tmp_path: Path) -> None:
    said = tmp_path / "said"
    [tool] = hosts.start(hostile("writes-cancelled", str(said)))
    call = hosts.host.call(tool, {"text": ""})
    wait_until(lambda: "called" in hosts.host.status("writes-cancelled").stderr)
    call.cancel()
    wait_until(said.exists)


def test_a_tool_may_work_for_as_long_as_it_reports_progress(
    hosts: Hosts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silence_s, moved = 10_000, 0
    monkeypatch.setattr(asyncio.BaseEventLoop, "time", lambda _: time.monotonic() + moved)
    [tool] = hosts.start(hostile("works-for-long", str(tmp_path)))
    said: list[ToolProgress] = []
    call = hosts.host.call(tool, {"text": "done"}, said.append, silence_s=silence_s)
    for step in (1, 2, 3):
        wait_until(lambda step=step: call.done() or len(said) == step)
        moved += silence_s * 2 // 3
        (tmp_path / str(step)).touch()
    assert call.result(WAIT_S).text == "done"
    assert [(one.done, one.total, one.message) for one in said] == [(n, 3, f"Reading page {n}") for n in (1, 2, 3)]


@pytest.mark.full
def test_a_server_that_was_stopped_starts_again_at_once(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile())
    hosts.host.stop("good")
    assert hosts.call(tool).text == "hello"


@pytest.mark.full
def test_a_server_that_shows_signs_of_life_may_take_longer_to_start(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("works-at-start"), start_s=3)
    assert hosts.call(tool).text == "hello"
    assert hosts.host.status("works-at-start").stderr.endswith("downloading part 19")


@pytest.mark.usefixtures("ended_at_once")
def test_a_server_that_was_too_slow_is_started_once(hosts: Hosts, tmp_path: Path) -> None:
    (tmp_path / "slow").write_text(f"#!/bin/sh\necho start >> {tmp_path}/starts\nexec sleep 100\n")
    (tmp_path / "slow").chmod(0o755)
    server = Server(name="slow", command=str(tmp_path / "slow")).as_approved()
    assert hosts.start(server, start_s=1) == []
    assert hosts.error("slow").code == "slow-start"
    assert (tmp_path / "starts").read_text() == "start\n"


@pytest.mark.usefixtures("ended_at_once")
def test_a_server_that_was_too_slow_is_tried_again_only_after_a_stop(hosts: Hosts) -> None:
    assert hosts.start(hostile("hangs-at-start", name="slow"), start_s=0.5) == []
    first = hosts.error("slow")
    assert hosts.tools("slow") == []
    assert hosts.error("slow") is first
    hosts.host.stop("slow")
    assert hosts.tools("slow") == []
    assert hosts.error("slow") is not first


@pytest.mark.parametrize(
    "behaviour",
    ["ignores-the-end", *(pytest.param(one, marks=pytest.mark.full) for one in ("", "has-a-child", "hangs-in-a-call"))],
)
def test_no_process_is_left_when_the_app_is_killed(behaviour: str) -> None:
    arguments = [behaviour, "hangs"] if behaviour == "hangs-in-a-call" else [behaviour or "good"]
    app = subprocess.Popen([sys.executable, "-c", APP, *arguments], stdout=subprocess.PIPE, text=True)
    try:
        assert app.stdout is not None
        assert app.stdout.readline()
        servers = servers_below(psutil.Process(app.pid))
        assert len(servers) >= 2
    finally:
        app.send_signal(signal.SIGKILL)
        app.communicate(timeout=WAIT_S)
    wait_until(lambda: not any(is_running(one) for one in servers))


@pytest.mark.full
def test_no_process_is_left_when_the_app_is_killed_while_it_waits_for_a_server_to_end() -> None:
    app = subprocess.Popen([sys.executable, "-c", APP, "ignores-the-end"], stdout=subprocess.PIPE, text=True)
    try:
        assert app.stdout is not None
        assert app.stdout.readline()
        guardian, *_ = servers = servers_below(psutil.Process(app.pid))
        # What the app does first when a server shall end.
        os.killpg(guardian.pid, signal.SIGTERM)
        assert psutil.wait_procs([guardian], timeout=0.5)[1]
    finally:
        app.send_signal(signal.SIGKILL)
        app.communicate(timeout=WAIT_S)
    wait_until(lambda: not any(is_running(one) for one in servers))


def test_no_process_is_left_when_a_guardian_is_killed(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("ignores-the-end"))
    guardian, *_ = servers = servers_below(psutil.Process())
    guardian.kill()
    wait_until(lambda: not any(is_running(one) for one in servers))
    wait_until(lambda: hosts.host.status(tool.server).state == "failed")
    assert hosts.call(tool).text == "hello"


@pytest.mark.usefixtures("ended_at_once")
def test_a_server_whose_start_is_given_up_while_it_is_spawned_ends_with_its_group(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, begun, go_on = asyncio.BaseEventLoop.connect_write_pipe, threading.Event(), threading.Event()

    async def slowly(loop: asyncio.BaseEventLoop, *arguments: Any) -> Any:
        """Connect the pipe to a process that runs already, but only when the test says so."""
        begun.set()
        while not go_on.is_set():
            await asyncio.sleep(0.01)
        return await connect(loop, *arguments)

    monkeypatch.setattr(asyncio.BaseEventLoop, "connect_write_pipe", slowly)
    hosts.made.append(ToolHost([hostile("ignores-the-end")], lambda: None))
    found = hosts.host.tools(["ignores-the-end"])
    assert begun.wait(WAIT_S)
    wait_until(lambda: len(servers_below(psutil.Process())) == 3)
    running = servers_below(psutil.Process())
    hosts.host.stop("ignores-the-end")
    # The stop has reached the loop when what was submitted after it has.
    hosts.host.tools([]).result(WAIT_S)
    go_on.set()
    assert found.result(WAIT_S) == []
    wait_until(lambda: not any(is_running(one) for one in running))


@pytest.mark.usefixtures("ended_at_once")
def test_a_host_that_closes_starts_no_server_anew(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    [tool] = hosts.start(hostile("ignores-the-end"))
    before = servers_below(psutil.Process())
    # It returns while the server still ends.
    monkeypatch.setattr("app.tools.host.CLOSE_S", 0.0)
    hosts.host.close()
    call = hosts.host.call(tool, {"text": ""})
    with pytest.raises((ToolFailed, CancelledError)):
        call.result(WAIT_S)
    assert set(servers_below(psutil.Process())) <= set(before)


def left_running(moments: Sequence[float]) -> list[psutil.Process]:
    """Start a server that ends by itself never for each of the moments, in seconds; stop it then; return the rest."""
    servers = [hostile("ignores-the-end", name=str(number)) for number in range(len(moments))]
    host = ToolHost(servers, lambda: None)
    try:
        begun = time.monotonic()
        for server in servers:
            host.tools([server.name])
        for moment, name in sorted((moment, server.name) for moment, server in zip(moments, servers, strict=True)):
            time.sleep(max(0.0, begun + moment - time.monotonic()))
            host.stop(name)
    finally:
        found = servers_below(psutil.Process())
        host.close()
    return psutil.wait_procs(found, timeout=WAIT_S)[1]


@pytest.mark.usefixtures("ended_at_once")
def test_no_server_is_left_whenever_its_start_is_given_up() -> None:
    moments = random.Random(8)
    assert not left_running([moments.uniform(0.0, 1.0) for _ in range(20)])


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(25))
def test_no_server_of_500_is_left_whenever_its_start_is_given_up(seed: int) -> None:
    moments = random.Random(seed)
    assert not left_running([moments.uniform(0.01, 0.5) for _ in range(20)])


@pytest.mark.full
def test_a_program_that_ends_at_once_says_why(hosts: Hosts) -> None:
    ends = "import sys; sys.stderr.write('Listening\\n'); raise ValueError('no key')"
    hosts.start(Server(name="ends", command=sys.executable, args=("-c", ends)).as_approved())
    assert hosts.error("ends").arguments["detail"] == "exit code 1: ValueError: no key"
