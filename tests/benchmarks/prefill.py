"""Measures how fast prompts are read, by Tandem and by mlx-lm, and how fast a chat is reopened from disk."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm import stream_generate

from app.cli.pair_options import add_pair_options, chosen_pair
from app.cli.terminal import format_bytes, print_table
from engine.bench.runner import machine
from engine.client import RequestStream
from engine.events import Failed
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.requests import ChatRequest, SpeculationSettings
from engine.serving.pacing import ALONE_S
from engine.serving.scheduler import Scheduler
from engine.settings import EngineSettings
from tests.benchmarks import options

# Lower ids may be special tokens.
_LOWEST_ID = 300
_ROOM = 16
# Tokens of the prompt that warms up; a long one would only take time.
_WARM_UP = 2048
# The ways take turns; "reopened" uses the prompt that Tandem has just read.
_ORDERS = (("ours", "reopened", "mlx-lm"), ("mlx-lm", "ours", "reopened"))
_PLAIN = SpeculationSettings(method="off")


@dataclass(frozen=True)
class _Reading:
    """Seconds to the first token, and of each stretch of them in which nothing else had a turn."""

    seconds: float
    waits: Sequence[float]


def measure(
    main: LoadedModel,
    lengths: Sequence[int],
    *,
    repetitions: int,
    progress: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure the reading of prompts of `lengths` random tokens up to the first token of the answer, in turns.

    For each length and way, `tps` is the median of prompt tokens a second, and `peak` the most additional bytes in use.
    A wait is the longest time for which a cancelled prompt goes on: `longest_wait` in seconds, and of all `waits` in
    all repetitions, `long_waits` were above 250 ms. "reopened" loads caches that an earlier session stored; the file is
    in the system's page cache then. A length may exceed the model's context: reading takes the same time.
    """
    main = replace(main, info=replace(main.info, context_length=max(lengths) + _ROOM))
    figures: dict[str, dict[str, dict[str, float]]] = {}
    interrupted = False
    try:
        for length in lengths:
            figures[str(length)] = _of_length(main, length, repetitions, progress)
    except KeyboardInterrupt:
        interrupted = True
    return {"machine": machine(), "interrupted": interrupted, "prefill": figures}


