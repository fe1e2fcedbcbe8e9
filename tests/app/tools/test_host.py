"""How servers of tools run and end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from app.tools.errors import ToolFailed
from app.tools.host import ToolHost
from app.tools.servers import Server
from tests.app.tools.conftest import hostile, is_running, servers_below, wait_until

Hosts = Callable[..., ToolHost]
WAIT_S = 60
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
    host = hosts(hostile())
    assert host.status("good").state == "stopped"
    [tool] = host.tools(["good"]).result(WAIT_S)
    assert host.status("good").state == "running"
    assert tool.read_only
    assert tool.for_template()["function"]["name"] == "echo"
    server = servers_below(psutil.Process())
    host.close()
    wait_until(lambda: not any(is_running(one) for one in server))
    assert host.call(tool, {"text": ""}).cancelled()


def test_nothing_runs_that_was_not_agreed_to(hosts: Hosts) -> None:
    agreed = hostile()
    edited = Server(name="edited", command=agreed.command, args=(*agreed.args, "more"), approved=agreed.approved)
    off = Server(name="off", command=agreed.command, args=agreed.args, approved=agreed.approved, enabled=False)
    host = hosts(edited, off)
    assert host.tools(["edited", "off"]).result(WAIT_S) == []
    assert host.status("edited").state == host.status("off").state == "stopped"


@pytest.mark.parametrize("command", ["no-such-command", "/no/such/file", "no/such/file"])
def test_a_command_that_is_not_there_is_named(hosts: Hosts, command: str) -> None:
    host = hosts(Server(name="files", command=command).as_approved())
    assert host.tools(["files"]).result(WAIT_S) == []
    error = host.status("files").error
    assert error is not None
    assert (error.code, error.arguments["command"]) == ("no-command", command)


def test_a_file_that_is_no_program_says_so(hosts: Hosts, tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("no program")
    file.chmod(0o755)
    host = hosts(Server(name="files", command=str(file)).as_approved())
    assert host.tools(["files"]).result(WAIT_S) == []
    error = host.status("files").error
    assert error is not None
    assert error.code == "not-startable"


def test_a_server_sees_its_own_variables_and_few_others(hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_TOKEN", "secret")
    plain = hostile("tells-its-world")
    own = {"KEY": "value", "PYTHONHOME": ""}
    server = Server(name="world", command=plain.command, args=plain.args, env=own).as_approved()
    host = hosts(server)
    [tool] = host.tools(["world"]).result(WAIT_S)
    world = json.loads(host.call(tool, {"text": "x"}).result(WAIT_S).text)
    assert world["env"]["KEY"] == "value"
    assert "secret" not in str(world)
    assert {"PATH", "HOME"} <= set(world["env"])
    assert world["cwd"] == str(Path.home())


def test_secrets_come_when_a_server_starts() -> None:
    def refuse(server: Server) -> Server:
        raise ToolFailed("no-secrets", server=server.name, names="KEY")

    host = ToolHost([hostile()], lambda: None, refuse)
    try:
        assert host.tools(["good"]).result(WAIT_S) == []
        assert str(host.status("good").error) == "the values of KEY, which good needs, are not in the keychain"
    finally:
        host.close()


def test_a_cancelled_call_is_cancelled_at_the_server(hosts: Hosts, tmp_path: Path) -> None:
    said = tmp_path / "said"
    host = hosts(hostile("writes-cancelled", str(said)))
    [tool] = host.tools(["writes-cancelled"]).result(WAIT_S)
    call = host.call(tool, {"text": ""})
    wait_until(lambda: "called" in host.status("writes-cancelled").stderr)
    call.cancel()
    wait_until(said.exists)


def test_a_changed_list_of_tools_is_told(hosts: Hosts) -> None:
    told: list[int] = []
    host = hosts(hostile("changes-its-tool"), changed=lambda: told.append(1))
    [before] = host.tools(["changes-its-tool"]).result(WAIT_S)
    count = len(told)
    host.call(before, {"text": ""}).result(WAIT_S)
    wait_until(lambda: len(told) > count)
    [after] = host.tools(["changes-its-tool"]).result(WAIT_S)
    assert after.fingerprint != before.fingerprint


def test_a_server_that_was_changed_ends_and_the_others_stay(hosts: Hosts) -> None:
    host = hosts(hostile(), hostile("prints"))
    host.tools(["good", "prints"]).result(WAIT_S)
    host.set_servers([hostile()])
    wait_until(lambda: len(servers_below(psutil.Process())) == 2)
    assert host.status("good").state == "running"
    assert host.status("prints").state == "stopped"


def test_a_server_that_was_stopped_starts_again_at_once(hosts: Hosts) -> None:
    host = hosts(hostile())
    [tool] = host.tools(["good"]).result(WAIT_S)
    host.stop("good")
    assert host.call(tool, {"text": "hello"}).result(WAIT_S).text == "hello"


def test_a_server_that_was_too_slow_is_tried_again_only_after_a_stop(hosts: Hosts) -> None:
    host = hosts(hostile("hangs-at-start"), start_s=0.5)
    assert host.tools(["hangs-at-start"]).result(WAIT_S) == []
    first = host.status("hangs-at-start").error
    assert host.tools(["hangs-at-start"]).result(WAIT_S) == []
    assert host.status("hangs-at-start").error is first
    host.stop("hangs-at-start")
    assert host.tools(["hangs-at-start"]).result(WAIT_S) == []
    assert host.status("hangs-at-start").error is not first


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
        app.communicate()
    wait_until(lambda: not any(is_running(one) for one in servers))
