"""Whether it pays on this machine to send a pass to the device in parts, or to compile a verify pass.

    python -m tests.benchmarks.verify_pass [MODEL]

MODEL is a folder or an id with caches of full attention; without one, a random 4-bit bfloat16 model of 36 thin layers,
whose passes are mostly the host's work. A verify pass begins with nothing to do for the device, as after a round was
read; a plain one is built while the device computes the one before.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import mlx.core as mx

from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import load
from engine.speculation.rounds.compiled_steps import CompiledSteps
from engine.speculation.rounds.passes import model_pass
from tests.tiny_models import QWEN3, write_model

TEXT, PASSES, WIDTHS = 300, 24, (2, 3, 4, 5, 6)


def random_model() -> LoadedModel:
    with tempfile.TemporaryDirectory() as folder:
        config = {**QWEN3, "num_hidden_layers": 36, "max_position_embeddings": 4096}
        return load(write_model(Path(folder, "main"), config=config))


def measured(loaded: LoadedModel, rows: int) -> dict[str, tuple[float, bool]]:
    """Return for each way the median milliseconds of a pass, and whether its logits have the bits of a whole one."""
    model, steps = loaded.model, CompiledSteps(loaded.model)
    ways: dict[str, Any] = {
        "whole": lambda ids, caches: model_pass(model, ids, caches, None)[0],
        "in parts": lambda ids, caches: model_pass(model, ids, caches, None, in_parts=True)[0],
        "compiled": steps,
    }
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


def plain_ms(loaded: LoadedModel, *, in_parts: bool) -> float:
    """Return the median milliseconds of a plain round."""
    caches, times = loaded.new_caches(), []

    def step(ids: mx.array) -> mx.array:
        logits, _ = model_pass(loaded.model, ids, caches, None, in_parts=in_parts)
        token = mx.argmax(logits[:, -1:], axis=-1).astype(mx.uint32)
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
    whole, parts = (min(plain_ms(loaded, in_parts=in_parts) for _ in range(3)) for in_parts in (False, True))
    print(f"1 row: whole {whole:.2f} ms, in parts {parts:.2f} ms")
    won: dict[str, list[bool]] = {"in parts": [], "compiled": []}
    for rows in WIDTHS:
        found = measured(loaded, rows)
        print(
            f"{rows} rows:",
            ", ".join(f"{way} {ms:.2f} ms{'' if same else ' (other bits)'}" for way, (ms, same) in found.items()),
        )
        for way, wins in won.items():
            wins.append(found[way][1] and found[way][0] < 0.98 * found["whole"][0])
    print("; ".join(f"{way} pays: {'yes' if sum(wins) > len(wins) // 2 else 'no'}" for way, wins in won.items()))


if __name__ == "__main__":
    main()
