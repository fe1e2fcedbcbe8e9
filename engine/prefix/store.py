"""Finished turns on disk, so that a long chat of an earlier session is continued without prefilling it.

A file has the content of the caches of main model and drafter, and in its metadata an entry that describes it: format,
versions, weights and tokens. Files that are damaged or belong to something else are ignored; then the prompt is
prefilled. A damaged one is deleted, but only for what it contains: a disk that sleeps or is pulled may be back for the
next prompt.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple
from itertools import islice
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import mlx_lm

from engine.errors import EngineError, is_device_failure
from engine.files import private_files
from engine.files.disk_pool import DiskPool
from engine.files.folder_paths import states_of
from engine.files.steps import in_chunks, run_to_completion
from engine.main_model.loaded_model import LoadedModel
from engine.model_files.model_folder import check_unchanged
from engine.model_files.safetensors_header import header_length, read_checked_header
from engine.model_files.weight_reading import read_arrays, tensor_places
from engine.pictures.placed import within
from engine.prefix.files import (
    files_in,
    hash_in_name,
    is_sound,
    partial_path,
    publish,
    remove_leftovers,
    short_hash,
    touch,
    unlink,
)
from engine.prefix.known_turns import KnownTurns, content_held, pictures_held
from engine.prefix.text_index import Shared
from engine.speculation.caches.cache_kinds import kind_name
from engine.speculation.caches.cache_rules import flatten
from engine.speculation.caches.rollback import Checkpoint
from engine.speculation.choosing.kept import MLX_VERSION
from engine.speculation.conversation import CachedConversation
from engine.speculation.drafters.head_session import HeadSession
from engine.speculation.drafters.sources import Drafter, DraftSource, HeadSource
from engine.speculation.rounds.sequence import CachedSequence as CachedSequence

log = logging.getLogger(__name__)

FORMAT = 6
# A turn is loaded if it saves at least one token for this many that have to be loaded: all chats begin in the same way.
WORTH_LOADING = 8
# This many of the turns that share the most with a text are asked whether they are worth loading. If that many have
# the same beginning, others hardly ever are.
MOST_STORED_CANDIDATES = 32
# After so many failing reads, a turn is left alone until the next start: each may take seconds on a disk that is dying.
MOST_FAILURES = 3
# Bytes that stay free on the disk independently of the budget.
LEAST_FREE = 2**30


class PrefixStore:
    """The conversations of `model` in `folder`, at most `budget` bytes of them; the least recently used are evicted.

    The caches of the draft model or head in use are stored and found, too.
    """

    def __init__(self, folder: Path, model: LoadedModel, budget: int) -> None:
        self.budget = budget
        self._draft: tuple[LoadedModel, str] | None = None
        self._head: HeadSource | None = None
        self._folder = folder
        self._model = model
        self._stamp = _stamp(model)
        self._index = KnownTurns()
        # Turns that were loaded into memory; they stay on disk until a longer one replaces them.
        self._loaded = KnownTurns()
        # How often turns, and the folder itself, could not be read.
        self._failures = Counter[Path]()
        # What is to be read again: files that may be turns, and the folder if it could not be listed.
        self._unread = [folder]
        self._read_stored()

    @property
    def model(self) -> nn.Module:
        """The main model whose conversations these are."""
        return self._model.model

    def _read_stored(self) -> None:
        """Add the turns on disk to the index; what cannot be read now is tried again at the next use, some times."""
        unread = self._unread
        self._unread = []
        try:
            if self._folder in unread:
                remove_leftovers(self._folder)
                unread = [file.path for file in files_in(self._folder)]
                private_files.tighten([self._folder, *unread])
            for path in unread:
                if path not in self._index.entries and path not in self._loaded.entries:
                    self._add_to_index(path)
            self._evict(0)
        except OSError as error:
            log.info("%s cannot be listed: %s", self._folder, error)
            self._note_unread(self._folder)

    def _note_unread(self, path: Path) -> None:
        """Remember to read a file or the folder again, unless it has failed too often."""
        self._failures[path] += 1
        if self._failures[path] < MOST_FAILURES:
            self._unread.append(path)

    def use_drafter(self, drafter: Drafter | None) -> None:
        """Store and find caches of `drafter` from now on."""
        self._draft = (drafter.model, _stamp(drafter.model)) if isinstance(drafter, DraftSource) else None
        self._head = drafter if isinstance(drafter, HeadSource) else None

    def find(self, content: Sequence[int], better_than: int) -> CachedConversation | None:
        """Return the stored conversation that shares the longest prefix with a text, or None.

        `content` is as in `Sequence.content`. The prefix must exceed `better_than` and be worth loading into memory.
        """
        if self._unread:
            self._read_stored()
        best = self._worth_loading(content[: len(content) - 1], better_than)
        if best is None:
            return None
        try:
            conversation = self._load(best)
        # mlx can raise anything for a file that another program wrote.
        except Exception as error:
            if is_device_failure(error):
                raise
            log.info("%s is ignored: %s", best.name, error)
            self._note_failure(best, error)
            return None
        entry = self._index.entries[best]
        self._index.discard(best)
        self._loaded.add(best, entry)
        touch(best)
        return conversation

    def _note_failure(self, path: Path, error: Exception) -> None:
        """Delete a turn if `error` shows that its file is wrong; else try it again some times."""
        self._failures[path] += 1
        wrong = _is_about_content(error)
        if wrong or self._failures[path] == MOST_FAILURES:
            self._index.discard(path)
        if wrong:
            unlink(path)

    def _worth_loading(self, text: Sequence[int], better_than: int) -> Path | None:
        """Return the turn that shares the most with `text`, of several that share as much the one last used."""
        best: Shared[Path] | None = None
        for candidate in islice(self._index.texts.nearest(text), MOST_STORED_CANDIDATES):
            gained = candidate.length - better_than
            if gained <= 0 or (best is not None and candidate.length < best.length):
                break
            worth = gained * WORTH_LOADING >= len(self._index.entries[candidate.value]["main"]["tokens"])
            if worth and (best is None or self._index.later(candidate.value, best.value)):
                best = candidate
        return None if best is None else best.value

    def save(self, conversation: CachedConversation) -> None:
        """Store a conversation that has a name. A failure to write is logged, not raised."""
        assert conversation.name
        entry, contents = self._describe_conversation(conversation)
        for path in (*self._index.of(conversation.name), *self._loaded.of(conversation.name)):
            known = self._index.entries.get(path) or self._loaded.entries[path]
            if _is_current(known, entry) and path.is_file():
                touch(path)
                return
        partial = partial_path(self._folder, conversation.name)
        try:
            private_files.make_folder(self._folder)
            self._evict(conversation.bytes)
            if shutil.disk_usage(self._folder).free < conversation.bytes + LEAST_FREE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            private_files.create(partial)
            _save(partial, entry, contents)
            path = publish(partial, conversation.name)
        except (OSError, TypeError, ValueError, RuntimeError) as error:
            log.warning("a finished turn cannot be kept in %s: %s", self._folder, error)
            unlink(partial)
            return
        self._index.add(path, entry)
        self._delete_prefixes_of(path, content_held(entry["main"]))

    def forget(self, names: Collection[str]) -> None:
        """Find none of these conversations any more; `engine.prefix.files.TurnDeletions` deletes their files."""
        for known in (self._index, self._loaded):
            for path in [path for name in names for path in known.of(name)]:
                known.discard(path)

    def _describe_conversation(self, conversation: CachedConversation) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the entry of a conversation, and the content of its caches."""
        main = conversation.main
        draft = conversation.draft
        entry: dict[str, Any] = {
            "format": FORMAT,
            "stamp": self._stamp,
            "name": conversation.name,
            "main": _describe(main),
        }
        contents: dict[str, Any] = {"main": _held_by(main)}
        if draft is not None and self._draft is not None and draft.plain_only is None:
            entry["draft"] = {"stamp": self._draft[1], **_describe(draft)}
            contents["draft"] = _held_by(draft)
        if (head := conversation.head) is not None:
            state = head.context.state
            entry["head"] = {"identity": head.head.identity, "arrays": sorted(state)}
            contents["head"] = state
        return entry, contents

    def _load(self, path: Path) -> CachedConversation:
        """Return the conversation in a file, wholly read. Raises anything if it is damaged or does not fit."""
        entry = self._index.entries[path]
        read = states_of([path])
        if not is_sound(path):
            raise ValueError("its checksum is another")
        contents = _load(path, self._usable_parts(entry))
        check_unchanged(path, read)
        conversation = CachedConversation(
            _restore_sequence(self._model, entry["main"], contents["main"]), name=entry["name"]
        )
        if self._draft is not None and "draft" in contents:
            conversation.draft = _restore_sequence(self._draft[0], entry["draft"], contents["draft"])
        if self._head is not None and "head" in contents:
            conversation.head = _restore_head(self._head, contents["head"], conversation.main.position)
        for chunk in in_chunks(conversation.arrays()):
            _read(chunk)
        return conversation

    def _usable_parts(self, entry: dict[str, Any]) -> list[str]:
        """Return what to read of a stored turn: the caches of the main model, and the caches of the drafter in use."""
        draft = entry.get("draft")
        head = entry.get("head")
        if self._draft is not None and draft is not None and draft["stamp"] == self._draft[1]:
            return ["main", "draft"]
        if self._head is not None and draft is None and head is not None:
            return ["main", "head"] if head["identity"] == self._head.head.identity else ["main"]
        return ["main"]

    def _add_to_index(self, path: Path) -> None:
        """Add the turn in a file, unless it is of another model or format; a damaged one is passed over."""
        try:
            entry = read_entry(path)
            if entry["format"] != FORMAT or entry["stamp"] != self._stamp:
                return
            sound = all(type(token) is int for token in entry["main"]["tokens"])
            if not sound or hash_in_name(path) != short_hash(entry["name"]):
                raise ValueError("not a finished turn")
            self._index.add(path, entry)
            del self._failures[path]
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            log.info("%s is ignored: %s", path.name, error)
            if not _is_about_content(error):
                self._note_unread(path)

    def _delete_prefixes_of(self, path: Path, text: Sequence[int]) -> None:
        """Delete the turns that are prefixes of a turn just saved, which replaces them."""
        for known in (self._index, self._loaded):
            for other in [shared.value for shared in known.texts.beginnings(text)]:
                if other != path:
                    known.discard(other)
                    unlink(other)
        self._loaded.discard(path)

    def _evict(self, needed: int) -> None:
        """Delete the least recently used turns until `needed` more bytes are within the budget.

        Raises OSError if the folder cannot be listed.
        """
        files = files_in(self._folder)
        total = sum(file.size for file in files)
        for oldest in files:
            if total + needed <= self.budget:
                return
            total -= oldest.size
            for known in (self._index, self._loaded):
                known.discard(oldest.path)
            unlink(oldest.path)


