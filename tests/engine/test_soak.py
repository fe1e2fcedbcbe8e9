"""Eight clients that ask, cancel, edit, swap drafts and run into failures: every text that ends is right, and nothing
is left behind. TANDEM_SOAK_SECONDS says for how long the campaign goes on; a short run is in every test run, which
ends after so many deeds and not after so many seconds.
"""

from __future__ import annotations

import gc
import logging
import math
import os
import random
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil
import pytest

from engine import ChatRequest, Engine, Failed, Finished, SamplingSettings, SpeculationSettings, TokensCommitted
from engine.decoders.batch_decoder import BatchDecoder, BatchStepFailed
from engine.decoders.speculative_decoder import SpeculativeDecoder
from engine.generation import Generation
from engine.loading import load
from engine.sampling import Sampler
from engine.settings import EngineSettings
from engine.speculation.proposers.draft_model import DraftModelProposer
from tests.patience import PATIENCE_S

CLIENTS = 8
QUESTIONS = 18
# Then come other questions; the first phase warms up.
PHASE_S = 30.0
# What each client does in a phase of the short run.
FEW_DEEDS = 8
BAD_SAMPLER, BAD_PROMPT = 666, 667
WORDS = ("fox", "lazy dog", "안녕하세요 세계", "こんにちは", "你好，世界", "the quick brown")
METHODS = (
    SpeculationSettings(method="off"),
    SpeculationSettings(method="draft", depth=3),
    SpeculationSettings(method="auto"),
    SpeculationSettings(method="ngram"),
)
# What belongs to a request and goes with it.
OURS = (Generation, SpeculativeDecoder, BatchDecoder)
# Two scores closer than that are a tie, which another order of sums may decide the other way.
TIE = 1e-3
PREFIX_BYTES = 2**24


