"""Writes the files of a folder that MLX loads from a GGUF file, tensor by tensor. Runs in a sandbox only.

Of a tensor, some millions of weights are in memory at a time, so the size of the file does not matter.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import ModelNotUsable
from engine.files.folder_paths import open_regular, states_of
from engine.files.steps import in_chunks
from engine.gguf.architectures import ROPE_FACTORS, GgufArchitecture, Placement, model_of, placements
from engine.gguf.header import SETTINGS_BYTES, GgufFile, GgufTensor, read_gguf
from engine.gguf.provenance import VERSION, Provenance
from engine.gguf.settings import SettingError
from engine.gguf.tokenizer import write_tokenizer
from engine.gguf.weights import FLOATS, GROUP, Width, cast, floats_of, quantised, width_of
from engine.model_files.config import check_sizes
from engine.model_files.model_folder import INDEX_NAME
from engine.model_files.safetensors_header import ELEMENT_BYTES
from engine.sandbox.access import Access, declare_access
from engine.sandbox.tasks import task

# Bytes of weights in one file of the folder: progress is counted, and a conversion is cancelled, between two.
_SHARD_BYTES = 2**28
# Weights that are converted at once.
_CHUNK = 2**22
_MOST_FACTORS = 2**16
_TYPES = {"U32": np.uint32, "U8": np.uint8, "F16": np.float16, "BF16": np.uint16, "F32": np.float32}

# Requests name the file that is read and the folder that is written.
declare_access(__name__, Access(reads=True, writes=True))


@dataclass(frozen=True, slots=True)
class _Output:
    """A tensor of the folder, where it comes from, and how it is stored.

    `width` is None if it is stored as floats. `arrays` has the safetensors type and shape of each stored array by its
    full name: of one for floats, of "weight", "scales" and perhaps "biases" for quantised weights.
    """

    place: Placement
    tensor: GgufTensor
    width: Width | None
    arrays: dict[str, tuple[str, tuple[int, ...]]]

    @property
    def stem(self) -> str:
        """The name of the layer, without ".weight"."""
        return self.place.name.rpartition(".")[0]

    @property
    def nbytes(self) -> int:
        """The bytes of its arrays."""
        return sum(map(_size, self.arrays.values()))


@dataclass(frozen=True, slots=True)
class _Layout:
    """What becomes of a GGUF file: its config.json, the type of its floats, and the tensors of each file of weights."""

    file: GgufFile
    config: dict[str, Any]
    dtype: str
    shards: list[list[_Output]]


class Prepared(NamedTuple):
    """What `prepare` has found out about a GGUF file.

    `shard_bytes` are the bytes of weights in each file that `write_shard` has still to write, in their order.
    `provenance` is the record of the source, which is not written yet. `source_state` changes with the content of the
    source's files: `write_shard` refuses a source in another state.
    """

    shard_bytes: list[int]
    provenance: Provenance
    source_state: str


@task
def prepare(source_path: str, folder_path: str) -> Prepared:
    """Check a GGUF file, and write all files of the folder but the weights and the record of their source.

    Raises `ModelNotUsable` if the file cannot be used ("missing", "damaged", "incomplete", "unknown-architecture"), or
    if the folder cannot be written ("not-written").
    """
    source = Path(source_path)
    folder = Path(folder_path)
    try:
        # Before the layout is read, so that no other file can come in between.
        source_state = _state(read_gguf(source, SETTINGS_BYTES).files)
        layout = _layout(source, source_state)
        status = source.stat()
        write_tokenizer(layout.file.metadata, folder)
        _write_settings(layout, folder)
    except OSError as error:
        raise ModelNotUsable(source, "not-written", error.strerror or str(error)) from error
    outputs = [output for shard in layout.shards for output in shard]
    requantised = {output.tensor.name for output in outputs if output.width and not output.width.codes_of_file}
    provenance = Provenance(
        source=str(source),
        size=status.st_size,
        modified_ns=status.st_mtime_ns,
        architecture=layout.file.architecture,
        tensors=len({output.tensor.name for output in outputs}),
        requantised=tuple(sorted(requantised)),
        version=VERSION,
    )
    return Prepared([sum(output.nbytes for output in shard) for shard in layout.shards], provenance, source_state)


def _write_settings(layout: _Layout, folder: Path) -> None:
    """Write config.json, and the index of the weights if they will be in several files. Raises `OSError`."""
    (folder / "config.json").write_text(json.dumps(layout.config, indent=1))
    names = _shard_names(layout)
    if len(names) > 1:
        file_of_array = {
            array: name
            for name, shard in zip(names, layout.shards, strict=True)
            for output in shard
            for array in output.arrays
        }
        (folder / INDEX_NAME).write_text(json.dumps({"metadata": {}, "weight_map": file_of_array}))


@task
def write_shard(source_path: str, folder_path: str, number: int, source_state: str) -> None:
    """Write the file of weights with this number, counted from 0, of a folder that `prepare` has begun.

    `source_state` is the one that `prepare` returned. Raises `ModelNotUsable`: "damaged", also for a source in another
    state, "incomplete" if the source ends too early, "not-written" if a file cannot be read or written.
    """
    source = Path(source_path)
    folder = Path(folder_path)
    try:
        layout = _layout(source, source_state)
        _check_state(source, layout, source_state)
        _write_weights(layout, layout.shards[number], folder / _shard_names(layout)[number])
        _check_state(source, layout, source_state)
    except OSError as error:
        raise ModelNotUsable(source, "not-written", error.strerror or str(error)) from error
    except EOFError as error:
        raise ModelNotUsable(source, "incomplete", f"{source.name} ({error})") from error
    except ValueError as error:
        raise ModelNotUsable(source, "damaged", f"{source.name} ({error})") from error


def _write_weights(layout: _Layout, outputs: list[_Output], path: Path) -> None:
    """Write `outputs` as a safetensors file, part by part. Raises `OSError`, `EOFError` and `ValueError`."""
    header = _safetensors_header(outputs)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with ExitStack() as stack:
        sources = {path: stack.enter_context(open_regular(path)).fileno() for path in layout.file.files}
        file = stack.enter_context(open(path, "wb"))
        file.write(len(text).to_bytes(8, "little") + text)
        data_start = file.tell()
        for output in outputs:
            # Where the next part of each array goes.
            places = {name: data_start + header[name]["data_offsets"][0] for name in output.arrays}
            for parts in _arrays(output, sources[output.tensor.file], layout.dtype):
                for name, part in parts.items():
                    file.seek(places[name])
                    file.write(np.ascontiguousarray(part).data)
                    places[name] += part.nbytes
        file.flush()
        os.fsync(file.fileno())


def _safetensors_header(outputs: list[_Output]) -> dict[str, Any]:
    """Return the header of a safetensors file: for each array its type, shape and place after the header."""
    header: dict[str, Any] = {"__metadata__": {"format": "mlx"}}
    end = 0
    for output in outputs:
        for name, (dtype, shape) in output.arrays.items():
            begin = end
            end += _size((dtype, shape))
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}
    return header


def _state(files: tuple[Path, ...]) -> str:
    """Return a text that changes whenever one of the files does. Raises `ModelNotUsable` if one is missing."""
    states = list(states_of(files).values())
    if (0, 0) in states:
        raise ModelNotUsable(files[0], "missing")
    return str(states)


def _check_state(source: Path, layout: _Layout, source_state: str) -> None:
    """Raise `ModelNotUsable` ("damaged") if the source's files have changed since `source_state`."""
    if _state(layout.file.files) != source_state:
        raise ModelNotUsable(source, "damaged", f"{source.name} (changed meanwhile)")


