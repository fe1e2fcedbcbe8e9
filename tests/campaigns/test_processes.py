"""Tandem and the processes that it starts are killed or stopped in every state: nothing hangs, and nothing is left."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.tools.tool import ToolFailed, ToolResult
from engine import ChatRequest, Engine, Finished
from engine.tokenizers.prompt_process import PROMPT_PROCESS
from tests.app.tools.conftest import WAIT_S, Hosts, hostile, is_running, servers_below, wait_until
from tests.engine.endurance.soaking import ENDLESS
from tests.engine.serving_requests import QUESTION
from tests.patience import PATIENCE_S
from tests.tiny_models import write_disturbed_copy

pytestmark = pytest.mark.campaign

KILLS, PAUSE_S = 10, 20.0
# By state of a server, its behaviour.
STATES = {
    "starts": "hangs-in-the-handshake",
    "is idle": "ignores-the-end",
    "has children": "has-a-child",
    "is called": "hangs-in-a-call",
    "ends": "ignores-the-end",
}
VICTIMS = ("guardian", "its copy", "server", "guardian and server", "all")
# It has a tool called and a template rendered, neither of which ends, and says when both are under way.
APP = """
import sys, time
from app.tools.host import ToolHost
from engine import ChatRequest, Engine
from tests.app.tools.conftest import hostile
host = ToolHost([hostile("hangs-in-a-call"), hostile("ignores-the-end")], lambda: None)
tools = host.tools(["hangs-in-a-call", "ignores-the-end"]).result()
call = host.call(tools[0], {"text": "hangs"})
engine = Engine()
engine.load(sys.argv[1]).result()
print("loaded", flush=True)
stream = engine.submit(ChatRequest([{"role": "user", "content": "endless"}]))
time.sleep(600)
"""
# It calls a tool that takes three seconds, and prints what came of it.
CALLER = """
from app.tools.host import ToolHost
from tests.app.tools.conftest import hostile
host = ToolHost([hostile("works-in-a-call")], lambda: None)
[tool] = host.tools(["works-in-a-call"]).result()
call = host.call(tool, {"text": "hello"})
print("called", flush=True)
print(call.result().text, flush=True)
host.close()
"""


def victims(processes: list[psutil.Process], named: str) -> list[psutil.Process]:
    """Return those of a guardian, its copy and its server that a name stands for."""
    guardian, copy, *servers = processes
    which = {"guardian": [guardian], "its copy": [copy], "server": servers[:1], "all": processes}
    return which.get(named, [guardian, *servers])


@pytest.mark.usefixtures("ended_at_once")
@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("state", STATES)
def test_whatever_of_a_server_is_killed_nothing_of_it_is_left_and_it_can_be_used_again(
    hosts: Hosts, state: str, victim: str
) -> None:
    server, under_way = hostile(STATES[state]), Future[Any]()
    tools = [] if state == "starts" else hosts.start(server)
    if state == "starts":
        # A command that ends at the first question is asked again in the older way.
        hosts.start(start_s=5.0)
        hosts.host.set_servers([server])
        under_way = hosts.host.tools([server.name])
    wait_until(lambda: len(servers_below(psutil.Process())) >= 3)
    if state == "is called":
        under_way = hosts.host.call(tools[0], {"text": "hangs"})
    elif state == "ends":
        hosts.host.stop(server.name)
    processes = servers_below(psutil.Process())
    for one in victims(processes, victim):
        with suppress(psutil.NoSuchProcess):
            one.kill()
    # What a server has started may be what answers, as below `npx`, so it goes on until it is stopped.
    if (victim == "its copy" and state != "ends") or (victim, state) == ("server", "has children"):
        hosts.host.stop(server.name)
    wait_until(lambda: not any(is_running(one) for one in processes))
    if state in ("starts", "is called"):
        with suppress(ToolFailed, CancelledError):
            found = under_way.result(WAIT_S)
            assert not found or isinstance(found, ToolResult)
    elif tools:
        assert hosts.call(tools[0]).text == "hello"


@pytest.mark.parametrize("seed", range(KILLS))
def test_no_child_outlives_the_app_that_is_killed(tiny_main: Path, tmp_path: Path, seed: int) -> None:
    once = "{% if messages[0]['content'] == 'endless' %}" + ENDLESS + "{% endif %}x"
    model, draw = write_disturbed_copy(tiny_main, tmp_path / "model", amount=0.0), random.Random(seed)
    (model / "chat_template.jinja").write_text(once)
    app = subprocess.Popen([sys.executable, "-c", APP, str(model)], stdout=subprocess.PIPE, text=True)
    found: list[psutil.Process] = []
    try:
        assert app.stdout is not None
        if seed % 2:
            assert app.stdout.readline() == "loaded\n"
        time.sleep(draw.uniform(0.0, 2.0))
    finally:
        found = psutil.Process(app.pid).children(recursive=True)
        app.send_signal(signal.SIGKILL)
        app.communicate(timeout=WAIT_S)
    begun = time.monotonic()
    wait_until(lambda: not any(is_running(one) for one in found))
    print(seed, len(found), f"{time.monotonic() - begun:.1f} s")


def test_an_answer_of_a_tool_that_came_while_the_app_was_stopped_is_its_result() -> None:
    with subprocess.Popen([sys.executable, "-c", CALLER], stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        assert app.stdout.readline() == "called\n"
        app.send_signal(signal.SIGSTOP)
        time.sleep(PAUSE_S)
        app.send_signal(signal.SIGCONT)
        assert app.stdout.readline() == "hello\n"
        assert app.wait(WAIT_S) == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_prompt_process_that_is_killed_or_stopped_changes_no_answer(tiny_main: Path, number: signal.Signals) -> None:
    draw, asked = random.Random(int(number)), ChatRequest(QUESTION, max_tokens=8)
    with Engine() as engine:
        engine.load(tiny_main).result(timeout=PATIENCE_S)
        *_, expected = engine.submit(asked)
        assert isinstance(expected, Finished)
        for _ in range(KILLS):
            pid = PROMPT_PROCESS.pid
            assert pid is not None
            stream = engine.submit(asked)
            time.sleep(draw.uniform(0.0, 0.05))
            with suppress(psutil.NoSuchProcess):
                psutil.Process(pid).send_signal(number)
                time.sleep(draw.uniform(0.0, 1.0))
                psutil.Process(pid).send_signal(signal.SIGCONT)
            *_, found = stream
            assert isinstance(found, Finished)
            assert found.ids == expected.ids
