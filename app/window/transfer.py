"""Export and import of chats: file dialogs, work on a separate thread, and messages about the outcome."""

from __future__ import annotations

import sqlite3
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

from app.conversations.conversation_list import ACTIVE, ARCHIVED
from app.conversations.database.errors import StoreError, as_store_error
from app.conversations.exports.labels import Labels
from app.conversations.exports.writing import (
    HTML,
    JSON,
    MARKDOWN,
    PDF,
    SUFFIXES,
    ZIP,
    free_name,
    write_folder,
    write_json,
    write_text,
    write_zip,
)
from app.conversations.store import ConversationStore
from app.conversations.temporary_store import add_chats
from app.conversations.worker import StoreThread
from app.session.chats import chat_of
from app.session.session import Session
from app.system.background import Background
from app.system.cancelled import Cancelled
from app.widgets.banner import Banner
from app.wording.errors import joined
from app.wording.sources import recorded_name
from engine.files import private_files
from engine.files.atomic_file import write_atomically

if TYPE_CHECKING:
    from app.conversations.imports.imported import ImportReport

Result = TypeVar("Result")

# The suffixes of files with chats.
IMPORTED = (".json", ".jsonl", ".zip", ".sqlite")
# How long closing waits for exports to finish, and then for the current step of all that was stopped.
EXPORT_WITHIN_S = 20.0
_TRANSFER_CLOSE_S = 5.0
# An import reports its progress after this many chats.
_REPORT_EVERY = 25
# The topic of the message that shows the progress.
_RUNNING = "transfer"