def _of_length(
    main: LoadedModel, length: int, repetitions: int, progress: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    with tempfile.TemporaryDirectory(prefix="tandem-prefill-") as name:
        folder = Path(name)
        scheduler = _scheduler(main, folder)
        ways: dict[str, Callable[[list[int]], _Reading]] = {
            "mlx-lm": lambda prompt: _mlx_lm(main, prompt),
            "ours": lambda prompt: _ours(scheduler, prompt),
            "reopened": lambda prompt: _reopened(scheduler, folder, prompt),
        }
        readings: dict[str, list[_Reading]] = {way: [] for way in ways}
        peaks: dict[str, list[float]] = {way: [] for way in ways}
        # The first round warms up: kernels are compiled, and chunk sizes adapt to the measured times.
        for number in range(repetitions + 1):
            prompt = _random_prompt(length if number else min(length, _WARM_UP), main.vocabulary, number)
            scheduler.clear_prefix_cache()
            for way in _ORDERS[number % 2]:
                read = ways[way]
                mx.clear_cache()
                mx.reset_peak_memory()
                before = mx.get_active_memory()
                reading = read(prompt)
                if number:
                    readings[way].append(reading)
                    peaks[way].append(mx.get_peak_memory() - before)
                progress(f"{way}, {length} tokens, {number} of {repetitions}")
        scheduler.close()
    return {way: _figures(length, readings[way], peaks[way]) for way in ways}


def _figures(length: int, readings: Sequence[_Reading], peaks: Sequence[float]) -> dict[str, float]:
    seconds = statistics.median(reading.seconds for reading in readings)
    waits = [wait for reading in readings for wait in reading.waits]
    return {
        "seconds": seconds,
        "tps": length / seconds,
        "peak": statistics.median(peaks),
        "longest_wait": max(waits),
        "long_waits": sum(wait > ALONE_S for wait in waits),
        "waits": len(waits),
    }


def _scheduler(main: LoadedModel, folder: Path | None = None) -> Scheduler:
    scheduler = Scheduler(EngineSettings(prefix_cache_folder=folder, context=main.info.context_length))
    scheduler.install(main, None)
    return scheduler


def _random_prompt(length: int, vocabulary: int, seed: int) -> list[int]:
    draw = random.Random(seed)
    return [draw.randrange(min(_LOWEST_ID, vocabulary - 1), vocabulary) for _ in range(length)]


def _ours(scheduler: Scheduler, prompt: list[int]) -> _Reading:
    request = ChatRequest((), prompt=prompt, speculation=_PLAIN, max_tokens=1, conversation="bench")
    stream, looks = RequestStream(request), [time.perf_counter()]
    scheduler.admit(stream)
    while scheduler.step():
        looks.append(time.perf_counter())
    looks.append(time.perf_counter())
    *_, last = stream
    if isinstance(last, Failed):
        raise last.error
    return _Reading(looks[-1] - looks[0], [after - before for before, after in pairwise(looks)])


def _mlx_lm(main: LoadedModel, prompt: list[int]) -> _Reading:
    looks = [time.perf_counter()]

    def look(*_: int) -> None:
        looks.append(time.perf_counter())

    for _ in stream_generate(main.model, main.tokenizer, prompt, max_tokens=1, prompt_progress_callback=look):
        pass
    look()
    return _Reading(looks[-1] - looks[0], [after - before for before, after in pairwise(looks)])


def _reopened(scheduler: Scheduler, folder: Path, prompt: list[int]) -> _Reading:
    """Measure another session, after `scheduler`, which has read the prompt, has stored the caches."""
    scheduler.prefix_cache.save()
    scheduler.prefix_cache.clear()
    another = _scheduler(scheduler.models.main, folder)
    reading = _ours(another, prompt)
    another.prefix_cache.clear()
    another.close()
    return reading


def print_table_of(report: dict[str, Any]) -> None:
    head = ("prompt", "tokens/s", "mlx-lm", "ratio", "peak", "mlx-lm's peak", "first token", "reopened", "of reading")
    rows, lengths = [], report["prefill"]
    for length, ways in lengths.items():
        ours, theirs, reopened = ways["ours"], ways["mlx-lm"], ways["reopened"]
        rows.append(
            (
                f"{length} tokens",
                f"{ours['tps']:.0f}",
                f"{theirs['tps']:.0f}",
                f"{ours['tps'] / theirs['tps']:.2f}x",
                format_bytes(round(ours["peak"])),
                format_bytes(round(theirs["peak"])),
                f"{ours['seconds']:.2f} s",
                f"{reopened['seconds']:.3f} s",
                f"{reopened['seconds'] / ours['seconds']:.3f}",
            )
        )
    print_table(head, rows, figures=head[1:])
    print()
    _print_waits(lengths)


def _print_waits(lengths: dict[str, Any]) -> None:
    head = ("prompt", "longest wait", "over 250 ms", "mlx-lm's longest wait")
    rows = [
        (
            f"{length} tokens",
            f"{1000 * ways['ours']['longest_wait']:.0f} ms",
            f"{ways['ours']['long_waits']} of {ways['ours']['waits']}",
            f"{1000 * ways['mlx-lm']['longest_wait']:.0f} ms",
        )
        for length, ways in lengths.items()
    ]
    print_table(head, rows, figures=head[1:])
    print("\nA wait: how long a cancelled prompt goes on, and until all else has its turn.")


def main() -> None:
    """Measure and print."""
    parser = options.parser_of(__doc__)
    add_pair_options(parser)
    parser.add_argument("--lengths", default="512,2048,8192", metavar="LENGTHS", help="of prompts (512,2048,8192)")
    arguments = parser.parse_args()
    lengths = [int(length) for length in options.numbers(arguments.lengths)]
    found = measure(
        load(chosen_pair(arguments)[0]), lengths, repetitions=arguments.repetitions, progress=options.progress
    )
    options.show(arguments, found, print_table_of)


if __name__ == "__main__":
    main()
