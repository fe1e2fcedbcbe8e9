"""Measures asynchronous against synchronous drafting on synthetic pairs, the drafter in a process of its own.

`python -m tests.engine.async_drafting.measure 200M --draft 20M` prints medians of answers that alternate in one run:
the share of drafting in synchronous rounds, the speed of both at each depth, hits, and by how much a verify pass is
slower while a drafter computes beside it.
"""

from __future__ import annotations

import engine  # noqa: F401  Chooses the BLAS before mlx is loaded.

# isort: split

import argparse
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine import starter_pair
from engine.async_drafting import reaching
from engine.async_drafting.channel import Channel, ChannelClosed
from engine.async_drafting.link import Connection
from engine.async_drafting.serving import serve
from engine.async_drafting.worker import own_cores
from engine.bench import synthetic
from engine.bench.arms import run_to_end
from engine.bench.prompts import BUILT_IN
from engine.loading import LoadedModel, load
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.stats import RequestStats

QUESTION = [{"role": "user", "content": "a question"}]
# How often the second choice of a draft model is right where its first one is wrong.
SECOND_RIGHT = 0.6


class ScriptedDraft(nn.Module):  # type: ignore[misc]
    """Runs `model` for its cost; predicts `first[p]` for position p, and `second[p]` as the next likeliest."""

    def __init__(self, model: nn.Module, first: Sequence[int], second: Sequence[int]) -> None:
        super().__init__()
        self.model = model
        self._first, self._second = mx.array([*first], mx.uint32), mx.array([*second], mx.uint32)

    @property
    def layers(self) -> Any:
        return self.model.layers

    def __call__(self, inputs: mx.array, cache: Any) -> mx.array:
        positions = getattr(cache[0], "positions", None)
        if positions is None:
            positions = mx.arange(inputs.shape[1]) + mx.array(cache[0].offset)
        logits: mx.array = self.model(inputs, cache=cache)
        following = mx.minimum(positions + 1, self._first.shape[0] - 1)
        ids = mx.arange(logits.shape[-1])
        forced = 100.0 * (ids == self._first[following][:, None]) + 50.0 * (ids == self._second[following][:, None])
        return logits * 1e-6 + forced[None]


def drafted(script: Sequence[int], accept: float) -> tuple[list[int], list[int]]:
    """First and second choices of a draft model that agrees with `script` at that rate."""
    right = synthetic._right_positions(len(script), accept, 0)
    draw = random.Random(5)
    first = [token if good else (token + 1) % 32_000 for token, good in zip(script, right, strict=True)]
    second = [(token + 2) % 32_000 if good or draw.random() > SECOND_RIGHT else token
              for token, good in zip(script, right, strict=True)]  # fmt: skip
    return first, second


def draft_model(size: str, accept: float, tokenizer: Any) -> LoadedModel:
    script = synthetic.random_script()
    return synthetic._wrap(
        f"draft {size}", ScriptedDraft(synthetic._build(size, 2), *drafted(script, accept)), tokenizer
    )


