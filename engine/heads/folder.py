"""Checks a head's folder by its configuration and the headers of its weights. Does not import mlx."""

from __future__ import annotations

import hashlib
import os
import pkgutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import ModelNotUsable
from engine.heads.config import HeadConfig, HeadConfigError
from engine.heads.tensors import FP8, MASK, HeadFiles, HeadTensorError, UnknownHeadError, check_types
from engine.model_files.head_kinds import HeadKind, head_kind
from engine.model_files.model_folder import ModelFolder
from engine.model_files.safetensors_header import TensorHeader
from engine.model_files.torch_file import RunsCodeError, SavedVector, TorchFileError, read_torch_vector

# Where MiMo's heads keep the embedding of their mask token (vLLM, #46104).
_MASK_FILE = "mask_embedding.pt"
# Bytes of each part of a file that is read for the identity of a head.
_SAMPLE_BYTES = 2**16
_SAMPLES = 16


@dataclass(frozen=True, slots=True)
class HeadContent:
    """The content of a usable head's folder: files of weights, kind, configuration, and the tensors that are read.

    `names` maps published names to the names in our networks; `tensors` holds headers by our names. `mask` is the
    embedding of the mask token if it lies in a separate file.
    """

    folder: Path
    files: tuple[Path, ...]
    kind: HeadKind
    config: HeadConfig
    names: Mapping[str, str]
    tensors: Mapping[str, TensorHeader]
    mask: SavedVector | None = None

    @property
    def weight_bytes(self) -> int:
        """Bytes in memory, where 8-bit floating-point numbers take 16 bits."""
        return sum(tensor.nbytes * (2 if tensor.dtype == FP8 else 1) for tensor in self.tensors.values())


def inspect_head(folder: Path) -> HeadContent:
    """Return the content of a head's folder, or of a file of tensors in a main model's folder.

    Reads JSON, headers, and the embedding of the mask token that some heads have. `loading.load_head` compares shapes,
    before it reads the arrays.

    Raises `ModelNotUsable`: missing, not-a-model, unsafe, damaged, incomplete, wrong-tensors, unknown-head.
    """
    model_folder = ModelFolder(folder)
    raw = model_folder.config
    files = model_folder.head_files
    headers = model_folder.head_tensors
    kind = head_kind(headers)
    if kind is None or not kind.reader:
        raise ModelNotUsable(folder, "unknown-head", kind.name if kind else str(raw.get("model_type", ""))[:80])
    mask = _saved_mask(folder)
    if mask is not None:
        if MASK in headers:
            raise ModelNotUsable(folder, "wrong-tensors", MASK)
        headers[MASK] = TensorHeader(mask.dtype, (mask.length,), len(mask.data))
    try:
        config, names = pkgutil.resolve_name(kind.reader)(HeadFiles(raw, kind.name, headers))
        tensors = {our_name: headers[name] for name, our_name in names.items()}
        check_types(tensors)
    except UnknownHeadError as error:
        raise ModelNotUsable(folder, "unknown-head", kind.name) from error
    except HeadConfigError as error:
        raise ModelNotUsable(folder, "damaged", f"config.json ({str(error)[:80]})") from error
    except HeadTensorError as error:
        raise ModelNotUsable(folder, "wrong-tensors", str(error)[:80]) from error
    return HeadContent(folder, tuple(files), kind, config, names, tensors, mask)


def _saved_mask(folder: Path) -> SavedVector | None:
    """Return the mask token's embedding from its own file, None without one. Raises `ModelNotUsable`."""
    path = folder / _MASK_FILE
    if not os.path.lexists(path):
        return None
    try:
        return read_torch_vector(path)
    except RunsCodeError as error:
        raise ModelNotUsable(folder, "unsafe", f"{_MASK_FILE} ({error})") from error
    except TorchFileError as error:
        raise ModelNotUsable(folder, "damaged", f"{_MASK_FILE} ({error})") from error


def sampled_hash(files: Iterable[Path], sample_bytes: int) -> str:
    """Return a hash of names, sizes and 16 evenly spread parts of files. Files that cannot be read are left out.

    Reading whole models takes too long.
    """
    digest = hashlib.sha256()
    for path in files:
        with suppress(OSError), path.open("rb") as file:
            size = path.stat().st_size
            digest.update(f"{path.name} {size}\n".encode())
            for sample in range(_SAMPLES):
                file.seek(sample * max(0, size - sample_bytes) // (_SAMPLES - 1))
                digest.update(file.read(sample_bytes))
    return digest.hexdigest()


def identity_of(content: HeadContent) -> str:
    """Return a hash of config.json and of samples of the weights' files."""
    folder = ModelFolder(content.folder).config_folder
    files = [folder / "config.json", *content.files]
    if content.mask is not None:
        files.append(folder / _MASK_FILE)
    return sampled_hash(files, _SAMPLE_BYTES)[:32]
