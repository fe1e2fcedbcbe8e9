"""Splits a main model over the ranks of a group, with mlx-lm's methods, and runs the passes that they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.models.pipeline import PipelineMixin

from engine.cluster.plan import files_of_others
from engine.computers.errors import ClusterError
from engine.errors import EngineError, is_device_failure
from engine.files.steps import Steps
from engine.speculation.caches.cache_rules import flatten


class SplitPart:
    """This rank's part of a model (see `engine.main_model.loading.ModelShard`); `barrier` waits for the other ranks.

    Once the model is split, `tail` tells what ranks exchange in a pass, and `kinds` are the kinds of its caches.
    """

    def __init__(self, group: mx.distributed.Group, split: str, barrier: Callable[[], Steps[None]]) -> None:
        self._group = group
        self._split = split
        self._barrier = barrier
        self.tail: LastExchange | None = None
        self.kinds: list[str] = []

    def may_lack(self, path: Path) -> Set[str]:
        return files_of_others(path, self._split, self._group.rank(), self._group.size())

    def split(self, model: nn.Module) -> None:
        self.tail = LastExchange(model, by_layers=self._split == "pipeline")
        split_model(model, self._group, self._split)
        self.tail.watch()
        self.kinds = cache_kinds(model)

    def barrier(self) -> Steps[None]:
        return self._barrier()


def shared_ids(ids: mx.array | None, shape: Sequence[int], group: mx.distributed.Group) -> mx.array:
    """Return the token ids (rows, width) of rank 0 on every rank; the other ranks pass None.

    Like the exchanges of the layers this is lazy, so rank 0 need not wait for ids that are still computed. Gathering
    waits for the link half as often as a sum.
    """
    ids_here = mx.zeros(tuple(shape), mx.uint32) if ids is None else ids.astype(mx.uint32)
    return mx.distributed.all_gather(ids_here, group=group)[: shape[0]]


class NotLaunched(Exception):
    """The device failed before a pass was launched: the other ranks would wait for the exchanges in it."""


def run_pass(call: Callable[..., mx.array], ids: mx.array, caches: Sequence[Any], tail: LastExchange) -> mx.array:
    """Run the model's pass over `ids` (rows, width), and launch the part of it in which ranks exchange anything.

    Returns lazy logits (rows, width, V). `tail` is the last exchange of the model's passes.
    So every rank makes the exchanges in the order of the calls, however the logits are used later. If MLX reports a
    failed device, that is raised only once this pass is launched, and the ranks are in step. Raises `NotLaunched` if
    the pass cannot be launched.
    """
    # A pass over later layers does not depend on the ids, so their exchange could come last, or never.
    failures = [_launch(ids)] if tail.by_layers else []
    logits = call(ids, cache=caches)
    failures.append(_launch(tail.of(logits)))
    for failure in failures:
        if failure is not None:
            raise failure
    return logits


def _launch(array: Any) -> RuntimeError | None:
    """Launch an array's evaluation; return the failure of the device that MLX reports meanwhile, if any."""
    try:
        mx.async_eval(array)  # type: ignore[no-untyped-call]
    except RuntimeError as error:
        if not is_device_failure(error):
            raise
        try:
            # What is launched already is not launched again.
            mx.async_eval(array)  # type: ignore[no-untyped-call]
        except RuntimeError as again:
            raise NotLaunched(str(again)) from again
        return error
    return None


def split_model(model: nn.Module, group: mx.distributed.Group, split: str) -> None:
    """Keep this rank's part of `model`: its heads of every layer ("tensor"), or its layers ("pipeline").

    The dropped weights must not have been evaluated. Raises `ClusterError` if the model cannot be split so.
    """
    try:
        if split == "tensor":
            model.shard(group)
        else:
            with_layers_of_ranks(model).pipeline(group)
    except EngineError:
        raise
    # For sizes that the ranks do not divide, mlx-lm can raise any exception.
    except Exception as error:
        raise ClusterError("cannot-split", detail=" ".join(str(error).split())[:120] or type(error).__name__) from error


def with_layers_of_ranks(model: nn.Module) -> Any:
    """Return the module with mlx-lm's method `pipeline`: `model.model`, or a deeper one in multimodal models."""
    if hasattr(getattr(model, "model", None), "pipeline"):
        return model.model
    return next(module for module in model.modules() if isinstance(module, PipelineMixin))


def cache_kinds(model: nn.Module) -> list[str]:
    """Return the kinds of caches of this rank's layers, each once, with the widths of windows."""
    caches = flatten(make_prompt_cache(model))
    return sorted({f"{type(cache).__name__} {getattr(cache, 'max_size', None) or ''}".strip() for cache in caches})


class LastExchange:
    """Finds the array of a pass whose evaluation includes all exchanges between ranks.

    It is the output of the trunk, the module that holds the layers, if the model has one: a prompt's logits, as wide as
    the vocabulary, then need not be computed. Else it is the logits. Create it before the model is split.
    """

    def __init__(self, model: nn.Module, *, by_layers: bool) -> None:
        self.by_layers = by_layers
        self._trunk = _trunk_of(model)
        self._outputs: list[Any] = []
        self._beside = _modules_beside(model, self._trunk)

    def watch(self) -> None:
        """Watch the trunk's passes from now on; call this once, after the model is split."""
        if self._trunk is None or any(owner[name] is not module for owner, name, module in self._beside):
            return
        base = type(self._trunk)
        outputs = self._outputs

        def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            output = base.__call__(module, *args, **kwargs)
            outputs.append(output)
            return output

        self._trunk.__class__ = type(base.__name__, (base,), {"__call__": call, "__module__": base.__module__})

    def of(self, logits: mx.array) -> Any:
        """Return the array to evaluate of the pass that returned `logits` (rows, width, V), or them."""
        outputs = list(self._outputs)
        self._outputs.clear()
        return outputs[0] if len(outputs) == 1 else logits


def _trunk_of(model: nn.Module) -> nn.Module | None:
    """Return the module, other than the model itself, that has the list of layers; None if there is none."""
    try:
        last = list(model.layers)[-1]
    except (AttributeError, TypeError, IndexError):
        return None
    for module in model.modules():
        if module is model:
            continue
        if any(isinstance(child, list) and any(part is last for part in child) for child in module.children().values()):
            return module
    return None


class _OwnedModule(NamedTuple):
    """A module, and the module that has it under a name."""

    owner: nn.Module
    name: str
    module: nn.Module


def _modules_beside(model: nn.Module, trunk: nn.Module | None) -> list[_OwnedModule]:
    """Return the modules outside of the trunk; a split replaces those that it divides."""
    inside = {id(module) for module in trunk.modules()} if trunk is not None else set()
    return [
        _OwnedModule(owner, name, module)
        for owner in model.modules()
        if id(owner) not in inside
        for name, module in owner.children().items()
        if isinstance(module, nn.Module) and id(module) not in inside
    ]
