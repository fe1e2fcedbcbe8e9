"""The text is plain decoding's in random combinations of requests, places of the draft runner, and disturbances."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.ahead import drafting_ahead as aheads
from engine.ahead import link as links
from engine.ahead import other_computer
from engine.ahead.deepening import PassCosts
from engine.ahead.link import RunnerConnection
from engine.events import Finished
from engine.requests import ChatRequest
from engine.serving.scheduler import Scheduler
from engine.speculation.choosing.choice import Choice
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.plans import AnswerWithOffer
from tests.engine.ahead.combinations import Combination, drawn
from tests.engine.ahead.other_computers import over_tcp
from tests.engine.ahead.runners import (
    DISTURBANCES,
    REACHED,
    on_a_thread,
    runner_processes,
    slow_verification,
    started,
)
from tests.engine.lossless.drafters import DRAFTERS, write_text_model
from tests.engine.serving_requests import open_scheduler, plain, run, submit

SEED = int(os.environ.get("TANDEM_SEED", "101"))
# How many combinations there are, and how many of them the full tier has.
COUNT, FULL = 200, 12
HOST = "mac-studio.local"
# Steps of the scheduler after which a process is stopped, and after which it goes on.
STOPPED, CONTINUED = 6, 14


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_text_model(tmp_path_factory.mktemp("combinations") / "main")


@pytest.fixture(scope="module")
def draft(main: Path) -> Path:
    return DRAFTERS["draft model"](main.parent / "draft", main)


@pytest.fixture(scope="module")
def undrafted(main: Path) -> Iterator[Scheduler]:
    with open_scheduler(main) as scheduler:
        yield scheduler


def reach(combination: Combination, patch: pytest.MonkeyPatch) -> str:
    """Let the runner be where the combination says, and return that place as the engine's settings name it."""
    disturb = DISTURBANCES[combination.disturbance]
    if combination.place == "thread":
        patch.setattr(links, "in_a_process", partial(on_a_thread, disturb=disturb))
    if combination.place != "tcp":
        return "here"

    def connected(_host: str, folder: Path) -> RunnerConnection:
        return over_tcp(folder, disturb, combination.delay_s)

    patch.setattr(other_computer, "on_computer", connected)
    return HOST


def ahead_or_plain(_controller: Controller, answers: Sequence[AnswerWithOffer]) -> list[Choice]:
    """Choose what the draft runner has prepared, else plain decoding."""
    [(_answer, offer)] = answers
    plain = Choice(None, 0, "measuring")
    if offer.forced is not None:
        # With a fixed depth nothing but the first source is on offer, in place of limits.
        return [offer.forced if offer.forced.source in (None, "ahead") else plain]
    prepared = offer.limits.get("ahead", 0)
    return [Choice("ahead", prepared) if prepared else plain]


def answer(scheduler: Scheduler, asked: ChatRequest) -> Finished:
    """Answer a question; meanwhile a process that drafts is stopped, and goes on."""
    client = submit(scheduler, asked)
    runners = runner_processes()
    steps = 0
    while scheduler.busy:
        scheduler.step()
        steps += 1
        for runner in runners:
            if steps == STOPPED:
                runner.suspend()
            elif steps == CONTINUED:
                runner.resume()
    for runner in runners:
        runner.resume()
    return client.finished


def numbers() -> list[Any]:
    """Return the number of each combination as a parameter of its tier."""
    tiers = [pytest.mark.full] * FULL + [pytest.mark.campaign] * (COUNT - FULL)
    return [pytest.param(number, marks=tier) for number, tier in enumerate(tiers)]


@pytest.mark.parametrize("number", numbers())
def test_the_text_is_plain_decodings(
    number: int, main: Path, draft: Path, undrafted: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    combination = drawn(number, SEED)
    # Longer than a message takes there and back.
    monkeypatch.setattr(aheads, "HANDOVER_S", 0.05)
    monkeypatch.setattr(PassCosts, "row", combination.row)
    place = reach(combination, monkeypatch)
    with open_scheduler(main, draft, draft_ahead=place) as scheduler:
        started(scheduler)
        if combination.speculation.redraws:
            # A draft model here has distributions, with which "rejection" draws another text.
            monkeypatch.setattr(Controller, "choose", ahead_or_plain)
            # A plain round is over before a runner has drafted anything.
            slow_verification(monkeypatch, 0.04)
        scheduler.clear_prefix_cache()
        earlier = combination.earlier
        told = run(scheduler, earlier)[0].finished.text if earlier is not None else ""
        asked = combination.following(told)
        ahead = answer(scheduler, asked)
    expected = plain(undrafted, asked)
    assert ahead.ids == expected.ids
    assert (ahead.text, ahead.reason) == (expected.text, expected.reason)
    assert ahead.stats.ahead != ""
    # A runner in a process is only stopped for a while.
    assert combination.place != "process" or ahead.stats.ahead in REACHED