@lru_cache(maxsize=1)
def _layout(source: Path, state: str) -> _Layout:
    """Read a GGUF file and decide what becomes of each tensor. Raises `ModelNotUsable`.

    Each file of weights needs it, so the latest result stays in memory; another `state` means that the file has
    changed and is read again.
    """
    del state
    file = read_gguf(source)
    try:
        entry, settings, config = model_of(file, _factors(file))
        placed = [(place, tensor) for tensor in file.tensors.values() for place in placements(entry, settings, tensor)]
        dtype = _dtype(entry, [tensor for _, tensor in placed])
        outputs = [_output(place, tensor, dtype) for place, tensor in placed]
    except SettingError as error:
        raise ModelNotUsable(source, "unknown-architecture", f"{file.architecture}: {error}"[:160]) from error
    # Sizes that are zero or do not divide each other.
    except (ValueError, ArithmeticError) as error:
        raise ModelNotUsable(source, "damaged", f"{source.name} (its sizes)") from error
    if len({array for output in outputs for array in output.arrays}) < sum(len(output.arrays) for output in outputs):
        raise ModelNotUsable(source, "damaged", f"{source.name} (a tensor twice)")
    widths = {output.stem: output.width for output in outputs if output.width is not None}
    if widths:
        config["quantization"] = _quantisation(widths)
    check_sizes(source, config)
    return _Layout(file, config, dtype, list(filter(None, in_chunks(outputs, _SHARD_BYTES))))


