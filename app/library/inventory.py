"""The models that one scan of the disk found, and the catalog's models, as the window shows them until the next."""

from __future__ import annotations

from dataclasses import dataclass

from app.library.entries import Entry


@dataclass(frozen=True)
class Inventory:
    """The installed models, the catalog, and the pairs that are offered first.

    limit: the bytes that models may use on this computer
    absent: folders of models whose disk is not connected
    memory: the bytes of memory of this machine; 0 if unknown
    """

    installed: tuple[Entry, ...]
    catalog: tuple[Entry, ...]
    offers: tuple[Entry, ...]
    limit: int
    absent: tuple[str, ...] = ()
    memory: int = 0

    def entry(self, id_: str) -> Entry | None:
        """Return the model with this id, an installed one first; None if there is none."""
        return next((entry for entry in (*self.installed, *self.catalog) if entry.id == id_), None)

    def at(self, path: str) -> Entry | None:
        """Return the installed model in that folder; None if there is none."""
        return next((entry for entry in self.installed if entry.path == path), None)
