"""Counts what decoding asks of MLX and of Python: the figures that matter on a GPU and do not depend on the machine."""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import mlx.core as mx
import pytest

# What waits for the device: the host reads a value, or asks for it to be there.
_READS = ("item", "tolist", "__bool__", "__int__", "__float__", "__array__")
# Files whose functions a GPU's host does not call.
_NOT_COUNTED = (__file__, "activations.py", "cpu_backend/narrow_products.py", "cpu_backend/log_probabilities.py")


@dataclass
class Counts:
    """Graph nodes given to MLX, the calls that gave them, waits of the host for the device, calls of Python functions.

    Several reads with no evaluation between them wait once. Functions are counted as on a GPU: not those of the CPU
    backend, nor activations, which MLX compiles.
    """

    nodes: int = 0
    evaluations: int = 0
    waits: int = 0
    calls: int = 0
    under_way: bool = False

    def wait(self) -> None:
        self.waits += self.under_way
        self.under_way = False

    def __sub__(self, other: Counts) -> Counts:
        return Counts(
            self.nodes - other.nodes,
            self.evaluations - other.evaluations,
            self.waits - other.waits,
            self.calls - other.calls,
        )

    def each(self, of: int) -> tuple[float, float, float, float]:
        """Nodes, evaluations, waits and calls of one of `of` tokens, rounds or chunks."""
        return self.nodes / of, self.evaluations / of, self.waits / of, self.calls / of


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counts]:
    """Count until the block ends. Calls of Python functions are those of this thread.

    Nothing is collected meanwhile: what earlier tests left calls functions when it goes.
    """
    counts = Counts()
    gc.collect()
    gc.disable()
    with monkeypatch.context() as patch:
        for name in ("eval", "async_eval"):
            patch.setattr(mx, name, _evaluation(getattr(mx, name), counts, waits=name == "eval"))
        patch.setattr(mx, "synchronize", _read(mx.synchronize, counts))
        for name in _READS:
            if hasattr(mx.array, name):
                patch.setattr(mx.array, name, _read(getattr(mx.array, name), counts))
        profiler = sys.getprofile()
        sys.setprofile(lambda frame, event, _: _count_call(counts, frame, event))
        try:
            yield counts
        finally:
            sys.setprofile(profiler)
            gc.enable()


def most_bytes(work: Callable[[], object]) -> int:
    """The most bytes that were in use at once while `work` ran, less those in use before."""
    gc.collect()
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    work()
    return int(mx.get_peak_memory()) - before


def graph_nodes(*arrays: Any) -> int:
    """Operations that evaluating `arrays`, in any nesting of lists and dictionaries, would run."""
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


def _count_call(counts: Counts, frame: Any, event: str) -> None:
    if event == "call" and not frame.f_code.co_filename.endswith(_NOT_COUNTED):
        counts.calls += 1
