"""Loads a model folder safely as a `LoadedModel`: weights, tokenizer, template, limits.

Every fault of a folder is raised as `ModelNotUsable` with its reason. Arrays are made on the engine's thread, to which
they belong, a chunk at a time; work without MLX runs on the threads of a `DiskPool` at the same time.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Set
from copy import deepcopy
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_flatten
from mlx_lm.utils import load_model

from engine.cpu_backend.backend import dequantised, set_precision
from engine.cpu_backend.narrow_products import use_narrow_products
from engine.errors import EngineError, ModelNotUsable, is_device_failure
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import states_of
from engine.files.paths import is_known_good
from engine.files.steps import Steps, in_chunks, result_of, run_to_completion
from engine.files.system_memory import system_memory
from engine.main_model.adapter import apply_adapter, read_weights
from engine.main_model.loaded_model import LoadedModel, new_caches_of, token_of
from engine.mlx_lm_private import model_classes
from engine.model_files.adapters import adapted_name, base_of, deciding_files
from engine.model_files.architecture import mlx_vlm_module
from engine.model_files.config import FALLBACK_CONTEXT, context_length, layer_settings
from engine.model_files.generation_config import recommended_sampling
from engine.model_files.inspection import check_folder, inspect_folder
from engine.model_files.model_folder import ModelFolder, check_unchanged
from engine.model_files.names import name_of_snapshot, resolve_model
from engine.model_files.pooling import has_pooling
from engine.model_files.vlm_language import VlmLanguageModel, vlm_classes
from engine.model_files.weight_reading import TensorPlace, read_arrays, stand_ins, tensor_places
from engine.pictures.vision_tower import vision_tower_of
from engine.status import ModelInfo
from engine.tokenizers.loading import make_tokenizer
from engine.tokenizers.prompt_texts import tool_format_of

log = logging.getLogger(__name__)

OnProgress = Callable[[int, int], object]


class ModelShard(Protocol):
    """This process's part of a model that several processes compute together."""

    def may_lack(self, path: Path) -> Set[str]:
        """Return the files of weights in the model's folder that this process does not need. Raises `EngineError`."""

    def split(self, model: nn.Module) -> None:
        """Reduce a model whose weights have not been read to this process's part. Raises `EngineError`."""

    def barrier(self) -> Steps[None]:
        """Wait until all processes have read their weights; then all run the same passes. Raises `EngineError`."""


def load(name_or_path: str | Path, kv_bits: int | None = None) -> LoadedModel:
    """Load a model from a folder, or by its Hub name from the local Hub cache.

    On a GPU, weights keep their precision; the CPU backend gets float32, the only one in which it is fast. If the model
    cannot use caches of `kv_bits`, they have the model's precision. Raises `ModelNotUsable`.
    """
    return run_to_completion(load_in_steps(name_or_path, kv_bits))


