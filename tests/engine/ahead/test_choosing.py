"""The asynchronous drafter works while rounds choose its tokens, rests while they choose others, and keeps the text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pytest

from engine.ahead import drafting_ahead as aheads
from engine.ahead import link as links
from engine.ahead import rest
from engine.ahead.drafting_ahead import DraftingAhead
from engine.ahead.link import RunnerLink
from engine.ahead.messages import End
from engine.requests import SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.speculation.choosing.choice import Choice
from engine.speculation.choosing.controller import Controller
from engine.speculation.choosing.plans import AnswerWithOffer
from engine.wire.messages import WireMessage
from tests.engine.ahead.runners import FIXED, on_a_thread, slow_verification, started, untouched
from tests.engine.serving_requests import PLAIN, Client, request, run
from tests.patience import PATIENCE_S

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


def answered(scheduler: Scheduler, text: str, speculation: SpeculationSettings, max_tokens: int = 24) -> Client:
    scheduler.clear_prefix_cache()
    [client] = run(scheduler, request(text, temperature=0.8, speculation=speculation, max_tokens=max_tokens))
    return client


def choose(monkeypatch: pytest.MonkeyPatch, first: str) -> None:
    """Let each choice take the source `first` if it has draft tokens, else the draft model."""

    def scripted(_controller: Controller, answers: Sequence[AnswerWithOffer]) -> list[Choice]:
        [(_answer, offer)] = answers
        if offer.forced is not None:
            return [offer.forced]
        source = first if offer.limits.get(first) else "draft"
        return [Choice(source, min(3, offer.limits[source]))]

    monkeypatch.setattr(Controller, "choose", scripted)


@pytest.mark.full
def test_with_a_draft_runner_all_draft_tokens_are_verified_by_match(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepared_or_drafted_here(_controller: Controller, answers: Sequence[AnswerWithOffer]) -> list[Choice]:
        [(_answer, offer)] = answers
        if offer.forced is not None:
            return [offer.forced]
        source = next((source for source in ("ahead", "draft") if offer.limits.get(source)), None)
        return [Choice(source, offer.limits[source] if source else 0)]

    monkeypatch.setattr(Controller, "choose", prepared_or_drafted_here)
    monkeypatch.setattr(rest, "MAX_MISSES", 10**6)
    plain = answered(scheduler, SHORT, PLAIN).finished
    rejection = SpeculationSettings(method="draft", acceptance="rejection", sample_share=0.0)
    drafted: set[str | None] = set()
    # How much the runner has prepared in an answer depends on how busy the machine is.
    while drafted != {"ahead", "draft"}:
        client = answered(scheduler, SHORT, rejection)
        assert client.finished.ids == plain.ids
        drafted |= {event.round.source for event in client.committed if event.round.drafted}


@pytest.mark.full
def test_a_drafter_whose_tokens_are_not_used_rests(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "MAX_MISSES", 1)
    learned: list[tuple[float, float]] = []
    monkeypatch.setattr(DraftingAhead, "observe_round", lambda _ahead, *learning: learned.append(learning))
    sent: list[WireMessage] = []
    send = RunnerLink.send
    monkeypatch.setattr(RunnerLink, "send", lambda link, message: (sent.append(message), send(link, message))[1])
    plain = answered(scheduler, SHORT, PLAIN).finished
    choose(monkeypatch, "draft")
    client = answered(scheduler, SHORT, AUTO)
    assert client.finished.ids == plain.ids
    assert (client.finished.stats.ahead, client.finished.stats.ahead_hits) == ("resting-unused", 1)
    # It is told nothing before the answer ends.
    assert [type(message) for message in sent[-2:]] == [End, End]
    # The rounds tell whether it is worth what it costs. That of the first token does not, and none follows the last.
    assert len(learned) >= len(client.committed) - 3
    assert all(seconds > 0.0 and 1.0 <= tokens <= 4.0 for seconds, tokens in learned)


@pytest.mark.full
@pytest.mark.parametrize("speculation", [FIXED, pytest.param(AUTO, marks=pytest.mark.full)])
def test_a_round_takes_another_source_while_the_drafter_reads_a_long_prompt(
    scheduler: Scheduler, speculation: SpeculationSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = answered(scheduler, LONG, PLAIN, 48).finished.ids
    choose(monkeypatch, "ahead")
    client = answered(scheduler, LONG, speculation, 48)
    assert client.finished.ids == plain
    sources = [event.round.source for event in client.committed]
    assert sources[:2] == ["main", "draft"]
    assert "ahead" in sources
    assert client.finished.stats.ahead_hits > 0
