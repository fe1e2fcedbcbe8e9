"""Finished turns on disk, so that a long chat is opened again without reading it again.

Two files a finished turn: the caches of main and draft, as mlx-lm saves prompt caches, and a small JSON file that says
what they are: format, versions, weights, tokens, and the checksum of the caches. Whatever is damaged or belongs to
something else is ignored; the worst that follows is that a prompt is read.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import load_prompt_cache, save_prompt_cache

from engine.atomic_file import write_atomically
from engine.conversation import Conversation
from engine.loading import LoadedModel
from engine.model_files.inspection import weight_files
from engine.prefix_files import (
    DATA,
    ENTRY,
    checksum,
    data_of,
    delete,
    files_in,
    forget,
    mark_in,
    mark_of,
    partial_data_of,
    place_of,
    remove_partials,
    touch,
    unlink,
)
from engine.prompts import shared_prefix
from engine.speculation.rollback import Checkpoint, Rollback
from engine.speculation.sequence import Sequence as CachedSequence

log = logging.getLogger(__name__)

FORMAT = 3
# All chats begin alike. Reading a token takes at least as long as loading so many, with 150 kB each from an SSD.
WORTH_LOADING = 8
# What the disk keeps free whatever the budget says.
LEAST_FREE = 2**30


class PrefixStore:
    """The conversations of `model` in `folder`, at most `budget` bytes of them; the least recently used make room.

    With a draft in use, what that model knew of them comes back too.
    """

    def __init__(self, folder: Path, model: LoadedModel, budget: int) -> None:
        self.budget = budget
        self._draft: tuple[LoadedModel, str] | None = None
        self._folder = folder
        self._model = model
        self._stamp = _stamp(model)
        self._index: dict[Path, dict[str, Any]] = {}
        # What is in memory now, and on disk until a longer one takes its place.
        self._taken: dict[Path, dict[str, Any]] = {}
        remove_partials(folder)
        for file in files_in(folder, ENTRY):
            self._take_in(file.path)
        self._make_room(0)

    def use_draft(self, draft: LoadedModel | None) -> None:
        """From now on what `draft` knows is kept and found."""
        self._draft = None if draft is None else (draft, _stamp(draft))

    def find(self, tokens: Sequence[int], better_than: int) -> Conversation | None:
        """The stored conversation that begins as `tokens` do for longest, if that is more than `better_than` and worth
        bringing all of it into memory.
        """
        shared: dict[Path, int] = {}
        for path, entry in self._index.items():
            held = entry["main"]["tokens"]
            count = shared_prefix(held, tokens[: len(tokens) - 1])
            if count > better_than and (count - better_than) * WORTH_LOADING >= len(held):
                shared[path] = count
        if not shared:
            return None
        best = max(shared, key=lambda path: shared[path])
        conversation, entry = self._load(best), self._index.pop(best)
        if conversation is None:
            delete(best)
        else:
            self._taken[best] = entry
            touch(best)
        return conversation

    def save(self, conversation: Conversation) -> None:
        """Write down what is known of a conversation with a name; a disk that refuses is logged, not raised."""
        assert conversation.name is not None
        entry, caches = self._described(conversation)
        path = self._place(conversation.name, entry["main"]["tokens"])
        known = self._index.get(path) or self._taken.get(path)
        if _serves(known, entry) and path.is_file() and data_of(path).is_file():
            touch(path)
            return
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(conversation.bytes)
            if shutil.disk_usage(self._folder).free < conversation.bytes + LEAST_FREE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            _write(path, entry, caches)
        except (OSError, ValueError, RuntimeError) as error:
            log.warning("a finished turn cannot be kept in %s: %s", self._folder, error)
            unlink(partial_data_of(path))
            return
        self._index[path] = entry
        self._drop_beginnings_of(path, entry["main"]["tokens"])

    def forget(self, names: Collection[str]) -> None:
        """Drop these conversations; those in `folder` that are another model's too."""
        forget(self._folder, names)
        marks = {mark_of(name) for name in names}
        for known in (self._index, self._taken):
            for path in [path for path in known if mark_in(path) in marks]:
                del known[path]

    def _described(self, conversation: Conversation) -> tuple[dict[str, Any], list[Any]]:
        """What is written down of a conversation, its checksum aside, and the caches that go with it."""
        main, draft = conversation.main, conversation.draft
        entry: dict[str, Any] = {
            "format": FORMAT,
            "stamp": self._stamp,
            "name": conversation.name,
            "main": _told(main),
        }
        caches = _to_keep(main)
        if draft is not None and self._draft is not None and draft.plain_only is None:
            entry["draft"] = {"stamp": self._draft[1], **_told(draft)}
            caches += _to_keep(draft)
        return entry, caches

    def _place(self, name: str, tokens: Sequence[int]) -> Path:
        return place_of(self._folder, name, json.dumps([self._stamp, tokens]))

    def _load(self, path: Path) -> Conversation | None:
        entry, data = self._index[path], data_of(path)
        try:
            if checksum(data) != entry["sha256"]:
                raise ValueError("its checksum is another")
            caches = iter(load_prompt_cache(str(data)))
            conversation = Conversation(_take_sequence(self._model, entry["main"], caches), name=entry["name"])
            draft = entry.get("draft")
            if self._draft is not None and draft is not None and draft["stamp"] == self._draft[1]:
                conversation.draft = _take_sequence(self._draft[0], draft, caches)
            mx.eval(conversation.arrays())
        # Whatever a file holds that was written by something else has one meaning here.
        except Exception as error:
            log.info("%s is ignored: %s", data.name, error)
            return None
        return conversation

    def _take_in(self, path: Path) -> None:
        try:
            entry = json.loads(path.read_bytes())
            if entry["format"] != FORMAT or entry["stamp"] != self._stamp:
                return
            tokens = entry["main"]["tokens"]
            sound = all(type(token) is int for token in tokens) and isinstance(entry["sha256"], str)
            if not sound or path != self._place(entry["name"], tokens):
                raise ValueError("not a finished turn")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            log.info("%s is ignored: %s", path.name, error)
            return
        self._index[path] = entry

    def _drop_beginnings_of(self, path: Path, held: Sequence[int]) -> None:
        """A chat that went on takes the place of what was kept of it before."""
        for known in (self._index, self._taken):
            for other in [other for other in known if other != path]:
                tokens = known[other]["main"]["tokens"]
                if tokens == held[: len(tokens)]:
                    del known[other]
                    delete(other)
        self._taken.pop(path, None)

    def _make_room(self, needed: int) -> None:
        """Let the least recently used go until `needed` bytes more are within the budget."""
        files = files_in(self._folder, DATA)
        total = sum(file.size for file in files)
        for oldest in files:
            if total + needed <= self.budget:
                return
            total -= oldest.size
            entry = oldest.path.with_suffix(ENTRY)
            for known in (self._index, self._taken):
                known.pop(entry, None)
            delete(entry)