def load_in_steps(
    name_or_path: str | Path,
    kv_bits: int | None = None,
    streaming: Callable[[], bool] = lambda: False,
    on_progress: OnProgress = lambda _loaded, _total: None,
    part: ModelShard | None = None,
    adapt: Callable[[nn.Module], object] = lambda _model: None,
) -> Steps[LoadedModel]:
    """Load a model like `load`, in steps of some milliseconds.

    While answers are `streaming()`, no step waits for the disk. `on_progress(loaded, total)` is called with bytes
    before each chunk of the weights; what is read counts half until it is computed with. With a `part`, the other
    processes have to call `load_part` at the same time. `adapt` may change the layers before the weights are read, as
    the adapter does if the folder is one.

    Raises `ModelNotUsable` as `load` does.
    """
    path = resolve_model(name_or_path)
    base = base_of(path)
    with DiskPool() as disk:
        read = states_of(deciding_files(path))
        yield from result_of(disk.start(_check_folder, base, part))
        _check_library(path, base)
        recommended = yield from result_of(disk.start(recommended_sampling, base))
        tokenizer_ready = disk.start(make_tokenizer, base, disk)
        if base != path:
            adapt = partial(apply_adapter, (yield from read_weights(path, disk)))
        model, config = yield from _load_weights(base, read, disk, streaming, on_progress, part, adapt)
        tokenizer, vocabulary, source, thinking = yield from result_of(tokenizer_ready)
        if part is not None:
            yield from part.barrier()
        group = (yield from _kv_group(model, kv_bits)) if kv_bits is not None else 0
        vision = yield from result_of(disk.start(vision_tower_of, base, config, partial(token_of, tokenizer)))
        info = ModelInfo(
            name=display_name(name_or_path, path) if base == path else adapted_name(path, base),
            path=path,
            architecture=str(config.get("model_type", "")),
            context_length=context_length(config) or FALLBACK_CONTEXT,
            bytes=_parameter_bytes(model),
            kv_bits=kv_bits if group else None,
            sampling=recommended,
            thinking=thinking,
            tool_format=tool_format_of(tokenizer),
            pictures=None if vision is None or part is not None else vision.rules,
        )
        _log_loaded(info)
        known = LoadedModel(info, model, tokenizer, vocabulary, frozenset(tokenizer.eos_token_ids), config, group)
        loaded = replace(known, prompt_source=source, vision=vision, states=read)
        rows = yield from _warm_up(model, loaded.new_caches, path)
    return replace(loaded, rows=rows)


def load_part(path: Path, kv_bits: int | None, part: ModelShard) -> tuple[nn.Module, Callable[[], list[Any]]]:
    """Return the model and a function that makes its caches, in a process that only computes its part.

    Raises `EngineError`.
    """
    with DiskPool() as disk:
        read = states_of(deciding_files(path))
        run_to_completion(result_of(disk.start(_check_folder, path, part)))
        model, _ = run_to_completion(_load_weights(path, read, disk, lambda: False, lambda _loaded, _total: None, part))
    run_to_completion(part.barrier())
    group = run_to_completion(_kv_group(model, kv_bits)) if kv_bits is not None else 0
    new_caches = partial(new_caches_of, model, kv_bits if group else None, group)
    run_to_completion(_warm_up(model, new_caches, path))
    return model, new_caches


def _warm_up(model: nn.Module, new_caches: Callable[[], list[Any]], path: Path) -> Steps[int]:
    """Run passes of the common widths, so that kernels are compiled and memory is touched before the first request.

    Returns the number of ids for which the model has logits.
    """
    try:
        caches = new_caches()
        for rows in (8, 1, 5, 1):
            logits: mx.array = model(mx.zeros((1, rows), dtype=mx.uint32), cache=caches)
            mx.eval(logits)
            yield None
        if mx.isnan(logits).any().item() or not mx.isfinite(logits).any(axis=-1).all().item():
            raise ModelNotUsable(path, "not-finite", "NaN or infinity")
        if not logits.any().item():
            raise ModelNotUsable(path, "all-zero")
    # The model's code can fail in any way on the folder's shapes and values.
    except Exception as error:
        if isinstance(error, EngineError) or is_device_failure(error):
            raise
        raise _explain(path, error) from error
    return int(logits.shape[-1])


def _check_folder(path: Path, part: ModelShard | None) -> None:
    # Checking a tokenizer's content takes time that is wasted on the models that come with Tandem.
    may_lack = part.may_lack(path) if part is not None else frozenset()
    if is_known_good(path):
        inspect_folder(ModelFolder(path), may_lack)
    else:
        check_folder(path, may_lack)


def _log_loaded(info: ModelInfo) -> None:
    size = info.bytes / 1e6
    log.info("loaded %s: %s, %.1f MB, context %d", info.name, info.architecture, size, info.context_length)


def _check_library(path: Path, base: Path) -> None:
    """Raise `ModelNotUsable` if `base` needs mlx-vlm and that is not installed, or `path` is an adapter of such one."""
    family = mlx_vlm_module(ModelFolder(base).config)
    if family is None:
        return
    if base != path:
        raise ModelNotUsable(path, "vlm-adapter", family)
    if find_spec("mlx_vlm") is None:
        raise ModelNotUsable(path, "no-mlx-vlm", family)


