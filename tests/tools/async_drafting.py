"""Measures asynchronous against synchronous drafting on synthetic pairs, the drafter in a process of its own.

`python -m tests.tools.async_drafting 200M --draft 20M` prints medians of answers that alternate in one run,
the engine on the first core and the drafter on the last: the share of drafting in synchronous rounds, the speed of both
at each depth, hits, and the duration of rounds by their source. `bandwidth` tells how much the cores slow each other.
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
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import mlx.core as mx
import mlx.nn as nn

from engine import starter_pair
from engine.async_drafting import link as links
from engine.async_drafting.link import DrafterConnection
from engine.async_drafting.messages import MOST_UNSENT, TO_DRAFTER, TO_ENGINE
from engine.async_drafting.serving import serve
from engine.bench import synthetic
from engine.bench.arms import run_to_end
from engine.bench.prompts import BUILT_IN
from engine.client import RequestStream
from engine.events import TokensCommitted
from engine.main_model.loading import LoadedModel, load
from engine.requests import ChatRequest, SamplingSettings, SpeculationSettings
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from engine.stats import RequestStats
from engine.wire.channel import Channel
from engine.wire.messages import ChannelClosed
from tests.tools.bandwidth import pin

QUESTION = [{"role": "user", "content": "a question"}]
# How often the second choice of a draft model is right if its first one is wrong.
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
        following, rows = mx.minimum(positions + 1, self._first.shape[0] - 1), mx.arange(inputs.shape[1])
        # The logits of random weights are all far below this.
        logits[:, rows, self._second[following]] = 500.0
        logits[:, rows, self._first[following]] = 1000.0
        return logits


def drafted(script: Sequence[int], accept: float) -> tuple[list[int], list[int]]:
    """Return first and second choices of a draft model that agrees with `script` at this rate."""
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


def in_a_process(size: str, accept: float, _folder: Path) -> DrafterConnection:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", __spec__.name, "--serve", str(theirs.fileno()), "--draft", size]
    with theirs:
        process = subprocess.Popen(
            [*command, "--accept", str(accept)],
            pass_fds=(theirs.fileno(),),
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        )
    return DrafterConnection(Channel(ours, TO_ENGINE, most_unsent=MOST_UNSENT), process.kill, process.pid)


def serve_synthetic(number: int, size: str, accept: float) -> None:
    pin(-1)
    tokenizer = load(starter_pair()[1]).tokenizer
    channel = Channel(socket.socket(fileno=number), TO_DRAFTER, most_unsent=MOST_UNSENT)
    try:
        serve(channel, lambda: draft_model(size, accept, tokenizer))
    except ChannelClosed:
        return


@dataclass(frozen=True)
class Measured:
    """An answer's figures, and (source, committed tokens, milliseconds) of its rounds but the first two."""

    stats: RequestStats
    rounds: list[tuple[str, int, float]]


def answer(scheduler: Scheduler, speculation: SpeculationSettings, tokens: int) -> Measured:
    scheduler.clear_prefix_cache()
    events: list[Any] = []
    request = ChatRequest(QUESTION, SamplingSettings(seed=1), speculation, tokens)
    scheduler.admit(RequestStream(request, on_event=events.append))
    while scheduler.busy:
        scheduler.step()
    records = [event.round for event in events if isinstance(event, TokensCommitted)]
    rounds = [
        (record.source, record.committed, 1e3 * (record.at_s - before.at_s)) for before, record in pairwise(records[1:])
    ]
    return Measured(events[-1].stats, rounds)


def compare(main: LoadedModel, options: argparse.Namespace) -> None:
    links.in_a_process = partial(in_a_process, options.draft, options.accept)
    schedulers = {name: Scheduler(EngineSettings(async_drafter=name)) for name in ("off", "cpu")}
    for scheduler in schedulers.values():
        scheduler.install(main, draft_model(options.draft, options.accept, main.tokenizer))
    fixed = SpeculationSettings(method="draft", sample_share=0.0)
    while answer(schedulers["cpu"], replace(fixed, depth=2), 4).stats.ahead == "starting":
        time.sleep(0.5)
    found: dict[tuple[str, int], list[Measured]] = {}
    print("arm   depth  tokens/s  drafting  hits misses late used | rounds: tokens and ms each, by their draft")
    for depth in options.depths:
        for turn in range(options.repeat):
            for name, scheduler in sorted(schedulers.items(), reverse=turn % 2 == 1):
                speculation = replace(fixed, depth=depth)
                found.setdefault((name, depth), []).append(answer(scheduler, speculation, options.tokens))
        for name in schedulers:
            measured = found[name, depth]
            print(f"{name:6} {depth:3} {_speed(measured):10.2f}   {_figures(measured)} | {_by_source(measured)}")
        print(_profile(found["off", depth], found["cpu", depth]), flush=True)
    best = {name: max(_speed(found[name, depth]) for depth in options.depths) for name in schedulers}
    print(f"best depth: {best['cpu'] / best['off']:.3f} of synchronous drafting")
    for scheduler in schedulers.values():
        scheduler.close()


