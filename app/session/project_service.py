"""The files of folders, with which their chats begin: adding them, and reading them again from the disk."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject

from app.conversations.conversation_list import ConversationList
from app.conversations.database import storable
from app.conversations.projects import Sources
from app.conversations.records import Folder, Source
from app.session.attachments import NotAttachable
from app.session.list_service import ListService
from app.session.project_files import read_again
from app.session.store_client import StoreClient
from app.system.background import Background
from app.system.cancelled import Cancelled


class ProjectService(QObject):
    """Reads files on a thread and keeps their text in the store; the list of folders follows."""

    def __init__(self, listed: ListService, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._list, self._store = listed, store
        self._background = Background("projects", threads=2, parent=self)
        self._closing = threading.Event()

    def folder(self, folder_id: int | None) -> Folder | None:
        """Return a folder with all that its chats begin with; None if it does not exist."""
        return None if folder_id is None else self._list.folder(folder_id)

    def read_again(self, folder_id: int | None, then: Callable[[], object] = lambda: None) -> None:
        """Read the files of a folder again where they have changed on the disk, then call `then`."""
        folder = self.folder(folder_id)
        if folder is None or not folder.sources:
            then()
            return
        before, known_id = folder.sources, folder.id

        def take(fresh: Sources) -> None:
            if fresh == before:
                then()
                return
            # What a person has changed meanwhile stays. `then` follows the list, which follows the change.
            self._list.change(ConversationList.change_files, known_id, lambda now: fresh if now == before else now)
            self._store.run(lambda _: None, lambda _: then(), lambda _: then())

        self._background.run(partial(self._read, before, QLocale().name()), take, lambda _error: then())

    def add(self, folder_id: int, paths: list[str], then: Callable[[list[NotAttachable]], object]) -> None:
        """Read files and folders of the disk and add them; `then` gets why some cannot be read."""

        def take(read: Sources) -> None:
            found = {source.path: source for source in read if not source.problem}
            self._list.change(
                ConversationList.change_files,
                folder_id,
                lambda now: (*(one for one in now if one.path not in found), *found.values()),
            )
            then([NotAttachable(Path(one.path).name, one.problem) for one in read if one.problem])

        language = QLocale().name()
        new = (Source(storable(path), Path(path).is_dir()) for path in paths)
        self._background.run(lambda: self._read(tuple(new), language), take)

    def close(self) -> None:
        """Stop reading after the current step."""
        self._closing.set()
        self._background.close()

    def _read(self, sources: Sources, language: str) -> Sources:
        """Read sources again. Runs on the background thread."""
        return tuple(read_again(source, language, self._check_open) for source in sources)

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise Cancelled
