"""Plain steps of several answers begin and end where anybody joins, leaves or speculates, and no text shows where."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.decoders.plain_steps import EVERY, KNOWN, PlainSteps
from engine.decoders.ragged_round import RaggedRound
from engine.events import TokensCommitted
from engine.generation import Generation
from engine.loading import load
from engine.requests import SpeculationSettings
from engine.scheduler import Scheduler
from engine.speculation.choosing.controller import Controller
from tests.engine.serving import PLAIN, alone, request, run, serve_and_act, submit

pytestmark = pytest.mark.usefixtures("without_compilation")

Settled = tuple[float, list[tuple[Generation, TokensCommitted | Exception]]]
DRAFT = SpeculationSettings(method="draft", depth=2, sample_share=0.0)
TEXTS = ("the quick brown fox", "jumps over the lazy dog", "你好，世界")
PART = 9


@pytest.fixture
def pair(scheduler: Scheduler, tiny_main: Path, tiny_draft: Path) -> Scheduler:
    scheduler.install(load(tiny_main), load(tiny_draft))
    return scheduler


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of each token that a plain step has drawn, the number of answers."""
    drawn: list[int] = []
    settle = PlainSteps.settle

    def counted(steps: PlainSteps, current: RaggedRound, ended_at: float | None) -> Settled:
        drawn.extend([len(current.members)] * len(current.members))
        return settle(steps, current, ended_at)

    monkeypatch.setattr(PlainSteps, "settle", counted)
    return drawn


@pytest.mark.parametrize("temperature", [0.0, 0.9])
@pytest.mark.parametrize(("before", "behind"), [(PLAIN, DRAFT), (DRAFT, PLAIN)])
def test_one_of_several_answers_speculates_from_some_token_on(
    pair: Scheduler, steps: list[int], before: SpeculationSettings, behind: SpeculationSettings, temperature: float
) -> None:
    asked = [request(text, temperature=temperature, speculation=PLAIN) for text in TEXTS[:2]]
    expected = [alone(pair, one).ids for one in asked]
    switching = submit(pair, request(TEXTS[0], temperature=temperature, speculation=before))
    other = submit(pair, asked[1])
    serve_and_act(pair, switching, PART, lambda: switching.stream.speculate(behind))
    assert [switching.finished.ids, other.finished.ids] == expected
    drafted = [event.round.drafted > 0 for event in switching.committed]
    assert any(drafted[:PART]) is (before is DRAFT)
    assert any(drafted[PART + 2 :]) is (behind is DRAFT)
    assert 2 in steps


def test_answers_join_and_leave_between_plain_steps(pair: Scheduler, steps: list[int]) -> None:
    lengths = (40, 15, 30)
    asked = [request(text, max_tokens=most, speculation=PLAIN) for text, most in zip(TEXTS, lengths, strict=True)]
    expected = [alone(pair, one).ids for one in asked]
    clients = [submit(pair, one) for one in asked[:2]]
    serve_and_act(pair, clients[0], PART, lambda: clients.append(submit(pair, asked[2])))
    assert [client.finished.ids for client in clients] == expected
    assert {2, 3} <= set(steps)


def test_samplers_of_every_kind_share_plain_steps(pair: Scheduler, steps: list[int]) -> None:
    asked = [
        request(TEXTS[0], speculation=PLAIN, alternatives=3),
        request(TEXTS[1], speculation=PLAIN, temperature=0.8),
        request(TEXTS[2], speculation=PLAIN, repetition_penalty=1.3),
    ]
    expected = [alone(pair, one).ids for one in asked]
    clients = run(pair, *asked)
    assert [client.finished.ids for client in clients] == expected
    assert all(len(token.alternatives) == 3 for event in clients[0].committed for token in event.tokens)
    assert 3 in steps


def test_an_answer_that_is_cancelled_ends_with_what_was_reported(pair: Scheduler) -> None:
    expected = alone(pair, request(TEXTS[1], speculation=PLAIN)).ids
    clients = [submit(pair, request(text, speculation=PLAIN)) for text in TEXTS[:2]]
    serve_and_act(pair, clients[0], PART, clients[0].stream.cancel)
    assert clients[0].finished.reason == "cancelled"
    assert clients[0].finished.ids == tuple(token.id for event in clients[0].committed for token in event.tokens)
    assert clients[1].finished.ids == expected


def test_the_controller_hears_of_the_time_of_every_step_and_learns_from_some(
    pair: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[float] = []
    passed: list[tuple[int, float]] = []
    monkeypatch.setattr(
        Controller, "observe_round", lambda _, __, measured: learned.extend([measured.seconds] * (measured.answers > 1))
    )
    monkeypatch.setattr(Controller, "pass_over", lambda _, __, rounds, seconds: passed.append((rounds, seconds)))
    clients = run(pair, *(request(text, max_tokens=40, speculation=PLAIN) for text in TEXTS[:2]))
    shortest = min(len(client.finished.ids) for client in clients)
    assert shortest == 40
    # The first two steps and the last one are not typical.
    # Each of the two answers is told of what passed.
    assert len(learned) + sum(rounds for rounds, _ in passed) / 2 >= shortest - 3
    assert len(learned) <= KNOWN + shortest // EVERY
    assert all(seconds > 0 for _, seconds in passed)
