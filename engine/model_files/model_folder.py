"""The files of a model or a head: their names, the configuration, and the headers of the weights. Does not import mlx.

Main models are loaded without the heads in their folders.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.errors import ModelNotUsable
from engine.files.bounded_json import CONFIG, INDEX
from engine.files.folder_paths import (
    SHARD_OF_MODEL,
    WEIGHTS,
    LeavesFolderError,
    TooManyEntriesError,
    is_weights,
    list_inside,
    states_of,
    stays_inside,
)
from engine.model_files.config import check_sizes, read_config, read_json, text_config
from engine.model_files.head_kinds import MTP, kind_of_config, kind_of_tensors, mtp_tensors
from engine.model_files.safetensors_header import TensorHeader, read_checked_header

INDEX_NAME = "model.safetensors.index.json"
_SHARD = re.compile(r"(model.*)-(\d{5})-of-(\d{5})\.safetensors")
_MOST_SHARDS = _MOST_FILES = 2_000
_MOST_HEAD_FILES = 100
_MOST_BYTES = 2**60
# The place of a head's tensors in packs, whose inner folders have no configuration.
_NESTED = (f"{MTP}/weights.safetensors",)


def check_unchanged(path: Path, read: Mapping[Path, tuple[int, int]]) -> None:
    """Raise `ModelNotUsable` unless the files of the model at `path` are as they were when their states were `read`."""
    for file, state in states_of(read).items():
        if state != read[file]:
            raise ModelNotUsable(path, "damaged", f"{file.name} (changed meanwhile)")


class ModelFolder:
    """The folder of a model or a head, or a file of tensors that holds a head in a main model's folder.

    The file may also be one of the main model's own weights, in which makers publish MTP heads: the first one with
    tensors of the head stands for it.

    What was read is kept, so an object describes one moment. Unless they say otherwise, all members raise
    `ModelNotUsable`: missing, not-a-model, unsafe, damaged, incomplete.
    """

    def __init__(self, path: Path, headers: dict[Path, dict[str, TensorHeader]] | None = None) -> None:
        """Share the `headers` that another folder has read already."""
        self.path = path
        self._headers = {} if headers is None else headers

    @cached_property
    def names(self) -> frozenset[str]:
        """The relative names of all files.

        Raises `ModelNotUsable`: missing, or unsafe for a link that leads outside and for thousands of files.
        """
        try:
            if not self.path.is_dir():
                raise ModelNotUsable(self.path, "missing")
            return frozenset(list_inside(self.path))
        except LeavesFolderError as error:
            raise ModelNotUsable(self.path, "unsafe", f"{error.name} leads outside the folder") from error
        except TooManyEntriesError as error:
            raise ModelNotUsable(self.path, "unsafe", "thousands of files") from error
        except (OSError, ValueError) as error:
            raise ModelNotUsable(self.path, "missing") from error

    @cached_property
    def config(self) -> dict[str, Any]:
        """The content of config.json, with checked sizes; for a file of a head, the content of the main model's."""
        if self.is_file:
            return ModelFolder(self.config_folder).config
        _ = self.names
        config = read_config(self.path)
        check_sizes(self.path, config)
        return config

    @cached_property
    def config_folder(self) -> Path:
        """The folder whose config.json belongs to the model or head. Does not raise."""
        if not self.is_file:
            return self.path
        around = (self.path.parent, self.path.parent.parent)
        return next((folder for folder in around if os.path.exists(folder / "config.json")), self.path.parent)

    def header(self, file: Path) -> dict[str, TensorHeader]:
        """Return the tensors of a file of weights by name."""
        if file not in self._headers:
            self._headers[file] = read_checked_header(self.path, file)
        return self._headers[file]

    def _tensor_names(self, files: Iterable[Path]) -> Iterator[str]:
        """Yield the names of all tensors in the files that can be read."""
        for file in files:
            with suppress(ModelNotUsable):
                yield from self.header(file)

    @cached_property
    def weight_files(self) -> list[Path]:
        """The files of a model's weights, sorted by name: those that mlx-lm reads, without heads. Does not raise."""
        files = self._named_like_weights
        if not any(SHARD_OF_MODEL.fullmatch(file.name) for file in files):
            return files
        return [file for file in files if SHARD_OF_MODEL.fullmatch(file.name) or self._inside(file).head is None]

    @cached_property
    def _named_like_weights(self) -> list[Path]:
        return sorted(self.path.glob(WEIGHTS))

    @property
    def tensors_beside(self) -> frozenset[str]:
        """The tensors of heads that mlx-lm would read with a model's, as those in model-mtp.safetensors."""
        of_model = set(self.weight_files)
        return frozenset(self._tensor_names(file for file in self._named_like_weights if file not in of_model))

    @property
    def tensors(self) -> dict[str, TensorHeader]:
        """The headers of a model's tensors by name. Also raises wrong-tensors."""
        return self._joined(self.header(file) for file in self.weight_files)

    def _joined(self, headers: Iterable[dict[str, TensorHeader]]) -> dict[str, TensorHeader]:
        """Return the tensors of several headers by name. Raises `ModelNotUsable` for a name in two of them."""
        # Which of two tensors with one name mlx-lm takes, depends on the order in which the disk lists their files.
        tensors: dict[str, TensorHeader] = {}
        for header in headers:
            if twice := tensors.keys() & header.keys():
                raise ModelNotUsable(self.path, "wrong-tensors", f"{min(twice)[:80]} is in two files")
            tensors.update(header)
        return tensors

    @property
    def weight_bytes(self) -> int:
        """The bytes of a model's weights; if files are missing, those that the index declares.

        Raises `ModelNotUsable` (incomplete) for a file that cannot be read, and as `missing_weights` does.
        """
        try:
            present = sum(file.stat().st_size for file in self.weight_files)
        except OSError as error:
            raise ModelNotUsable(self.path, "incomplete", Path(error.filename or "").name) from error
        if not os.path.exists(self.path / INDEX_NAME) or self.missing_weights() is None:
            return present
        metadata = self._index.get("metadata")
        declared = metadata.get("total_size") if isinstance(metadata, dict) else None
        return max(present, declared) if isinstance(declared, int) and declared < _MOST_BYTES else present

    @cached_property
    def _index(self) -> dict[str, Any]:
        return read_json(self.path, INDEX_NAME, INDEX)

    @cached_property
    def files_by_tensor(self) -> dict[str, str]:
        """The file of each tensor in a model's weights by the index, {} without an index.

        Raises `ModelNotUsable`: damaged for an index that is no such map or names thousands of files, unsafe for one
        that names a file outside the folder.
        """
        if not os.path.exists(self.path / INDEX_NAME):
            return {}
        shard_of = self._index.get("weight_map")
        if not isinstance(shard_of, dict) or not all(isinstance(shard, str) and shard for shard in shard_of.values()):
            raise ModelNotUsable(self.path, "damaged", f"{INDEX_NAME} (weight_map)")
        shards = set(shard_of.values())
        if len(shards) > _MOST_SHARDS:
            raise ModelNotUsable(self.path, "damaged", f"{INDEX_NAME} (thousands of shards)")
        if (outside := next((shard for shard in shards if not stays_inside(self.path, shard)), None)) is not None:
            raise ModelNotUsable(self.path, "unsafe", f"{INDEX_NAME} names {outside[:80]}")
        return {name: shard for name, shard in shard_of.items() if is_weights(shard)}

    def missing_weights(self, may_lack: Set[str] = frozenset()) -> str | None:
        """Return the first missing file of weights, by the index or the numbering of the shards, or None.

        Those in `may_lack` do not count.
        """
        present = {file.name for file in self._named_like_weights if os.path.exists(file)}
        expected = set(self.files_by_tensor.values())
        for name in present:
            expected |= self._siblings(name)
        if not expected and not present:
            return "model.safetensors"
        return min(expected - present - may_lack, default=None)

    def _siblings(self, name: str) -> set[str]:
        """Return the names of all shards that a shard's own name, as model-00001-of-00003, says there are; or none."""
        if (match := _SHARD.fullmatch(name)) is None:
            return set()
        stem = match[1]
        total = int(match[3])
        if total > _MOST_SHARDS:
            raise ModelNotUsable(self.path, "damaged", f"{name} (thousands of shards)")
        return {f"{stem}-{number:05d}-of-{total:05d}.safetensors" for number in range(1, total + 1)}

    @cached_property
    def is_file(self) -> bool:
        """Whether it is a file of tensors."""
        return os.path.isfile(self.path)

    @property
    def is_shard(self) -> bool:
        """Whether it is one file of a main model's own weights, in which a head is."""
        return SHARD_OF_MODEL.fullmatch(self.path.name) is not None and self.is_file

    @cached_property
    def head(self) -> str | None:
        """The kind of the head that this is, or None if it is none or cannot be read. Does not raise.

        Before any weights are downloaded, the configuration decides.
        """
        if self.is_file:
            tensors = set(self._tensor_names([self.path]))
            if self.is_shard:
                return MTP if mtp_tensors(tensors, self._inside(self.path.parent)._layers) else None
            return kind_of_tensors(tensors)
        try:
            files = sorted(name for name in self.names if "/" not in name and name.endswith(".safetensors"))
            has_config = os.path.exists(self.path / "config.json")
            config = read_json(self.path, "config.json", CONFIG) if has_config else {}
        except ModelNotUsable:
            return None
        models = [name for name in files if name.startswith("model")]
        tensors = set(self._tensor_names(self.path / name for name in (models or files)[:_MOST_FILES]))
        return kind_of_tensors(tensors) if tensors else kind_of_config(config)

    def _inside(self, path: Path) -> ModelFolder:
        return ModelFolder(path, self._headers)

    @cached_property
    def _layers(self) -> int:
        """The number of layers of a main model; 0 if its configuration does not give it."""
        try:
            layers = text_config(read_json(self.path, "config.json", CONFIG)).get("num_hidden_layers")
        except ModelNotUsable:
            return 0
        return layers if type(layers) is int else 0

    @cached_property
    def head_files(self) -> list[Path]:
        """The files that hold a head's weights: those named like a model's or, without any, all safetensors files.

        Raises `ModelNotUsable`: incomplete for a missing file, damaged for hundreds of files.
        """
        if self.is_shard:
            return self._inside(self.path.parent)._head_shards
        if self.is_file:
            return [self.path]
        named = self.weight_files
        files = named or sorted(self.path.glob("*.safetensors"))
        absent = self.missing_weights() if named or not files else None
        if absent is not None:
            raise ModelNotUsable(self.path, "incomplete", absent)
        if len(files) > _MOST_HEAD_FILES:
            raise ModelNotUsable(self.path, "damaged", "hundreds of files")
        return files

    @property
    def head_tensors(self) -> dict[str, TensorHeader]:
        """The headers of a head's tensors by name. Also raises wrong-tensors."""
        headers = [self.header(file) for file in self.head_files]
        if self.is_shard:
            layers = self._inside(self.path.parent)._layers
            headers = [{name: header[name] for name in mtp_tensors(header, layers)} for header in headers]
        return self._joined(headers)

    def heads(self) -> list[tuple[str, ModelFolder]]:
        """Return the heads in a main model's folder: in folders of their own, next to its weights, and in its weights.

        Each has the name of its folder or file, or `MTP` in the main model's own files. Does not raise.
        """
        try:
            names = sorted(self.names)
        except ModelNotUsable:
            return []
        folders = sorted({name.partition("/")[0] for name in names if name.count("/") == 1})
        files = [name for name in names if "/" not in name and name.endswith(".safetensors")]
        beside = [name for name in files if not SHARD_OF_MODEL.fullmatch(name)]
        beside += [name for name in _NESTED if name in names]
        inside = [(name, self.part(name)) for name in (*folders, *beside)]
        among_own_weights = [(MTP, self._inside(file)) for file in self._head_shards[:1]]
        return [(name, head) for name, head in inside if head.head is not None] + among_own_weights

    def part(self, relative: str) -> ModelFolder:
        """Return the folder or file of a head in a main model's folder. It shares the headers that were read."""
        return self._inside(self.path / relative)

    @cached_property
    def _head_shards(self) -> list[Path]:
        """The main model's files that hold tensors of its head, found by the index if there is one."""
        try:
            by_tensor = self.files_by_tensor
        except ModelNotUsable:
            return []
        if by_tensor:
            names = sorted({by_tensor[name] for name in mtp_tensors(by_tensor, self._layers)})
        else:
            names = [file.name for file in self._named_like_weights]
        candidates = [self.path / name for name in names if SHARD_OF_MODEL.fullmatch(name)]
        tensors_in = {path: mtp_tensors(self._tensor_names([path]), self._layers) for path in candidates}
        of_head = [name for names in tensors_in.values() for name in names]
        return [path for path, names in tensors_in.items() if names] if kind_of_tensors(of_head) == MTP else []
