"""The files of folders, with which their chats begin: adding them, and reading them again from the disk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path, PurePath
from weakref import WeakSet

from PySide6.QtCore import QLocale, QObject, Signal

from app.conversations.conversation_list import ConversationList
from app.conversations.database import storable
from app.conversations.projects import Sources
from app.conversations.records import Folder, Source
from app.session.attachments import BEYOND_LIMITS, NotAttachable
from app.session.list_service import ListService
from app.session.project_files import read_again
from app.session.store_client import StoreClient
from app.system.background import Background
from app.system.cancelled import Cancelled
from engine.files.reading_time import ReadingTime

# Seconds of computing for the PDF files that a question waits for, and for those of one file or folder that is added.
# The rest is read before the next question.
QUESTION_S, ADDING_S = 15.0, 120.0
# Enough that threads that wait for slow files, which one process reads in turn, do not delay the reading of texts.
_THREADS = 8


class ProjectService(QObject):
    """Reads files on threads and keeps their text in the store; the list of folders follows.

    `left_out` has the problems with files that a question went on without, and whether their earlier text is used.
    """

    left_out = Signal(list)
    _begun = Signal(object, str)

    def __init__(self, listed: ListService, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._list, self._store = listed, store
        self._background = Background("projects", threads=_THREADS, parent=self)
        self._times: WeakSet[ReadingTime] = WeakSet()
        # From the thread that reads to that of Qt.
        self._begun.connect(lambda begins, name: begins(name))

    def folder(self, folder_id: int | None) -> Folder | None:
        """Return a folder with all that its chats begin with; None if it does not exist."""
        return None if folder_id is None else self._list.folder(folder_id)

    def read_again(
        self,
        folder_id: int | None,
        then: Callable[[], object] = lambda: None,
        begins: Callable[[str], object] = lambda _name: None,
    ) -> ReadingTime:
        """Read the files of a folder again where they have changed on the disk, then call `then`.

        `begins` gets the name of each file that is read. Abandon the time that is returned to go on without the rest.
        """
        time, folder = self._time(QUESTION_S), self.folder(folder_id)
        if folder is None or not folder.sources:
            then()
            return time
        before, known_id = folder.sources, folder.id

        def take(fresh: Sources) -> None:
            if found := _new_problems(before, fresh):
                self.left_out.emit(found)
            if fresh == before:
                then()
                return
            # Later changes by the user are kept. `then` is called after the list, which is updated after the change.
            self._list.change(ConversationList.change_files, known_id, lambda now: fresh if now == before else now)
            self._store.run(lambda _: None, lambda _: then(), lambda _: then())

        language, tell = QLocale().name(), partial(self._begun.emit, begins)
        read = partial(_read, [(source, time) for source in before], language, tell)
        self._background.run(read, take, lambda _error: then())
        return time

    def add(
        self, folder_id: int, paths: Sequence[str], then: Callable[[list[NotAttachable]], object]
    ) -> list[ReadingTime]:
        """Read files and folders of the disk and add them; `then` gets why some cannot be read.

        Abandon the time of one, of those that are returned, to leave it out.
        """
        times = [self._time(ADDING_S) for _ in paths]

        def take(found_now: Sources) -> None:
            read = [one for one, time in zip(found_now, times, strict=True) if not time.abandoned.is_set()]
            found = {source.path: source for source in read if not source.problem}
            self._list.change(
                ConversationList.change_files,
                folder_id,
                lambda now: (*(one for one in now if one.path not in found), *found.values()),
            )
            then([NotAttachable(Path(one.path).name, one.problem) for one in read if one.problem])

        new = [Source(storable(path), Path(path).is_dir()) for path in paths]
        self._background.run(partial(_read, list(zip(new, times, strict=True)), QLocale().name()), take)
        return times

    def close(self) -> None:
        """Stop reading."""
        for time in self._times:
            time.abandoned.set()
        self._background.close()

    def _time(self, seconds: float) -> ReadingTime:
        self._times.add(time := ReadingTime(seconds))
        return time


def _read(
    wanted: Sequence[tuple[Source, ReadingTime]], language: str, begins: Callable[[str], object] = lambda _name: None
) -> Sources:
    """Read sources again, each within its time; one that is abandoned stays as it is. Runs on a background thread."""
    read: list[Source] = []
    for source, time in wanted:
        try:
            read.append(read_again(source, language, time, begins))
        except Cancelled:
            read.append(source)
    return tuple(read)


def _new_problems(before: Sources, fresh: Sources) -> list[tuple[NotAttachable, bool]]:
    """Return which files took too long, or too much memory, for the first time, and whether they have earlier text."""
    known = {(source.path, file.name): file for source in before for file in source.files}
    return [
        (NotAttachable(PurePath(file.name).name, file.problem), bool(file.text))
        for source in fresh
        for file in source.files
        if file.problem in BEYOND_LIMITS and file != known.get((source.path, file.name))
    ]
