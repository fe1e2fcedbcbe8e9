"""Imports and exports that are under way, written down beside the chats: the next start can say which were cut short.

No Qt in here.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from engine.atomic_file import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

IMPORT = "import"
EXPORT = "export"


@dataclass(eq=False)
class Work:
    """An IMPORT or an EXPORT, and the name of its file."""

    kind: str
    name: str


class TransferJournal:
    """The list and its file, which is there only while the list holds something.

    A disk that refuses costs the note only, never the work.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._works: list[Work] = []

    def cut_short(self) -> list[Work]:
        """What the run before this one did not come to the end of; told once."""
        found: list[Work] = []
        # Someone else's hand may have been in the file.
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            found = [Work(str(row["kind"]), str(row["name"])) for row in json.loads(self._path.read_bytes())]
        self._write()
        return found

    def begin(self, work: Work) -> None:
        self._works.append(work)
        self._write()

    def end(self, work: Work) -> None:
        if work in self._works:
            self._works.remove(work)
            self._write()

    def _write(self) -> None:
        with suppress(OSError):
            if self._works:
                write_atomically(self._path, json.dumps([asdict(work) for work in self._works]).encode())
            else:
                self._path.unlink(missing_ok=True)
