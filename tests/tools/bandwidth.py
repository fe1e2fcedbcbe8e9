"""Measures how much two models that compute at once slow each other down, each on its own core.

`python -m tests.tools.bandwidth 600M 50M` times passes of both models by their rows: each model alone,
and both at once. A pass that is slower beside the other model waits for memory, which both share.
"""

from __future__ import annotations

import engine  # noqa: F401  Chooses the BLAS before mlx is loaded.

# isort: split

import argparse
import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from statistics import median

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.models.cache import make_prompt_cache

from engine.bench import synthetic

ROWS = (1, 5, 9)
_CONTEXT = 64


def pin(core: int) -> None:
    """Keep all threads of this process to one core of the machine; negative numbers count from the last."""
    if hasattr(os, "sched_setaffinity"):
        for thread in Path("/proc/self/task").iterdir():
            os.sched_setaffinity(int(thread.name), {core % (os.cpu_count() or 1)})


def time_passes(size: str, core: int) -> None:
    """For each line of the input, a number of seconds, time passes for that long, and print the times as JSON."""
    pin(core)
    model = synthetic._build(size, 1)
    caches = make_prompt_cache(model)
    mx.eval(model(mx.ones((1, _CONTEXT), mx.uint32), cache=caches))
    weights = sum(array.nbytes for _, array in tree_flatten(model.parameters()))
    for line in chain(["0"], iter(sys.stdin.readline, "")):
        times: dict[int, list[float]] = {rows: [] for rows in ROWS}
        until = time.perf_counter() + float(line)
        while not all(times.values()) or time.perf_counter() < until:
            for rows in ROWS:
                started = time.perf_counter()
                mx.eval(model(mx.ones((1, rows), mx.uint32), cache=caches))
                times[rows].append(1e3 * (time.perf_counter() - started))
                for cache in caches:
                    cache.trim(rows)
        print(
            json.dumps({"weights": weights, "ms": {rows: median(found) for rows, found in times.items()}}), flush=True
        )


class Timer:
    """A process that times passes of one model on one core."""

    def __init__(self, size: str, core: int) -> None:
        command = [sys.executable, "-m", __spec__.name, "--time", size, "--core", str(core)]
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.size = size
        self.read()

    def start(self, seconds: float) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()

    def read(self) -> tuple[dict[int, float], float]:
        """Return milliseconds by rows, and the bytes of the weights."""
        assert self.process.stdout is not None
        found = json.loads(self.process.stdout.readline())
        return {int(rows): ms for rows, ms in found["ms"].items()}, found["weights"]


def compare(main: str, draft: str, seconds: float) -> None:
    with ExitStack() as stack:
        timers = [Timer(main, 0), Timer(draft, -1)]
        for timer in timers:
            stack.callback(timer.process.wait)
            stack.callback(timer.process.kill)
        alone = []
        for timer in timers:
            timer.start(seconds)
            alone.append(timer.read())
        for timer in timers:
            timer.start(seconds)
        beside = [timer.read() for timer in timers]
    print("model   rows   alone ms   GB/s   beside ms   GB/s   slower by")
    for timer, (apart, weights), (together, _) in zip(timers, alone, beside, strict=True):
        for rows in ROWS:
            speeds = [weights / ms[rows] / 1e6 for ms in (apart, together)]
            print(
                f"{timer.size:6} {rows:5} {apart[rows]:10.1f} {speeds[0]:6.1f} {together[rows]:11.1f} {speeds[1]:6.1f} "
                f"{together[rows] / apart[rows] - 1:10.0%}"
            )


def run() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("main", nargs="?", default="600M")
    parser.add_argument("draft", nargs="?", default="50M")
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--time")
    parser.add_argument("--core", type=int, default=0)
    options = parser.parse_args()
    if options.time:
        time_passes(options.time, options.core)
    else:
        compare(options.main, options.draft, options.seconds)


if __name__ == "__main__":
    run()
