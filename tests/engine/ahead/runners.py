"""Drafters on threads of this process, some of which misbehave, and steps of tests with them."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import psutil
import pytest
from msgspec.structs import replace

from engine.ahead.link import RunnerConnection
from engine.ahead.messages import (
    FROM_RUNNER,
    MOST_UNSENT,
    TO_RUNNER,
    Begin,
    DraftReply,
    PreparedBranch,
    PreparedTree,
    RoundOutcome,
    ToRunner,
)
from engine.ahead.runner import serve
from engine.main_model.loading import load
from engine.requests import SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.rounds.round import DrawnTokens, PendingRound, Rounds
from engine.stats import RequestStats
from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed, WireMessage
from tests.engine.serving_requests import alone, request

BEGIN = Begin(3, 1, 384, SamplingSettings())
FIRST = RoundOutcome(3, 1, 0, (5, 6, 7), 3)
FIXED = SpeculationSettings(method="draft", depth=3)
# The states of a runner that can be reached, see `RequestStats.ahead`. How busy the machine is decides on rests.
REACHED = ("ready", "resting-slower", "resting-unused")
# Returns the messages that arrive in place of an answer.
Disturbance = Callable[[DraftReply], list[WireMessage]]


class DisturbedChannel(Channel[ToRunner]):
    """A channel that sends answers as `disturb` changes them; if that raises, the drafter dies."""

    disturb: Disturbance

    def send(self, message: WireMessage) -> None:
        for changed in self.disturb(message) if isinstance(message, DraftReply) else [message]:
            super().send(changed)


def on_a_thread(folder: Path, disturb: Disturbance) -> RunnerConnection:
    """Start a drafter with the model in `folder`, whose answers arrive disturbed."""
    ours, theirs = socket.socketpair()
    channel = DisturbedChannel(theirs, TO_RUNNER, most_unsent=MOST_UNSENT)
    channel.disturb = disturb

    def run() -> None:
        try:
            serve(channel, lambda: load(folder))
        except (ChannelClosed, EOFError):
            channel.close()
        finally:
            # Without this the process can abort at exit.
            mx.clear_streams()

    thread = threading.Thread(target=run, name="test-drafter", daemon=True)
    thread.start()
    return RunnerConnection(Channel(ours, FROM_RUNNER, most_unsent=MOST_UNSENT), lambda: thread.join())


def started(scheduler: Scheduler) -> RequestStats:
    """Answer until the drafter has its model, and return the figures of the last answer."""
    while (stats := alone(scheduler, request(speculation=FIXED, max_tokens=4)).stats).ahead == "starting":
        pass
    return stats


def runner_processes() -> list[psutil.Process]:
    """Return the draft runners that are processes below this one."""
    children = psutil.Process().children(recursive=True)
    return [child for child in children if any("engine.ahead.runner" in word for word in child.cmdline())]


def slow_verification(monkeypatch: pytest.MonkeyPatch, seconds: float = 0.02) -> None:
    """Make each round so slow that the drafter can be ready for its outcome."""
    wait = Rounds.wait

    def waiting(self: Rounds, current: PendingRound) -> DrawnTokens:
        time.sleep(seconds)
        return wait(self, current)

    monkeypatch.setattr(Rounds, "wait", waiting)


def untouched(answer: DraftReply) -> list[WireMessage]:
    return [answer]


def lost(_answer: DraftReply) -> list[WireMessage]:
    return []


def delayed(answer: DraftReply) -> list[WireMessage]:
    """Delay some answers beyond their round, some into the middle of a later one."""
    if answer.round % 3 == 1:
        time.sleep(0.15)
    return [answer]


def of_another_conversation(answer: DraftReply) -> list[WireMessage]:
    return [replace(answer, conversation=answer.conversation ^ 1)]


def of_an_earlier_round(answer: DraftReply) -> list[WireMessage]:
    return [replace(answer, round=max(0, answer.round - 1))]


def garbage(answer: DraftReply) -> list[WireMessage]:
    """Replace the tokens of an answer by any, among them ids that no model has."""
    draw = random.Random(answer.round)
    tokens = tuple(draw.choice((draw.randrange(384), draw.randrange(2**32))) for _ in range(draw.randrange(1, 9)))
    return [replace(answer, tokens=tokens)]


def wrong_but_possible(answer: DraftReply) -> list[WireMessage]:
    draw = random.Random(answer.round)
    tokens = tuple(draw.randrange(384) for _ in range(4))
    return [replace(answer, tokens=tokens)]


def of_the_wrong_kind(answer: DraftReply) -> list[WireMessage]:
    """Send a message that only an engine may send."""
    return [answer, RoundOutcome(answer.conversation, answer.round, 0, (1,), 1)] if answer.round == 6 else [answer]


def with_a_lying_tree(answer: DraftReply) -> list[WireMessage]:
    """Send after an answer any tree for the next outcome, sometimes with ids that no model has."""
    draw = random.Random(answer.round)
    most = 2**32 if answer.round % 4 == 3 else 384
    branches = [
        PreparedBranch(accepted, draw.randrange(most), tuple(draw.randrange(most) for _ in range(2)))
        for accepted in range(len(answer.tokens) + 1)
    ]
    return [answer, PreparedTree(answer.conversation, answer.position, answer.tokens, tuple(branches))]


def dying(answer: DraftReply) -> list[WireMessage]:
    if answer.round % 4 == 3:
        raise EOFError
    return [answer]


DISTURBANCES: dict[str, Disturbance] = {
    disturbance.__name__: disturbance
    for disturbance in (
        untouched, lost, delayed, of_another_conversation, of_an_earlier_round, garbage, wrong_but_possible,
        of_the_wrong_kind, with_a_lying_tree, dying,
    )
}  # fmt: skip
