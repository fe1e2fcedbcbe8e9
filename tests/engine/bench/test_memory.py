"""Memory by part: what is reported adds up, and answers leave nothing behind."""

from __future__ import annotations

import gc
from pathlib import Path

import mlx.core as mx
import pytest

from engine.bench import memory
from engine.bench.prompts import Prompt
from engine.loading import load
from engine.scheduler import Scheduler

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


def test_answers_leave_nothing_but_their_caches(pair: Scheduler) -> None:
    figures = memory.measure(pair, pair.models.main, PROMPTS, answers=4, max_tokens=6)["memory"]
    for way in ("plain", "auto"):
        assert figures[way]["last"] <= 1.02 * figures[way]["first"]
        assert figures[way]["kept"] > 0
        assert figures[way]["peak"] > figures[way]["last"]
    assert figures["mlx-lm plain"]["kept"] == 0


def test_interrupting_keeps_what_was_measured(pair: Scheduler) -> None:
    def interrupt(progress: str) -> None:
        if progress.startswith("plain, answer 2"):
            raise KeyboardInterrupt

    report = memory.measure(pair, pair.models.main, PROMPTS, answers=3, max_tokens=4, progress=interrupt)
    assert report["interrupted"]
    assert set(report["memory"]) == {"mlx-lm plain", "plain"}
