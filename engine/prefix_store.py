"""Finished turns on disk, so that a long chat is opened again without reading it again.

Two files a conversation: the caches of main and draft, as mlx-lm saves prompt caches, and a small JSON file that says
what they are: format, versions, weights, tokens, and the checksum of the caches. Whatever is damaged or belongs to
something else is ignored; the worst that follows is that a prompt is read.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import load_prompt_cache, save_prompt_cache

from engine.hub.inspection import weight_files
from engine.loading import LoadedModel
from engine.prefix_cache import Conversation
from engine.prompts import shared_prefix
from engine.speculation.rollback import Checkpoint, Rollback
from engine.speculation.sequence import Sequence as CachedSequence

log = logging.getLogger(__name__)

FORMAT = 2


class PrefixStore:
    """The conversations of `model` in `folder`, at most `budget` bytes of them; the oldest make room.

    With a `draft`, what that model knew of them comes back too.
    """

    def __init__(self, folder: Path, model: LoadedModel, budget: int) -> None:
        self.draft: LoadedModel | None = None
        self._folder = folder
        self._model = model
        self._budget = budget
        self._stamp = _stamp(model)
        self._index: dict[Path, dict[str, Any]] = {}
        # What is in memory now, and on disk until a longer one takes its place.
        self._taken: dict[Path, dict[str, Any]] = {}
        for path in sorted(folder.glob("*.json"), key=_age):
            self._take_in(path)
        self._make_room()

    def find(self, tokens: Sequence[int], better_than: int) -> Conversation | None:
        """The stored conversation that begins as `tokens` do for longest, if that is more than `better_than`."""
        shared = {
            path: shared_prefix(entry["main"]["tokens"], tokens[: len(tokens) - 1])
            for path, entry in self._index.items()
        }
        best = max(shared, key=lambda path: shared[path], default=None)
        if best is None or shared[best] <= better_than:
            return None
        conversation = self._load(best)
        # It is in memory now, or it is of no use.
        self._taken[best] = self._index.pop(best)
        return conversation

    def save(self, conversation: Conversation) -> None:
        """Write down what is known of `conversation`; a disk that refuses is logged, not raised."""
        main, draft = conversation.main, conversation.draft
        entry: dict[str, Any] = {"format": FORMAT, "stamp": self._stamp, "main": _told(main)}
        caches = _to_keep(main)
        if draft is not None and self.draft is not None and draft.plain_only is None:
            entry["draft"] = {"stamp": _stamp(self.draft), **_told(draft)}
            caches += _to_keep(draft)
        held = entry["main"]["tokens"]
        path = self._folder / f"{hashlib.sha256(json.dumps([self._stamp, held]).encode()).hexdigest()[:32]}.json"
        data, partial = path.with_suffix(".safetensors"), path.with_suffix(".partial.safetensors")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            save_prompt_cache(str(partial), caches)
            entry["sha256"] = _checksum(partial)
            os.replace(partial, data)
            # Last and whole: caches without it are nobody's.
            path.with_suffix(".partial").write_text(json.dumps(entry))
            os.replace(path.with_suffix(".partial"), path)
        except (OSError, ValueError, RuntimeError) as error:
            log.warning("a finished turn cannot be kept in %s: %s", self._folder, error)
            return
        self._index[path] = entry
        self._drop_beginnings_of(path, held)
        self._make_room()

    def _load(self, path: Path) -> Conversation | None:
        entry, data = self._index[path], path.with_suffix(".safetensors")
        try:
            if _checksum(data) != entry["sha256"]:
                raise ValueError("its checksum is another")
            caches = iter(load_prompt_cache(str(data)))
            conversation = Conversation(_take_sequence(self._model, entry["main"], caches))
            draft = entry.get("draft")
            if self.draft is not None and draft is not None and draft["stamp"] == _stamp(self.draft):
                conversation.draft = _take_sequence(self.draft, draft, caches)
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
            if not all(type(token) is int for token in entry["main"]["tokens"]) or not isinstance(entry["sha256"], str):
                raise ValueError("not a finished turn")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
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
                    _delete(other)
        self._taken.pop(path, None)

    def _make_room(self) -> None:
        files = sorted(self._folder.glob("*.safetensors"), key=_age)
        total = sum(map(_size, files))
        while files and total > self._budget:
            oldest = files.pop(0)
            total -= _size(oldest)
            self._index.pop(oldest.with_suffix(".json"), None)
            _delete(oldest.with_suffix(".json"))


def stored_bytes(folder: Path) -> int:
    """What the finished turns in `folder` take, whoever's they are."""
    return sum(map(_size, folder.glob("*.safetensors")))


def clear_folder(folder: Path) -> None:
    """Forget the finished turns in `folder`, whoever's they are."""
    for file in folder.glob("*.safetensors"):
        _delete(file.with_suffix(".json"))


def _delete(path: Path) -> None:
    """A conversation's two files; first the one without which the other is nobody's."""
    for file in (path, path.with_suffix(".safetensors")):
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            log.warning("%s cannot be deleted: %s", file, error)


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
    files = [(file.name, _size(file), _age(file)) for file in sources]
    versions = [version(name) for name in ("mlx", "mlx-lm")]
    parts = [str(model.info.path), files, model.info.kv_bits, versions]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _age(path: Path) -> int:
    """When it was written; 0 where another program was quicker to delete it."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _size(path: Path) -> int:
    """Its bytes; 0 as in `_age`."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
