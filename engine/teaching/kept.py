"""The files of what a drafter was taught for one main model: its adapter, and whether a load of it uses that.

A pair has one folder, named by a hash of the models' names. `taught.json` describes the adapter, a safetensors file
that is named by its number, and `begun.safetensors` is the state of a teaching that was interrupted. All are written
atomically.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import mlx.core as mx
import mlx.nn as nn
import msgspec
from msgspec import Struct

from engine.errors import CannotTeach
from engine.files import private_files
from engine.files.atomic_file import PARTIAL, write_atomically
from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.files.disk_pool import DiskPool
from engine.files.steps import Steps, result_of
from engine.heads.folder import sampled_hash
from engine.main_model.loading import LoadedModel, display_name
from engine.model_files.adapters import deciding_files
from engine.model_files.model_folder import ModelFolder
from engine.model_files.names import resolve_model
from engine.status import TaughtVersion
from engine.teaching.adapter import add_adapter, as_bytes, from_bytes, fuse, remove_adapter, set_adapter

log = logging.getLogger(__name__)

# Change it with the contents of the files.
FORMAT = 2
# Bytes that stay free on the disk.
LEAST_FREE = 2**30
DESCRIPTION, BEGUN = "taught.json", "begun.safetensors"
# Bytes of each part of a file of weights by which it is recognised.
_SAMPLE_BYTES = 4096


class _Version(Struct):
    number: int
    before: float
    after: float
    places: int
    sha256: str


class _Description(Struct):
    """The content of DESCRIPTION: the models' stamps, the version, if any, and whether it is used.

    `judged_from` is as in `TaughtDraft`.
    """

    main: str
    draft: str
    format: int = FORMAT
    version: _Version | None = None
    used: bool = False
    judged_from: float = 0.0


class TaughtFiles:
    """The files of `main` and a drafter below `folder`. Parts of both models' files are read.

    They are of use only while both models are the same: see `problem`.
    """

    def __init__(self, folder: Path, main: LoadedModel, draft: Path, draft_name: str) -> None:
        self._folder = folder / hashlib.sha256(f"{main.info.name}\n{draft_name}".encode()).hexdigest()[:32]
        self._stamps = content_stamp(main.info.path), content_stamp(draft)
        self._damaged = False
        self._known = self._read()

    @property
    def used(self) -> int:
        """The number of the version if it is used, 0 for the drafter as it was downloaded."""
        return self._known.version.number if self._known.version is not None and self._known.used else 0

    @property
    def version(self) -> TaughtVersion | None:
        """What was taught last, if it was better."""
        known = self._known.version
        return None if known is None else TaughtVersion(known.number, known.before, known.after, known.places)

    @property
    def problem(self) -> str:
        """Why the version cannot be used: "main-changed", "draft-changed" or "damaged", else ""."""
        if self._damaged:
            return "damaged"
        if self._known.main != self._stamps[0]:
            return "main-changed"
        return "draft-changed" if self._known.draft != self._stamps[1] else ""

    @property
    def judged_from(self) -> float:
        """When the last teaching of these two models that was judged began, in seconds since 1970; 0 if none was."""
        return 0.0 if self.problem else self._known.judged_from

    def use(self, used: bool) -> None:
        """Use the version from the next load on, or not. Raises `CannotTeach` if that cannot be written."""
        self._known.used = used
        self._write_description()

    def content(self) -> bytes:
        """Return the file of the adapter. Raises `ValueError` if it is missing, damaged or another."""
        known = self._known.version
        try:
            content = b"" if known is None else self._path(known.number).read_bytes()
        except OSError as error:
            raise ValueError(f"the adapter cannot be read: {error}") from error
        if known is None or hashlib.sha256(content).hexdigest() != known.sha256:
            raise ValueError("the adapter is damaged")
        return content

    def add(self, adapter: dict[str, mx.array], before: float, after: float, places: int) -> int:
        """Use an adapter in place of the version before, and return its number. Raises `CannotTeach`.

        What was kept for other models of these names is dropped.
        """
        self._drop_others()
        former = self._known.version
        number = 1 if former is None else former.number + 1
        content = as_bytes(adapter, {"format": "mlx"})
        self._write(self._path(number), content)
        self._known.version = _Version(number, before, after, places, hashlib.sha256(content).hexdigest())
        self._known.used = True
        self._write_description()
        if former is not None:
            with suppress(OSError):
                self._path(former.number).unlink(missing_ok=True)
        return number

    def save_begun(self, state: dict[str, mx.array], step: int, former: int) -> None:
        """Keep the state of a teaching that goes on. Raises `CannotTeach`."""
        metadata = {"stamps": " ".join(self._stamps), "step": str(step), "former": str(former)}
        self._write(self._folder / BEGUN, as_bytes(state, metadata))

    def begun(self, former: int) -> tuple[dict[str, mx.array], int] | None:
        """Return the state of an interrupted teaching and its step; None if there is none that fits.

        `former` is the version that it went on from.
        """
        path = self._folder / BEGUN
        try:
            state, metadata = from_bytes(path.read_bytes())
            if metadata["stamps"] != " ".join(self._stamps) or metadata["former"] != str(former):
                raise ValueError("it belongs to other models")
            return state, int(metadata["step"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError) as error:
            log.warning("the teaching begun in %s is ignored: %s", self._folder, error)
            return None

    @property
    def has_begun(self) -> bool:
        """Whether there is a teaching that was interrupted."""
        return (self._folder / BEGUN).is_file()

    def delete(self) -> None:
        """Delete the version and the teaching that was interrupted. Raises `CannotTeach`."""
        try:
            if self._folder.exists():
                shutil.rmtree(self._folder)
        except OSError as error:
            raise CannotTeach("disk", error.strerror or str(error)) from error

    def end(self, judged_from: float) -> None:
        """Note when the teaching that was just judged began, and forget its state. Raises `CannotTeach`."""
        self._drop_others()
        self._known.judged_from = judged_from
        self._write_description()
        with suppress(OSError):
            (self._folder / BEGUN).unlink(missing_ok=True)

    def check_space(self, needed: int) -> None:
        """Raise `CannotTeach` unless `needed` bytes can be written. Deletes what a killed process was writing."""
        try:
            private_files.make_folder(self._folder)
            for path in self._folder.glob(f".*{PARTIAL}"):
                path.unlink(missing_ok=True)
            if shutil.disk_usage(self._folder).free < needed + LEAST_FREE:
                raise CannotTeach("disk", "the disk is full")
        except OSError as error:
            raise CannotTeach("disk", error.strerror or str(error)) from error

    def _read(self) -> _Description:
        fresh = _Description(*self._stamps)
        path = self._folder / DESCRIPTION
        if not path.exists():
            return fresh
        try:
            found = msgspec.convert(read_object(path, CONFIG), _Description)
        except (UntrustedJsonError, msgspec.ValidationError) as error:
            log.warning("%s is ignored: %s", path, error)
            self._damaged = True
            return fresh
        return found if found.format == FORMAT else fresh

    def _drop_others(self) -> None:
        """Drop what was kept for other models of these names, or is damaged."""
        if self.problem:
            self._known, self._damaged = _Description(*self._stamps), False

    def _write_description(self) -> None:
        self._write(self._folder / DESCRIPTION, msgspec.json.encode(self._known))

    def _write(self, path: Path, content: bytes) -> None:
        try:
            private_files.make_folder(self._folder)
            write_atomically(path, content)
        except OSError as error:
            raise CannotTeach("disk", error.strerror or str(error)) from error

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.safetensors"


@dataclass(slots=True)
class ChosenVersion:
    """The version of what a drafter was taught that its next load uses; `number` is 0 for none.

    `adapt` adds it to the drafter's layers. If that fails, the drafter stays as it was downloaded.
    """

    number: int = 0
    adapter: Mapping[str, mx.array] = field(default_factory=dict)

    def adapt(self, model: nn.Module) -> int:
        """Add the version to the layers of `model` and return its number, 0 if none was added."""
        if self.number:
            try:
                add_adapter(model)
                set_adapter(model, self.adapter)
            except (CannotTeach, ValueError) as error:
                log.warning("what a drafter was taught is not used: %s", error)
                remove_adapter(model)
                self.number = 0
            else:
                fuse(model)
        return self.number


def chosen_version(name_or_path: str | Path, main: LoadedModel, folder: Path | None) -> Steps[ChosenVersion]:
    """Return the version in `folder` that a drafter is to use with `main`, or none if it cannot be used."""

    def chosen(folder: Path) -> tuple[int, bytes]:
        path = resolve_model(name_or_path)
        files = TaughtFiles(folder, main, path, display_name(name_or_path, path))
        return (files.used, files.content()) if files.used and not files.problem else (0, b"")

    if folder is not None:
        try:
            with DiskPool() as disk:
                number, content = yield from result_of(disk.start(chosen, folder))
            if number:
                return ChosenVersion(number, from_bytes(content)[0])
        except ValueError as error:
            log.warning("what %s was taught is not used: %s", name_or_path, error)
    return ChosenVersion()


def content_stamp(model: Path) -> str:
    """Return a hash of a model's configuration and of parts of its weights, which no other model shares.

    Other than a time of change, it stays the same when a model is moved or downloaded again.
    """
    folder = ModelFolder(model)
    if folder.head is None:
        return sampled_hash(deciding_files(model), _SAMPLE_BYTES)
    return sampled_hash([folder.config_folder / "config.json", *folder.head_files], _SAMPLE_BYTES)
