"""Reads weights without MLX: the same numbers, and a read that fails is an error with the file's name."""

from __future__ import annotations

import errno
import gc
import json
import os
import random
import struct
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from engine.cpu_backend import backend, blas
from engine.errors import ModelNotUsable
from engine.files.disk_pool import DiskPool
from engine.files.steps import run_to_completion
from engine.main_model.loading import load
from engine.model_files.safetensors_header import ELEMENT_BYTES, read_checked_header
from engine.model_files.weight_reading import arrays_in, read_arrays, tensor_places
from tests.encoder_folders import BERT, GEMMA, WIDTH, write_encoder
from tests.engine.encoders.embedding import embeddings_of
from tests.engine.heads.heads_on_disk import load_head
from tests.engine.pictures.questions import FILES, embedded
from tests.engine.tiers import by_tier, in_turn
from tests.tiny_adapters import as_peft, write_adapter
from tests.tiny_heads import write_head
from tests.tiny_models import BFLOAT16, FOUR_BITS, QWEN3, write_experts_apart, write_model
from tests.tiny_vision import GEMMA3, write_vision_model


@pytest.fixture(autouse=True)
def as_on_a_mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(backend.VARIABLE, backend.GPU.name)


def write_file(path: Path, tensors: dict[str, tuple[str, list[int]]]) -> Path:
    """Write a safetensors file with tensors of these types and shapes, and random numbers."""
    draw, header, data = random.Random(5), dict[str, Any](), b""
    for name, (dtype, shape) in tensors.items():
        count = 1
        for side in shape:
            count *= side
        content = draw.randbytes(count * ELEMENT_BYTES[dtype])
        if dtype == "BOOL":
            content = bytes(byte & 1 for byte in content)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def read(file: Path) -> dict[str, mx.array]:
    with DiskPool() as disk:
        places = tensor_places({file: read_checked_header(file.parent, file)})
        return run_to_completion(read_arrays(file.parent, places, disk))


WAYS: dict[str, Callable[[Path], dict[str, mx.array]]] = {
    "a file": read,
    "bytes": lambda file: arrays_in(file.read_bytes()),
}


@pytest.mark.parametrize(("way", "dtype"), in_turn(WAYS, sorted(ELEMENT_BYTES.keys() - {"F64"})))
def test_arrays_of_every_type_and_shape_are_those_of_mlx(
    tmp_path: Path, dtype: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 100)
    shapes = {"scalar": [], "empty": [0], "nothing wide": [3, 0], "one": [1], "row": [7], "many": [2, 1, 3, 5]}
    file = write_file(tmp_path / "a.safetensors", {name: (dtype, shape) for name, shape in shapes.items()})
    wanted: dict[str, mx.array] = mx.load(str(file))  # type: ignore[assignment]
    found = WAYS[way](file)
    assert found.keys() == wanted.keys()
    for name, array in found.items():
        assert (array.dtype, array.shape) == (wanted[name].dtype, wanted[name].shape)
        assert bytes(memoryview(mx.contiguous(array))) == bytes(memoryview(wanted[name]))  # type: ignore[arg-type]


def test_a_type_that_mlx_lacks_is_refused(tmp_path: Path) -> None:
    file = write_file(tmp_path / "a.safetensors", {"a": ("F64", [2])})
    with pytest.raises(ModelNotUsable, match=r"wrong-tensors.*a: F64"):
        read(file)
    with pytest.raises(ValueError, match="a: F64"):
        arrays_in(file.read_bytes())


