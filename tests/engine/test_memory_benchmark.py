"""Memory by part: what is reported adds up, and answers leave nothing behind."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import mlx.core as mx
import psutil
import pytest

from engine.bench.prompts import Prompt
from engine.main_model.loading import load
from engine.serving.scheduler import Scheduler
from tests.benchmarks import memory

# Bytes of a process in 400 answers of ours and 200 of mlx-lm's: 7 KB an answer, of which nothing is meant to stay.
MOST_GROWTH = 4 * 2**20
PROMPTS = (Prompt("chat", "en", "one"), Prompt("chat", "en", "two, and some more words"))


@pytest.fixture
def before() -> int:
    """Bytes that other tests in this process hold."""
    gc.collect()
    return int(mx.get_active_memory())


@pytest.fixture
def pair(before: int, scheduler: Scheduler, tiny_main: Path, tiny_draft: Path) -> Scheduler:
    del before  # measured first
    scheduler.install(load(tiny_main), load(tiny_draft))
    return scheduler


def test_what_is_in_use_is_its_parts(pair: Scheduler, before: int) -> None:
    report = memory.measure(pair, pair.models.main, PROMPTS, answers=2, max_tokens=6)
    parts = report["parts"]
    assert parts["main model"] == pair.models.main.info.bytes
    assert parts["caches kept"] == max(known["kept"] for known in report["memory"].values()) > 0
    assert abs(parts["rest"] - before) < 0.1 * parts["main model"]
    assert not report["interrupted"]


def test_the_peak_is_told_by_part_ours_beside_mlx_lm(pair: Scheduler, before: int) -> None:
    report = memory.measure(pair, pair.models.main, PROMPTS, answers=2, max_tokens=6)
    for way, parts in report["at_peak"].items():
        assert sum(parts.values()) == report["memory"][way]["peak"]
        assert parts["weights"] == pair.models.main.info.bytes
        assert parts["caches"] > 0
        assert parts["graph"] > 0
        # One of two answers is kept when the other is asked for, except in mlx-lm.
        assert parts["kept"] <= 2 * parts["caches"] + before
    assert report["at_peak"]["auto"]["caches"] > report["at_peak"]["plain"]["caches"]


def test_answers_leave_nothing_but_their_caches(pair: Scheduler) -> None:
    figures = memory.measure(pair, pair.models.main, PROMPTS, answers=4, max_tokens=6)["memory"]
    for way in ("plain", "auto"):
        assert figures[way]["last"] <= 1.02 * figures[way]["first"]
        assert figures[way]["kept"] > 0
        assert figures[way]["peak"] > figures[way]["last"]
    assert figures["mlx-lm plain"]["kept"] == 0


def test_what_an_answer_leaves_behind_is_seen(pair: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[mx.array] = []
    ours, numbers = memory._ours, pair.models.main.info.bytes

    def leaving(*arguments: Any) -> int:
        caches = ours(*arguments)
        left.append(mx.zeros(numbers))
        mx.eval(left)
        return caches

    monkeypatch.setattr(memory, "_ours", leaving)
    figures = memory.measure(pair, pair.models.main, PROMPTS, answers=2, max_tokens=6)["memory"]
    assert figures["plain"]["last"] - figures["plain"]["first"] >= 4 * numbers


@pytest.mark.campaign
def test_two_hundred_answers_grow_neither_the_device_nor_the_process(pair: Scheduler) -> None:
    process = psutil.Process()
    memory.measure(pair, pair.models.main, PROMPTS, answers=30, max_tokens=24)
    gc.collect()
    before = process.memory_info().rss
    figures = memory.measure(pair, pair.models.main, PROMPTS, answers=200, max_tokens=24)["memory"]
    for way in ("plain", "auto"):
        assert figures[way]["last"] <= 1.01 * figures[way]["first"]
    gc.collect()
    assert process.memory_info().rss - before < MOST_GROWTH
