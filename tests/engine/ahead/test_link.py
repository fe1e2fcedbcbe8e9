"""The drafter's process starts on demand, is restarted once, and ends with the engine."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from engine.ahead.link import CHATS, Asker, RunnerConnection, RunnerLink, in_a_process
from engine.ahead.messages import Begin, DraftReply, PreparedTree, Ready
from tests.engine.ahead.runners import BEGIN, FIRST, dying, on_a_thread, untouched
from tests.patience import PATIENCE_S, wait_until

_HOST = """
import sys, time
from pathlib import Path
from engine.ahead.link import in_a_process
connection = in_a_process(Path(sys.argv[1]))
print(connection.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def link_to() -> Iterator[Callable[[Callable[[], RunnerConnection]], RunnerLink]]:
    links: list[RunnerLink] = []

    def reach(connect: Callable[[], RunnerConnection]) -> RunnerLink:
        links.append(RunnerLink(connect))
        wait_until(lambda: links[-1].state != "starting")
        return links[-1]

    yield reach
    for link in links:
        link.close()


def test_a_drafter_in_a_process_answers_with_a_full_disk_and_ends_with_its_connection(
    tiny_draft: Path, users_temporary_folder: Path
) -> None:
    connection = in_a_process(tiny_draft)
    process = psutil.Process(connection.pid)
    if hasattr(resource, "prlimit"):
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, 0))
    assert isinstance(connection.channel.receive(PATIENCE_S), Ready)
    connection.channel.send(BEGIN)
    for outcome in (FIRST, replace(FIRST, round=2)):
        connection.channel.send(outcome)
        while isinstance(message := connection.channel.receive(PATIENCE_S), PreparedTree):
            pass
        assert isinstance(message, DraftReply)
    assert not list(users_temporary_folder.iterdir())
    # A drafter notices only this of an engine that was killed.
    connection.channel.close()
    wait_until(lambda: process.status() == psutil.STATUS_ZOMBIE)
    connection.end()


@pytest.mark.full
def test_a_drafter_that_is_lost_is_replaced_once_and_then_given_up(
    link_to: Callable[[Callable[[], RunnerConnection]], RunnerLink], tiny_draft: Path
) -> None:
    link = link_to(partial(on_a_thread, tiny_draft, dying))
    for attempt in range(2):
        assert link.runner_number == attempt + 1
        assert link.send(BEGIN)
        assert link.send(replace(FIRST, round=3))
        wait_until(lambda: link.receive(0.01) is None and link.state != "ready")
        wait_until(lambda: link.state != "starting")
    assert (link.state, link.reason) == ("gone", "ended")
    assert not link.send(BEGIN)


@pytest.mark.campaign
def test_the_drafter_ends_with_an_engine_that_is_killed(tiny_draft: Path) -> None:
    host = subprocess.Popen(
        [sys.executable, "-c", _HOST, str(tiny_draft)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        text=True,
    )
    assert host.stdout is not None
    with host.stdout:
        drafter = psutil.Process(int(host.stdout.readline()))
    assert drafter.is_running()
    host.kill()
    host.wait()
    wait_until(lambda: not drafter.is_running() or drafter.status() == psutil.STATUS_ZOMBIE)


def refused(_folder: Path) -> RunnerConnection:
    raise OSError("no process")


@pytest.mark.parametrize(
    ("connect", "reason"), [(partial(on_a_thread, disturb=untouched), "not-usable"), (refused, "unreachable")]
)
def test_a_drafter_that_cannot_be_used_is_given_up(
    tmp_path: Path, connect: Callable[[Path], RunnerConnection], reason: str
) -> None:
    link = RunnerLink(lambda: connect(tmp_path))
    wait_until(lambda: link.state == "gone")
    assert link.reason == reason


def test_what_was_read_for_one_asker_shortens_an_answer_to_another_by_a_common_opening_only(
    link_to: Callable[[Callable[[], RunnerConnection]], RunnerLink],
    tiny_draft: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    link = link_to(partial(on_a_thread, tiny_draft, untouched))
    sent = list[Begin]()
    monkeypatch.setattr(link, "send", sent.append)
    whole, guess = (5, 6, 7), (5, 6)
    askers = [
        CHATS, CHATS, Asker("Kim", whole), Asker("Kim", guess), Asker("Lee", guess), Asker("Kim", whole),
        Asker("Lee", guess), Asker("Lee"), Asker("Kim"), CHATS,
    ]  # fmt: skip
    for asker in askers:
        link.begin(BEGIN, asker)
    everything = BEGIN.most_kept
    assert [begin.most_kept for begin in sent] == [everything, everything, 0, everything, 2, 0, 0, everything, 0, 0]