def questions(draw: random.Random) -> list[ChatRequest]:
    """Questions, turns that follow on them, edits and branches of these."""
    made = []
    for index in range(QUESTIONS):
        chat = [{"role": "system", "content": "lazy dog"}] if index % 2 else []
        for turn in range(draw.randrange(3)):
            chat += [
                {"role": "user", "content": WORDS[(index // 3 + turn) % len(WORDS)]},
                {"role": "assistant", "content": " over and over again"},
            ]
        chat.append({"role": "user", "content": draw.choice(WORDS) * draw.choice((1, 2, 12))})
        sampling = SamplingSettings(
            temperature=draw.choice((0.0, 0.0, 0.8)),
            seed=draw.randrange(1000, 10**6),
            repetition_penalty=draw.choice((1.0, 1.0, 1.2)),
            top_k=draw.choice((0, 20)),
        )
        made.append(
            ChatRequest(chat, sampling=sampling, speculation=draw.choice(METHODS), max_tokens=draw.randrange(2, 50))
        )
    return made


@pytest.fixture
def failing_now_and_then(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A sampler and a prompt that fail for one seed each; once in a while a batch or a draft model that fails."""
    # Records keep the frames of what they tell about, and caplog keeps the records.
    caplog.set_level(logging.CRITICAL + 1, logger="engine")
    draw, step, read = Sampler.draw, BatchDecoder.step, Generation.prefill
    propose, chance = DraftModelProposer.propose, random.Random(11)

    def bad_draw(sampler: Sampler, logprobs: mx.array, noise: mx.array | None) -> mx.array:
        if sampler.seed == BAD_SAMPLER:
            raise ValueError("a sampler that fails, says the test")
        return draw(sampler, logprobs, noise)

    def bad_step(lane: BatchDecoder) -> Any:
        if chance.random() < 0.005:
            raise BatchStepFailed("no memory, says the test")
        return step(lane)

    def bad_read(generation: Generation, most: int) -> Any:
        if generation.sampler.seed == BAD_PROMPT:
            raise RuntimeError("[metal::malloc] out of memory, says the test")
        return read(generation, most)

    def bad_propose(proposer: DraftModelProposer, depth: int) -> Any:
        if chance.random() < 0.005:
            raise RuntimeError("a draft model that fails, says the test")
        return propose(proposer, depth)

    monkeypatch.setattr(Sampler, "draw", bad_draw)
    monkeypatch.setattr(BatchDecoder, "step", bad_step)
    monkeypatch.setattr(Generation, "prefill", bad_read)
    monkeypatch.setattr(DraftModelProposer, "propose", bad_propose)


@dataclass(frozen=True)
class Answer:
    """How a request ended, and the log-probability of each of its tokens."""

    last: Finished | Failed
    logprobs: tuple[float, ...]


@dataclass(frozen=True)
class Held:
    """What is alive while nothing runs: bytes that MLX holds, arrays, parts of requests, calls without an answer, and
    everything that Python knows of.
    """

    bytes: int
    arrays: int
    requests: int
    calls: int
    objects: int


class Soak:
    """Clients of one engine, each in a thread of its own, phase by phase."""

    def __init__(self, engine: Engine, drafts: Sequence[Path | None], vocabulary: int) -> None:
        self.engine = engine
        self.drafts = drafts
        self.vocabulary = vocabulary
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.requests: list[ChatRequest] = []
        self.expected: list[Answer] = []

    def phase(self, seed: int, seconds: float, deeds: float) -> None:
        """Ask new questions one by one, then let everybody loose on them, for so long and so many deeds at most."""
        self.requests = questions(random.Random(seed))
        self.expected = [self._alone(request) for request in self.requests]
        until = time.monotonic() + seconds
        threads = [
            threading.Thread(target=self._client, args=(random.Random(1000 * seed + number), until, deeds))
            for number in range(CLIENTS)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def held(self) -> Held:
        self.engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        self.engine.set_draft(None).result(timeout=PATIENCE_S)
        memory = self.engine.status().result(timeout=PATIENCE_S).memory.active
        self.expected.clear()
        gc.collect()
        alive = gc.get_objects()
        return Held(
            memory,
            sum(isinstance(item, mx.array) for item in alive),
            sum(isinstance(item, OURS) for item in alive),
            sum(isinstance(item, Future) and not item.done() for item in alive),
            len(alive),
        )

    def _alone(self, request: ChatRequest) -> Answer:
        self.engine.clear_prefix_cache().result(timeout=PATIENCE_S)
        answer = self._ask(request, None)
        assert isinstance(answer.last, Finished), answer.last
        return answer

    def _client(self, draw: random.Random, until: float, deeds: float) -> None:
        while deeds > 0 and time.monotonic() < until:
            deeds -= 1
            deed = draw.random()
            if deed < 0.03:
                self.engine.set_draft(draw.choice(self.drafts)).result(timeout=PATIENCE_S)
                self.counts["drafts"] += 1
            elif deed < 0.06:
                self._fail(draw.choice((BAD_SAMPLER, BAD_PROMPT)))
            elif deed < 0.08:
                room = draw.choice((0, 2**18, PREFIX_BYTES))
                self.engine.configure(replace(self.engine.settings, prefix_cache_bytes=room)).result(timeout=PATIENCE_S)
                self.counts["settings"] += 1
            else:
                index = draw.randrange(len(self.requests))
                cancel_after = draw.randrange(12) if deed > 0.85 else None
                self._check(index, self._ask(self.requests[index], cancel_after))

    def _ask(self, request: ChatRequest, cancel_after: int | None) -> Answer:
        stream = self.engine.submit(request)
        logprobs: list[float] = []
        seen = 0
        for event in stream:
            if isinstance(event, TokensCommitted):
                seen += 1
                logprobs += [token.logprob for token in event.tokens]
            if cancel_after is not None and seen >= cancel_after:
                stream.cancel()
        assert isinstance(event, Finished | Failed)
        return Answer(event, tuple(logprobs))

    def _check(self, index: int, answer: Answer) -> None:
        expected, last = self.expected[index].last, answer.last
        assert isinstance(expected, Finished)
        if not isinstance(last, Finished):
            self.wrong.append(f"{index}: {last}")
        elif last.ids != expected.ids[: len(last.ids)]:
            if self._is_tie(index, answer):
                self.counts["ties"] += 1
            else:
                self.wrong.append(f"{index}, {last.reason}: {last.ids} is not {expected.ids}")
        elif last.reason == "cancelled":
            self.counts["cancelled"] += 1
        elif (last.ids, last.text) == (expected.ids, expected.text):
            self.counts["finished"] += 1
        else:
            self.wrong.append(f"{index}: {last.text!r} is not {expected.text!r}")

    def _is_tie(self, index: int, answer: Answer) -> bool:
        """Whether the first token that differs was as good as the one that was expected."""
        expected = self.expected[index]
        ours, theirs = answer.last, expected.last
        assert isinstance(ours, Finished)
        assert isinstance(theirs, Finished)
        at = next(i for i, pair in enumerate(zip(ours.ids, theirs.ids, strict=False)) if pair[0] != pair[1])
        scores = [answer.logprobs[at], expected.logprobs[at]]
        sampling = self.requests[index].sampling
        noise = Sampler(sampling, self.vocabulary).noise(theirs.stats.prompt_tokens + at, 1)
        if noise is not None:
            tokens = (ours.ids[at], theirs.ids[at])
            scores = [
                score / sampling.temperature + noise[0, token].item()
                for score, token in zip(scores, tokens, strict=True)
            ]
        return abs(scores[0] - scores[1]) < TIE

    def _fail(self, seed: int) -> None:
        sampling = SamplingSettings(temperature=0.7, seed=seed)
        answer = self._ask(ChatRequest([{"role": "user", "content": "fox"}], sampling=sampling, max_tokens=9), None)
        if isinstance(answer.last, Failed):
            self.counts["failed"] += 1
        # With all but its last token cached there is no prompt to fail on.
        elif seed == BAD_SAMPLER:
            self.wrong.append(f"{seed} did not fail: {answer.last}")


def soak(
    main: Path,
    draft: Path,
    broken: Path,
    note: Callable[[str, object], None],
    *,
    seconds: float = math.inf,
    deeds: float = math.inf,
) -> None:
    """For `seconds` in phases, or for two phases of so many `deeds` a client."""
    threads = set(threading.enumerate())
    vocabulary = load(main).vocabulary
    settings = EngineSettings(most_active=6, most_waiting=CLIENTS, prefix_cache_bytes=PREFIX_BYTES)
    held: list[Held] = []
    resident: list[int] = []
    until = time.monotonic() + seconds if deeds == math.inf else 0.0
    with Engine(settings) as engine:
        engine.load(main, draft).result(timeout=PATIENCE_S)
        clients = Soak(engine, (None, draft, main, broken), vocabulary)
        while len(held) < 2 or time.monotonic() < until:
            clients.phase(len(held), min(PHASE_S, seconds / 2) if deeds == math.inf else math.inf, deeds)
            held.append(clients.held())
            resident.append(psutil.Process().memory_info().rss)
    ends = {"first": asdict(held[0]), "last": asdict(held[-1])}
    note("soak", {**clients.counts, **ends, "phases": len(held), "resident": resident})
    print(dict(clients.counts), held[0], held[-1], [size // 2**20 for size in resident])
    assert clients.wrong == []
    assert clients.counts["finished"] > 0
    assert max(later.bytes for later in held[1:]) - held[0].bytes < 64 * 2**10
    assert max(later.arrays for later in held[1:]) <= held[0].arrays
    assert all((one.requests, one.calls) == (0, 0) for one in held)
    # Memory that is freed in another order than it was taken settles after some phases.
    assert resident[-1] - resident[len(resident) // 4] < 2**26
    assert set(threading.enumerate()) == threads


@pytest.fixture
def broken(tiny_draft: Path, tmp_path: Path) -> Path:
    """A draft model without a tokenizer."""
    folder = Path(shutil.copytree(tiny_draft, tmp_path / "broken"))
    (folder / "tokenizer.json").write_text("{}")
    return folder


@pytest.mark.usefixtures("failing_now_and_then")
def test_a_short_soak_leaves_right_texts_and_nothing_else(
    tiny_main: Path, tiny_draft: Path, broken: Path, record_property: Callable[[str, object], None]
) -> None:
    soak(tiny_main, tiny_draft, broken, record_property, deeds=FEW_DEEDS)


@pytest.mark.campaign
@pytest.mark.usefixtures("failing_now_and_then")
def test_a_long_soak_leaves_right_texts_and_nothing_else(
    tiny_main: Path, tiny_draft: Path, broken: Path, record_property: Callable[[str, object], None]
) -> None:
    seconds = float(os.environ.get("TANDEM_SOAK_SECONDS", "60"))
    soak(tiny_main, tiny_draft, broken, record_property, seconds=seconds)
