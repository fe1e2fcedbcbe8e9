"""A file beside the chats that lists running imports and exports, so that the next start knows which were cut short.

This module does not use Qt.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, read_object

IMPORT = "import"
EXPORT = "export"


@dataclass(eq=False)
class JournalEntry:
    """An IMPORT or EXPORT with the name of its file. Entries are compared by identity."""

    kind: str
    name: str


class TransferJournal:
    """The file exists only while the journal has entries. A disk error loses the entry, never the transfer."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._entries: list[JournalEntry] = []

    def take_cut_short(self) -> list[JournalEntry]:
        """Return the entries that the last run did not finish, and remove them."""
        found: list[JournalEntry] = []
        # The file may have been replaced or edited by another program.
        with suppress(OSError, ValueError, TypeError, KeyError):
            rows = read_object(self._path, CONFIG)["running"]
            found = [JournalEntry(str(row["kind"]), str(row["name"])) for row in rows]
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
                write_atomically(
                    self._path, json.dumps({"running": [asdict(entry) for entry in self._entries]}).encode()
                )
            else:
                self._path.unlink(missing_ok=True)