def _is_about_content(error: Exception) -> bool:
    """Whether a turn that could not be loaded is gone, or wrong in itself.

    It may be loaded later if a read failed, no file could be opened, the file was changing, or memory was short, which
    MLX reports as a `RuntimeError`.
    """
    passing = isinstance(error, OSError | EngineError | MemoryError | RuntimeError)
    return not passing or isinstance(error, FileNotFoundError)


def read_entry(path: Path) -> dict[str, Any]:
    """Return the entry of a finished turn. Raises anything for another file."""
    entry: dict[str, Any] = json.loads(_metadata(path)["entry"])
    return entry


def _metadata(path: Path) -> dict[str, str]:
    """Return the texts about the tensors of a file. Raises anything for another file."""
    with path.open("rb") as file:
        metadata: dict[str, str] = json.loads(file.read(header_length(file.read(8))))["__metadata__"]
    return metadata


def _is_current(stored: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Whether the `stored` entry is as good as `entry`."""
    if (stored["name"], stored["main"]) != (entry["name"], entry["main"]):
        return False
    return all(key not in entry or stored.get(key) == entry[key] for key in ("draft", "head"))


def _describe(sequence: CachedSequence) -> dict[str, Any]:
    """Return the parts of a sequence that are not arrays."""
    checkpoints = [checkpoint.position for checkpoint in _checkpoints(sequence)]
    described = {"tokens": sequence.tokens[: sequence.position], "checkpoints": checkpoints}
    pictures = [[*astuple(picture)] for picture in within(sequence.pictures, 0, sequence.position)]
    return described | ({"pictures": pictures} if pictures else {})


def _held_by(sequence: CachedSequence) -> dict[str, Any]:
    """Return the content of a sequence's caches and checkpoints."""
    caches = [*flatten(sequence.caches)]
    return {
        "kinds": [kind_name(cache) for cache in caches],
        "caches": [vars(cache) for cache in caches],
        "checkpoints": [checkpoint.states for checkpoint in _checkpoints(sequence)],
    }


def _restore_sequence(model: LoadedModel, described: dict[str, Any], contents: dict[str, Any]) -> CachedSequence:
    """Return the sequence that `described` and `contents` define. Raises if they do not fit the model."""
    sequence = CachedSequence(model.model, model.new_caches())
    caches = [*flatten(sequence.caches)]
    if [kind_name(cache) for cache in caches] != contents["kinds"]:
        raise ValueError("its caches are of another kind")
    for cache, attributes in zip(caches, contents["caches"], strict=True):
        vars(cache).update(attributes)
    sequence.set_caches(sequence.caches, described["tokens"], len(described["tokens"]))
    sequence.pictures = pictures_held(described)
    checkpoints = zip(described["checkpoints"], contents["checkpoints"], strict=True)
    sequence.checkpoints = [Checkpoint(position, states) for position, states in checkpoints]
    return sequence


def _restore_head(source: HeadSource, state: dict[str, mx.array], position: int) -> HeadSession | None:
    """Return the session of the head in use; None if what it had read does not fit."""
    try:
        context = source.head.restore(state)
    except ValueError as error:
        log.info("what a head has read is ignored: %s", error)
        return None
    return HeadSession(source.head, source.taps, context) if context.length <= position else None


def _save(path: Path, entry: dict[str, Any], content: Any) -> None:
    """Write nested lists, tuples and mappings of arrays and plain values. Raises `TypeError` for anything else."""
    arrays: dict[str, mx.array] = {}

    def as_json(value: Any) -> Any:
        if isinstance(value, mx.array):
            arrays[str(len(arrays))] = value
            return {"array": str(len(arrays) - 1)}
        if isinstance(value, Mapping):
            return {"mapping": {name: as_json(item) for name, item in value.items()}}
        if isinstance(value, list | tuple):
            return {type(value).__name__: [as_json(item) for item in value]}
        return value

    structure = json.dumps(as_json(content))
    mx.save_safetensors(str(path), arrays, {"entry": json.dumps(entry), "structure": structure})


def _load(path: Path, parts: Sequence[str]) -> dict[str, Any]:
    """Return these parts of the content that `_save` wrote; any other file can raise anything."""
    structure = json.loads(_metadata(path)["structure"])["mapping"]
    names = list[str]()
    for part in parts:
        _content_of(structure[part], names.append)
    places = tensor_places({path: read_checked_header(path, path)})
    with DiskPool() as disk:
        arrays = run_to_completion(read_arrays(path, {name: places[name] for name in names}, disk))
    return {part: _content_of(structure[part], arrays.__getitem__) for part in parts}


def _content_of(value: Any, array_of: Callable[[str], Any]) -> Any:
    """Return what `_save` wrote as the JSON `value`; `array_of` returns an array by its name."""
    if not isinstance(value, dict):
        return value
    [(form, contents)] = value.items()
    if form == "array":
        return array_of(contents)
    if form == "mapping":
        return {name: _content_of(item, array_of) for name, item in contents.items()}
    return {"list": list, "tuple": tuple}[form](_content_of(item, array_of) for item in contents)


def _read(arrays: Sequence[mx.array]) -> None:
    """Evaluate a part of a turn: macOS stops evaluations that take long. Raises `ValueError` for NaN and infinity."""
    finite = [mx.isfinite(array).all() for array in arrays if mx.issubdtype(array.dtype, mx.floating)]
    mx.eval(arrays, finite)
    if not all(flag.item() for flag in finite):
        raise ValueError("it has rows that are not finite")


def _checkpoints(sequence: CachedSequence) -> list[Checkpoint]:
    """Return the checkpoints before the end of the sequence."""
    return [checkpoint for checkpoint in sequence.checkpoints if checkpoint.position < sequence.position]


def _stamp(model: LoadedModel) -> str:
    """Return a hash of all that caches depend on: weights, what was taught, the caches' precision, the libraries.

    The weights are those in memory, of which the files may have been replaced since.
    """
    files = [(file.name, *state) for file, state in model.states.items()]
    versions = [MLX_VERSION, mlx_lm.__version__]
    parts = [str(model.info.path), files, model.info.kv_bits, versions]
    if model.info.taught:
        parts.append(model.info.taught)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
