"""What a kernel of ours is to the choice between it and MLX's, and how bits of passes are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import mlx.core as mx
import mlx.nn as nn

from engine.errors import is_device_failure
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.tuning import PassSize

# The types of inputs that our kernels are for.
HALF = frozenset({mx.bfloat16, mx.float16})

# Maps a width to passes over the same rows (..., width, any), without the last rows if they are fewer.
WidePasses: TypeAlias = Callable[[int], Iterator[mx.array]]
# The keys of a pass as in `PassSize`, whose kernels serve the passes of several rows, and these.
ComparedRows: TypeAlias = tuple[int, Literal["mlx", "ours", "others"], WidePasses]


@dataclass(frozen=True)
class RowKernel:
    """A kernel of ours for passes of several rows, known by its `name`.

    `comparisons(main, free)` yields passes to compare, within `free` bytes of memory: with MLX's kernel, with ours, and
    of other layers. `use` lets passes of the given sizes use ours, and others MLX's. `caches` returns some with so many
    keys, to time passes of `widths`.
    """

    name: str
    source: str
    widths: Sequence[int]
    comparisons: Callable[[LoadedModel, int], Iterable[ComparedRows]]
    use: Callable[[nn.Module, Set[PassSize]], None]
    caches: Callable[[LoadedModel, int], list[Any]] = lambda main, _keys: main.new_caches()


class NotComputed(RuntimeError):
    """Passes of `width` rows cannot be computed; `error` is MLX's."""

    def __init__(self, width: int, error: Exception) -> None:
        super().__init__(f"passes of {width} rows: {error}")
        self.width, self.error = width, error


def widest_alike(passes: WidePasses, widths: Iterable[int]) -> Steps[int]:
    """Return the largest of `widths` up to which passes have the bits of single rows, 1 if none; a pass a step.

    Raises `NotComputed` if MLX cannot compile a kernel of these passes, or Metal refuses to run it; failures of the
    device are raised as they are.
    """
    alone = passes(1)
    known = list[mx.array]()
    found = 1
    for width in widths:
        try:
            for number, rows in enumerate(passes(width)):
                while len(known) < (number + 1) * width:
                    known.append(next(alone))
                    yield None
                expected = mx.concatenate(known[number * width : (number + 1) * width], axis=-2)
                if not mx.array_equal(rows, expected).item():
                    return found
                yield None
        # MLX raises them where a kernel is compiled or needs too many registers, and without Metal.
        except (RuntimeError, ValueError) as error:
            if is_device_failure(error):
                raise
            raise NotComputed(width, error) from error
        found = width
    return found


@cache
def row_kernel(name: str, source: str, inputs: str, outputs: str, header: str, *, strided: bool = False) -> Any:
    """Return a kernel of MLX's, whose inputs and outputs are named; inputs are copied unless they may be `strided`.

    Raises RuntimeError where MLX's default device is not the GPU: MLX would run the kernel on a Mac's GPU even so, and
    TANDEM_DEVICE=cpu is for Macs whose GPU is wrong.
    """
    if mx.default_device() != mx.gpu:
        raise RuntimeError("kernels of Metal are for a GPU, and MLX's default device is the CPU")
    return mx.fast.metal_kernel(name, inputs.split(), outputs.split(), source, header, not strided)
