"""The asynchronous drafter works while rounds choose its tokens, rests while they choose others, and keeps the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest

from engine.async_drafting import drafting_ahead as aheads
from engine.async_drafting import link as links
from engine.async_drafting.link import DrafterLink
from engine.async_drafting.messages import End, Verdict
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.choosing.choice import Choice, Offer
from engine.speculation.choosing.controller import Answer, Controller
from engine.speculation.proposers.registry import is_ahead
from engine.wire.messages import Message
from tests.engine.async_drafting.drafters import FIXED, on_a_thread, slow_verification, started, untouched
from tests.engine.serving_requests import PLAIN, Client, request, run
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.usefixtures("without_compilation")

AUTO = SpeculationSettings(method="draft", sample_share=0.0)
SHORT, LONG = "안녕", "the quick brown fox jumps over the lazy dog " * 8


@pytest.fixture
def scheduler(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> Scheduler:
    """A scheduler whose drafter has its model and is never late, however busy the machine is."""
    slow_verification(monkeypatch)
    monkeypatch.setattr(links, "in_a_process", partial(on_a_thread, disturb=untouched))
    monkeypatch.setattr(aheads, "HANDOVER_S", PATIENCE_S)
    started(scheduler)
    return scheduler


@pytest.fixture
def sent(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    """The messages that the drafter gets."""
    del scheduler
    found: list[Message] = []
    send = DrafterLink.send

    def recording(self: DrafterLink, message: Message) -> bool:
        found.append(message)
        return send(self, message)

    monkeypatch.setattr(DrafterLink, "send", recording)
    return found


def answered(scheduler: Scheduler, text: str, speculation: SpeculationSettings, max_tokens: int = 24) -> Client:
    scheduler.clear_prefix_cache()
    [client] = run(scheduler, request(text, temperature=0.8, speculation=speculation, max_tokens=max_tokens))
    return client


def choose(monkeypatch: pytest.MonkeyPatch, wants: Callable[[int], bool]) -> None:
    """Let choice number n take the drafter's tokens, if there are any, if `wants(n)`, else the draft model's."""
    made = [0]

    def scripted(_controller: Controller, asked: Sequence[tuple[Answer, Offer]]) -> list[Choice]:
        [(_answer, offer)] = asked
        if offer.decided is not None:
            return [offer.decided]
        made[0] += 1
        offered = [source for source, limit in offer.limits.items() if limit > 0]
        source = next((source for source in offered if is_ahead(source) is wants(made[0])), "draft")
        return [Choice(source, min(3, offer.limits[source]))]

    monkeypatch.setattr(Controller, "choose", scripted)


def sources(client: Client) -> list[str]:
    return [event.round.source for event in client.committed]


def test_a_drafter_that_is_not_chosen_is_told_nothing(
    scheduler: Scheduler, sent: list[Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(monkeypatch, lambda _: False)
    client = answered(scheduler, SHORT, AUTO)
    assert [message for message in sent if not isinstance(message, End)] == []
    assert (client.finished.stats.ahead, client.finished.stats.ahead_hits) == ("ready", 0)


def test_a_drafter_rests_while_others_are_chosen_and_starts_again(
    scheduler: Scheduler, sent: list[Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = answered(scheduler, SHORT, PLAIN, 40).finished.ids
    choose(monkeypatch, lambda number: number % 8 < 4)
    client = answered(scheduler, SHORT, AUTO, 40)
    assert client.finished.ids == plain
    assert {"just-in-time", "draft"} <= set(sources(client))
    ends = [index for index, message in enumerate(sent) if isinstance(message, End)]
    # Between a pause and the next choice the drafter gets no message, and then all that it missed.
    assert len(ends) > 2
    assert any(isinstance(sent[index + 1], Verdict) and len(sent[index + 1].tokens) > 4 for index in ends[:-1])  # type: ignore[attr-defined]


@pytest.mark.parametrize("speculation", [FIXED, pytest.param(AUTO, marks=pytest.mark.full)])
def test_a_round_takes_another_source_while_the_drafter_reads_a_long_prompt(
    scheduler: Scheduler, speculation: SpeculationSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = answered(scheduler, LONG, PLAIN, 48).finished.ids
    choose(monkeypatch, lambda _: True)
    client = answered(scheduler, LONG, speculation, 48)
    assert client.finished.ids == plain
    assert sources(client)[:2] == ["main", "draft"]
    assert client.finished.stats.ahead_hits > 0
