"""Counts of the work that decoding gives MLX, which matter on a GPU and do not depend on the machine."""

from __future__ import annotations

import gc
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import pytest

from engine.serving.scheduler import Scheduler

# Reads of a value, which wait for the device.
_READS = ("item", "tolist", "__bool__", "__int__", "__float__", "__array__")


@dataclass
class Counts:
    """Graph nodes given to MLX, the calls that gave them, and waits of the host for the device.

    Several reads with no evaluation between them wait once.
    """

    nodes: int = 0
    evaluations: int = 0
    waits: int = 0
    under_way: bool = False

    def wait(self) -> None:
        self.waits += self.under_way
        self.under_way = False

    def __sub__(self, other: Counts) -> Counts:
        return Counts(self.nodes - other.nodes, self.evaluations - other.evaluations, self.waits - other.waits)

    def each(self, of: int) -> tuple[float, float, float]:
        """Return nodes, evaluations and waits for each of `of` tokens, rounds or chunks."""
        return self.nodes / of, self.evaluations / of, self.waits / of


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counts]:
    """Count until the block ends."""
    counts = Counts()
    with monkeypatch.context() as patch:
        for name in ("eval", "async_eval"):
            patch.setattr(mx, name, _evaluation(getattr(mx, name), counts, waits=name == "eval"))
        patch.setattr(mx, "synchronize", _read(mx.synchronize, counts))
        for name in _READS:
            if hasattr(mx.array, name):
                patch.setattr(mx.array, name, _read(getattr(mx.array, name), counts))
        yield counts


def each_token(monkeypatch: pytest.MonkeyPatch, work: Callable[[int], object], short: int, long: int) -> Any:
    """Return `Counts.each` of one of the tokens that `work(long)` generates beyond `work(short)`."""
    # The first use imports modules and builds kernels.
    work(long)
    counts: list[Counts] = []
    for tokens in (short, long):
        with counting(monkeypatch) as counted:
            work(tokens)
        counts.append(counted)
    return (counts[1] - counts[0]).each(long - short)


def least_peaks(scheduler: Scheduler, mine: Callable[[], object], theirs: Callable[[], object]) -> tuple[int, int]:
    """Return the peaks of both, the lower of two runs each: they vary with the lead of the host over the device."""
    peaks: dict[Callable[[], object], list[int]] = {mine: [], theirs: []}
    for work in (mine, theirs, theirs, mine):
        scheduler.clear_prefix_cache()
        peaks[work].append(most_bytes(work))
    return min(peaks[mine]), min(peaks[theirs])


def most_bytes(work: Callable[[], object]) -> int:
    """Return the most bytes in use at once while `work` ran, less those in use before."""
    gc.collect()
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    work()
    return int(mx.get_peak_memory()) - before


def graph_nodes(*arrays: Any) -> int:
    """Return the number of operations in the graph of `arrays`, which may be nested in lists and dictionaries."""
    leaves = [leaf for leaf in _leaves(arrays) if isinstance(leaf, mx.array)]
    dot = io.StringIO()
    mx.export_to_dot(dot, *leaves)
    return dot.getvalue().count("shape=rectangle")


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, list | tuple):
        for part in tree:
            yield from _leaves(part)
    elif isinstance(tree, dict):
        yield from _leaves(list(tree.values()))
    else:
        yield tree


def _evaluation(run: Any, counts: Counts, *, waits: bool) -> Any:
    def evaluate(*arrays: Any) -> None:
        counts.nodes += graph_nodes(*arrays)
        counts.evaluations += 1
        counts.under_way = True
        if waits:
            counts.wait()
        run(*arrays)

    return evaluate


def _read(run: Any, counts: Counts) -> Any:
    def read(*args: Any, **options: Any) -> Any:
        counts.wait()
        return run(*args, **options)

    return read
