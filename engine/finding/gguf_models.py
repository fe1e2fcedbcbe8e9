"""GGUF files as models: where other programs keep them, their names, and the folders that are made from them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from engine.files.bounded_json import CONFIG, UntrustedJsonError, read_object
from engine.files.folder_paths import open_regular
from engine.finding.model_place import ModelPlace, place_of
from engine.gguf.names import name_of_set
from engine.gguf.provenance import NAME, read_provenance
from engine.model_files.model import GgufOrigin, Model

# The folder of conversions in the Hugging Face cache, whose repositories are called otherwise.
_HOME = "tandem-gguf"
_LATER_PART = re.compile(r".*-(?!00001)\d{5}-of-\d{5}\.gguf")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PATTERNS = ("*.gguf", "*/*.gguf", "*/*/*.gguf")
_OLLAMA_LEAVES_OUT = ("registry.ollama.ai", "library")
_OLLAMA_MODEL = "application/vnd.ollama.image.model"


def is_gguf(path: Path) -> bool:
    """Whether a file begins as GGUF files do; whatever its name, as those of Ollama have no suffix."""
    try:
        with open_regular(path) as file:
            return file.read(4) == b"GGUF"
    except OSError:
        return False


def conversion_of(source: Path, cache_dir: Path, in_ollama: str = "") -> Path:
    """Return the folder that a GGUF file, as it is now, is turned into. Raises `OSError` for a missing file.

    `in_ollama` is the name of the first of Ollama's manifests that names the file, if it is known.
    """
    status = source.stat()
    content = f"{os.path.realpath(source)}\0{status.st_size}\0{status.st_mtime_ns}"
    digest = hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()
    name = name_of_set(source.stem)
    if source.parent.name == "blobs":
        # Ollama's files are called by their content.
        shown_name = in_ollama or next(
            (shown for file, shown in _in_ollama(source.parent.parent) if file == source), name
        )
        name = shown_name.rpartition("/")[2]
    return conversions(cache_dir) / digest[:16] / name


def conversions(cache_dir: Path) -> Path:
    """Return the folder of the conversions, which is next to the models of a Hugging Face cache."""
    return cache_dir / _HOME


def is_conversion(folder: Path, cache_dir: Path) -> bool:
    """Whether a folder was made from a GGUF file, and belongs to Tandem."""
    return folder.parent.parent == conversions(cache_dir)


def places(
    cache_dir: Path, snapshots: Sequence[tuple[str, Path]], folders: Sequence[tuple[str, Path]]
) -> Iterator[ModelPlace]:
    """Yield the place of each GGUF file that holds a model, or of the folder made from it.

    `snapshots` are those of the Hugging Face cache with their repositories, `folders` others with their sources.
    Conversions whose source is outside these folders, or deleted, come last.
    """
    seen = set()
    # Of the names that Ollama's manifests give to one file, the first.
    named = dict[Path, str]()
    for file, name, source in _files(snapshots, folders):
        try:
            folder = conversion_of(file, cache_dir, named.setdefault(file, name) if source == "ollama" else "")
        except OSError:
            continue
        seen.add(folder)
        yield place_of(folder if (folder / NAME).exists() else file, name, source)
    for folder in sorted(conversions(cache_dir).glob("*/*")):
        if folder not in seen and not folder.name.startswith(".") and (folder / NAME).exists():
            yield place_of(folder, folder.name, "folder")


def describe_file(file: Path, name: str, source: str) -> Model:
    """Describe a GGUF file from which no folder has been made yet."""
    # Not at the top: the package that knows GGUF's kinds is slow to import.
    from engine.gguf.facts import read_facts

    facts = read_facts(file)
    return Model(name, source, path=str(file), is_gguf_file=True, roles=("main",), **facts._asdict())


def with_origin(model: Model) -> Model:
    """Return a model with what its folder keeps of the GGUF file from which it was made, if it was."""
    if (provenance := read_provenance(Path(model.path))) is None:
        return model
    return replace(model, gguf=GgufOrigin(provenance.source, len(provenance.requantised), provenance.tensors))


class _FoundFile(NamedTuple):
    """A GGUF file, the name of its model, and its source as in `place_of`."""

    path: Path
    name: str
    source: str


def _files(snapshots: Iterable[tuple[str, Path]], folders: Iterable[tuple[str, Path]]) -> Iterator[_FoundFile]:
    for repository, snapshot in snapshots:
        places = [snapshot]
        here = dict[str, Path]()
        if snapshot.parent.name == "snapshots":
            # Each model is downloaded on its own, and may be in another snapshot. All may have been removed meanwhile.
            with suppress(FileNotFoundError):
                places += sorted(snapshot.parent.iterdir())
        for place in places:
            for file in ggufs_in(place):
                here.setdefault(name_of_set(file.relative_to(place).as_posix()), file)
        yield from (_FoundFile(file, f"{repository}/{name}", "cache") for name, file in here.items())
    for source, folder in folders:
        if source == "ollama":
            yield from (_FoundFile(file, name, source) for file, name in _in_ollama(folder))
        for file in ggufs_in(folder):
            # Jan calls every file so.
            named = file.parent if file.stem == "model" else file.with_suffix("")
            name = named.name if source == "folder" else named.relative_to(folder).as_posix()
            yield _FoundFile(file, name_of_set(name), source)


def ggufs_in(folder: Path) -> Iterator[Path]:
    """Yield the GGUF files in a folder, of split ones the first part."""
    try:
        files = sorted(file for pattern in _PATTERNS for file in folder.glob(pattern) if os.path.isfile(file))
    except OSError:
        # A link that leads nowhere, or a disk that is gone.
        return
    yield from (file for file in files if not (file.name.startswith(".") or _LATER_PART.fullmatch(file.name)))


def _in_ollama(models: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of weights that Ollama's manifests name, with the names that Ollama shows: name:tag."""
    manifests = models / "manifests"
    for manifest in sorted(manifests.glob("*/*/*/*")):
        registry, owner, name, tag = manifest.relative_to(manifests).parts
        try:
            layers = read_object(manifest, CONFIG).get("layers")
        except UntrustedJsonError:
            continue
        for layer in layers if isinstance(layers, list) else []:
            digest = layer.get("digest") if isinstance(layer, dict) else None
            if isinstance(digest, str) and _DIGEST.fullmatch(digest) and layer.get("mediaType") == _OLLAMA_MODEL:
                shown = [part for part in (registry, owner) if part not in _OLLAMA_LEAVES_OUT]
                yield models / "blobs" / digest.replace(":", "-"), "/".join((*shown, f"{name}:{tag}"))