def in_a_process(size: str, accept: float, _folder: Path) -> Connection:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", __spec__.name, "--serve", str(theirs.fileno()), "--draft", size]
    with theirs:
        process = subprocess.Popen(
            [*command, "--accept", str(accept)],
            pass_fds=(theirs.fileno(),),
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
    return Connection(Channel(ours), process.kill, process.pid)


def serve_synthetic(number: int, size: str, accept: float) -> None:
    if cores := own_cores():
        os.sched_setaffinity(0, cores)
    tokenizer = load(starter_pair()[1]).tokenizer
    try:
        serve(Channel(socket.socket(fileno=number)), lambda: draft_model(size, accept, tokenizer))
    except ChannelClosed:
        return


def answer(scheduler: Scheduler, speculation: SpeculationSettings, tokens: int) -> RequestStats:
    scheduler.clear_prefix_cache()
    request = ChatRequest(QUESTION, SamplingSettings(seed=1), speculation, tokens)
    return run_to_end(scheduler, request).stats


def slowdown(main: LoadedModel, size: str, width: int = 5) -> tuple[float, float]:
    """Milliseconds of a pass of `width` rows alone, and while a draft model of that size runs on the other core."""
    caches = main.new_caches()

    def passes() -> float:
        times = []
        for _ in range(8):
            started = time.perf_counter()
            mx.eval(main.model(mx.zeros((1, width), mx.uint32), cache=caches))
            times.append(time.perf_counter() - started)
            for cache in caches:
                cache.trim(width)
        return 1e3 * median(times)

    # The first passes touch memory that is new to the process.
    passes()
    alone = passes()
    busy = subprocess.Popen(
        [sys.executable, "-m", __spec__.name, "--busy", "--draft", size], env=os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    )
    time.sleep(4.0)
    beside = passes()
    busy.kill()
    busy.wait()
    return alone, beside


def compute_forever(size: str) -> None:
    if cores := own_cores():
        os.sched_setaffinity(0, cores)
    model = synthetic._build(size, 2)
    while True:
        mx.eval(model(mx.zeros((1, 5), mx.uint32)))


def compare(main: LoadedModel, options: argparse.Namespace) -> None:
    reaching.in_a_process = partial(in_a_process, options.draft, options.accept)
    schedulers = {name: Scheduler(EngineSettings(async_drafter=name)) for name in ("off", "cpu")}
    for scheduler in schedulers.values():
        scheduler.install(main, draft_model(options.draft, options.accept, main.tokenizer))
    plain = SpeculationSettings(method="off")
    fixed = SpeculationSettings(method="draft", sample_share=0.0)
    while answer(schedulers["cpu"], replace(fixed, depth=2), 4).ahead == "starting":
        time.sleep(0.5)
    found: dict[tuple[str, int], list[RequestStats]] = {}
    for _ in range(options.repeat):
        found.setdefault(("plain", 0), []).append(answer(schedulers["off"], plain, options.tokens // 2))
        for depth in options.depths:
            for name, scheduler in schedulers.items():
                stats = answer(scheduler, replace(fixed, depth=depth), options.tokens)
                found.setdefault((name, depth), []).append(stats)
    for (name, depth), all_stats in found.items():
        speed = median(stats.decode_tps or 0.0 for stats in all_stats)
        last = all_stats[-1]
        share = last.draft_s / (last.draft_s + last.verify_s + last.host_s)
        print(
            f"{name:6} depth {depth}: {speed:7.2f} tokens/s, drafting {share:.0%}, hits {last.ahead_hits}, misses "
            f"{last.ahead_misses}, late {last.ahead_late}, branches {last.ahead_branches}, rounds {last.rounds}, "
            f"{last.tokens_per_round or 0:.2f} a round"
        )
    best = {name: max(median(s.decode_tps or 0 for s in found[name, d]) for d in options.depths) for name in schedulers}
    print(f"best depth: {best['cpu'] / best['off']:.3f} of synchronous drafting")
    for scheduler in schedulers.values():
        scheduler.close()


def compare_starter_pair(options: argparse.Namespace) -> None:
    """What "auto" does with and without an asynchronous drafter, in answers that alternate."""
    schedulers = {name: Scheduler(EngineSettings(async_drafter=name)) for name in ("off", "auto", "cpu")}
    for scheduler in schedulers.values():
        scheduler.install(*(load(folder) for folder in starter_pair()))
    found: dict[str, list[float]] = {name: [] for name in schedulers}
    for turn in range(options.repeat + 1):
        for prompt in BUILT_IN:
            for name, scheduler in schedulers.items():
                scheduler.clear_prefix_cache()
                question = [{"role": "user", "content": prompt.text}]
                stats = run_to_end(scheduler, ChatRequest(question, max_tokens=options.tokens)).stats
                # In the first turn everything is new, and drafters start.
                if turn and stats.decode_tps:
                    found[name].append(stats.decode_tps)
                    words = f"{name:5} {stats.decode_tps:7.1f} tokens/s {stats.ahead} {stats.ahead_hits} hits"
                    print(words, flush=True)
    for name in ("auto", "cpu"):
        ratios = [ahead / without for ahead, without in zip(found[name], found["off"], strict=True)]
        print(f"{name}: {median(ratios):.3f} of auto without it (median of {len(ratios)}, least {min(ratios):.2f})")
    for scheduler in schedulers.values():
        scheduler.close()


def run() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("main", nargs="?", default="200M")
    parser.add_argument("--draft", default="20M")
    parser.add_argument("--accept", type=float, default=0.8)
    parser.add_argument("--depths", type=int, nargs="+", default=[2, 4, 6, 8])
    parser.add_argument("--tokens", type=int, default=160)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--starter", action="store_true", help="the starter pair instead of a synthetic one")
    parser.add_argument("--serve", type=int)
    parser.add_argument("--busy", action="store_true")
    options = parser.parse_args()
    if options.serve is not None:
        serve_synthetic(options.serve, options.draft, options.accept)
    elif options.starter:
        compare_starter_pair(options)
    elif options.busy:
        compute_forever(options.draft)
    else:
        main = synthetic.synthetic_main(options.main, synthetic.random_script(), load(starter_pair()[1]).tokenizer)
        alone, beside = slowdown(main, options.draft)
        print(
            f"{options.main}, draft {options.draft}: a pass of 5 rows {alone:.1f} ms, beside a drafter {beside:.1f} ms"
        )
        compare(main, options)


if __name__ == "__main__":
    run()
