"""Finished turns on disk, so that a long chat is opened again without reading it again.

Two files a conversation: the main model's caches, as mlx-lm saves prompt caches, and a small JSON file that says what
they are: format, versions, weights, tokens, and the checksum of the caches. Whatever is damaged or belongs to
something else is ignored; the worst that follows is that a prompt is read.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mlx_lm.models.cache import load_prompt_cache, save_prompt_cache

from engine.hub.inspection import weight_files
from engine.loading import LoadedModel
from engine.prefix_cache import Conversation
from engine.prompts import shared_prefix
from engine.speculation.sequence import Sequence as CachedSequence

log = logging.getLogger(__name__)

FORMAT = 1


class PrefixStore:
    """The conversations of `model` in `folder`, at most `budget` bytes of them; the oldest make room."""

    def __init__(self, folder: Path, model: LoadedModel, budget: int) -> None:
        self._folder = folder
        self._model = model
        self._budget = budget
        self._stamp = _stamp(model)
        self._index: dict[Path, dict[str, Any]] = {}
        for path in sorted(folder.glob("*.json"), key=_age):
            self._take_in(path)

    def find(self, tokens: Sequence[int], better_than: int) -> Conversation | None:
        """The stored conversation that begins as `tokens` do for longest, if that is more than `better_than`."""
        shared = {
            path: shared_prefix(entry["tokens"], tokens[: len(tokens) - 1]) for path, entry in self._index.items()
        }
        best = max(shared, key=lambda path: shared[path], default=None)
        if best is None or shared[best] <= better_than:
            return None
        conversation = self._load(best)
        # It is in memory now, or it is of no use.
        del self._index[best]
        return conversation

    def save(self, conversation: Conversation) -> None:
        """Write down what the main model knows of `conversation`; a disk that refuses is logged, not raised."""
        main = conversation.main
        held = main.tokens[: main.position]
        path = self._folder / f"{hashlib.sha256(json.dumps([self._stamp, held]).encode()).hexdigest()[:32]}.json"
        data, partial = path.with_suffix(".safetensors"), path.with_suffix(".partial.safetensors")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            save_prompt_cache(str(partial), list(main.caches))
            entry = {"format": FORMAT, "stamp": self._stamp, "tokens": held, "sha256": _checksum(partial)}
            os.replace(partial, data)
            # Last and whole: caches without it are nobody's.
            path.with_suffix(".partial").write_text(json.dumps(entry))
            os.replace(path.with_suffix(".partial"), path)
        except (OSError, ValueError, RuntimeError) as error:
            log.warning("a finished turn cannot be kept in %s: %s", self._folder, error)
            return
        self._index[path] = entry
        self._make_room()

    def _load(self, path: Path) -> Conversation | None:
        entry, data = self._index[path], path.with_suffix(".safetensors")
        main = CachedSequence(self._model.model, self._model.new_caches())
        kinds = [type(cache) for cache in main.caches]
        try:
            if _checksum(data) != entry["sha256"]:
                raise ValueError("its checksum is another")
            caches = load_prompt_cache(str(data))
            if [type(cache) for cache in caches] != kinds:
                raise ValueError("its caches are of another kind")
            main.adopt(caches, entry["tokens"], len(entry["tokens"]))
        # Whatever a file holds that was written by something else has one meaning here.
        except Exception as error:
            log.info("%s is ignored: %s", data.name, error)
            return None
        return Conversation(main)

    def _take_in(self, path: Path) -> None:
        try:
            entry = json.loads(path.read_bytes())
            if entry["format"] != FORMAT or entry["stamp"] != self._stamp:
                return
            if not all(type(token) is int for token in entry["tokens"]) or not isinstance(entry["sha256"], str):
                raise ValueError("not a finished turn")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.info("%s is ignored: %s", path.name, error)
            return
        self._index[path] = entry

    def _make_room(self) -> None:
        files = sorted(self._folder.glob("*.safetensors"), key=_age)
        total = sum(file.stat().st_size for file in files)
        while files and total > self._budget:
            oldest = files.pop(0)
            total -= oldest.stat().st_size
            self._index.pop(oldest.with_suffix(".json"), None)
            for file in (oldest.with_suffix(".json"), oldest):
                file.unlink(missing_ok=True)


def _stamp(model: LoadedModel) -> str:
    """Changes with everything that caches depend on: the weights' files, the cache's precision, the libraries."""
    files = [(file.name, file.stat().st_size, file.stat().st_mtime_ns) for file in weight_files(model.info.path)]
    versions = [version(name) for name in ("mlx", "mlx-lm")]
    parts = [str(model.info.path), files, model.info.kv_bits, versions]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _age(path: Path) -> int:
    return path.stat().st_mtime_ns
