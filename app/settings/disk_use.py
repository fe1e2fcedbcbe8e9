"""The folders that Tandem keeps on the disk: their sizes, and their removal. All functions block. No Qt in here."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.settings.declarations import SettingsValues
from app.settings.keychain import Keychain
from app.system.paths import (
    answer_index_folder,
    cache_folder,
    data_folder,
    prefix_folder,
    settings_folder,
    unsaved_folder,
)
from engine.files.listing import names_in
from engine.files.removal import remove_folder

_log = logging.getLogger(__name__)

# Chats, and the settings, with which everything would be removed again at the next start.
_FILES = ("chats.db", "chats.db-wal", "chats.db-shm", "settings.json")


@dataclass(frozen=True)
class DiskUse:
    """One kind of data: its folder and its size in bytes. `id` is "chats", "models", "caches" or "settings".

    `is_whole` is false if the system refused a part of the folder, or all of it; `bytes` are those of the rest then.
    """

    id: str
    folder: Path
    bytes: int
    is_whole: bool


def model_folder() -> Path:
    """Return the user's shared Hugging Face cache."""
    from huggingface_hub import constants

    return Path(constants.HF_HUB_CACHE)


def measure() -> tuple[DiskUse, ...]:
    """Measure every kind of data."""
    folders = {
        "chats": data_folder(),
        "models": model_folder(),
        "caches": cache_folder(),
        "settings": settings_folder(),
    }
    return tuple(DiskUse(id_, folder, *_size_of(folder)) for id_, folder in folders.items())


def _size_of(folder: Path) -> tuple[int, bool]:
    """Return the bytes of all files under `folder`, without following links, and whether the system refused nothing.

    A folder that does not exist has 0 bytes.
    """
    total = 0
    is_whole = True
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(Path(entry.path))
                    elif entry.is_file(follow_symlinks=False):
                        # It may have been removed since.
                        with suppress(FileNotFoundError):
                            total += entry.stat(follow_symlinks=False).st_size
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            is_whole = False
    return total, is_whole


def clear_caches() -> None:
    """Remove the caches, stored prefixes included. A file that cannot be removed stays; the log says so."""
    if not _holds_only_ours(cache_folder()):
        return
    try:
        for path in map(cache_folder().joinpath, names_in(cache_folder())):
            if path.is_dir() and not path.is_symlink():
                remove_folder(path)
                continue
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                _log.warning("%s cannot be deleted: %s", path, error)
    except OSError as error:
        _log.warning("the caches cannot be listed: %s", error)


def remove_unused_caches(values: SettingsValues) -> None:
    """Remove the caches of chats that the settings have switched off, which could not be removed at that time.

    What cannot be removed stays until the next start; the log says so.
    """
    for is_used, folder in ((values.keep_prefixes, prefix_folder()), (values.earlier_chats, answer_index_folder())):
        if not is_used:
            remove_folder(folder)


def remove_everything(entries: Iterable[str]) -> list[Path]:
    """Remove chats with their backups, settings, caches, and these entries of the keychain. Nothing may have them open.

    Models stay, because other programs share their folder. In a person's own folder that a link leads to, it removes
    only the files of chats and settings. Returns the folders that could not be removed.
    """
    for entry in entries:
        Keychain().remove(entry)
    # The settings last: as long as they exist, an interrupted removal continues at the next start.
    folders = (cache_folder(), unsaved_folder(data_folder()), data_folder(), settings_folder())
    return [folder for folder in folders if not _is_removed(folder)]


def _holds_only_ours(folder: Path) -> bool:
    """Return whether the folder is where Tandem makes it, or where Tandem moved it: a folder that it has named.

    A person's link to a folder of their own leads to other things, too.
    """
    return not folder.is_symlink() or folder.resolve().name.startswith("Tandem")


def _is_removed(folder: Path) -> bool:
    """Remove the folder; if it was moved, also the link in its place. Return whether all is gone."""
    if not _holds_only_ours(folder):
        for name in _FILES:
            with suppress(OSError):
                (folder / name).unlink()
        return False
    target = folder.resolve()
    if remove_folder(target) and folder.is_symlink():
        with suppress(OSError):
            folder.unlink()
    return not os.path.lexists(folder)
