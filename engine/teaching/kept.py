"""The file of what a drafter was taught for one main model: its adapter, how it was judged, and for which models.

It is written atomically, in a folder that is named by a hash of the models' names.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn

from engine.errors import CannotTeach
from engine.files import private_files
from engine.files.atomic_file import write_atomically
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.heads.folder import sampled_hash
from engine.main_model.loaded_model import LoadedModel
from engine.main_model.loading import display_name
from engine.main_model.low_rank import apply_low_rank, as_bytes, from_bytes
from engine.model_files.adapters import deciding_files
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model
from engine.status import TeachingResult

log = logging.getLogger(__name__)

# Bytes that stay free on the disk.
LEAST_FREE = 2**30
FILE = "adapter.safetensors"
# Bytes of each part of a file of weights by which it is recognised.
_SAMPLE_BYTES = 4096


class TaughtNotUsable(Exception):
    """What a drafter was taught cannot be used; `problem` is `engine.status.TaughtDraft.problem`."""

    def __init__(self, problem: str) -> None:
        self.problem = problem
        super().__init__(problem)


@dataclass(slots=True)
class TaughtAdapter:
    """An adapter that the next load of a drafter adds; `digest` tells it from others, "" for none.

    `judged` is how it was judged.
    """

    digest: str = ""
    weights: Mapping[str, mx.array] = field(default_factory=dict)
    judged: TeachingResult | None = None

    def adapt(self, model: nn.Module) -> str:
        """Add it to the layers of `model` and return its digest. If that fails, `model` stays as it was downloaded."""
        if self.digest:
            try:
                apply_low_rank(model, self.weights)
            except (CannotTeach, ValueError) as error:
                log.warning("what a drafter was taught is not used: %s", error)
                self.digest = ""
        return self.digest


class TaughtFile:
    """The file of `main` and a drafter below `folder`. Parts of both models' files are read."""

    def __init__(self, folder: Path, main: LoadedModel, draft: Path, draft_name: str) -> None:
        self._folder = folder / hashlib.sha256(f"{main.info.name}\n{draft_name}".encode()).hexdigest()[:32]
        self._models = f"{content_stamp(main.info.path)} {content_stamp(draft)}"

    def read(self) -> TaughtAdapter:
        """Return what was taught, if anything. Raises `TaughtNotUsable`."""
        return self.parse(self.content())

    def content(self) -> bytes | None:
        """Return the content of the file, None if there is none. Raises `TaughtNotUsable`."""
        try:
            return (self._folder / FILE).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise TaughtNotUsable("damaged") from error

    def parse(self, content: bytes | None) -> TaughtAdapter:
        """Return what `content` holds; its arrays belong to this thread. Raises `TaughtNotUsable`."""
        if content is None:
            return TaughtAdapter()
        try:
            weights, metadata = from_bytes(content)
            models = metadata["models"]
            judged = TeachingResult(float(metadata["before"]), float(metadata["after"]), better=True)
        except (ValueError, KeyError) as error:
            log.warning("what is taught in %s is damaged: %s", self._folder, error)
            raise TaughtNotUsable("damaged") from error
        if models != self._models:
            raise TaughtNotUsable("changed")
        return TaughtAdapter(_digest_of(content), weights, judged)

    def write(self, weights: Mapping[str, mx.array], judged: TeachingResult) -> None:
        """Keep `weights`, in the shapes (...) of `engine.main_model.low_rank.adapter_of`, in place of the former ones.

        Raises `CannotTeach`.
        """
        metadata = {"models": self._models, "before": str(judged.before), "after": str(judged.after)}
        try:
            private_files.make_folder(self._folder)
            write_atomically(self._folder / FILE, as_bytes(weights, metadata))
        except OSError as error:
            raise CannotTeach("disk", error.strerror or str(error)) from error

    def delete(self) -> None:
        """Delete what was taught. Raises `CannotTeach`."""
        try:
            if self._folder.exists():
                shutil.rmtree(self._folder)
        except OSError as error:
            raise CannotTeach("disk", error.strerror or str(error)) from error

    def check_space(self, needed: int) -> None:
        """Raise `CannotTeach` unless `needed` bytes can be written. Deletes all files but the present one."""
        try:
            private_files.make_folder(self._folder)
            for path in self._folder.iterdir():
                if path.name != FILE:
                    path.unlink()
            if shutil.disk_usage(self._folder).free < needed + LEAST_FREE:
                raise CannotTeach("disk", "the disk is full")
        except OSError as error:
            raise CannotTeach("disk", error.strerror or str(error)) from error


def taught_adapter(name_or_path: str | Path, main: LoadedModel, folder: Path | None) -> Steps[TaughtAdapter]:
    """Return the adapter in `folder` that a drafter is to use with `main`, if there is one that can be used."""

    def read(folder: Path) -> tuple[TaughtFile, bytes | None]:
        path = resolve_model(name_or_path)
        file = TaughtFile(folder, main, path, display_name(name_or_path, path))
        return file, file.content()

    if folder is not None:
        try:
            with DiskPool() as disk:
                file, content = yield from result_of(disk.start(read, folder))
            return file.parse(content)
        except TaughtNotUsable as error:
            log.info("what %s was taught is not used: %s", name_or_path, error)
    return TaughtAdapter()


def taught_content(folder: Path | None, digest: str) -> bytes:
    """Return the content of the file below `folder` with this digest; b"" if there is none, or it cannot be read."""
    for path in sorted(folder.glob(f"*/{FILE}")) if folder is not None and digest else ():
        try:
            content = path.read_bytes()
        except OSError as error:
            log.info("what a drafter was taught cannot be read: %s", error)
            continue
        if _digest_of(content) == digest:
            return content
    return b""


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


def content_stamp(model: Path) -> str:
    """Return a hash of a model's configuration and of parts of its weights, which no other model shares.

    Other than a time of change, it stays the same when a model is moved or downloaded again.
    """
    folder = ModelFolder(model)
    if folder.head is None:
        return sampled_hash(deciding_files(model), _SAMPLE_BYTES)
    return sampled_hash([folder.config_folder / "config.json", *folder.head_files], _SAMPLE_BYTES)