def _factors(file: GgufFile) -> dict[str, tuple[float, ...]]:
    """Return the factors of rotary frequencies that the file has as tensors, by their names.

    Raises `SettingError` for one that is not a short row of floats.
    """
    factors = {}
    for name in ROPE_FACTORS:
        tensor = file.tensors.get(name)
        if tensor is not None:
            if tensor.kind not in FLOATS or tensor.shape[0] > _MOST_FACTORS or len(tensor.shape) > 1:
                raise SettingError(name)
            with open_regular(tensor.file) as opened:
                rows = _read(opened.fileno(), tensor, 0, 1)
            factors[name] = tuple(floats_of(tensor.kind, rows).ravel().tolist())
    return factors


def _dtype(entry: GgufArchitecture, tensors: list[GgufTensor]) -> str:
    """Return the type of all floats of the folder, because MLX computes in the widest that it meets.

    It is the type of most of the file's matrices, by bytes. With quantised ones it is float16, in which GGUF has its
    scales. Architectures that overflow in float16 get bfloat16 instead.
    """
    kinds: Counter[str] = Counter()
    for tensor in tensors:
        if len(tensor.shape) > 1:
            kinds[FLOATS.get(tensor.kind, "")] += tensor.nbytes
    dtype = "F16" if "" in kinds or not kinds else kinds.most_common(1)[0][0]
    return "BF16" if dtype == "F16" and not entry.float16 else dtype


