"""Folders whose chats begin with files and instructions: what the window knows of them, and their changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, Signal

from app.conversations.projects import Project, Source, Sources
from app.session.attachments import NotAttachable
from app.session.chat_service import ChatService
from app.session.chats import Chat
from app.session.list_service import ListService
from app.session.project_files import new_source, read_again, updated
from app.session.store_client import StoreClient
from app.system.background import Background
from app.system.cancelled import Cancelled

log = logging.getLogger(__name__)

Then = Callable[[], object]


def _nothing() -> None:
    """Do nothing afterwards."""


class ProjectService(QObject):
    """Keeps the folder of the chat on screen up to date with the store, and its files with the disk.

    `changed` carries the id of a folder whose files became known or changed, `refused` the NotAttachable of a file or a
    folder of the disk that is not added.
    """

    changed = Signal(int)
    refused = Signal(object)

    def __init__(
        self, chats: ChatService, listed: ListService, store: StoreClient, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._list, self._store = listed, store
        self._known: dict[int, Project] = {}
        self._background = Background("projects", parent=self)
        self._closing = threading.Event()
        chats.opened.connect(lambda chat: self.follow(chat.folder_id))
        listed.changed.connect(lambda: self.follow(chats.shown.folder_id))

    @property
    def busy(self) -> bool:
        """Whether files are being read."""
        return self._background.busy

    def known(self, folder_id: int | None) -> Project | None:
        """Return a folder with its files as far as they are known; None if it does not exist."""
        folder = None if folder_id is None else self._list.folder(folder_id)
        if folder is None:
            return None
        found = self._known.get(folder.id)
        if found is None:
            return Project(folder)
        # Its files may be newer than the list, or older until `follow` gets them.
        folder = replace(folder, uid=found.folder.uid)
        if found.folder != folder:
            found = self._known[folder.id] = Project(folder, found.sources)
        return found

    def start_of(self, chat: Chat, variables: Mapping[str, str]) -> str:
        """Return the text with which a chat begins because of its folder; "" if it is in none."""
        project = self.known(chat.folder_id)
        return "" if project is None else project.prompt(variables)

    def follow(self, folder_id: int | None, then: Then = _nothing) -> None:
        """Get a folder's files from the store if they are unknown or have changed there, then call `then`."""
        folder = None if folder_id is None else self._list.folder(folder_id)
        known = None if folder is None else self._known.get(folder.id)
        if folder is None or (known is not None and known.folder.uid == folder.uid):
            then()
        else:
            self._run(lambda store: store.projects.get(folder_id), then)

    def prepare(self, chat: Chat, then: Then) -> None:
        """Read the files of a chat's folder again where they have changed on the disk, then call `then`."""
        self.follow(chat.folder_id, lambda: self.read_again(chat.folder_id, then))

    def read_again(self, folder_id: int | None, then: Then = _nothing) -> None:
        """Read the files of a folder again where they have changed on the disk, then call `then`."""
        project = self.known(folder_id)
        if project is None or not project.sources:
            then()
            return
        sources, known_id = project.sources, project.folder.id

        def take(fresh: list[Source]) -> None:
            if tuple(fresh) == sources:
                then()
                return
            by_path = {source.path: source for source in fresh if source.path}
            self._change(known_id, lambda now: updated(now, by_path), then)

        def failed(error: Exception) -> None:
            log.error("the files of a folder could not be read again", exc_info=error)
            then()

        self._background.run(partial(self._read, sources, QLocale().name()), take, failed)

    # Changes by the person

    def set_instructions(self, folder_id: int, text: str) -> None:
        self._store.run(lambda store: store.projects.set_instructions(folder_id, text))

    def set_setting(self, folder_id: int, key: str, value: object) -> None:
        """Set what new chats of the folder begin with; None leaves it as for other chats."""
        self._store.run(lambda store: store.projects.set_setting(folder_id, key, value))

    def add(self, folder_id: int, paths: list[str]) -> None:
        """Read files and folders of the disk and add them; `refused` follows for each that cannot be read."""

        def take(read: list[Source]) -> None:
            for source in read:
                if source.problem:
                    self.refused.emit(NotAttachable(Path(source.path).name, source.problem))
            found = {source.path: source for source in read if not source.problem}
            if found:
                self._change(folder_id, lambda now: (*(one for one in now if one.path not in found), *found.values()))

        sources = tuple(new_source(Path(path)) for path in paths)
        self._background.run(partial(self._read, sources, QLocale().name()), take)

    def remove(self, folder_id: int, source: Source) -> None:
        """Take a file or a folder of the disk out; nothing changes on the disk."""
        self._change(folder_id, lambda now: tuple(one for one in now if not _is_same(one, source)))

    def leave_out(self, folder_id: int, source: Source, name: str, left_out: bool) -> None:
        """Let chats begin without a file, or with it again."""

        def change(one: Source) -> Source:
            files = (replace(file, left_out=left_out) if file.name == name else file for file in one.files)
            return replace(one, files=tuple(files)) if _is_same(one, source) else one

        self._change(folder_id, lambda now: tuple(map(change, now)))

    def close(self) -> None:
        """Stop reading after the current step."""
        self._closing.set()
        self._background.close()

    def _change(self, folder_id: int, change: Callable[[Sources], Sources], then: Then = _nothing) -> None:
        self._run(lambda store: store.projects.change_files(folder_id, change), then)

    def _run(self, operation: Callable[..., Project | None], then: Then) -> None:
        """Run an operation of the store that returns a folder with its files, keep that, and call `then`."""

        def take(project: Project | None) -> None:
            if project is not None:
                self._known[project.folder.id] = project
                self.changed.emit(project.folder.id)
            then()

        self._store.run(operation, take, lambda _error: then())

    def _read(self, sources: Sources, language: str) -> list[Source]:
        """Read sources again. Runs on the background thread."""
        return [read_again(source, language, self._check_open) for source in sources]

    def _check_open(self) -> None:
        if self._closing.is_set():
            raise Cancelled


def _is_same(one: Source, other: Source) -> bool:
    """Whether both are the same file or folder; imported ones have no path."""
    return one.path == other.path and (bool(one.path) or one.files == other.files)
