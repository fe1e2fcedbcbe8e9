"""Processes below Tandem are killed in every state: none of them stays, and what was under way ends with a reason."""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from threading import Thread
from typing import Any

import psutil
import pytest

from app.tools.tool import ToolFailed
from tests.app.tools.conftest import WAIT_S, Hosts, ended_at_once, hostile, is_running, servers_below, wait_until

__all__ = ["ended_at_once"]
pytestmark = pytest.mark.campaign

KILLS = int(os.environ.get("TANDEM_KILLS", "4"))
BEHAVIOURS = ("", "ignores-the-end", "has-a-child", "hangs-in-a-call")
# The killed processes by their places below the app: the guardian, its copy, the server.
VICTIMS = {"guardian": slice(0, 1), "copy": slice(1, 2), "server": slice(2, 3), "both": slice(0, 3, 2)}


@pytest.mark.usefixtures("ended_at_once")
@pytest.mark.parametrize("victim", VICTIMS)
@pytest.mark.parametrize("state", ["starting", "idle", "in a call", "stopping", "closing"])
def test_nothing_stays_of_a_server_whichever_process_is_killed(hosts: Hosts, state: str, victim: str) -> None:
    draw, outcomes = random.Random(f"{state} {victim}"), dict[str, int]()
    for number in range(KILLS):
        outcome = killed(hosts, BEHAVIOURS[number % len(BEHAVIOURS)], state, victim, draw.uniform(0.0, 0.3))
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    print(f"{state}, {victim}: {outcomes}")
    assert set(outcomes) <= {"", "ended", "not-usable"}


def killed(hosts: Hosts, behaviour: str, state: str, victim: str, after_s: float) -> str:
    """Bring a server into a state and kill a process after some seconds; return why the call or the start failed."""
    name, under_way = behaviour or "good", Future[Any]()
    under_way.set_result(None)
    tools = hosts.start() if state == "starting" else hosts.start(hostile(behaviour, "hangs"))
    host = hosts.host
    if state == "starting":
        host.set_servers([hostile(behaviour, "hangs")])
        under_way = host.tools([name])
    elif state == "in a call":
        under_way = host.call(tools[0], {"text": "x"}, silence_s=WAIT_S)
    elif state != "idle":
        Thread(target=host.close if state == "closing" else lambda: host.stop(name)).start()
    found = servers_below(psutil.Process())
    time.sleep(after_s)
    found = found or servers_below(psutil.Process())
    for one in found[VICTIMS[victim]]:
        with suppress(psutil.NoSuchProcess):
            one.kill()
    outcome = ""
    # Without its copy, the guardian does all that it did.
    if victim == "copy":
        host.close()
    with suppress(CancelledError):
        error = under_way.exception(WAIT_S)
        outcome = error.code if isinstance(error, ToolFailed) else ""
    # A server may live on in its child.
    if victim == "server":
        host.close()
    wait_until(lambda: not any(is_running(one) for one in found))
    host.close()
    return outcome
