"""Losslessness of answers at once: each is its text alone, whatever happens to the others and to the draft."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from engine.events import Finished
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler
from tests.engine.lossless.family_serving import CAMPAIGN, serving
from tests.engine.serving_requests import PLAIN, Client, alone, request, set_draft, submit

WORDS = ("fox", "lazy dog", "안녕하세요 세계", "the quick brown", "the the the", "jumps over")
METHODS = (
    PLAIN,
    SpeculationSettings(method="draft", depth=3, sample_share=0.0),
    SpeculationSettings(method="draft", depth=1),
    SpeculationSettings(method="ngram", depth=2),
    SpeculationSettings(method="auto"),
)


def asked(draw: random.Random) -> ChatRequest:
    settings: dict[str, Any] = draw.choice(
        [
            {},
            {},
            {"temperature": 0.9},
            {"temperature": 0.7, "top_p": 0.9, "top_k": 40},
            {"repetition_penalty": 1.3, "penalty_window": 20},
            {"temperature": 0.8, "frequency_penalty": 0.4},
            {"logit_bias": {7: 3.0, 20: -50.0}},
        ]
    )
    return request(
        " ".join(draw.choices(WORDS, k=draw.randint(1, 8))),
        max_tokens=draw.randint(1, 40),
        seed=draw.randrange(1000),
        speculation=draw.choice(METHODS),
        stop=draw.choice([(), (), ("q",)]),
        **settings,
    )


def fuzz(scheduler: Scheduler, drafts: list[Path], seed: int, count: int) -> list[Client]:
    """Serve `count` requests that arrive at random steps, cancel some of them, and change the draft."""
    draw = random.Random(seed)
    requests = [asked(draw) for _ in range(count)]
    expected = [alone(scheduler, one) for one in requests]
    clients: list[Client] = []
    cancelled: set[int] = set()
    while len(clients) < count or scheduler.busy:
        if len(clients) < count and (not scheduler.busy or draw.random() < 0.3):
            clients.append(submit(scheduler, requests[len(clients)]))
        if draw.random() < 0.02:
            index = draw.randrange(len(clients))
            clients[index].stream.cancel()
            cancelled.add(index)
        if draw.random() < 0.03:
            set_draft(scheduler, draw.choice([None, *drafts]))
        scheduler.step()
    for index, (client, whole) in enumerate(zip(clients, expected, strict=True)):
        assert isinstance(client.last, Finished), client.last
        answer = client.finished
        if index in cancelled and answer.reason == "cancelled":
            assert answer.ids == whole.ids[: len(answer.ids)], (seed, index)
        else:
            assert (answer.ids, answer.text, answer.reason) == (whole.ids, whole.text, whole.reason), (seed, index)
        assert answer.text == "".join(event.text for event in client.committed)
    return clients


@pytest.mark.full
@pytest.mark.parametrize("name", ["qwen3", "qwen3_next"])
def test_answers_at_once_are_those_of_each_alone(name: str, tmp_path: Path) -> None:
    with serving(name, tmp_path) as (scheduler, drafts):
        clients = fuzz(scheduler, drafts, seed=1, count=8)
    assert sum(client.finished.stats.accepted for client in clients) > 0


@pytest.mark.campaign
# transformers warns of ids in some tiny configurations.
@pytest.mark.expects_log
@pytest.mark.parametrize("name", CAMPAIGN)
def test_answers_at_once_of_every_kind_of_model_are_those_of_each_alone(name: str, tmp_path: Path) -> None:
    with serving(name, tmp_path) as (scheduler, drafts):
        for seed in range(4):
            fuzz(scheduler, drafts, seed, count=8)


@pytest.mark.campaign
def test_answers_at_once_with_quantised_caches_are_those_of_each_alone(tmp_path: Path) -> None:
    with serving("llama", tmp_path, kv_bits=8) as (scheduler, drafts):
        fuzz(scheduler, drafts, seed=1, count=8)
