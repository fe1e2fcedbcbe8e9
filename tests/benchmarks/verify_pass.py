"""Whether it pays on this machine to send a pass to the device in parts, or to compile a verify pass.

    python -m tests.benchmarks.verify_pass [MODEL]

MODEL is a folder or an id with caches of full attention; without one, a random 4-bit bfloat16 model of 36 thin layers,
whose passes are mostly the host's work. A verify pass begins with nothing to do for the device, as after a round was
read; a plain one is built while the device computes the one before. "in 2 parts" is sent once before the rest of it,
after the last layer of those that end a part; the engine sends a pass in all its parts, and the last line says which
number was the fastest.
"""

from __future__ import annotations

import sys
import tempfile
import time
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from typing import Any

import mlx.core as mx

from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.speculation.rounds.compiled_steps import CompiledSteps
from engine.speculation.rounds.passes import ends_of_parts, launched_after, model_pass
from tests.tiny_models import QWEN3, write_model

TEXT, PASSES, WIDTHS = 300, 24, (2, 3, 4, 5, 6)


def random_model() -> LoadedModel:
    with tempfile.TemporaryDirectory() as folder:
        config = {**QWEN3, "num_hidden_layers": 36, "max_position_embeddings": 4096}
        return load(write_model(Path(folder, "main"), config=config))


def counts_of_parts(model: Any) -> range:
    """Return in how many parts a pass of this model can be sent; the engine takes the most."""
    return range(2, len(ends_of_parts(model)) + 2)


def pass_in(count: int, model: Any, ids: mx.array, caches: list[Any]) -> mx.array:
    """Return lazy logits of a pass in so many parts, of which the first has the layers of all that are left out."""
    ends = ends_of_parts(model)
    with launched_after(ends[len(ends) + 1 - count :]):
        return model_pass(model, ids, caches, None)[0]


def measured(loaded: LoadedModel, rows: int) -> dict[str, tuple[float, bool]]:
    """Return for each way the median milliseconds of a pass, and whether its logits have the bits of a whole one."""
    model = loaded.model
    parts = {name_of(count): partial(pass_in, count, model) for count in counts_of_parts(model)}
    ways: dict[str, Any] = {"whole": partial(pass_in, 1, model), **parts, "compiled": CompiledSteps(model)}
    text = mx.arange(TEXT, dtype=mx.uint32)[None] % loaded.vocabulary
    states = {way: loaded.new_caches() for way in ways}
    for caches in states.values():
        mx.eval(model(text, cache=caches), [(cache.keys, cache.values) for cache in caches])
    times: dict[str, list[float]] = {way: [] for way in ways}
    equal = dict.fromkeys(ways, True)
    for number in range(PASSES):
        ids = (mx.arange(rows, dtype=mx.uint32)[None] * 7 + number) % loaded.vocabulary
        mx.eval(ids)
        found: dict[str, mx.array] = {}
        for way, run in ways.items():
            started = time.perf_counter()
            found[way] = run(ids, states[way])
            mx.eval(found[way])
            times[way].append(1e3 * (time.perf_counter() - started))
            mx.eval([(cache.keys, cache.values) for cache in states[way]])
            equal[way] &= mx.array_equal(found[way], found["whole"]).item()
    # The first passes compile kernels, and trace.
    return {way: (median(times[way][4:]), equal[way]) for way in ways}


def plain_ms(loaded: LoadedModel, count: int) -> float:
    """Return the median milliseconds of a plain round whose pass is sent in so many parts."""
    caches, times = loaded.new_caches(), []

    def step(ids: mx.array) -> mx.array:
        token = mx.argmax(pass_in(count, loaded.model, ids, caches)[:, -1:], axis=-1).astype(mx.uint32)
        mx.async_eval(token)  # type: ignore[no-untyped-call]
        return token

    last = step(mx.arange(TEXT, dtype=mx.uint32)[None] % loaded.vocabulary)
    for _ in range(3 * PASSES):
        started, following = time.perf_counter(), step(last)
        last.item()
        times.append(1e3 * (time.perf_counter() - started))
        last = following
    return median(times[4:])


def main() -> None:
    loaded = load(sys.argv[1]) if len(sys.argv) > 1 else random_model()
    counts = (1, *counts_of_parts(loaded.model))
    plain = {count: min(plain_ms(loaded, count) for _ in range(3)) for count in counts}
    print("1 row:", ", ".join(f"{name_of(count)} {ms:.2f} ms" for count, ms in plain.items()))
    # Of the whole pass's time, by the rows of the pass; ways with other bits do not count.
    shares: dict[str, list[float]] = {name_of(count): [ms / plain[1]] for count, ms in plain.items()}
    for rows in WIDTHS:
        found = measured(loaded, rows)
        print(
            f"{rows} rows:",
            ", ".join(f"{way} {ms:.2f} ms{'' if same else ' (other bits)'}" for way, (ms, same) in found.items()),
        )
        for way, (ms, same) in found.items():
            shares.setdefault(way, []).append(ms / found["whole"][0] if same else inf)
    by_parts = {name_of(count): median(shares[name_of(count)]) for count in counts}
    fastest = min(by_parts, key=lambda way: by_parts[way])
    compiled = "yes" if median(shares["compiled"]) < 0.98 else "no"
    taken = name_of(counts[-1])
    print(
        f"fastest: {fastest}, {by_parts[fastest]:.2f} of the whole pass's time; the engine's way: {taken}, "
        f"{by_parts[taken]:.2f}; compiled pays: {compiled}"
    )


def name_of(count: int) -> str:
    """Return how a way of sending a pass is named."""
    return "whole" if count == 1 else f"in {count} parts"


if __name__ == "__main__":
    main()