@pytest.mark.parametrize("stored", [BFLOAT16, FOUR_BITS], ids=["bfloat16", "four bits"])
def test_a_model_has_the_numbers_of_its_file(tmp_path: Path, stored: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_model(tmp_path / "main", seed=1, stored=stored)
    # A read may give fewer bytes than it is asked for.
    monkeypatch.setattr("engine.model_files.weight_reading._PIECE_BYTES", 1_000)
    written: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    parameters: dict[str, mx.array] = dict(tree_flatten(load(folder).model.parameters()))
    assert parameters.keys() == written.keys()
    for name, array in parameters.items():
        assert array.dtype == written[name].dtype
        assert mx.array_equal(array, written[name])


def converted(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a model of which tensors are converted while it loads: stacked, or from bfloat16 to float32."""
    if kind == "stacked":
        return write_experts_apart(folder)
    monkeypatch.setenv(backend.VARIABLE, backend.CPU.name)
    return write_model(folder, seed=1, stored=BFLOAT16)


@pytest.mark.parametrize(
    ("kind", "every"), by_tier([*product(("stacked", "float32"), (4, 1))], [("stacked", 4), ("float32", 4)])
)
def test_a_failing_read_of_any_tensor_that_is_converted_is_told(
    tmp_path: Path, kind: str, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = converted(tmp_path / "main", kind, monkeypatch)
    file = folder / "model.safetensors"
    [header_bytes] = struct.unpack("<Q", file.read_bytes()[:8])
    read_bytes = os.preadv
    for name, tensor in [*read_checked_header(folder, file).items()][::every]:

        def preadv(descriptor: int, buffers: Any, offset: int, lost: int = 8 + header_bytes + tensor.begin) -> int:
            if offset <= lost < offset + sum(map(len, buffers)) and os.path.samestat(os.fstat(descriptor), file.stat()):
                raise OSError(errno.EIO, "Input/output error")
            return read_bytes(descriptor, buffers, offset)

        with monkeypatch.context() as failing:
            failing.setattr(os, "preadv", preadv)
            with pytest.raises(ModelNotUsable, match="damaged") as refused:
                load(folder)
        assert refused.value.detail == "model.safetensors (Input/output error)", name
    assert load(folder).model.parameters()


@pytest.mark.parametrize("kind", ["stacked", "float32"])
def test_converted_weights_are_those_of_mlx(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = converted(tmp_path / "main", kind, monkeypatch)
    held: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    parameters: dict[str, mx.array] = dict(tree_flatten(load(folder).model.parameters()))
    # The output matrix has another layout where the CPU computes.
    for name, array in [(name, array) for name, array in parameters.items() if not name.startswith("lm_head.")]:
        before, experts, after = name.partition("switch_mlp")
        parts = [held[f"{before}experts.{number}{after}"] for number in range(4)] if experts else [held[name]]
        wanted = mx.stack(parts) if experts else parts[0]
        assert array.dtype == mx.float32
        assert mx.array_equal(array, wanted.astype(mx.float32))


def load_measured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Load a main model in small chunks. Return its bytes, and how many were in memory at most."""
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 10_000)
    monkeypatch.setattr("engine.main_model.loading._warm_up", lambda *_: iter(()))
    gc.collect()
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    loaded = load(folder)
    return loaded.info.bytes, mx.get_peak_memory() - before


@pytest.mark.full
@pytest.mark.parametrize("kind", ["stacked", "float32"])
def test_a_converted_main_model_is_in_memory_once(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model_bytes, most = load_measured(converted(tmp_path / "main", kind, monkeypatch), monkeypatch)
    # A copy of what is stored would be half as much, or as much again.
    assert most < 1.4 * model_bytes


def test_blocks_of_a_large_matrix_are_not_in_memory_beside_it_in_float32(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(backend.VARIABLE, backend.CPU.name)
    monkeypatch.setattr(blas, "BLAS", "OpenBLAS")
    small = {"num_hidden_layers": 1, "intermediate_size": 32, "tie_word_embeddings": True}
    folder = write_model(tmp_path / "main", config=QWEN3 | small, stored=BFLOAT16)
    model_bytes, most = load_measured(folder, monkeypatch)
    # More than half of the model is its embedding; with that twice it would be 1.6.
    assert most < 1.25 * model_bytes


def write_tied(folder: Path) -> None:
    """Write a model that computes logits with its embedding, and has an output layer in its file all the same."""
    write_model(folder, seed=1, config={**QWEN3, "tie_word_embeddings": True}, stored=BFLOAT16)
    held: dict[str, mx.array] = mx.load(str(folder / "model.safetensors"))  # type: ignore[assignment]
    held["lm_head.weight"] = held["model.embed_tokens.weight"] + 1
    mx.eval(held)
    mx.save_safetensors(str(folder / "model.safetensors"), held, metadata={"format": "mlx"})


def write_seeing(folder: Path) -> None:
    write_vision_model(folder, GEMMA3)


@pytest.mark.full
@pytest.mark.parametrize("write", [write_tied, write_seeing], ids=["second output layer", "tower for pictures"])
def test_what_a_model_drops_is_not_in_memory(
    tmp_path: Path, write: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "main"
    write(folder)
    monkeypatch.setenv(backend.VARIABLE, backend.GPU.name)
    model_bytes, most = load_measured(folder, monkeypatch)
    assert (folder / "model.safetensors").stat().st_size > 1.2 * model_bytes
    assert most < 1.1 * model_bytes


Loaded = Callable[[], object]


def main_model(folder: Path) -> tuple[Path, Loaded]:
    main = write_model(folder, seed=1)
    return main / "model.safetensors", lambda: load(main)


def adapter(folder: Path) -> tuple[Path, Loaded]:
    made = write_adapter(write_model(folder, seed=1), folder / "style")
    return made / "adapters.safetensors", lambda: load(made)


def adapter_of_peft(folder: Path) -> tuple[Path, Loaded]:
    made = as_peft(write_adapter(write_model(folder, seed=1), folder.parent / "style"), folder / "style")
    return made / "adapter_model.safetensors", lambda: load(made)


def head(folder: Path) -> tuple[Path, Loaded]:
    made = write_head(folder / "head", write_model(folder / "main", seed=1))
    return made / "model.safetensors", lambda: load_head(made)


def encoder(folder: Path) -> tuple[Path, Loaded]:
    write_encoder(folder, BERT, "mean_tokens")
    return folder / "model.safetensors", lambda: embeddings_of(folder, "fox")


def layer_of_encoder(folder: Path) -> tuple[Path, Loaded]:
    write_encoder(folder, GEMMA, "mean_tokens", dense=(64, WIDTH))
    return folder / "3_Dense" / "model.safetensors", lambda: embeddings_of(folder, "fox")


def tower(folder: Path) -> tuple[Path, Loaded]:
    vision = load(write_vision_model(folder, GEMMA3)).vision
    assert vision is not None
    return folder / "model.safetensors", lambda: embedded(vision, FILES[0])


PARTS = (main_model, adapter, adapter_of_peft, head, encoder, layer_of_encoder, tower)


@pytest.mark.parametrize(("fault", "part"), in_turn(("error", "end"), PARTS))
def test_a_read_that_fails_is_told_with_its_file(
    tmp_path: Path, part: Callable[[Path], tuple[Path, Loaded]], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, loaded = part(tmp_path / "main")
    loaded()
    read_bytes = os.preadv

    def preadv(descriptor: int, *arguments: Any) -> int:
        if not os.path.samestat(os.fstat(descriptor), file.stat()):
            return read_bytes(descriptor, *arguments)
        if fault == "error":
            raise OSError(errno.EIO, "Input/output error")
        return 0

    if part is tower:
        _, loaded = part(tmp_path / "main")
    monkeypatch.setattr(os, "preadv", preadv)
    with pytest.raises(ModelNotUsable) as refused:
        loaded()
    assert refused.value.reason == "damaged"
    assert refused.value.detail.startswith(f"{file.name} (")


@pytest.mark.parametrize("size", [0, 5, 8, 40, -1], ids="cut to {}".format)
def test_a_file_that_is_cut_off_between_its_header_and_its_tensors_is_refused(tmp_path: Path, size: int) -> None:
    file = write_file(tmp_path / "a.safetensors", {"a": ("F32", [9])})
    places = tensor_places({file: read_checked_header(tmp_path, file)})
    os.truncate(file, size if size >= 0 else file.stat().st_size - 1)
    with DiskPool() as disk, pytest.raises(ModelNotUsable) as refused:
        run_to_completion(read_arrays(tmp_path, places, disk))
    assert refused.value.reason == "damaged"
    content = file.read_bytes()
    with pytest.raises(ValueError, match=r".+"):
        arrays_in(content)


@pytest.mark.full
@pytest.mark.parametrize("name", [backend.GPU.name, backend.CPU.name])
def test_weights_are_in_memory_once_also_while_they_are_read_and_converted(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(backend.VARIABLE, name)
    monkeypatch.setattr("engine.files.steps.CHUNK_BYTES", 20_000)
    main = write_model(tmp_path / "main", seed=1, config={**QWEN3, "hidden_size": 256})
    folder = write_head(tmp_path / "head", main, layers=["full_attention"] * 4)
    gc.collect()
    mx.clear_cache()
    before = mx.get_active_memory()
    mx.reset_peak_memory()
    loaded = load_head(folder)
    assert mx.get_peak_memory() - before < 1.15 * loaded.nbytes