def _profile(off: Sequence[Measured], cpu: Sequence[Measured]) -> str:
    """Return how much slower a pass is beside the drafter than alone, and the gain if it were not."""
    synchronous, beside = _milliseconds(off, "draft"), _milliseconds(cpu, "ahead")
    hits, misses = (sum(getattr(one.stats, name) for one in cpu) for name in ("ahead_hits", "ahead_misses"))
    if not synchronous or not beside or not hits:
        return "      no hits to profile"
    drafting = sum(one.stats.draft_s for one in off) / sum(
        one.stats.draft_s + one.stats.verify_s + one.stats.host_s for one in off
    )
    verify, rate = (1.0 - drafting) * synchronous, hits / (hits + misses)
    undisturbed = synchronous / (verify + (1.0 - rate) * drafting * synchronous)
    return (
        f"      {rate:.0%} hits; a pass takes {verify:.0f} ms alone and {beside:.0f} ms beside the drafter "
        f"({beside / verify - 1.0:+.0%}); without that, these hits would give {undisturbed:.2f}x"
    )


def _milliseconds(measured: Sequence[Measured], source: str) -> float:
    """Return the median milliseconds of rounds with proposals of `source`; 0 without any."""
    found = [ms for one in measured for name, _, ms in one.rounds if name == source]
    return median(found) if found else 0.0


def _speed(measured: Sequence[Measured]) -> float:
    return median(one.stats.decode_tps or 0.0 for one in measured)


def _figures(measured: Sequence[Measured]) -> str:
    total = {
        name: sum(getattr(one.stats, name) for one in measured)
        for name in ("ahead_hits", "ahead_misses", "ahead_late", "ahead_used", "draft_s", "verify_s", "host_s")
    }
    share = total["draft_s"] / (total["draft_s"] + total["verify_s"] + total["host_s"])
    counts = [f"{total[f'ahead_{name}']:5}" for name in ("hits", "misses", "late", "used")]
    return f"{share:7.0%} {' '.join(counts)}"


def _by_source(measured: Sequence[Measured]) -> str:
    by_source: dict[str, list[tuple[int, float]]] = {}
    for source, committed, ms in (one for each in measured for one in each.rounds):
        by_source.setdefault(source, []).append((committed, ms))
    return ", ".join(
        f"{source} {len(rounds)}: {sum(c for c, _ in rounds) / len(rounds):.2f} in {median(ms for _, ms in rounds):.0f}"
        for source, rounds in sorted(by_source.items())
    )


def compare_starter_pair(options: argparse.Namespace) -> None:
    """Compare "auto" with and without an asynchronous drafter, in answers that alternate."""
    schedulers = {name: Scheduler(EngineSettings(async_drafter=name)) for name in ("off", "auto", "cpu")}
    for scheduler in schedulers.values():
        scheduler.install(*(load(folder) for folder in starter_pair()))
    # The first turn is not counted: drafters start in it, and the controller measures them.
    first: dict[str, list[float]] = {name: [] for name in schedulers}
    later: dict[str, list[float]] = {name: [] for name in schedulers}
    for turn in range(options.repeat + 1):
        for prompt in BUILT_IN:
            for name, scheduler in sorted(schedulers.items(), reverse=turn % 2 == 1):
                scheduler.clear_prefix_cache()
                question = [{"role": "user", "content": prompt.text}]
                stats = run_to_end(scheduler, ChatRequest(question, max_tokens=options.tokens)).stats
                (later if turn else first)[name].append(stats.decode_tps or 0.0)
                print(
                    f"{name:5} {stats.decode_tps or 0:7.1f} tokens/s {stats.ahead} {stats.ahead_hits} hits", flush=True
                )
    for name in ("auto", "cpu"):
        for title, found in (("first turn", first), ("later", later)):
            ratios = [ahead / without for ahead, without in zip(found[name], found["off"], strict=True)]
            words = f"{median(ratios):.3f} of auto without it (median of {len(ratios)}, least {min(ratios):.2f})"
            print(f"{name}, {title}: {words}")
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
    options = parser.parse_args()
    if options.serve is not None:
        serve_synthetic(options.serve, options.draft, options.accept)
    elif options.starter:
        compare_starter_pair(options)
    else:
        pin(0)
        main = synthetic.synthetic_main(options.main, synthetic.random_script(), load(starter_pair()[1]).tokenizer)
        print(f"{options.main} with a draft of {options.draft} that agrees {options.accept:.2f}, a core for each")
        compare(main, options)


if __name__ == "__main__":
    run()