def _write(path: Path, entry: dict[str, Any], caches: list[Any]) -> None:
    """Both files of a finished turn, whole or not at all. Adds the checksum to `entry`."""
    data = partial_data_of(path)
    save_prompt_cache(str(data), caches)
    entry["sha256"] = checksum(data)
    os.replace(data, data_of(path))
    # Last: caches without it are nobody's.
    write_atomically(path, json.dumps(entry).encode())


def _serves(stored: dict[str, Any] | None, entry: dict[str, Any]) -> bool:
    """Whether what is stored is as good as `entry`."""
    if stored is None or stored["main"] != entry["main"]:
        return False
    return "draft" not in entry or stored.get("draft") == entry["draft"]


def _told(sequence: CachedSequence) -> dict[str, Any]:
    """What of a sequence is no array."""
    checkpoints = [kept.position for kept in _checkpoints(sequence)]
    return {"tokens": sequence.tokens[: sequence.position], "checkpoints": checkpoints}


def _to_keep(sequence: CachedSequence) -> list[Any]:
    """The caches of a sequence, then for each of its checkpoints those that cannot be cut back to it."""
    caches = list(sequence.caches)
    for checkpoint in _checkpoints(sequence):
        assert isinstance(sequence.rollback, Rollback)
        caches += sequence.rollback.caches_at(checkpoint)
    return caches


def _take_sequence(model: LoadedModel, told: dict[str, Any], caches: Iterator[Any]) -> CachedSequence:
    """The sequence that `told` and the next of `caches` make. Raises where they do not fit the model or each other."""
    sequence = CachedSequence(model.model, model.new_caches())
    kinds = [type(cache) for cache in sequence.caches]
    own = list(islice(caches, len(kinds)))
    if [type(cache) for cache in own] != kinds:
        raise ValueError("its caches are of another kind")
    sequence.adopt(own, told["tokens"], len(told["tokens"]))
    for position in told["checkpoints"]:
        assert isinstance(sequence.rollback, Rollback)
        sequence.checkpoints.append(sequence.rollback.checkpoint_of(position, caches))
    return sequence


def _checkpoints(sequence: CachedSequence) -> list[Checkpoint]:
    """Where it can go back to besides its end."""
    return [kept for kept in sequence.checkpoints if kept.position < sequence.position]


def _stamp(model: LoadedModel) -> str:
    """Changes with everything that caches depend on: weights, configuration, the cache's precision, the libraries."""
    sources = [*weight_files(model.info.path), model.info.path / "config.json"]
    files = [(file.name, *_size_and_age(file)) for file in sources]
    versions = [version(name) for name in ("mlx", "mlx-lm")]
    parts = [str(model.info.path), files, model.info.kv_bits, versions]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _size_and_age(file: Path) -> tuple[int, int]:
    """Its bytes and when it was written; 0 where another program was quicker to delete it."""
    try:
        status = file.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
