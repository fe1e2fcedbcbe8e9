"""Chats out of the store and into it, as files: the dialogs, the work on a thread of its own, and what came of it."""

from __future__ import annotations

import threading
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from app.conversations.conversation_list import ACTIVE, ARCHIVED
from app.conversations.exports.labels import Labels
from app.conversations.exports.writing import (
    HTML,
    JSON,
    MARKDOWN,
    SUFFIXES,
    free_name,
    write_folder,
    write_json,
    write_text,
)
from app.conversations.imports.adding import IN_TRASH
from app.conversations.imports.reading import import_file
from app.system.serial_worker import SerialWorker
from app.system.stopping import Cancelled
from app.window.transfer_journal import EXPORT, IMPORT, TransferJournal, Work
from app.wording import errors as wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction
    from PySide6.QtWidgets import QWidget

    from app.conversations.imports.reading import ImportReport
    from app.conversations.store import ConversationStore
    from app.session.session import Session
    from app.widgets.banner import Banner


Result = TypeVar("Result")

# How long the app waits at its end for exports, and then for the step of what it stops.
EXPORT_WITHIN_S = 20.0
CLOSE_WITHIN_S = 5.0
# After how many chats an import says how far it is.
_TOLD_EVERY = 25


class Transfer(QObject):
    """Writes and reads on threads of its own, which wait for the store's; the window waits for neither.

    `changed` follows where an import or an export begins or ends.
    """

    changed = Signal()
    _told = Signal(int)

    def __init__(self, session: Session, banner: Banner, stop: QAction, parent: QObject) -> None:
        """`stop` is the action that calls `stop`."""
        super().__init__(parent)
        self._session, self._banner, self._stop_action = session, banner, stop
        # A file to attach does not wait for an import.
        self._files, self._chats = SerialWorker("attachments"), SerialWorker("transfer")
        self._jobs: set[Future[Any]] = set()
        self._under_way: dict[Future[Any], Work] = {}
        self._noted = TransferJournal(session.chats.store_path.with_suffix(".transfers"))
        self._exports: set[Future[Any]] = set()
        self._closing, self._stopping = threading.Event(), threading.Event()
        self._imported_so_far = 0
        self._sentence: Callable[[], str] = str
        self._told.connect(self._count)

    @property
    def busy(self) -> bool:
        """Whether an import or an export is under way."""
        return bool(self._under_way)

    def stop(self) -> None:
        """End the imports and exports that are under way, each after the chat that it is at."""
        self._stopping.set()

    @property
    def _window(self) -> QWidget:
        return self._banner.window()

    def export_chat(self, chat: int) -> None:
        """Ask where to, then write one chat in the form that the file's name tells."""
        row = self._session.list.chat(chat)
        suggested = free_name(Path.home(), (row.title if row else "") or self.tr("Untitled chat"), SUFFIXES[MARKDOWN])
        name, chosen = QFileDialog.getSaveFileName(
            self._window, self.tr("Export chat"), str(suggested), ";;".join(_FILTERS.values())
        )
        if name:
            self.write_chat(chat, _with_suffix(Path(name), chosen))

    def export_all(self) -> None:
        """One JSON file, or a folder with one file a chat, as the file's name tells."""
        suggested = free_name(Path.home(), self.tr("Tandem chats"), SUFFIXES[JSON])
        name, chosen = QFileDialog.getSaveFileName(
            self._window, self.tr("Export all chats"), str(suggested), ";;".join(reversed(_FILTERS.values()))
        )
        if name:
            self.write_all(_with_suffix(Path(name), chosen))

    def import_chats(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Import chats"), str(Path.home()), "JSON, ZIP (*.json *.jsonl *.zip)"
        )
        if name:
            self.read(Path(name))

    def write_chat(self, chat: int, path: Path) -> None:
        form = _form_of(path)
        if form == JSON:
            work = partial(write_json, self._ask_store, [chat], path)
        else:
            work = partial(write_text, self._ask_store, chat, path, form, self._labels())
        self._start(Work(EXPORT, path.name), work, lambda _: self.tr("Exported to {name}.").format(name=path.name))

    def write_all(self, path: Path) -> None:
        """JSON into one file; other forms into a folder of that name."""
        form, labels = _form_of(path), self._labels()

        def work() -> int:
            chats = self._ask_store(_all_chats)
            if form == JSON:
                write_json(self._ask_store, chats, path)
            else:
                folder = path.with_suffix("")
                folder.mkdir(exist_ok=True)
                write_folder(self._ask_store, chats, folder, form, labels)
            return len(chats)

        self._start(Work(EXPORT, path.name), work, lambda count: self.tr("%n chat(s) exported.", "", count))
        self._tell_busy(lambda: self.tr("Exporting to {name}…").format(name=path.name))

    def read(self, path: Path) -> None:
        told = 0

        def step(done: int) -> None:
            nonlocal told
            if self._closing.is_set() or self._stopping.is_set():
                raise Cancelled
            if done >= told + _TOLD_EVERY:
                told = done
                self._told.emit(done)

        self._imported_so_far = 0
        work = partial(import_file, self._ask_store, path, step)
        self._start(Work(IMPORT, path.name), work, self._imported, self._import_stopped)
        self._tell_busy(
            lambda: self.tr("Importing {name}: %n chat(s) so far.", "", self._imported_so_far).replace(
                "{name}", path.name
            )
        )

    def close(self) -> None:
        """Give exports some time to come to their end, for somebody counts on the file; stop what can be done again.
        The step that is then under way is waited for, for a little while at most. The next start tells what was cut
        short.
        """
        self._closing.set()
        for job in self._jobs - self._exports:
            job.cancel()
        wait(self._exports, EXPORT_WITHIN_S)
        self._stopping.set()
        wait(self._jobs, CLOSE_WITHIN_S)

    def show_cut_short(self) -> None:
        """Say what the end of the last run cut short; to be called once the chats are open."""
        works = self._noted.cut_short()
        if not works:
            return
        work = works[-1]

        def sentence() -> str:
            text = (
                self.tr(
                    "The import of {name} was cut short when Tandem ended. Import the file again for the chats that "
                    "are missing."
                )
                if work.kind == IMPORT
                else self.tr("The export to {name} was cut short when Tandem ended. Export again to have all of it.")
            )
            return text.format(name=work.name)

        self._banner.show_message(sentence, None)

    @property
    def closing(self) -> bool:
        """Whether the app ends. Safe on any thread."""
        return self._closing.is_set()

    def _ask_store(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """For one chat after another, of an export or an import."""
        if self._stopping.is_set():
            raise Cancelled
        return self._session.chats.wait_for(operation)

    def _imported(self, report: ImportReport) -> str:
        self._session.list.reload()
        for chat in report.extended:
            self._session.chats.reload(chat)
        in_trash = sum(skipped.reason == IN_TRASH for skipped in report.skipped)
        unread, lines = len(report.skipped) - in_trash, report.left_out.get("unreadable", 0)
        parts = sum(report.left_out.get(reason, 0) for reason in ("tool", "reasoning", "file"))
        sentences = [self.tr("%n chat(s) imported.", "", len(report.added) + len(report.extended))]
        if report.unchanged:
            sentences.append(self.tr("%n chat(s) were here already.", "", len(report.unchanged)))
        if in_trash:
            sentences.append(self.tr("%n chat(s) are in the trash and stay there.", "", in_trash))
        if unread:
            sentences.append(self.tr("%n part(s) of the file could not be read as a chat.", "", unread))
        if lines:
            sentences.append(self.tr("%n line(s) of the file could not be read.", "", lines))
        if parts:
            sentences.append(self.tr("%n file(s), tool call(s) or thought(s) were left out.", "", parts))
        return wording.joined(*sentences)

    def _import_stopped(self) -> str:
        self._session.list.reload()
        return self.tr("The import was stopped. Import the file again for the chats that are missing.")

    def _tell_busy(self, sentence: Callable[[], str]) -> None:
        self._sentence = sentence
        self._banner.show_message(sentence, self._stop_action, calm=True)

    def _count(self, done: int) -> None:
        self._imported_so_far = done
        self._banner.refresh(self._sentence)

    def run(
        self, work: Callable[[], Any], then: Callable[[Any], object], failed: Callable[[BaseException], object]
    ) -> None:
        """Do something that waits for disks beside the window's work; its result or its error come back here, but
        `Cancelled` does not.
        """
        self._do(self._files, work, then, failed, lambda: None)

    def _start(
        self,
        noted: Work,
        work: Callable[[], object],
        words: Callable[..., str],
        stopped: Callable[[], str] | None = None,
    ) -> None:
        def tell(sentence: str, calm: bool) -> None:
            self._banner.show_message(lambda: sentence, None, calm=calm)

        def failed(error: BaseException) -> None:
            # What an import had brought by then is there.
            self._session.list.reload()
            tell(self.tr("That did not work: {detail}").format(detail=str(error)), False)

        job = self._do(
            self._chats,
            work,
            lambda result: tell(words(result), True),
            failed,
            lambda: tell(stopped() if stopped else self.tr("The export was stopped."), True),
        )
        self._under_way[job] = noted
        # A window without the store has the file of another one before it.
        if self._session.chats.persistent:
            self._noted.begin(noted)
        if stopped is None:
            self._exports.add(job)
        self.changed.emit()

    def _do(
        self,
        side: SerialWorker,
        work: Callable[[], Any],
        then: Callable[[Any], object],
        failed: Callable[[BaseException], object],
        stopped: Callable[[], object],
    ) -> Future[Any]:
        job: Future[Any] = Future()

        def settle() -> None:
            if not job.set_running_or_notify_cancel():
                return
            try:
                job.set_result(work())
            except BaseException as error:
                job.set_exception(error)

        def done(future: Future[Any]) -> None:
            self._end(future)
            error = None if future.cancelled() else future.exception()
            if future.cancelled() or (error is not None and self.closing):
                return
            if error is None:
                then(future.result())
            elif isinstance(error, Cancelled):
                stopped()
            else:
                failed(error)

        self._jobs.add(job)
        self._session.watch(job, done)
        side.do(settle)
        return job

    def _end(self, job: Future[Any]) -> None:
        self._jobs.discard(job)
        self._exports.discard(job)
        if noted := self._under_way.pop(job, None):
            # What the app's own end cut short stays noted.
            if not self.closing or (not job.cancelled() and job.exception() is None):
                self._noted.end(noted)
            if not self._under_way:
                self._stopping.clear()
            self.changed.emit()

    def _labels(self) -> Labels:
        return Labels(
            self.tr("You"),
            self.tr("Assistant"),
            self.tr("System prompt"),
            self.tr("Untitled chat"),
            self.tr("This answer was interrupted."),
            self.tr("This answer ended with an error."),
            self.tr("Thoughts"),
        )


_FILTERS = {MARKDOWN: "Markdown (*.md)", HTML: "HTML (*.html)", JSON: "JSON (*.json)"}


def _form_of(path: Path) -> str:
    return next((form for form, suffix in SUFFIXES.items() if suffix == path.suffix.lower()), MARKDOWN)


def _with_suffix(path: Path, chosen: str) -> Path:
    """The dialog's filter names the form where the file's name does not."""
    if path.suffix.lower() in SUFFIXES.values():
        return path
    form = next((form for form, words in _FILTERS.items() if words == chosen), MARKDOWN)
    return path.with_name(path.name + SUFFIXES[form])


def _all_chats(store: ConversationStore) -> list[int]:
    return [chat.id for view in (ACTIVE, ARCHIVED) for chat in store.conversations.view(view)]
