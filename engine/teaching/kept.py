"""The files of what a drafter was taught for one main model: versions of its adapter, and which one is chosen.

A pair has one folder, named by a hash of the models' names. `taught.json` describes the versions, each a safetensors
file, and `begun.safetensors` is the state of a teaching that was interrupted. All are written atomically.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
from contextlib import suppress
from pathlib import Path

import mlx.core as mx
import msgspec
from msgspec import Struct

from engine.errors import CannotTeach
from engine.files import private_files
from engine.files.atomic_file import PARTIAL, write_atomically
from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.main_model.loading import LoadedModel
from engine.model_files.head_files import kind_of_folder
from engine.model_files.head_folder import config_folder, head_weight_files
from engine.model_files.inspection import weight_files
from engine.status import TaughtVersion
from engine.teaching.adapter import as_bytes, from_bytes

log = logging.getLogger(__name__)

# Change it with the contents of the files.
FORMAT = 1
# Versions kept of one pair: the newest, and the one in use.
MOST_VERSIONS = 5
# Bytes that stay free on the disk.
LEAST_FREE = 2**30
DESCRIPTION, BEGUN = "taught.json", "begun.safetensors"
# Parts of a file of weights, and the bytes of each, by which it is recognised; reading whole models takes too long.
_SAMPLES, _SAMPLE_BYTES = 16, 4096


class _Version(Struct):
    number: int
    before: float
    after: float
    places: int
    former: int
    sha256: str


class _Description(Struct):
    """The content of DESCRIPTION: the models' stamps, the chosen version or 0, and the versions, the oldest first.

    `judged_from` is as in `TaughtDraft`.
    """

    main: str
    draft: str
    format: int = FORMAT
    chosen: int = 0
    versions: list[_Version] = msgspec.field(default_factory=list)
    judged_from: float = 0.0


class TaughtFiles:
    """The files of one pair below `folder`. They are of use only while both models are the same: see `problem`."""

    def __init__(self, folder: Path, main: Path, main_name: str, draft: Path, draft_name: str) -> None:
        self._folder = folder / hashlib.sha256(f"{main_name}\n{draft_name}".encode()).hexdigest()[:32]
        self._stamps = content_stamp(main), content_stamp(draft)
        self._damaged = False
        self._known = self._read()

    @property
    def chosen(self) -> int:
        """The chosen version, 0 for the drafter as it was downloaded."""
        return self._known.chosen

    @property
    def versions(self) -> tuple[TaughtVersion, ...]:
        """The versions kept, the oldest first."""
        return tuple(
            TaughtVersion(one.number, one.before, one.after, one.places, one.former) for one in self._known.versions
        )

    @property
    def problem(self) -> str:
        """Why no version can be used: "main-changed", "draft-changed" or "damaged", else ""."""
        if self._damaged:
            return "damaged"
        if self._known.main != self._stamps[0]:
            return "main-changed"
        return "draft-changed" if self._known.draft != self._stamps[1] else ""

    @property
    def judged_from(self) -> float:
        """When the last teaching of these two models that was judged began, in seconds since 1970; 0 if none was."""
        return 0.0 if self.problem else self._known.judged_from

    def choose(self, number: int) -> None:
        """Use a version from the next load on, 0 for none. Raises `CannotTeach` if that cannot be written."""
        self._known.chosen = number if any(one.number == number for one in self._known.versions) else 0
        self._write_description()

    def content(self, number: int) -> bytes:
        """Return the file of a version's adapter. Raises `ValueError` if it is missing, damaged or another."""
        wanted = next((one.sha256 for one in self._known.versions if one.number == number), None)
        try:
            content = self._path(number).read_bytes()
        except OSError as error:
            raise ValueError(f"version {number} cannot be read: {error}") from error
        if hashlib.sha256(content).hexdigest() != wanted:
            raise ValueError(f"version {number} is damaged")
        return content

    def add(self, adapter: dict[str, mx.array], before: float, after: float, places: int) -> int:
        """Keep an adapter as the chosen version and return its number. Raises `CannotTeach`.

        What was kept for other models of these names is dropped; so are the oldest versions beyond MOST_VERSIONS.
        """
        self._drop_others()
        versions = self._known.versions
        number = max((one.number for one in versions), default=0) + 1
        content = as_bytes(adapter, {"format": "mlx"})
        self._write(self._path(number), content)
        version = _Version(number, before, after, places, self.chosen, hashlib.sha256(content).hexdigest())
        versions.append(version)
        self._known.chosen = number
        del versions[:-MOST_VERSIONS]
        self._write_description()
        self._clean()
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
        """Delete all versions and the teaching that was interrupted. Raises `CannotTeach`."""
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

    def _clean(self) -> None:
        """Delete the files of versions that are not kept."""
        kept = {self._path(one.number) for one in self._known.versions}
        for path in self._folder.glob("[0-9]*.safetensors"):
            if path not in kept:
                with suppress(OSError):
                    path.unlink()

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.safetensors"


def taught_files(folder: Path, main: LoadedModel, draft: Path, draft_name: str) -> TaughtFiles:
    """Return the files of what a drafter was taught for `main`. Reads parts of both models' files."""
    return TaughtFiles(folder, main.info.path, main.info.name, draft, draft_name)


def content_stamp(model: Path) -> str:
    """Return a hash of a model's configuration and of parts of its weights, which no other model shares.

    Other than a time of change, it stays the same when a model is moved or downloaded again.
    """
    digest = hashlib.sha256()
    files = weight_files(model) if kind_of_folder(model) is None else head_weight_files(model)
    for path in (config_folder(model) / "config.json", *files):
        with suppress(OSError), path.open("rb") as file:
            size = path.stat().st_size
            digest.update(f"{path.name} {size}\n".encode())
            for sample in range(_SAMPLES):
                file.seek(sample * max(0, size - _SAMPLE_BYTES) // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()
