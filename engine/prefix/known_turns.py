"""What `engine.prefix.store` knows of the turns on disk, by their files, texts and conversations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from engine.pictures.placed import PlacedPicture, content_of
from engine.prefix.files import hash_in_name, short_hash
from engine.prefix.text_index import TextIndex


class KnownTurns:
    """The entries of turns on disk by their files, also by the texts that they hold and by the conversations.

    They are added in the order of their last use.
    """

    def __init__(self) -> None:
        self.entries: dict[Path, dict[str, Any]] = {}
        self._numbers: dict[Path, int] = {}
        self._next_number = count()
        self.texts: TextIndex[Path] = TextIndex()
        # The files by the hash in their names.
        self._files: defaultdict[str, list[Path]] = defaultdict(list)

    def add(self, path: Path, entry: dict[str, Any]) -> None:
        self.discard(path)
        self.texts.add(content_held(entry["main"]), path)
        self.entries[path] = entry
        self._numbers[path] = next(self._next_number)
        self._files[hash_in_name(path)].append(path)

    def discard(self, path: Path) -> None:
        """Forget the turn in this file, if it is known."""
        entry = self.entries.pop(path, None)
        if entry is None:
            return
        self.texts.remove(content_held(entry["main"]), path)
        del self._numbers[path]
        files = self._files[hash_in_name(path)]
        files.remove(path)
        if not files:
            del self._files[hash_in_name(path)]

    def later(self, path: Path, other: Path) -> bool:
        """Return whether `path` was used later than `other`."""
        return self._numbers[path] > self._numbers[other]

    def of(self, name: str) -> list[Path]:
        """Return the files of a conversation."""
        return list(self._files.get(short_hash(name), ()))


def pictures_held(described: dict[str, Any]) -> tuple[PlacedPicture, ...]:
    return tuple(PlacedPicture(*picture) for picture in described.get("pictures", ()))


def content_held(described: dict[str, Any]) -> Sequence[int]:
    """Return the text that an entry's sequence holds, as in `CachedSequence.content`."""
    return content_of(described["tokens"], pictures_held(described))
