"""A computer that sleeps, or a drafter that is stopped, in the middle of an answer costs no token."""

from __future__ import annotations

import threading
import time
from functools import partial

import psutil
import pytest

from engine.ahead import drafting_ahead as aheads
from engine.ahead import link as links
from engine.ahead.drafting_ahead import FIRST_PATIENCE_S, AheadFigures, DraftingAhead
from engine.ahead.link import RunnerLink
from engine.ahead.messages import DraftReply, PreparedTree
from engine.serving.scheduler import Scheduler
from engine.wire.messages import WireMessage
from tests.engine.ahead.runners import FIXED, REACHED, on_a_thread, runner_processes, started, untouched
from tests.engine.serving_requests import PLAIN, Client, alone, request, submit
from tests.patience import PATIENCE_S

NIGHT_S = 8 * 3600.0


class Nap:
    """Holds answers back while it is not over."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.over.set()

    def __call__(self, answer: DraftReply) -> list[WireMessage]:
        assert self.over.wait(PATIENCE_S)
        return [answer]


def with_a_drafter(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Start an answer, and return it when the drafter has drafted for it; the drafter is never late."""
    monkeypatch.setattr(aheads, "HANDOVER_S", PATIENCE_S)
    started(scheduler)
    client = submit(scheduler, request(temperature=0.8, speculation=FIXED, max_tokens=50))
    while ahead_of(scheduler) is None or not answered(scheduler):
        scheduler.step()
    return client


def hurried(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> int:
    """Let the engine wait as briefly as usual, and return the number of late answers so far."""
    monkeypatch.setattr(aheads, "HANDOVER_S", 0.001)
    # The round under way still waits for its answer without a limit.
    scheduler.step()
    return figures(scheduler).late


def ahead_of(scheduler: Scheduler) -> DraftingAhead | None:
    request = scheduler.models.drafting.alone
    return None if request is None else request.ahead


def figures(scheduler: Scheduler) -> AheadFigures:
    ahead = ahead_of(scheduler)
    assert ahead is not None
    return ahead.figures


def answered(scheduler: Scheduler) -> int:
    """Return the number of outcomes that the drafter has answered in time."""
    return figures(scheduler).hits + figures(scheduler).misses


def ended(scheduler: Scheduler, client: Client) -> None:
    while scheduler.busy:
        scheduler.step()
    plain = alone(scheduler, request(temperature=0.8, speculation=PLAIN, max_tokens=50))
    assert client.finished.ids == plain.ids
    assert client.finished.stats.ahead in REACHED


@pytest.mark.full
def test_a_drafter_that_slept_through_rounds_drafts_again(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    nap = Nap()
    monkeypatch.setattr(links, "in_a_process", partial(on_a_thread, disturb=nap))
    client = with_a_drafter(scheduler, monkeypatch)
    late = hurried(scheduler, monkeypatch)
    nap.over.clear()
    while figures(scheduler).late == late:
        scheduler.step()
    monkeypatch.setattr(aheads, "HANDOVER_S", PATIENCE_S)
    nap.over.set()
    before = answered(scheduler)
    ended(scheduler, client)
    assert client.finished.stats.ahead_hits + client.finished.stats.ahead_misses > before


@pytest.mark.full
def test_a_night_in_the_middle_of_an_answer_changes_nothing(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "in_a_process", partial(on_a_thread, disturb=untouched))
    client = with_a_drafter(scheduler, monkeypatch)
    slept = [0.0]
    for clock in (time.monotonic, time.perf_counter, time.time):
        monkeypatch.setattr(time, clock.__name__, lambda clock=clock: clock() + slept[0])
    for _ in range(2):
        before = answered(scheduler)
        slept[0] += NIGHT_S
        while answered(scheduler) == before:
            scheduler.step()
    ended(scheduler, client)


@pytest.mark.full
@pytest.mark.parametrize("continued", [True, False])
def test_a_process_that_is_stopped_stalls_no_round_beyond_its_patience(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, continued: bool
) -> None:
    """The process is stopped in the middle of the answer; it goes on before the end of the answer, or never."""
    client = with_a_drafter(scheduler, monkeypatch)
    [runner] = runner_processes()
    late = hurried(scheduler, monkeypatch)
    waits: list[float] = []
    receive = RunnerLink.receive

    def receiving(link: RunnerLink, timeout_s: float) -> DraftReply | PreparedTree | None:
        waits.append(timeout_s)
        return receive(link, timeout_s)

    monkeypatch.setattr(RunnerLink, "receive", receiving)
    rounds = len(client.committed)
    runner.suspend()
    while figures(scheduler).late < late + 2:
        scheduler.step()
    ahead = ahead_of(scheduler)
    assert ahead is not None
    patience_s = scheduler.models.drafting._drafting_seconds("draft", ahead.depth)
    # Each round waits once at most, and no longer than drafting here takes.
    assert sum(wait > 0 for wait in waits) <= len(client.committed) - rounds + 1
    assert max(waits) <= max(FIRST_PATIENCE_S, patience_s or 0.0)
    if continued:
        runner.resume()
        monkeypatch.setattr(aheads, "HANDOVER_S", PATIENCE_S)
        before = answered(scheduler)
        while answered(scheduler) == before:
            scheduler.step()
    ended(scheduler, client)
    scheduler.close()
    assert not psutil.pid_exists(runner.pid)
