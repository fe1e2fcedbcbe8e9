"""What `engine.row_kernels.choice` knows of a kernel, and how the bits of passes are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple, TypeAlias

import mlx.core as mx
import mlx.nn as nn

from engine.errors import is_device_failure
from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.tuning import PassSize

# The types of inputs that the project's kernels are for.
HALF = frozenset({mx.bfloat16, mx.float16})

# Maps a width to passes over the same rows, that many at a time: each yields outputs (..., width, size). The last rows
# are left out if they are fewer.
WidePasses: TypeAlias = Callable[[int], Iterator[mx.array]]


class ComparedRows(NamedTuple):
    """Passes whose rows are compared with single rows.

    `keys` is as in `PassSize`. `computed_by` says what computes the passes of several rows: "ours" is the project's
    kernel, "mlx" MLX's in layers where the project's could be used instead, "others" MLX's in layers where it cannot.
    """

    keys: int
    computed_by: Literal["mlx", "ours", "others"]
    passes: WidePasses


@dataclass(frozen=True)
class RowKernel:
    """A kernel of the project for passes of several rows, known by its `name` in what a machine has learned.

    `source` is its Metal code; what was measured with other code is not used. `widths` are the rows of passes that are
    timed, ascending. `comparisons(main, free)` yields passes to compare, within `free` bytes of memory. `use(model,
    sizes)` lets passes of these sizes use the kernel, and all others MLX's. `caches(main, keys)` returns caches of the
    model with this many keys, to time passes with.
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
        self.width = width
        self.error = error


def widest_alike(passes: WidePasses, widths: Iterable[int]) -> Steps[int]:
    """Return the largest of `widths` up to which passes have the bits of single rows, 1 if none.

    `widths` ascend: the first one that differs ends the comparison. One with more rows than there are counts as alike.
    Each step is a pass; where `passes` are lazy, it is one of several rows with its single rows.

    Raises `NotComputed` if MLX cannot compile a kernel of these passes, or Metal refuses to run it; failures of the
    device are raised as they are.
    """
    single_passes = passes(1)
    single_rows = list[mx.array]()
    widest = 1
    for width in widths:
        try:
            for number, rows in enumerate(passes(width)):
                first = number * width
                while len(single_rows) < first + width:
                    single_rows.append(next(single_passes))
                    yield None
                expected = mx.concatenate(single_rows[first : first + width], axis=-2)
                if not mx.array_equal(rows, expected).item():
                    return widest
                yield None
        # MLX raises either where it cannot compile a kernel, where one needs too many registers, and without Metal.
        except (RuntimeError, ValueError) as error:
            if is_device_failure(error):
                raise
            raise NotComputed(width, error) from error
        widest = width
    return widest


@cache
def row_kernel(name: str, source: str, inputs: str, outputs: str, header: str, *, strided: bool = False) -> Any:
    """Return the Metal kernel of this name and source, to be called as MLX's kernels are; the same one for each call.

    `inputs` and `outputs` are the names of its arrays, divided by spaces. Inputs that are not contiguous are copied,
    unless the kernel reads them by their strides (`strided`). Nothing is compiled before a result is evaluated.

    Raises RuntimeError where MLX's default device is not the GPU: MLX would run the kernel on a Mac's GPU even so, and
    TANDEM_DEVICE=cpu is for Macs whose GPU is wrong.
    """
    if mx.default_device() != mx.gpu:
        raise RuntimeError("kernels of Metal are for a GPU, and MLX's default device is the CPU")
    return mx.fast.metal_kernel(name, inputs.split(), outputs.split(), source, header, not strided)
