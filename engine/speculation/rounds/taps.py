"""Taps: the outputs of chosen layers of the main model during its passes, which heads draft from.

Only during a recorded pass, the class of a tapped layer is replaced by a subclass: the module tree, its parameters and
mlx-lm's code do not change, and other passes cost nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import mlx.core as mx
import mlx.nn as nn

# Rows of the pass that checks whether the layers of a model can be tapped.
PROBE_ROWS = 8


class CannotTap(Exception):
    """The hidden states of the main model cannot be read; `problem` says why.

    "no-layers": it has no list of layers; "layer-calls": a pass does not call each layer exactly once; "layer-outputs":
    an output is not one row of numbers for each token; "no-embedding": the first layer's input is no multiple of an
    embedding; "no-output": the logits do not follow from a norm and a matrix.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(f"the hidden states of this model cannot be read: {problem}")
        self.problem = problem


class HiddenStateListener(Protocol):
    """Receives the tapped outputs of the rows that a sequence keeps."""

    @property
    def taps(self) -> Taps:
        """The taps to record in each pass of the sequence."""

    def read(self, start: int, outputs: Sequence[mx.array], tokens: Sequence[int]) -> None:
        """Take the rows of committed `tokens`, at positions `start` and on; called in the order of their positions.

        `outputs`, (1, rows, width) for each tap, may have more rows than there are tokens; ignore those. Rows may come
        twice after caches were restored.
        """


class Taps:
    """The outputs of the layers `indices` of `model`, counted from 0.

    Belongs to the engine's thread. Raises `CannotTap` for a model without such layers; `main_ports` checks whether its
    passes can be tapped.
    """

    def __init__(self, model: nn.Module, indices: Sequence[int]) -> None:
        self.indices = tuple(indices)
        self._recorded: dict[int, mx.array] = {}
        layers = layers_of(model)
        if not all(0 <= index < len(layers) for index in self.indices):
            raise CannotTap("no-layers")
        chosen = [layers[index] for index in self.indices]
        classes = [self._recording(type(layer), index) for layer, index in zip(chosen, self.indices, strict=True)]
        self._tapped = chosen, classes

    @contextmanager
    def record(self) -> Iterator[list[mx.array]]:
        """Record one pass of the model, run in the body.

        The list is filled at the end, in the order of `indices`: lazy arrays (batch, rows, width). They must be
        evaluated with the pass, or be dropped, or they keep its graph in memory.
        """
        outputs: list[mx.array] = []
        try:
            with with_classes(*self._tapped):
                yield outputs
            outputs += [self._recorded[index] for index in self.indices]
        finally:
            self._recorded.clear()

    def _recording(self, base: type[nn.Module], index: int) -> type[nn.Module]:
        """Return a subclass of a layer's class that also records its output at `index`."""
        recorded = self._recorded

        def call(layer: nn.Module, *args: Any, **kwargs: Any) -> Any:
            output = base.__call__(layer, *args, **kwargs)
            recorded[index] = first_output(output)
            return output

        return type(f"Tapped{base.__name__}", (base,), {"__call__": call})


@contextmanager
def with_classes(modules: Sequence[nn.Module], classes: Sequence[type[nn.Module]]) -> Iterator[None]:
    """Give each of `modules` the subclass of its class that is at its place in `classes`, in the body.

    No module may be there twice. Caches can be given other classes in the same way.
    """
    classes_before = [type(module) for module in modules]
    try:
        for module, chosen in zip(modules, classes, strict=True):
            module.__class__ = chosen
        yield
    finally:
        for module, base in zip(modules, classes_before, strict=True):
            module.__class__ = base


def layers_of(model: nn.Module) -> list[nn.Module]:
    """Return the decoder layers of a model. Raises `CannotTap`."""
    try:
        layers = list(model.layers)
    except (AttributeError, TypeError) as error:
        raise CannotTap("no-layers") from error
    if not layers or not all(isinstance(layer, nn.Module) for layer in layers):
        raise CannotTap("no-layers")
    return layers


def first_output(output: Any) -> Any:
    """Return the hidden states of a layer, which may return more than these."""
    return output[0] if isinstance(output, (tuple, list)) else output


class ModuleCall(NamedTuple):
    """A call of `module` with its first argument and its first output."""

    module: nn.Module
    argument: Any
    output: Any


@contextmanager
def calls_of(modules: Sequence[nn.Module]) -> Iterator[list[ModuleCall]]:
    """Record the calls of `modules` in the body, ordered by their ends."""
    calls: list[ModuleCall] = []
    # The classes live until the next garbage collection, so they must not hold the list that the caller keeps.
    recorded: list[ModuleCall] = []

    def watched(base: type[nn.Module]) -> type[nn.Module]:
        def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            output = base.__call__(module, *args, **kwargs)
            first = args[0] if args else next(iter(kwargs.values()), None)
            recorded.append(ModuleCall(module, first, first_output(output)))
            return output

        return type(f"Watched{base.__name__}", (base,), {"__call__": call})

    different = list({id(module): module for module in modules}.values())
    try:
        with with_classes(different, [watched(type(module)) for module in different]):
            yield calls
        calls += recorded
    finally:
        recorded.clear()
