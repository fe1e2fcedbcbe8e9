"""The files of folders, with which their chats begin: adding them, and reading them again from the disk."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePath
from weakref import WeakSet

from PySide6.QtCore import QLocale, QObject, Signal

from app.conversations.conversation_list import ConversationList
from app.conversations.database.database import storable
from app.conversations.database.records import Folder, Source, SourceFile
from app.conversations.projects import Sources
from app.session.attachments import BEYOND_LIMITS, read_attachment
from app.session.list_service import ListService
from app.session.store_client import StoreClient
from app.system.background import Background
from app.system.cancelled import Cancelled
from app.text.file_texts import LARGEST_BYTES, NotAttachable
from engine.errors import PictureNotUsable, PicturesNotInstalled
from engine.files.reading_time import ReadingTime

log = logging.getLogger(__name__)

# Seconds of computing for the PDF files that a question waits for. The rest is read before the next question.
QUESTION_S = 15.0
# Seconds of computing for the PDF files of one file or folder that is added. The rest is read before the next question.
ADDING_S = 120.0
# Enough that threads that wait for slow files, which one process reads in turn, do not delay the reading of texts.
_THREADS = 8

# Stores the file of a picture.
Keep = Callable[[bytes], object]


class ProjectService(QObject):
    """Reads files on threads and keeps what they hold in the store; the list of folders follows.

    `left_out` has the problems with files and sources that a question went on without, and whether what they held
    before is used.
    """

    left_out = Signal(list)
    _begun = Signal(object, str)

    def __init__(self, listed: ListService, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._list = listed
        self._store = store
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
        time = self._time(QUESTION_S)
        folder = self.folder(folder_id)
        if folder is None or not folder.sources:
            then()
            return time
        before = folder.sources
        known_id = folder.id

        def take(fresh: Sources) -> None:
            if problems := _new_problems(before, fresh):
                self.left_out.emit(problems)
            if fresh == before:
                then()
                return
            # Later changes by the user are kept. `then` is called after the list, which is updated after the change.
            self._list.change(ConversationList.change_files, known_id, lambda now: fresh if now == before else now)
            self._store.run(lambda _: None, lambda _: then(), lambda _: then())

        read = self._reader([(source, time) for source in before], partial(self._begun.emit, begins))
        self._background.run(read, take, lambda _error: then())
        return time

    def add(
        self, folder_id: int, paths: Sequence[str], then: Callable[[list[NotAttachable]], object]
    ) -> list[ReadingTime]:
        """Read files and folders of the disk and add them; `then` gets why some cannot be read.

        Returns the reading time of each path. Abandon one to leave that file or folder out.
        """
        times = [self._time(ADDING_S) for _ in paths]

        def take(read_sources: Sources) -> None:
            wanted = [source for source, time in zip(read_sources, times, strict=True) if not time.abandoned.is_set()]
            readable = {source.path: source for source in wanted if not source.problem}
            self._list.change(
                ConversationList.change_files,
                folder_id,
                lambda now: (*(source for source in now if source.path not in readable), *readable.values()),
            )
            then([NotAttachable(Path(source.path).name, source.problem) for source in wanted if source.problem])

        new = [Source(storable(path), Path(path).is_dir()) for path in paths]
        self._background.run(self._reader(list(zip(new, times, strict=True))), take)
        return times

    def close(self) -> None:
        """Stop reading."""
        for time in self._times:
            time.abandoned.set()
        self._background.close()

    def _reader(
        self, wanted: Sequence[tuple[Source, ReadingTime]], begins: Callable[[str], object] = lambda _name: None
    ) -> Callable[[], Sources]:
        """Return what reads sources on a background thread and keeps their pictures in the store."""
        return partial(_read_sources, wanted, QLocale().name(), self._store.keep_picture, begins)

    def _time(self, seconds: float) -> ReadingTime:
        """Return a new reading time, which `close` abandons."""
        self._times.add(time := ReadingTime(seconds))
        return time


def _read_sources(
    wanted: Sequence[tuple[Source, ReadingTime]], language: str, keep: Keep, begins: Callable[[str], object]
) -> Sources:
    """Read sources again, each within its time; one that is abandoned stays as it is. Runs on a background thread."""
    read: list[Source] = []
    for source, time in wanted:
        try:
            read.append(read_again(source, language, time, keep, begins))
        except Cancelled:
            read.append(source)
        except Exception:
            log.info("a source of a folder cannot be read", exc_info=True)
            read.append(replace(source, problem="unreadable"))
    return tuple(read)


def _new_problems(before: Sources, fresh: Sources) -> list[tuple[NotAttachable, bool]]:
    """Return what could not be read for the first time, and whether what it held before is used.

    New files that are no texts, documents or pictures are not mentioned.
    """
    problems = list[tuple[NotAttachable, bool]]()
    for known, source in zip(before, fresh, strict=True):
        news = [file for file in source.files if file.problem and file not in known.files]
        bad = [(file.name, file.problem, bool(file.text or file.picture)) for file in news]
        if source.problem not in ("", known.problem, *(file.problem for file in news)):
            bad.append((source.path, source.problem, any(file.text or file.picture for file in source.files)))
        for path, problem, had_text in bad:
            if had_text or problem in (*BEYOND_LIMITS, "unreadable"):
                problems.append((NotAttachable(PurePath(path).name, problem), had_text))
    return problems


# More files than a context holds, and entries that would take long to list.
MOST_FILES = 200
_MOST_ENTRIES = 20_000


def read_again(
    source: Source, language: str, time: ReadingTime, keep: Keep, begins: Callable[[str], object] = lambda _name: None
) -> Source:
    """Return a source as it is on the disk now; only files that have changed are read.

    A file that cannot be read keeps its earlier text or picture and has a `problem`. A file for which no time was left
    is read next time. Hidden files and links in a folder are not read. `begins` gets the name of each file that is
    read; `language`, `time` and `keep` are those of `read_attachment`. Raises Cancelled when `time` is abandoned, and
    what `keep` raises. Not for the Qt thread.
    """
    if not source.path:
        return source
    path = Path(source.path)
    before = {file.name: file for file in source.files}
    files = list[SourceFile]()
    try:
        if not path.exists():
            raise NotAttachable(path.name, "gone")
        paths = sorted(_files_below(path, time)) if source.is_folder else [path]
        for file in paths:
            _check_wanted(time)
            name = storable(file.relative_to(path.parent).as_posix())
            known = before.get(name, SourceFile(name))
            files.append(_read(file, known, language, time, keep, begins))
        if sum(len(file.text) for file in files) > LARGEST_BYTES:
            raise NotAttachable(path.name, "too-large")
    except NotAttachable as error:
        # Files with a problem keep their earlier text and are not read again until they change.
        bad = {file.name: file for file in files if file.problem}
        return replace(source, files=tuple((before | bad).values()), problem=error.reason)
    except OSError:
        return replace(source, problem="unreadable")
    return replace(source, files=tuple(files), problem="" if source.is_folder else files[0].problem)


def _check_wanted(time: ReadingTime) -> None:
    """Raise Cancelled if the person wants to go on without the rest."""
    if time.abandoned.is_set():
        raise Cancelled


def _files_below(root: Path, time: ReadingTime) -> list[Path]:
    """Return the files below a folder. Raises NotAttachable if they are too many, and OSError."""
    files: list[Path] = []
    listed = 0
    for folder, folders, names in os.walk(root, onerror=_refuse):
        _check_wanted(time)
        folders[:] = [name for name in folders if not name.startswith(".")]
        listed += len(folders) + len(names)
        paths = (Path(folder, name) for name in names if not name.startswith("."))
        files += [path for path in paths if path.is_file() and not path.is_symlink()]
        if listed > _MOST_ENTRIES or len(files) > MOST_FILES:
            raise NotAttachable(root.name, "too-many")
    return files


def _refuse(error: OSError) -> None:
    """Raise the error, which `os.walk` would ignore."""
    raise error


def _read(
    path: Path, known: SourceFile, language: str, time: ReadingTime, keep: Keep, begins: Callable[[str], object]
) -> SourceFile:
    """Return a file as it is now, or with the problem that kept it from being read. Raises Cancelled.

    `known` is the file as it was last read: one that has not changed since is not read again.
    """
    now = known
    try:
        status = path.stat()
        # Versions that read no pictures gave these the problem "picture".
        if (known.size, known.changed) == (status.st_size, status.st_mtime_ns) and known.problem != "picture":
            return known
        begins(path.name)
        now = replace(known, size=status.st_size, changed=status.st_mtime_ns)
        read = read_attachment(path, language, time, keep)
        return replace(now, text=read.text, picture=read.picture, problem="")
    except NotAttachable as error:
        return replace(known if error.reason in ("no-time", "unreadable") else now, problem=error.reason)
    except PictureNotUsable as error:
        if error.reason == "too-slow-together":
            return replace(known, problem="no-time")
        return replace(now, problem=error.reason if error.reason in BEYOND_LIMITS else "unusable-picture")
    except PicturesNotInstalled as error:
        return replace(known, problem=error.code)
    except Cancelled:
        raise
    # What the store or a reader raises unexpectedly keeps no other file from being read.
    except Exception:
        log.info("a file of a folder cannot be read", exc_info=True)
        return replace(known, problem="unreadable")
