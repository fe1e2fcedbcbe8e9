"""A draft runner on another computer: how it starts and ends, why there is none, and that the text stays the same."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from engine.ahead import drafting_ahead as aheads
from engine.ahead import other_computer
from engine.ahead.link import NoRunner, RunnerConnection, RunnerLink
from engine.ahead.messages import DraftReply, Ready
from engine.ahead.other_computer import on_computer, own_report
from engine.computers.model_identity import portable_name
from engine.errors import BadRequest
from engine.events import Finished
from engine.main_model.loaded_model import LoadedModel
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.upkeep import draft_runners
from tests.engine.ahead import other_computers
from tests.engine.ahead.other_computers import over_tcp
from tests.engine.ahead.runners import BEGIN, DISTURBANCES, FIRST, FIXED, slow_verification, started
from tests.engine.serving_requests import PLAIN, alone, open_scheduler, open_with_pair, request, run, submit
from tests.engine.tiers import by_tier
from tests.patience import PATIENCE_S, wait_until

HOST = "mac-studio.local"
# Prints a report and then does nothing until its input ends.
_REPORTS = "import sys; sys.stdin.readline(); print({report!r}, flush=True); sys.stdin.read()"


@pytest.fixture
def elsewhere(pair: tuple[LoadedModel, LoadedModel]) -> Iterator[Scheduler]:
    """A scheduler whose draft runner belongs on another computer."""
    with open_with_pair(pair, draft_ahead=HOST) as scheduler:
        yield scheduler


def reach(monkeypatch: pytest.MonkeyPatch, disturbance: str = "untouched", delay_s: float = 0.0) -> None:
    """Let the other computer be a thread behind a link of this delay."""

    def connected(host: str, folder: Path) -> RunnerConnection:
        assert host == HOST
        return over_tcp(folder, DISTURBANCES[disturbance], delay_s)

    monkeypatch.setattr(other_computer, "on_computer", connected)


def answer(scheduler: Scheduler, speculation: SpeculationSettings, temperature: float) -> Finished:
    scheduler.clear_prefix_cache()
    text = "the quick brown fox"
    [client] = run(scheduler, request(text, temperature=temperature, speculation=speculation, max_tokens=16))
    return client.finished


def compare(scheduler: Scheduler) -> int:
    """Compare answers, greedy and with a seed, with those of plain decoding; return for how many rounds one hit."""
    hits = 0
    for temperature in (0.0, 0.8):
        plain = answer(scheduler, PLAIN, temperature)
        ahead = answer(scheduler, FIXED, temperature)
        while ahead.stats.ahead == "starting":
            ahead = answer(scheduler, FIXED, temperature)
        assert ahead.ids == plain.ids
        assert ahead.stats.ahead_host == HOST
        hits += ahead.stats.ahead_hits
    return hits


@pytest.mark.full
@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_the_text_is_plain_decodings(elsewhere: Scheduler, disturbance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reach(monkeypatch, disturbance)
    compare(elsewhere)


# Seconds that a message takes.
@pytest.mark.parametrize("delay_s", by_tier((0.0002, 0.002, 0.02, 0.2), (0.002,)))
def test_a_link_with_a_delay_changes_no_text(
    elsewhere: Scheduler, delay_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach(monkeypatch, delay_s=delay_s)
    compare(elsewhere)


def test_a_link_that_is_fast_enough_has_the_draft_ready(elsewhere: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aheads, "HANDOVER_S", PATIENCE_S)
    slow_verification(monkeypatch)
    reach(monkeypatch, delay_s=0.0003)
    assert compare(elsewhere) > 0


@pytest.mark.full
@pytest.mark.usefixtures("as_on_linux")
def test_a_runner_of_a_process_drafts_over_tcp_and_ends_with_its_connection(
    tiny_draft: Path, users_temporary_folder: Path
) -> None:
    before = set(psutil.Process().children(recursive=True))
    connection = on_computer("127.0.0.1", tiny_draft)
    keeper, runner = sorted(set(psutil.Process().children(recursive=True)) - before, key=lambda child: child.pid)
    assert isinstance(connection.channel.receive(PATIENCE_S), Ready)
    connection.channel.send(BEGIN)
    connection.channel.send(FIRST)
    assert isinstance(connection.channel.receive(PATIENCE_S), DraftReply)
    assert not list(users_temporary_folder.iterdir())
    connection.channel.close()
    wait_until(lambda: not runner.is_running())
    connection.end()
    wait_until(lambda: not keeper.is_running())


@pytest.mark.campaign
def test_a_runner_that_is_killed_while_it_streams_costs_no_token(tiny_main: Path, tiny_draft: Path) -> None:
    before = running()
    with open_scheduler(tiny_main, tiny_draft, draft_ahead="127.0.0.1") as scheduler:
        states = set()
        for temperature in (0.0, 0.8, 0.0):
            plain = answer(scheduler, PLAIN, temperature)
            started(scheduler)
            scheduler.clear_prefix_cache()
            text = "the quick brown fox"
            client = submit(scheduler, request(text, temperature=temperature, speculation=FIXED, max_tokens=16))
            steps = 0
            while scheduler.busy:
                scheduler.step()
                steps += 1
                for process in psutil.Process().children(recursive=True) if steps == 9 else ():
                    process.kill()
            assert client.finished.ids == plain.ids
            states.add(client.finished.stats.ahead)
        assert "ended" in states
    wait_until(lambda: running() <= before)


def running() -> set[psutil.Process]:
    """Return the processes below this one, without those that were killed and not waited for yet."""
    children = psutil.Process().children(recursive=True)
    return {child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE}


def reported(tiny_draft: Path, **changed: Any) -> dict[str, Any]:
    return own_report(portable_name(tiny_draft)) | {"port": 1} | changed


def of_twin(tiny_draft: Path, folder: Path) -> dict[str, Any]:
    """Return the report of a computer whose copy of the model has other weights."""
    twin = Path(shutil.copytree(tiny_draft, folder / "twin"))
    with (twin / "model.safetensors").open("ab") as file:
        file.write(b"x")
    return own_report(str(twin))


def test_a_computer_that_cannot_draft_is_refused_with_the_reason(
    tiny_draft: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports: dict[str, Any] = {
        "other-version": reported(tiny_draft, versions={"mlx": "0"}),
        "other-model": reported(tiny_draft, files=of_twin(tiny_draft, tmp_path)["files"]),
        "no-model": own_report(str(tmp_path / "none")),
        "no-memory": reported(tiny_draft, free=10),
        "no-address": reported(tiny_draft),
        "unreachable": {"words": 1},
    }
    for reason, report in reports.items():
        command = [sys.executable, "-S", "-c", _REPORTS.format(report=json.dumps(report))]
        monkeypatch.setattr(other_computer, "own_command", lambda command=command: command)
        with pytest.raises(NoRunner) as refused:
            on_computer("127.0.0.1", tiny_draft)
        assert refused.value.reason == reason
        assert refused.value.detail


def test_a_computer_where_nothing_can_be_started_is_refused(tiny_draft: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    silent = [sys.executable, "-S", "-c", "raise SystemExit('no model of this kind')"]
    monkeypatch.setattr(other_computer, "own_command", lambda: silent)
    with pytest.raises(NoRunner, match="no model of this kind"):
        on_computer("127.0.0.1", tiny_draft)
    with pytest.raises(NoRunner, match="bad-host"):
        on_computer("-oProxyCommand=x", tiny_draft)


def test_a_peer_without_the_key_is_no_runner(tiny_draft: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(other_computers, "connect", lambda address, _key: other_computer.connect(address, b"another"))
    monkeypatch.setattr("engine.wire.handshake.HANDSHAKE_S", 1.0)
    with pytest.raises(NoRunner) as refused:
        over_tcp(tiny_draft)
    assert refused.value.reason == "other-key"


def test_an_answer_says_why_and_where_nothing_was_drafted_ahead_and_the_computer_is_tried_again(
    elsewhere: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def refused(host: str, _folder: Path) -> RunnerConnection:
        asked.append(host)
        raise NoRunner("other-version", "mlx 0, not 1")

    monkeypatch.setattr(other_computer, "on_computer", refused)
    plain = answer(elsewhere, PLAIN, 0.8)
    stats = started(elsewhere)
    assert (stats.ahead, stats.ahead_host, stats.ahead_detail) == ("other-version", HOST, "mlx 0, not 1")
    assert answer(elsewhere, FIXED, 0.8).ids == plain.ids
    assert asked == [HOST]
    monkeypatch.setattr(draft_runners, "AGAIN_S", 0.0)
    alone(elsewhere, request(speculation=FIXED, max_tokens=4))
    # Somebody has to install that version first, which takes a while.
    assert len(asked) == 1
    monkeypatch.setattr(draft_runners, "CHANGED_S", 0.0)
    alone(elsewhere, request(speculation=FIXED, max_tokens=4))
    assert len(asked) > 1


def test_a_link_notes_the_computer_and_what_was_found_there() -> None:
    def refused() -> RunnerConnection:
        raise NoRunner("no-model", "org/draft")

    link = RunnerLink(refused, HOST)
    wait_until(lambda: link.state == "gone")
    assert (link.host, link.reason, link.detail) == (HOST, "no-model", "org/draft")


@pytest.mark.parametrize("place", ["off", "here", HOST, "me@studio", "127.0.0.1"])
def test_a_place_is_off_here_or_a_computer(place: str) -> None:
    assert EngineSettings(draft_ahead=place).draft_ahead == place


@pytest.mark.parametrize("place", ["", "-v", "two, computers", "a b"])
def test_another_text_is_no_place(place: str) -> None:
    with pytest.raises(BadRequest):
        EngineSettings(draft_ahead=place)