class ImportExport(QObject):
    """Runs exports and imports one after another. Their thread waits for the store's thread; the window never waits.

    `changed` is emitted when an export or an import begins or ends.
    """

    changed = Signal()
    _progressed = Signal(int)

    def __init__(self, session: Session, banner: Banner, stop_action: QAction, parent: QObject) -> None:
        """`stop_action` is the action that calls `stop`."""
        super().__init__(parent)
        self._session = session
        self._banner = banner
        self._stop_action = stop_action
        self._background = Background("transfer", parent=self)
        # Running and queued transfers, each with the file that an export writes.
        self._running: dict[Future[Any], Path | None] = {}
        self._closing = threading.Event()
        self._stopping = threading.Event()
        self._reported = 0
        self._imported_so_far = 0
        self._progressed.connect(self._show_progress)
        self._written: Path | None = None
        self._show_action = QAction(self)
        self._show_action.triggered.connect(self._show_written)

    @property
    def busy(self) -> bool:
        """Whether an import or an export is running or queued."""
        return bool(self._running)

    def stop(self) -> None:
        """Stop all imports and exports, each after its current chat."""
        self._stopping.set()

    @property
    def _window(self) -> QWidget:
        return self._banner.window()

    def export_chat(self, chat_id: int) -> None:
        """Ask for a file, then write one chat in the format of its suffix."""
        row = self._session.list.chat(chat_id)
        suggested = free_name(Path.home(), (row.title if row else "") or self.tr("Untitled chat"), SUFFIXES[MARKDOWN])
        if path := self._chosen(self.tr("Export chat"), suggested, (MARKDOWN, HTML, JSON, PDF)):
            self.write_chat(chat_id, path)

    def export_all(self) -> None:
        """Ask for a file, then write one file, or a folder with one file for each chat, by its suffix."""
        suggested = free_name(Path.home(), self.tr("Tandem chats"), SUFFIXES[JSON])
        if path := self._chosen(self.tr("Export all chats"), suggested, (JSON, HTML, MARKDOWN, ZIP)):
            self.write_all(path)

    def _chosen(self, title: str, suggested: Path, forms: Sequence[str]) -> Path | None:
        """Ask for a file in one of these formats; a name without such a suffix gets the suffix of the chosen format."""
        filters = {f"{_NAMES[form]} (*{SUFFIXES[form]})": SUFFIXES[form] for form in forms}
        name, chosen = QFileDialog.getSaveFileName(self._window, title, str(suggested), ";;".join(filters))
        if not name:
            return None
        has_suffix = Path(name).suffix.lower() in filters.values()
        return Path(name if has_suffix else name + filters.get(chosen, SUFFIXES[MARKDOWN]))

    def import_folder(self) -> None:
        """Ask for the folder of an export, then import it."""
        if name := QFileDialog.getExistingDirectory(self._window, self.tr("Import chats"), str(Path.home())):
            self.read(Path(name))

    def import_file(self) -> None:
        """Ask for the file of an export, then import it."""
        kinds = " ".join(f"*{suffix}" for suffix in IMPORTED)
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Import chats"), str(Path.home()), f"JSON, ZIP, SQLite ({kinds})"
        )
        if name:
            self.read(Path(name))

    def write_chat(self, chat_id: int, path: Path) -> None:
        form = _form_of(path)
        if form == JSON:
            work = partial(write_json, self._ask_store, [chat_id], path, private=False)
        elif form == PDF:
            work = partial(self._write_pdf, chat_id, path)
        else:
            work = partial(write_text, self._ask_store, chat_id, path, form, self._labels(), private=False)
        self._start(
            work, lambda _: (self.tr("Exported to {name}.").format(name=path.name), False), self._export_stopped, path
        )

    def write_all(self, path: Path) -> None:
        """Write all chats, as JSON or ZIP into the file, in other formats into a folder of its name."""
        form = _form_of(path)
        labels = self._labels()

        def work() -> int:
            chats = self._ask_store(
                lambda store: [chat.id for view in (ACTIVE, ARCHIVED) for chat in store.conversations.view(view)]
            )
            if form == JSON:
                write_json(self._ask_store, chats, path)
            elif form == ZIP:
                write_zip(self._ask_store, chats, path, labels)
            else:
                folder = path.with_suffix("")
                folder.mkdir(private_files.FOLDER, exist_ok=True)
                write_folder(self._ask_store, chats, folder, form, labels)
            return len(chats)

        self._start(
            work, lambda count: (self.tr("%Ln chat(s) exported.", "", count), False), self._export_stopped, path
        )
        self._show_running(lambda: self.tr("Exporting to {name}…").format(name=path.name))

    def read(self, path: Path) -> None:
        """Import the chats of a file."""
        self._imported_so_far = 0
        self._start(partial(self._import, path), self._imported, self._import_stopped)
        self._show_running(
            lambda: self.tr("Importing {name}: %Ln chat(s) so far.", "", self._imported_so_far).replace(
                "{name}", path.name
            )
        )

    def add_unsaved(self, left: StoreThread) -> None:
        """Add the chats of a temporary store to the user's store and remove it."""
        self._imported_so_far = 0
        self._reported = 0
        self._start(partial(add_chats, left, self._ask_store, self._import_step), self._imported, self._import_stopped)

    def close(self) -> None:
        """Wait for exports for EXPORT_WITHIN_S, and stop imports, which can be repeated."""
        self._closing.set()
        exports = [job for job, written in self._running.items() if written is not None]
        for job in self._running.keys() - exports:
            job.cancel()
        wait(exports, EXPORT_WITHIN_S)
        self._stopping.set()
        wait(self._running, _TRANSFER_CLOSE_S)
        self._background.close(wait=False)

    # On the transfer's thread

    def _ask_store(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run `operation` on the store's thread and return its result; raise `Cancelled` if the user has stopped."""
        if self._stopping.is_set():
            raise Cancelled
        return self._session.store.wait_for(operation)

    def _write_pdf(self, chat_id: int, path: Path) -> None:
        from app.window.chat_parts.printing import pdf_of

        chat = self._ask_store(lambda store: chat_of(store.conversations.get(chat_id), store.messages.path(chat_id)))
        write_atomically(path, pdf_of(chat), mode=0o666)

    def _import(self, path: Path) -> ImportReport:
        # Imported here, so that opening the window does not wait for the readers of other apps' files.
        from app.conversations.imports.reading import import_file

        self._reported = 0
        return import_file(self._ask_store, path, self._import_step)

    def _import_step(self, done: int) -> None:
        if self._closing.is_set() or self._stopping.is_set():
            raise Cancelled
        if done >= self._reported + _REPORT_EVERY:
            self._reported = done
            self._progressed.emit(done)

    # On the Qt thread

    def _start(
        self,
        work: Callable[[], Result],
        done: Callable[[Result], tuple[str, bool]],
        stopped: Callable[[], str],
        written: Path | None = None,
    ) -> None:
        """Queue the work.

        `done` words its result and says whether something is missing, so that the notice stays; `stopped` words that it
        was stopped. `written` is the file that an export writes, and offers when it is there.
        """

        def fail(error: Exception) -> None:
            if isinstance(error, Cancelled):
                self._finish(job, stopped())
                return
            # Chats that an import added before the error stay.
            self._session.store.reload()
            sentence = self.tr("The operation failed: {detail}").format(detail=str(error))
            if isinstance(error, OSError) and error.filename:
                words = self.tr("{name} could not be read or written: {detail}")
                sentence = words.format(name=Path(str(error.filename)).name, detail=error.strerror)
            elif isinstance(error, (StoreError, sqlite3.Error)):
                # Not a notice of the transfer: it goes when the store takes a write.
                self._session.store.failed.emit(as_store_error(error))
                sentence = ""
            self._finish(job, sentence, is_info=False)

        def succeed(result: Result) -> None:
            sentence, is_incomplete = done(result)
            self._finish(job, sentence, stays=is_incomplete, written=written)

        job = self._background.run(work, succeed, fail)
        self._running[job] = written
        self.changed.emit()

    def _finish(
        self, job: Future[Any], sentence: str, is_info: bool = True, stays: bool = False, written: Path | None = None
    ) -> None:
        del self._running[job]
        if not self._running:
            self._stopping.clear()
            self._banner.dismiss(_RUNNING)
        self.changed.emit()
        self._written = written
        self._show_action.setText(self.tr("Show in Finder"))
        action = self._show_action if written is not None else None
        if sentence:
            self._banner.show_message(lambda: sentence, action, is_info=is_info, stays=stays)

    def _show_written(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.parent)))

    def _export_stopped(self) -> str:
        return self.tr("The export was canceled.")

    def _imported(self, report: ImportReport) -> tuple[str, bool]:
        self._session.store.reload()
        for chat in report.extended:
            self._session.chats.reload(chat)
        from app.conversations.imports.imported import EMPTY, IN_TRASH, OF_AGENTS

        reasons = Counter(skipped.reason for skipped in report.skipped)
        in_trash, empty, of_agents = (reasons[reason] for reason in (IN_TRASH, EMPTY, OF_AGENTS))
        unread = len(report.skipped) - in_trash - empty - of_agents
        lines = report.left_out.get("unreadable", 0)
        of_others = report.left_out.get("role", 0)
        between_agents = report.left_out.get(OF_AGENTS, 0)
        parts = sum(report.left_out.get(reason, 0) for reason in ("tool", "reasoning", "file"))
        sentences = [self.tr("%Ln chat(s) imported.", "", len(report.added) + len(report.extended))]
        if report.unchanged:
            sentences.append(self.tr("%Ln chat(s) were skipped because they already exist.", "", len(report.unchanged)))
        if in_trash:
            sentences.append(self.tr("%Ln chat(s) are in the trash and stay there.", "", in_trash))
        if empty:
            sentences.append(self.tr("%Ln chat(s) have no question or answer and were left out.", "", empty))
        if of_agents:
            sentences.append(self.tr("%Ln chat(s) of one agent with another were left out.", "", of_agents))
        if unread:
            sentences.append(self.tr("%Ln part(s) of the file could not be read as a chat.", "", unread))
        if lines:
            sentences.append(self.tr("%Ln line(s) of the file could not be read.", "", lines))
        if of_others:
            sentences.append(self.tr("%Ln message(s) of neither you nor a model were left out.", "", of_others))
        if between_agents:
            sentences.append(self.tr("%Ln message(s) between agents were left out.", "", between_agents))
        if parts:
            sentences.append(self.tr("%Ln file(s), tool call(s) or reasoning text(s) were left out.", "", parts))
        is_incomplete = any((in_trash, empty, of_agents, unread, lines, of_others, between_agents, parts))
        return joined(*sentences), is_incomplete

    def _import_stopped(self) -> str:
        self._session.store.reload()
        return self.tr("The import was canceled. Import the file again to add the missing chats.")

    def _show_running(self, sentence: Callable[[], str]) -> None:
        self._banner.dismiss(_RUNNING)
        self._banner.show_message(sentence, self._stop_action, is_info=True, stays=True, about=_RUNNING)

    def _show_progress(self, done: int) -> None:
        self._imported_so_far = done
        self._banner.reword(_RUNNING)

    def _labels(self) -> Labels:
        return Labels(
            self.tr("You"),
            self.tr("Assistant"),
            self.tr("System prompt"),
            self.tr("Untitled chat"),
            self.tr("This answer was interrupted."),
            self.tr("This answer ended with an error."),
            self.tr("Reasoning"),
            self.tr("Tool"),
            self.tr("This call failed."),
            self.tr("This call was interrupted."),
            recorded_name,
        )


_NAMES = {MARKDOWN: "Markdown", HTML: "HTML", JSON: "JSON", PDF: "PDF", ZIP: "ZIP"}


def _form_of(path: Path) -> str:
    return next((form for form, suffix in SUFFIXES.items() if suffix == path.suffix.lower()), MARKDOWN)