def _output(place: Placement, tensor: GgufTensor, dtype: str) -> _Output:
    """Decide how a tensor is stored at `place`: quantised, if the file has it so, or as floats of `dtype`.

    Raises `SettingError` for a kind of tensor that is not known, and for a shape that `place` does not suit.
    """
    try:
        width = width_of(tensor.kind)
    except KeyError:
        raise SettingError(f"{tensor.name}, {tensor.kind.name}") from None
    shape = _placed_shape(place, tensor)
    if width is None or place.change is not None or len(shape) < 2 or not place.name.endswith(".weight"):
        if place.change is not None:
            shape = place.change(np.full(shape, -1, np.float32)).shape
        # A_log is exponentiated twice, and corrections of scores differ by less than they are large.
        precise = place.name.endswith(("A_log", "e_score_correction_bias"))
        stored_dtype = "F32" if precise else dtype
        return _Output(place, tensor, None, {place.name: (stored_dtype, shape)})
    stem = place.name.removesuffix(".weight")
    groups = (*shape[:-1], shape[-1] // width.group)
    arrays = {place.name: ("U32", (*shape[:-1], shape[-1] * width.bits // 32))}
    if width.mode == "affine":
        arrays |= {f"{stem}.{leaf}": (dtype, groups) for leaf in ("scales", "biases")}
    else:
        arrays[f"{stem}.scales"] = ("U8", groups)
    return _Output(place, tensor, width, arrays)


def _placed_shape(place: Placement, tensor: GgufTensor) -> tuple[int, ...]:
    """Return the shape of the tensor's numbers at `place`: of one half of its rows, or of some of its rows.

    Raises `SettingError` if the tensor does not have these halves, rows or columns.
    """
    shape = tensor.shape
    if place.half is not None:
        if len(shape) != 3 or shape[1] % 2:
            raise SettingError(tensor.name)
        shape = (shape[0], shape[1] // 2, shape[2])
    rows = place.rows
    columns = place.columns
    if (rows or columns) and (len(shape) > 2 or max(rows or (0,)) >= shape[0]):
        raise SettingError(tensor.name)
    if columns is not None and shape[-1] // GROUP % len(columns):
        raise SettingError(tensor.name)
    return shape if rows is None else (len(rows), *shape[1:])


def _arrays(output: _Output, source: int, dtype: str) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield the arrays of a tensor in parts of whole rows, by their names in the folder.

    `source` is the descriptor of the tensor's file. There is one part if rows or columns change their places or values.
    """
    place = output.place
    tensor = output.tensor
    parts = _parts(output, source, dtype)
    if place.rows is None and place.columns is None and place.change is None:
        for part in parts:
            yield _in_stored_types(part, output)
        return
    collected: dict[str, list[NDArray[Any]]] = {}
    for part in parts:
        for name, array in part.items():
            collected.setdefault(name, []).append(array)
    whole = {name: np.concatenate(arrays).reshape(*tensor.shape[:-1], -1) for name, arrays in collected.items()}
    if place.rows is not None:
        whole = {name: array[list(place.rows)] for name, array in whole.items()}
    if place.columns is not None:
        order = list(place.columns)
        count = len(place.columns)
        whole = {
            name: array.reshape(len(array), count, -1)[:, order].reshape(array.shape) for name, array in whole.items()
        }
    if place.change is not None:
        whole = {name: place.change(array) for name, array in whole.items()}
    yield _in_stored_types(whole, output)


def _parts(output: _Output, source: int, dtype: str) -> Iterator[dict[str, NDArray[Any]]]:
    """Yield some millions of weights of a tensor at a time, as floats or quantised, before any rows are moved."""
    kind = output.tensor.kind
    for rows in _rows(source, output.tensor, output.place.half):
        if output.width is None:
            yield {output.place.name: floats_of(kind, rows)}
        else:
            yield {f"{output.stem}.{leaf}": array for leaf, array in quantised(kind, rows, dtype).items()}


def _in_stored_types(parts: dict[str, NDArray[Any]], output: _Output) -> dict[str, NDArray[Any]]:
    """Return arrays in the types in which they are stored."""
    if output.width is not None:
        return parts
    return {name: cast(array, output.arrays[name][0]) for name, array in parts.items()}


def _rows(source: int, tensor: GgufTensor, half: int | None) -> Iterator[NDArray[np.uint8]]:
    """Yield the encoded rows of a tensor, (rows, bytes a row), at most _CHUNK weights at a time.

    `half` 0 or 1 yields the first or second half of the rows of each matrix, None all.
    """
    total = math.prod(tensor.shape[:-1])
    most = max(1, _CHUNK // tensor.shape[-1])
    if half is None:
        starts = range(0, total, total)
        run = total
    else:
        run = tensor.shape[-2] // 2
        starts = range(half * run, total, 2 * run)
    for start in starts:
        for begin in range(start, start + run, most):
            yield _read(source, tensor, begin, min(most, start + run - begin))


def _read(source: int, tensor: GgufTensor, begin: int, count: int) -> NDArray[np.uint8]:
    """Read `count` encoded rows, (count, bytes a row), from row `begin` on. Raises `EOFError` if the file ends."""
    width = tensor.nbytes // math.prod(tensor.shape[:-1])
    data = os.pread(source, count * width, tensor.offset + begin * width)
    if len(data) < count * width:
        raise EOFError(tensor.name)
    return np.frombuffer(data, np.uint8).reshape(count, width)


def _size(array: tuple[str, tuple[int, ...]]) -> int:
    """Return the bytes of an array with this type and shape."""
    return ELEMENT_BYTES[array[0]] * math.prod(array[1])


def _shard_names(layout: _Layout) -> list[str]:
    """Return the names of the files of weights, as other tools name them."""
    count = len(layout.shards)
    if count == 1:
        return ["model.safetensors"]
    return [f"model-{number:05}-of-{count:05}.safetensors" for number in range(1, count + 1)]


def _quantisation(widths: dict[str, Width]) -> dict[str, Any]:
    """Return the entry of config.json: the most common settings, and the settings of each layer that differs."""
    usual = Counter((width.bits, width.mode) for width in widths.values()).most_common(1)[0][0]
    differing = {stem: width.settings for stem, width in widths.items() if (width.bits, width.mode) != usual}
    return Width(*usual).settings | differing
