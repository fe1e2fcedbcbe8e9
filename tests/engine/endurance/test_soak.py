"""Eight clients disturb an engine for long: texts are right, and nothing is left behind.

They ask, cancel, edit, swap drafts, kill and stop the helper processes, and meet failures of requests and of the
device, and nights.

TANDEM_SOAK_SECONDS is the duration of the campaign, an hour by default. A short run, which ends after a number of deeds
and not of seconds, belongs to the full tier.
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil
import pytest

from engine import Engine
from engine.decoders.batch_decoder import BatchDecoder, BatchStepFailed
from engine.decoders.generation import Generation
from engine.main_model.loading import load
from engine.main_model.sampling import Sampler
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.speculation.proposers.draft_model import DraftModelProposer
from tests.engine.endurance.soaking import (
    BAD_PROMPT,
    BAD_SAMPLER,
    CLIENTS,
    ENDLESS,
    PHASE_S,
    PREFIX_BYTES,
    FailingMachine,
    Held,
    Soak,
    unanswered,
)
from tests.engine.speculation.tokenizers_in_test import byte_level
from tests.patience import PATIENCE_S
from tests.tiny_models import write_model

# What each client does in a phase of the short run.
FEW_DEEDS = 8
# The bytes of MLX by which a later phase may exceed the first one.
MOST_MORE_BYTES = 64 * 2**10


@pytest.fixture
def prompts_without_waiting() -> None:
    """Do not wait for the prompt process, as outside of tests."""


@pytest.fixture
def failing_now_and_then(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Let a sampler and a prompt fail for one seed each, and a batch or a draft model now and then."""
    # Log records keep frames alive, and caplog keeps the records.
    caplog.set_level(logging.CRITICAL + 1, logger="engine")
    perturbed, step, read = Sampler.perturbed, BatchDecoder.step, Generation.begin_prefill
    propose, chance = DraftModelProposer.propose, random.Random(11)

    def bad_draw(sampler: Sampler, logprobs: mx.array, noise: mx.array) -> mx.array:
        if sampler.seed == BAD_SAMPLER:
            raise ValueError("a sampler that fails, says the test")
        return perturbed(sampler, logprobs, noise)

    def bad_step(lane: BatchDecoder) -> Any:
        if chance.random() < 0.005:
            raise BatchStepFailed("no memory, says the test")
        return step(lane)

    def bad_read(generation: Generation, *arguments: Any) -> Any:
        if generation.sampler.seed == BAD_PROMPT:
            raise RuntimeError("[metal::malloc] out of memory, says the test")
        return read(generation, *arguments)

    def bad_propose(proposer: DraftModelProposer, depth: int) -> Any:
        if chance.random() < 0.005:
            raise RuntimeError("a draft model that fails, says the test")
        return propose(proposer, depth)

    monkeypatch.setattr(Sampler, "perturbed", bad_draw)
    monkeypatch.setattr(BatchDecoder, "step", bad_step)
    monkeypatch.setattr(Generation, "begin_prefill", bad_read)
    monkeypatch.setattr(DraftModelProposer, "propose", bad_propose)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> FailingMachine:
    """A machine whose device fails, and which sleeps."""
    machine, step, clock = FailingMachine(), Scheduler.step, time.perf_counter
    monkeypatch.setattr(Scheduler, "step", lambda scheduler: machine.step(scheduler, step))
    monkeypatch.setattr(time, "perf_counter", lambda: clock() + machine.slept_s)
    return machine


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    """Let nothing large wait for the garbage collector: the app runs it only when nobody would notice."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def soak(
    machine: FailingMachine,
    main: Path,
    drafts: Sequence[Path | None],
    endless: Path,
    note: Callable[[str, object], None],
    *,
    seconds: float = math.inf,
    deeds: float = math.inf,
) -> None:
    """Soak for `seconds` in phases, or for two phases of `deeds` deeds a client."""
    threads, calls = set(threading.enumerate()), unanswered()
    processes = len(psutil.Process().children(recursive=True))
    vocabulary, hostile = load(main).vocabulary, load(endless).prompt_source
    assert hostile is not None
    settings = EngineSettings(most_active=6, most_waiting=CLIENTS, prefix_cache_bytes=PREFIX_BYTES)
    held: list[Held] = []
    resident: list[int] = []
    until = time.monotonic() + seconds if deeds == math.inf else 0.0
    with Engine(settings) as engine:
        engine.load(main).result(timeout=PATIENCE_S)
        clients = Soak(engine, machine, drafts, vocabulary, hostile)
        while len(held) < 2 or time.monotonic() < until:
            clients.phase(len(held), min(PHASE_S, seconds / 2) if deeds == math.inf else math.inf, deeds)
            held.append(clients.held(held[0].bytes + MOST_MORE_BYTES if held else math.inf))
            resident.append(psutil.Process().memory_info().rss)
    ends = {"first": asdict(held[0]), "last": asdict(held[-1])}
    clients.counts["device failures"] = machine.failures
    note("soak", {**clients.counts, **ends, "phases": len(held), "resident": resident})
    print(dict(clients.counts), held[0], held[-1], [size // 2**20 for size in resident])
    assert clients.wrong == []
    assert clients.counts["finished"] > 0
    largest = max(held[1:], key=lambda one: one.bytes)
    assert largest.bytes - held[0].bytes <= MOST_MORE_BYTES, largest.kept
    assert max(later.arrays for later in held[1:]) <= held[0].arrays
    assert all((one.requests, one.calls) == (0, calls) for one in held), [one.kept for one in held]
    assert clients.counts["prompt kills"] > 0
    assert clients.counts["ended with the device"] > 0
    # A helper that was killed may not have been started again yet: two pipes each.
    assert max(later.descriptors for later in held[1:]) <= held[0].descriptors + 4
    assert max(later.threads for later in held[1:]) <= held[0].threads
    # For prompts and for grammars.
    assert max(one.processes for one in held) <= processes + 2
    # Memory that is freed in another order than it was taken settles after some phases.
    assert resident[-1] - resident[len(resident) // 4] < 2**26
    assert set(threading.enumerate()) == threads


@pytest.fixture
def drafts(tiny_main: Path, tiny_draft: Path, tmp_path: Path) -> Sequence[Path | None]:
    """Drafts of every kind: none, one, the main model itself, one without a tokenizer, one with another tokenizer."""
    broken = Path(shutil.copytree(tiny_draft, tmp_path / "broken"))
    (broken / "tokenizer.json").write_text("{}")
    other = write_model(tmp_path / "other", seed=8, tokenizer=byte_level(420, True))
    return (None, tiny_draft, tiny_main, broken, other)


@pytest.fixture
def endless(tiny_main: Path, tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(tiny_main, tmp_path / "endless"))
    (folder / "chat_template.jinja").write_text(ENDLESS)
    return folder


@pytest.mark.full
@pytest.mark.usefixtures("failing_now_and_then")
def test_a_short_soak_leaves_right_texts_and_nothing_else(
    machine: FailingMachine,
    tiny_main: Path,
    drafts: Sequence[Path | None],
    endless: Path,
    record_property: Callable[[str, object], None],
) -> None:
    soak(machine, tiny_main, drafts, endless, record_property, deeds=FEW_DEEDS)


@pytest.mark.campaign
@pytest.mark.usefixtures("failing_now_and_then")
def test_a_long_soak_leaves_right_texts_and_nothing_else(
    machine: FailingMachine,
    tiny_main: Path,
    drafts: Sequence[Path | None],
    endless: Path,
    record_property: Callable[[str, object], None],
) -> None:
    seconds = float(os.environ.get("TANDEM_SOAK_SECONDS", "3600"))
    soak(machine, tiny_main, drafts, endless, record_property, seconds=seconds)
