"""Measures the lookups that are made while a pass runs, on the starter pair.

`python -m tests.engine.async_drafting.measure_behind` prints the speed of answers with and without that, which
alternate in one run.
"""

from __future__ import annotations

import engine  # noqa: F401  Chooses the BLAS before mlx is loaded.

# isort: split

import argparse
from statistics import median

from engine import starter_pair
from engine.bench.arms import run_to_end
from engine.bench.prompts import BUILT_IN
from engine.loading import load
from engine.requests import ChatRequest, SpeculationSettings
from engine.scheduler import Scheduler
from engine.settings import EngineSettings

LOOKUPS = {"off": EngineSettings(prepare_lookups=False), "on": EngineSettings()}


def compare(
    title: str, speculation: SpeculationSettings, arms: dict[str, EngineSettings], options: argparse.Namespace
) -> None:
    schedulers = {name: Scheduler(settings) for name, settings in arms.items()}
    for scheduler in schedulers.values():
        scheduler.install(*(load(folder) for folder in starter_pair()))
    found: dict[str, list[float]] = {name: [] for name in arms}
    for turn in range(options.turns + 1):
        for prompt in BUILT_IN[:: options.every]:
            for name in sorted(arms, reverse=turn % 2 == 1):
                schedulers[name].clear_prefix_cache()
                question = [{"role": "user", "content": prompt.text}]
                request = ChatRequest(question, speculation=speculation, max_tokens=options.tokens)
                stats = run_to_end(schedulers[name], request).stats
                # In the first turn everything is new.
                if turn:
                    found[name].append(stats.decode_tps or 0.0)
    for name in arms:
        ratios = [one / without for one, without in zip(found[name], found["off"], strict=True)]
        print(f"{title}, {name:4}: {median(found[name]):7.1f} tokens/s, {median(ratios):.3f} of off", flush=True)
    for scheduler in schedulers.values():
        scheduler.close()


def run() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="ask every so many prompts")
    options = parser.parse_args()
    compare("lookup", SpeculationSettings(method="ngram", sample_share=0.0), LOOKUPS, options)


if __name__ == "__main__":
    run()
