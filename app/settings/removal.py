"""Removes all data of Tandem from this computer, before it is uninstalled. No Qt in here."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from app.settings.keychain import Keychain
from app.system.paths import cache_folder, data_folder, settings_folder, unsaved_folder


def remove_everything(entries: Iterable[str]) -> list[Path]:
    """Remove chats with their backups, settings, caches, and these entries of the keychain.

    Nothing may have them open. Models stay, because other programs share their folder. Returns the folders that could
    not be removed.
    """
    for entry in entries:
        Keychain().remove(entry)
    # The settings last: as long as they exist, an interrupted removal continues at the next start.
    folders = (cache_folder(), unsaved_folder(data_folder()), data_folder(), settings_folder())
    return [folder for folder in folders if not _is_removed(folder)]


def _is_removed(folder: Path) -> bool:
    """Remove the folder; if it was moved, also the link in its place. Return whether all is gone."""
    target = folder.resolve()
    shutil.rmtree(target, ignore_errors=True)
    if folder.is_symlink() and not target.exists():
        with suppress(OSError):
            folder.unlink()
    return not os.path.lexists(folder)
