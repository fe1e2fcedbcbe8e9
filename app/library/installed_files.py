"""The files of installed models: comparing them with the Hub's, and removing them."""

from __future__ import annotations

from pathlib import Path

from app.library.downloads import Downloads
from app.library.installed_models import InstalledModels
from app.system.trash import move_to_trash
from engine.hub.failures import HubError
from engine.hub.remove import plan_removal, remove
from engine.hub.repository_names import head_of
from engine.hub.values import RemovalPlan


class InstalledFiles:
    """Changes the files of models that a scan found. Thread-safe."""

    def __init__(self, cache: Path, installed: InstalledModels, downloads: Downloads) -> None:
        self._cache = cache
        self._installed = installed
        self._downloads = downloads

    def check(self, path: str) -> None:
        """Download the installed revision of a model in the Hub cache again.

        That compares every file with its checksum, and fetches only damaged and missing files. Raises `HubError`.
        """
        model = self._installed.at(path)
        revision = "main"
        # A head is cut again out of the newest files of its source.
        if not head_of(model.id):
            folders = Path(model.gguf.source if model.gguf is not None else path).parts
            # The cache has a folder "snapshots", and in it one for each revision.
            revision = folders[folders.index("snapshots") + 1]
        self._downloads.add(model.id, revision)

    def plan_removal(self, path: str) -> RemovalPlan:
        """Return what removing the model in that folder deletes. Raises `HubError` if it is not installed."""
        return plan_removal(self._installed.at(path), self._cache)

    def remove(self, plan: RemovalPlan) -> None:
        """Delete a model, and its entry among the downloads; a person's own goes to the trash.

        Raises `HubError`: (no-trash) if a folder stays where it is, or why files cannot be deleted.
        """
        if plan.personal:
            for folder in plan.folders:
                if not move_to_trash(folder):
                    raise HubError("no-trash", plan.id, path=str(folder))
            return
        remove(plan)
        self._downloads.unlist(plan.id)