def _check_part(path: Path, model: nn.Module, parameters_read: Set[str]) -> None:
    """Raise `ModelNotUsable` if the files do not hold every parameter of this process's part."""
    lacking = {name for name, _ in tree_flatten(model.parameters())} - parameters_read
    if lacking:
        raise ModelNotUsable(path, "wrong-tensors", f"{min(lacking)} is missing")


def _remove_loading_functions(model: nn.Module) -> None:
    """Remove the functions of `_classes`: a model that holds functions which refer to it would outlive its last use."""
    for name in ("sanitize", "load_weights"):
        vars(model).pop(name, None)


def _reported_chunks(model: nn.Module, on_progress: OnProgress, read: int) -> Iterator[list[mx.array]]:
    """Yield the model's parameters in chunks, and report before each how many bytes the earlier ones had.

    The largest come first: while one is converted it is in memory twice, and the others have not grown yet.

    If so many bytes were `read` before, half of their progress has been reported, and this is the other half.
    """
    loaded = 0
    total = _parameter_bytes(model)
    arrays = [array for _, array in tree_flatten(model.parameters())]
    for chunk in in_chunks(sorted(arrays, key=lambda array: array.nbytes, reverse=True)):
        if read:
            on_progress((read + read * loaded // max(total, 1)) // 2, read)
        else:
            on_progress(loaded, total)
        yield chunk
        loaded += sum(array.nbytes for array in chunk)


def _read_tensors(
    folder: ModelFolder, read: Mapping[Path, tuple[int, int]], disk: DiskPool, on_progress: OnProgress
) -> Steps[dict[str, mx.array]]:
    """Read the tensors that a model uses, by name, and report before each chunk half of what was read.

    The other half is computing with them, which takes longer where their precision changes. `read` are the states of
    the files when they were checked. Raises `ModelNotUsable`.
    """
    headers = {file: folder.header(file) for file in folder.weight_files}
    places = tensor_places(headers)
    for name in folder.tensors_beside | _unused(folder, places):
        places.pop(name, None)
    total = sum(place.nbytes for place in places.values())
    arrays: dict[str, mx.array] = {}
    loaded = 0
    named = iter(places.items())
    for chunk in in_chunks(places.values()):
        on_progress(loaded // 2, total)
        yield None
        check_unchanged(folder.path, read)
        arrays |= yield from read_arrays(folder.path, dict(islice(named, len(chunk))), disk)
        loaded += sum(place.nbytes for place in chunk)
    return arrays


def _unused(folder: ModelFolder, places: Mapping[str, TensorPlace]) -> Set[str]:
    """Return which of the tensors at `places` a model drops, as a second output layer or a tower for pictures.

    For that, it is built of arrays that need no memory. None are known of a model that computes any parameter from its
    tensors, as stacked experts, or that cannot be built.
    """
    try:
        given = stand_ins(places)
        parameters = _load_lazily(folder, strict=True, tensors=dict(given)).parameters
    # Conversions of other formats raise all kinds of exceptions; they do so again for the tensors themselves.
    except Exception as error:
        if is_device_failure(error):
            raise
        return frozenset()
    names = {id(array): name for name, array in given.items()}
    used = {names.get(id(array)) for array in parameters.values()}
    return frozenset() if None in used else given.keys() - used


def _build_model(
    folder: ModelFolder, part: ModelShard | None, tensors: dict[str, mx.array]
) -> tuple[nn.Module, dict[str, Any]]:
    """Build the model of a folder, or this process's `part` of it, with its configuration.

    Its weights are computed from `tensors`, the tensors of the files by name. `tensors` is emptied, because an array in
    it would keep its memory. A part's are computed from what MLX reads when they are evaluated: its tensors together do
    not fit into one computer.

    Raises `ModelNotUsable` if files lack some, and whatever mlx-lm or mlx-vlm raise for wrong ones.
    """
    whole = part is None or folder.missing_weights() is None
    model, config, parameters = _load_lazily(folder, whole, tensors)
    model = dequantised(model)
    if part is not None:
        part.split(model)
    if not whole:
        _check_part(folder.path, model, parameters.keys())
    return model, config


class _LazyModel(NamedTuple):
    """A model whose parameters have not been evaluated."""

    model: nn.Module
    config: dict[str, Any]
    # By their names in the model.
    parameters: dict[str, mx.array]


def _load_lazily(folder: ModelFolder, strict: bool, tensors: dict[str, mx.array]) -> _LazyModel:
    """Build the model that mlx-lm or mlx-vlm makes of `tensors`, without evaluating anything.

    `tensors` is emptied. Tensors of the files that it lacks are read by MLX when they are evaluated. If `strict`, every
    parameter has to be there. Raises whatever mlx-lm or mlx-vlm raise.
    """
    parameters = dict[str, mx.array]()
    model, config = load_model(
        folder.path,
        lazy=True,
        strict=strict,
        # Some families change the configuration that they are given.
        model_config=deepcopy(layer_settings(folder.config) | _output_settings(folder)),
        get_model_classes=partial(_classes, folder.tensors_beside, parameters, tensors),
    )
    _remove_loading_functions(model)
    return _LazyModel(model, config, parameters)


def _output_settings(folder: ModelFolder) -> dict[str, Any]:
    """Return what to change in the configuration of an embedding model, which is published without an output layer."""
    lacks_output = has_pooling(folder.path) and not any(name.startswith("lm_head.") for name in folder.tensors)
    return {"tie_word_embeddings": True} if lacks_output else {}


def _load_weights(
    path: Path,
    read: Mapping[Path, tuple[int, int]],
    disk: DiskPool,
    streaming: Callable[[], bool],
    on_progress: OnProgress,
    part: ModelShard | None,
    adapt: Callable[[nn.Module], object] = lambda _model: None,
) -> Steps[tuple[nn.Module, dict[str, Any]]]:
    """Build the model at `path` and read its weights, in steps; return it with its configuration.

    `read` are the states of the files when they were checked. Raises `ModelNotUsable` if they changed since, or the
    tensors are wrong.
    """
    folder = ModelFolder(path)
    # Reading more than half of the free memory ahead would evict what was read first.
    ahead = disk.read_ahead(folder.weight_files, system_memory().available // 2) if part and streaming() else None
    try:
        tensors = {} if part else (yield from _read_tensors(folder, read, disk, on_progress))
        # Building the model takes them.
        bytes_read = sum(tensor.nbytes for tensor in tensors.values())
        model, config = _build_model(folder, part, tensors)
        adapt(model)
        if use_narrow_products(model) and part is None:
            yield from _evaluate_blocks(model)
        set_precision(model)
        for chunk in _reported_chunks(model, on_progress, bytes_read):
            yield None
            while ahead is not None and not ahead.done() and streaming():
                yield ahead
            # Where reading a part fails, MLX may hang.
            check_unchanged(path, read)
            mx.eval(chunk)
        check_unchanged(path, read)
        # New layers drew numbers from it, and what it has still to compute would grow with each model.
        mx.eval(mx.random.state)
        _check_ids(path, model)
    # Conversions of other formats raise all kinds of exceptions for wrong tensors.
    except Exception as error:
        if isinstance(error, EngineError) or is_device_failure(error):
            raise
        raise _explain(path, error) from error
    return model, config


def _evaluate_blocks(model: nn.Module) -> Steps[None]:
    """Evaluate the blocks of matrices in the precision in which they were read.

    When they become float32, each would be in memory in both orders and in both precisions otherwise.
    """
    for chunk in in_chunks([array for _, array in tree_flatten(model.parameters())]):
        yield None
        mx.eval(chunk)


def _classes(
    skipped: Set[str], parameters: dict[str, mx.array], tensors: dict[str, mx.array], config: dict[str, Any]
) -> tuple[Callable[[Any], nn.Module], Any]:
    """Return the classes of mlx-lm or mlx-vlm for a configuration, such that models skip the tensors in `skipped`.

    `parameters` receives those that the files hold, by name. `tensors`, by name, replace those that MLX would read, and
    are emptied.
    """
    family = mlx_vlm_module(config)
    model_class, arguments = model_classes(config) if family is None else vlm_classes(family)

    def built(arguments: Any) -> nn.Module:
        model = model_class(arguments)
        load_weights = model.load_weights

        def loaded(weights: list[tuple[str, mx.array]], strict: bool = True) -> nn.Module:
            parameters.update(weights)
            return load_weights(weights, strict)

        sanitize = getattr(model, "sanitize", dict)

        def from_tensors(weights: dict[str, mx.array]) -> Any:
            weights.update(tensors)
            tensors.clear()
            return sanitized(model, sanitize, skipped, weights)

        model.load_weights = loaded
        model.sanitize = from_tensors
        return model

    return built, arguments


def sanitized(model: nn.Module, sanitize: Callable[..., Any], skipped: Set[str], weights: dict[str, mx.array]) -> Any:
    """Return a model's weights (any shape) by `sanitize`, without the `skipped`.

    Those of a model that was saved without the layer around it, as Qwen3-Embedding, get the names of a whole one.

    Raises `ValueError` if a layer has more scales than numbers.
    """
    weights = {name: array for name, array in weights.items() if name not in skipped}
    if "embed_tokens.weight" in weights and "model" in model:
        weights = {f"model.{name}": array for name, array in weights.items()}
    weights = sanitize(weights)
    for name, module in model.named_modules():
        scales = weights.get(f"{name}.scales")
        # MLX divides by the size of groups without looking. AWQ's matrices are transposed.
        side = 0 if f"{name}.qweight" in weights else -1
        if scales is not None and "weight" in module and scales.shape[side] > module.weight.shape[-1]:
            raise ValueError(f"{name}.scales has shape {scales.shape}")
    return weights


def _check_ids(path: Path, model: nn.Module) -> None:
    """Raise `ModelNotUsable` if a table that names experts, as DeepSeek V4's by token, names one that there is not."""
    for name, gate in model.named_modules():
        table = gate.get("tid2eid")
        if table is not None and bool(((table < 0) | (table >= gate.num_experts)).any().item()):
            raise ModelNotUsable(path, "wrong-tensors", f"{name}.tid2eid")


def _kv_group(model: nn.Module, bits: int) -> Steps[int]:
    """Return how many values share a scale in quantised caches of this model; 0 if it cannot use such caches."""
    if isinstance(model, VlmLanguageModel):
        return 0
    for group in (64, 32):
        caches = new_caches_of(model, bits, group)
        try:
            # The first pass fills the caches, the second reads them.
            for _ in range(2):
                mx.eval(model(mx.zeros((1, 1), mx.uint32), cache=caches))
                yield None
        # Models that do not support such caches raise all kinds of exceptions.
        except Exception as error:
            if is_device_failure(error):
                raise
            log.info("caches of %d bits in groups of %d cannot be used: %s", bits, group, error)
        else:
            return group
    return 0


def _explain(path: Path, error: Exception) -> ModelNotUsable:
    """Turn an error of mlx-lm, which raises built-in ones only, into `ModelNotUsable` by its message."""
    words = " ".join(str(error).split())
    if unknown := re.match(r"Model type (\S+) not supported", words):
        return ModelNotUsable(path, "unknown-architecture", unknown[1])
    if isinstance(error, MemoryError) or "malloc" in words or "memory" in words.lower():
        return ModelNotUsable(path, "no-room", words[:120])
    if "safetensors" in words.lower() or words.startswith(("[read]", "[json")):
        return ModelNotUsable(path, "damaged", words[:120])
    if isinstance(error, (TypeError, KeyError, AttributeError)):
        return ModelNotUsable(path, "damaged", f"config.json: {words[:120]}")
    return ModelNotUsable(path, "wrong-tensors", words[:120])


def _parameter_bytes(model: nn.Module) -> int:
    return sum(array.nbytes for _, array in tree_flatten(model.parameters()))


def display_name(name_or_path: str | Path, path: Path) -> str:
    """Return the display name of a model that was requested as `name_or_path` and found at `path`."""
    text = str(name_or_path)
    return name_of_snapshot(path) if Path(text).exists() else text
