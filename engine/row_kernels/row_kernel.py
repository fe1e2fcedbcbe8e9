"""What the choice between a kernel of ours and MLX's has to know of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any, NamedTuple

import mlx.nn as nn

from engine.files.steps import Steps
from engine.main_model.loaded_model import LoadedModel
from engine.tuning import PassSize


class Alike(NamedTuple):
    """Whether rows of a pass get the bits that they have alone from MLX's kernels, from ours, and in other layers."""

    mlx: bool
    ours: bool
    others: bool = True


@dataclass(frozen=True)
class RowKernel:
    """A kernel of ours for passes of several rows, known by its `name`; `digest` changes with its source.

    `compare(main, free, try_ours)` returns, in short steps and with `free` bytes of memory, the sizes of passes that
    the kernel is for, with what is alike in them; of ours nothing is if it is not tried or cannot be compiled. `use`
    lets passes of these sizes use ours, and others MLX's. `caches` returns some with so many keys, to time passes.
    """

    name: str
    digest: str
    compare: Callable[[LoadedModel, int, bool], Steps[Mapping[PassSize, Alike]]]
    use: Callable[[nn.Module, Set[PassSize]], None]
    caches: Callable[[LoadedModel, int], list[Any]] = lambda main, _keys: main.new_caches()
