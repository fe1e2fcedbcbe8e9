"""The temporary store, which replaces a store that cannot be opened until its chats can be added to that store.

Its folder is next to the folder of the user's store. It remains when the window closes, and becomes a link if the user
chooses another folder for it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from app.conversations.conversation_list import ACTIVE, ARCHIVED
from app.conversations.database.store_files import free_name
from app.conversations.exports.writing import StoreRunner, write_json
from app.conversations.store import ConversationStore
from app.conversations.worker import StoreThread
from app.settings.relocation import move_folder
from app.system.paths import unsaved_folder
from engine.files import private_files
from engine.files.removal import remove_folder

if TYPE_CHECKING:
    from app.conversations.imports.imported import ImportReport

Result = TypeVar("Result")
log = logging.getLogger(__name__)

_EXPORT = "chats.json"


def temporary_store_of(path: Path) -> Path:
    """Return the file of the temporary store for the store at `path`."""
    return unsaved_folder(path.parent) / path.name


def chosen_folder(temporary_store: Path) -> Path | None:
    """Return the folder that the user chose for the temporary store; None if it is in its usual place."""
    return temporary_store.parent.resolve() if temporary_store.parent.is_symlink() else None


def chats_in(store: ConversationStore) -> list[int]:
    """Return the ids of the chats that have messages."""
    listed = [chat.id for view in (ACTIVE, ARCHIVED) for chat in store.conversations.view(view)]
    return [chat_id for chat_id in listed if store.messages.active_leaf(chat_id) is not None]


def keep_in(temporary_store: Path, folder: Path) -> None:
    """Move the closed temporary store to a new folder in `folder` and leave a link. Raises MoveRefused and OSError."""
    target = free_name(folder / "Tandem Chats")
    if temporary_store.parent.is_dir():
        move_folder(temporary_store.parent, target)
    else:
        # It could not be opened in its usual place.
        private_files.make_folder(target)
        temporary_store.parent.unlink(missing_ok=True)
        temporary_store.parent.symlink_to(target)


def remove(temporary_store: Path) -> None:
    """Remove the folder of the closed temporary store, or the one that the user chose with the link to it.

    What cannot be removed is named in the log. The link stays with it, so that the next start finds it.
    """
    folder = temporary_store.parent
    if remove_folder(folder.resolve()) and folder.is_symlink():
        try:
            folder.unlink()
        except OSError as error:
            log.warning("%s cannot be deleted: %s", folder, error)


def find_left(path: Path) -> bool:
    """Return whether an earlier run left a temporary store for the store at `path`.

    A folder without the store's file, which could not be removed then, is removed. A link to a disk that is not there
    stays.
    """
    temporary_store = temporary_store_of(path)
    if temporary_store.exists():
        return True
    if temporary_store.parent.is_dir():
        remove(temporary_store)
    return False


def add_chats(left: StoreThread, run: StoreRunner, step: Callable[[int], object]) -> ImportReport:
    """Add the chats of the temporary store `left` to the user's store, and close `left`.

    `run` runs operations of the user's store, and `step` gets the number of chats so far. Removes the temporary store
    if every chat is in the user's store now (or in its trash); else it stays on disk, as it does if the system refuses
    to remove it, and adding again adds the missing ones. Call it on a thread that may wait.
    """
    from app.conversations.imports.imported import IN_TRASH
    from app.conversations.imports.reading import import_file

    def ask(operation: Callable[[ConversationStore], Result]) -> Result:
        return left.submit(operation).result()

    export = left.path.with_name(_EXPORT)
    try:
        write_json(ask, ask(chats_in), export)
    finally:
        left.close(timeout=None)
    report = import_file(run, export, step)
    if all(skipped.reason == IN_TRASH for skipped in report.skipped):
        remove(left.path)
    return report
