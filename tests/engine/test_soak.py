"""Eight clients who ask, cancel, edit, swap drafts and run into failures: every text that ends is right, and nothing
is left behind. TANDEM_SOAK_SECONDS says for how long the campaign goes on; a short run is in every test run.
"""

from __future__ import annotations

import gc
import logging
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from engine import ChatRequest, Engine, Failed, Finished, SamplingSettings, SpeculationSettings, TokensCommitted
from engine.generation import Generation
from engine.lanes.batch import BatchLane, BatchStepFailed
from engine.lanes.solo import SoloRun
from engine.sampling import Sampler
from engine.settings import EngineSettings

CLIENTS = 8
BAD_SEED = 666
WORDS = ("fox", "lazy dog", "안녕하세요 세계", "こんにちは", "你好，世界", "the quick brown")
METHODS = (
    SpeculationSettings(method="off"),
    SpeculationSettings(method="draft", depth=3),
    SpeculationSettings(method="auto"),
    SpeculationSettings(method="ngram"),
)
# What belongs to a request and goes with it.
OURS = (Generation, SoloRun, BatchLane)


def requests(draw: random.Random) -> list[ChatRequest]:
    """Questions, turns that follow on them, edits and branches of these."""
    made = []
    for index in range(18):
        chat = [{"role": "system", "content": "lazy dog"}] if index % 2 else []
        for turn in range(draw.randrange(3)):
            chat += [
                {"role": "user", "content": WORDS[(index // 3 + turn) % len(WORDS)]},
                {"role": "assistant", "content": " over and over again"},
            ]
        chat.append({"role": "user", "content": draw.choice(WORDS) * draw.choice((1, 2, 12))})
        sampling = SamplingSettings(
            temperature=draw.choice((0.0, 0.0, 0.8)),
            seed=index,
            repetition_penalty=draw.choice((1.0, 1.0, 1.2)),
            top_k=draw.choice((0, 20)),
        )
        made.append(
            ChatRequest(chat, sampling=sampling, speculation=draw.choice(METHODS), max_tokens=draw.randrange(2, 50))
        )
    return made


@pytest.fixture
def failing_now_and_then(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A sampler that fails for one seed, and a batch that fails as a whole once in a while."""
    # Records keep the frames of what they tell about, and caplog keeps the records.
    caplog.set_level(logging.CRITICAL + 1, logger="engine")
    draw, step, chance = Sampler.draw, BatchLane.step, random.Random(11)

    def bad_draw(sampler: Sampler, logprobs: mx.array, noise: mx.array | None) -> mx.array:
        if sampler.seed == BAD_SEED:
            raise ValueError("a sampler that fails, says the test")
        return draw(sampler, logprobs, noise)

    def bad_step(lane: BatchLane) -> Any:
        if chance.random() < 0.005:
            raise BatchStepFailed("no memory, says the test")
        return step(lane)

    monkeypatch.setattr(Sampler, "draw", bad_draw)
    monkeypatch.setattr(BatchLane, "step", bad_step)


class Soak:
    """Clients of one engine, each in a thread of its own, until the time is up."""

    def __init__(self, engine: Engine, draft: Path) -> None:
        self.engine = engine
        self.draft = draft
        self.requests = requests(random.Random(1))
        self.expected = [self.answer_to(request) for request in self.requests]
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    def answer_to(self, request: ChatRequest) -> Finished:
        self.engine.clear_prefix_cache().result(timeout=60)
        *_, last = self.engine.submit(request)
        assert isinstance(last, Finished), last
        return last

    def run(self, seconds: float, seed: int) -> None:
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._client, args=(random.Random(100 * seed + number), until))
            for number in range(CLIENTS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _client(self, draw: random.Random, until: float) -> None:
        while time.monotonic() < until:
            deed = draw.random()
            if deed < 0.03:
                self.engine.set_draft(draw.choice((None, self.draft))).result(timeout=60)
                self.counts["drafts"] += 1
            elif deed < 0.06:
                self._fail()
            else:
                self._ask(draw, cancel_after=draw.randrange(12) if deed > 0.85 else None)

    def _ask(self, draw: random.Random, cancel_after: int | None) -> None:
        index = draw.randrange(len(self.requests))
        stream = self.engine.submit(self.requests[index])
        seen = 0
        for event in stream:
            seen += isinstance(event, TokensCommitted)
            if cancel_after is not None and seen >= cancel_after:
                stream.cancel()
        expected = self.expected[index]
        if not isinstance(event, Finished):
            self.wrong.append(f"{index}: {event}")
        elif event.reason == "cancelled":
            self.counts["cancelled"] += 1
            if event.ids != expected.ids[: len(event.ids)]:
                self.wrong.append(f"{index}, cancelled: {event.ids} is not how {expected.ids} begins")
        else:
            self.counts["finished"] += 1
            if (event.ids, event.text) != (expected.ids, expected.text):
                self.wrong.append(f"{index}: {event.ids} is not {expected.ids}")

    def _fail(self) -> None:
        sampling = SamplingSettings(temperature=0.7, seed=BAD_SEED)
        *_, last = self.engine.submit(ChatRequest([{"role": "user", "content": "fox"}], sampling=sampling))
        self.counts["failed"] += isinstance(last, Failed)

    def held(self) -> tuple[int, int]:
        """Bytes of live arrays, and objects of a request, while nothing runs."""
        self.engine.clear_prefix_cache().result(timeout=60)
        self.engine.set_draft(None).result(timeout=60)
        memory = self.engine.status().result(timeout=60).memory.active
        return memory, sum(isinstance(item, OURS) for item in gc.get_objects())


def soak(main: Path, draft: Path, seconds: float, note: Callable[[str, object], None]) -> None:
    threads = set(threading.enumerate())
    with Engine(EngineSettings(most_active=6, most_waiting=CLIENTS)) as engine:
        engine.load(main, draft).result(timeout=60)
        clients = Soak(engine, draft)
        clients.run(seconds / 3, seed=1)
        memory, objects = clients.held()
        clients.run(2 * seconds / 3, seed=2)
        memory_after, objects_after = clients.held()
    note("soak", {**clients.counts, "bytes": memory, "bytes_after": memory_after})
    assert clients.wrong == []
    assert clients.counts["finished"] > 0
    assert memory_after - memory < 64 * 2**10
    assert objects_after <= objects == 0
    assert set(threading.enumerate()) == threads


@pytest.mark.usefixtures("failing_now_and_then")
def test_a_short_soak_leaves_right_texts_and_nothing_else(
    tiny_main: Path, tiny_draft: Path, record_property: Callable[[str, object], None]
) -> None:
    soak(tiny_main, tiny_draft, 6.0, record_property)


@pytest.mark.campaign
@pytest.mark.usefixtures("failing_now_and_then")
def test_a_long_soak_leaves_right_texts_and_nothing_else(
    tiny_main: Path, tiny_draft: Path, record_property: Callable[[str, object], None]
) -> None:
    soak(tiny_main, tiny_draft, float(os.environ.get("TANDEM_SOAK_SECONDS", "60")), record_property)
