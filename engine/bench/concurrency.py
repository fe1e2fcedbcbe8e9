"""Measures concurrent requests: our scheduler with and without speculation, and mlx-lm's batch_generate."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from mlx_lm.generate import batch_generate

from engine.bench.arms import run_all
from engine.bench.prompts import BenchPrompt
from engine.bench.runner import machine, quartiles
from engine.main_model.loaded_model import LoadedModel
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.scheduler import Scheduler


@dataclass(frozen=True, slots=True)
class ConcurrencyRun:
    """The tokens and seconds of one arm."""

    tokens: int
    seconds: float

    def __add__(self, other: ConcurrencyRun) -> ConcurrencyRun:
        return ConcurrencyRun(self.tokens + other.tokens, self.seconds + other.seconds)

    @property
    def speed(self) -> float:
        return self.tokens / self.seconds


Runs = dict[str, ConcurrencyRun]


def measure(
    scheduler: Scheduler,
    main: LoadedModel,
    counts: Sequence[int],
    prompts: Sequence[BenchPrompt],
    *,
    repetitions: int,
    max_tokens: int,
    method: str = "auto",
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure tokens a second of `counts` concurrent answers, from the first submission to the last token.

    All arms decode greedily: ours with speculation by `method` and without, and mlx-lm's `batch_generate`. In each
    repetition, which asks other prompts, every arm answers twice, the second time in the opposite order, so that a
    steady drift of the machine affects all arms equally. Ratios compare arms in the same repetition; figures are
    medians over the repetitions, and `spread` has the quartiles of each ratio. The first repetition, in which the
    engine learns what batches cost, is not among them; `first_gain` is its gain. `ratio` and `plain_ratio` are ours
    over mlx-lm's, with and without speculation; `gain` is ours with speculation over ours without. `sources` has each
    source's share of the tokens. Ctrl-C ends the measurement; answers of all arms are kept.
    """
    asked = list(prompts)
    random.Random(0).shuffle(asked)
    measured: dict[int, list[Runs]] = {count: [] for count in counts}
    firsts: dict[int, Runs] = {}
    tallies: dict[int, Counter[str]] = {count: Counter() for count in counts}
    interrupted = False
    try:
        for repetition in range(-1, repetitions):
            for count in counts:
                texts = [asked[(repetition * count + index) % len(asked)].text for index in range(count)]
                progress(f"{count} at once, repetition {repetition + 1} of {repetitions}")
                shares = Counter[str]()
                arms = {
                    "ours": partial(_ours, scheduler, texts, max_tokens, method, shares),
                    "plain": partial(_ours, scheduler, texts, max_tokens, "off", Counter()),
                    "mlx-lm": partial(_mlx_lm, main, texts, max_tokens),
                }
                runs = _mirrored(arms, repetition)
                if repetition < 0:
                    firsts[count] = runs
                    continue
                measured[count].append(runs)
                tallies[count] += shares
    except KeyboardInterrupt:
        interrupted = True
    groups = {str(count): _figures(runs, firsts[count], tallies[count]) for count, runs in measured.items() if runs}
    return {"machine": machine(), "interrupted": interrupted, "concurrent": groups}


def _mirrored(arms: Mapping[str, Callable[[], ConcurrencyRun]], turn: int) -> Runs:
    """Run every arm, beginning with another one in each `turn`, then once more in the opposite order."""
    names = list(arms)
    first = turn % len(arms)
    order = [*names[first:], *names[:first]]
    there = {name: arms[name]() for name in order}
    return {name: there[name] + arms[name]() for name in reversed(order)}


def _figures(measured: Sequence[Runs], first: Runs, tallies: Counter[str]) -> dict[str, Any]:
    pairs = {"ratio": ("ours", "mlx-lm"), "plain_ratio": ("plain", "mlx-lm"), "gain": ("ours", "plain")}
    ratios = {name: [runs[arm].speed / runs[base].speed for runs in measured] for name, (arm, base) in pairs.items()}
    names = {"ours": "", "plain": "plain_", "mlx-lm": "mlx_lm_"}
    speeds = {prefix: median(runs[arm].speed for runs in measured) for arm, prefix in names.items()}
    return {
        **{f"{prefix}tokens_per_s": round(speed, 1) for prefix, speed in speeds.items()},
        **{name: round(median(values), 3) for name, values in ratios.items()},
        "first_gain": round(first["ours"].speed / first["plain"].speed, 3),
        "spread": {name: quartiles(values) for name, values in ratios.items()},
        "repetitions": len(measured),
        "sources": {source: round(tokens / tallies.total(), 3) for source, tokens in tallies.most_common()},
    }


def _ours(
    scheduler: Scheduler, texts: Sequence[str], max_tokens: int, method: str, shares: Counter[str]
) -> ConcurrencyRun:
    """Run our scheduler, and add the tokens of each source to `shares`."""
    scheduler.clear_prefix_cache()
    speculation = SpeculationSettings(method=method)
    asked = [[{"role": "user", "content": text}] for text in texts]
    requests = [ChatRequest(messages, speculation=speculation, max_tokens=max_tokens) for messages in asked]
    started = time.perf_counter()
    answers = run_all(scheduler, requests, shares)
    seconds = time.perf_counter() - started
    return ConcurrencyRun(sum(len(answer.ids) for answer in answers), seconds)


def _mlx_lm(main: LoadedModel, texts: Sequence[str], max_tokens: int) -> ConcurrencyRun:
    started = time.perf_counter()
    prompts = [main.prompt_ids([{"role": "user", "content": text}]) for text in texts]
    response = batch_generate(main.model, main.tokenizer, prompts, max_tokens=max_tokens)
    return ConcurrencyRun(response.stats.generation_tokens, time.perf_counter() - started)
