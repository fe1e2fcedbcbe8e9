"""The user's models on disk and on the Hub, for the window. Every call blocks; no Qt in here.

library.py owns the only service, calls it off the Qt thread and passes its results to the window.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from huggingface_hub import constants

from app.library.downloads import Downloads
from app.library.draft_advice import DraftAdvice
from app.library.hub_connection import HubConnection
from app.library.hub_options import HubOptions, LibraryPaths, deciding
from app.library.installed_files import InstalledFiles
from app.library.installed_models import InstalledModels
from app.library.repository_search import RepositorySearch
from app.settings.declarations import SettingsValues
from app.settings.keychain import Keychain
from app.settings.relocation import finish_interrupted_move
from engine.advice.catalog import load_catalog
from engine.hub.client import HubAccess


class HubService:
    """Opens, configures and closes the parts that do the work. Thread-safe.

    connection: the access to the Hub, with its token
    downloads: the queue of downloads
    installed: the scans of the disk
    advice: which drafts suit a main model
    search: models on the Hub
    files: checks and removals of installed models
    """

    def __init__(self, paths: LibraryPaths, keychain: Keychain) -> None:
        cache = paths.cache or Path(constants.HF_HUB_CACHE)
        finish_interrupted_move(cache)
        catalog = load_catalog(paths.catalog)
        self.connection = HubConnection(keychain)
        self.downloads = Downloads(cache, paths.queue, paths.jobs)
        self.installed = InstalledModels(paths, cache, catalog, self.downloads)
        self.advice = DraftAdvice(self.installed, catalog)
        self.search = RepositorySearch(self.connection, self.installed, self.advice, catalog, paths.small_files)
        self.files = InstalledFiles(cache, self.installed, self.downloads)
        self._lock = threading.RLock()
        # The access in use; None while there is no connection.
        self._access: HubAccess | None = None

    def configure(self, options: HubOptions) -> None:
        """Apply the options; running downloads continue.

        Raises the engine's HubError if the Hub cannot be reached as the options say; then there is no connection.
        """
        access = self.connection.access_of(options.values)
        with self._lock:
            self.installed.options = options
            if access == self._access:
                return
            self.close()
            self.connection.connect(access)
            self.downloads.connect(access)
            self._access = access

    def keep_token(self, values: SettingsValues, token: str) -> bool:
        """Store the token for the Hub of these settings and connect with it.

        Return False without a keychain. Raises the engine's HubError.
        """
        is_stored = self.connection.keep_token(values, token)
        if is_stored:
            self.configure(replace(self.installed.options, values=deciding(values)))
        return is_stored

    def close(self) -> None:
        """Disconnect; unfinished downloads stay queued for the next start. Safe to call twice."""
        with self._lock:
            self.downloads.close()
            self.connection.close()
            self._access = None
