"""The journal of running imports and exports, a file beside the chats: the next start can say which were cut short.

No Qt in here.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.files.atomic_file import write_atomically

IMPORT = "import"
EXPORT = "export"


@dataclass(eq=False)
class JournalEntry:
    """An IMPORT or an EXPORT with the name of its file. Entries are told apart by identity."""

    kind: str
    name: str


class TransferJournal:
    """The file exists only while the journal has entries. A disk error costs the entry, never the transfer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: list[JournalEntry] = []

    def take_cut_short(self) -> list[JournalEntry]:
        """Return what the run before this one did not finish, and forget it."""
        found: list[JournalEntry] = []
        # The file may have been edited by somebody else.
        with suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
            found = [JournalEntry(str(row["kind"]), str(row["name"])) for row in json.loads(self._path.read_bytes())]
        self._write()
        return found

    def begin(self, entry: JournalEntry) -> None:
        self._entries.append(entry)
        self._write()

    def end(self, entry: JournalEntry) -> None:
        if entry in self._entries:
            self._entries.remove(entry)
            self._write()

    def _write(self) -> None:
        with suppress(OSError):
            if self._entries:
                write_atomically(self._path, json.dumps([asdict(entry) for entry in self._entries]).encode())
            else:
                self._path.unlink(missing_ok=True)
