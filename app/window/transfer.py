"""Export and import of chats: file dialogs, work on a separate thread, and messages about the outcome."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QWidget

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
from app.conversations.stand_in import add_chats
from app.conversations.store import ConversationStore
from app.conversations.worker import StoreThread
from app.session.session import Session
from app.system.background import Background
from app.system.cancelled import Cancelled
from app.widgets.banner import Banner
from app.wording.errors import joined
from app.wording.sources import recorded_name
from engine.files import private_files
from engine.files.atomic_file import write_atomically
from engine.files.bounded_json import CONFIG, read_object

if TYPE_CHECKING:
    from app.conversations.imports.imported import ImportReport

Result = TypeVar("Result")

# How long closing waits for exports to finish, and then for the current step of all that was stopped.
EXPORT_WITHIN_S = 20.0
CLOSE_WITHIN_S = 5.0
# An import reports its progress after this many chats.
_REPORT_EVERY = 25
# The topic of the message that shows the progress.
_RUNNING = "transfer"
# Kinds of transfers. What is left of a stand-in needs no mention at the next start, which finds it by itself.
IMPORT, EXPORT, _LEFT = "import", "export", "left"


@dataclass(eq=False)
class _Entry:
    """A transfer with the name of its file. Entries are compared by identity."""

    kind: str
    name: str


class Transfer(QObject):
    """Runs exports and imports one after another. Their thread waits for the store's thread; the window never waits.

    `changed` is emitted when an export or an import begins or ends.
    """

    changed = Signal()
    _progressed = Signal(int)

    def __init__(self, session: Session, banner: Banner, stop_action: QAction, parent: QObject) -> None:
        """`stop_action` is the action that calls `stop`."""
        super().__init__(parent)
        self._session, self._banner, self._stop_action = session, banner, stop_action
        self._background = Background("transfer", parent=self)
        self._running: dict[_Entry, Future[Any]] = {}
        # Names the running transfers, so that the next start knows which were cut short.
        self._journal = session.store.path.with_suffix(".transfers")
        self._closing, self._stopping = threading.Event(), threading.Event()
        self._reported = self._imported_so_far = 0
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
        name, chosen = QFileDialog.getSaveFileName(
            self._window, self.tr("Export chat"), str(suggested), ";;".join(_FILTERS.values())
        )
        if name:
            self.write_chat(chat_id, _with_suffix(Path(name), chosen))

    def export_all(self) -> None:
        """Ask for a file, then write one JSON file or a folder with one file for each chat, by its suffix."""
        suggested = free_name(Path.home(), self.tr("Tandem chats"), SUFFIXES[JSON])
        name, chosen = QFileDialog.getSaveFileName(
            self._window, self.tr("Export all chats"), str(suggested), ";;".join(reversed(_FILTERS.values()))
        )
        if name:
            self.write_all(_with_suffix(Path(name), chosen))

    def import_chats(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, self.tr("Import chats"), str(Path.home()), "JSON, ZIP, SQLite (*.json *.jsonl *.zip *.sqlite)"
        )
        if name:
            self.read(Path(name))

    def open_document(self, name: str) -> None:
        """Import the chats of a file that the user opened with the app."""
        self.read(Path(name))

    def write_chat(self, chat_id: int, path: Path) -> None:
        form = _form_of(path)
        if form == JSON:
            work = partial(write_json, self._ask_store, [chat_id], path, private=False)
        else:
            work = partial(write_text, self._ask_store, chat_id, path, form, self._labels(), private=False)
        self._start(
            _Entry(EXPORT, path.name),
            work,
            lambda _: (self.tr("Exported to {name}.").format(name=path.name), False),
            self._export_stopped,
            path,
        )

    def write_all(self, path: Path) -> None:
        """Write all chats, as JSON into the file, in other formats into a folder of its name."""
        form, labels = _form_of(path), self._labels()

        def work() -> int:
            chats = self._ask_store(
                lambda store: [chat.id for view in (ACTIVE, ARCHIVED) for chat in store.conversations.view(view)]
            )
            if form == JSON:
                write_json(self._ask_store, chats, path)
            else:
                folder = path.with_suffix("")
                folder.mkdir(private_files.FOLDER, exist_ok=True)
                write_folder(self._ask_store, chats, folder, form, labels)
            return len(chats)

        self._start(
            _Entry(EXPORT, path.name),
            work,
            lambda count: (self.tr("%n chat(s) exported.", "", count), False),
            self._export_stopped,
            path,
        )
        self._show_running(lambda: self.tr("Exporting to {name}…").format(name=path.name))

    def read(self, path: Path) -> None:
        """Import the chats of a file."""
        self._imported_so_far = 0
        self._start(_Entry(IMPORT, path.name), partial(self._import, path), self._imported, self._import_stopped)
        self._show_running(
            lambda: self.tr("Importing {name}: %n chat(s) so far.", "", self._imported_so_far).replace(
                "{name}", path.name
            )
        )

    def add_unsaved(self, left: StoreThread, then: Callable[[], object]) -> None:
        """Add the chats of a stand-in to the user's store and remove it; then call `then`."""
        entry = _Entry(_LEFT, left.path.parent.name)
        self._imported_so_far = self._reported = 0

        def done(report: ImportReport) -> tuple[str, bool]:
            then()
            return self._imported(report)

        work = partial(add_chats, left, self._ask_store, self._import_step)
        self._start(entry, work, done, self._import_stopped)

    def close(self) -> None:
        """Wait for exports for EXPORT_WITHIN_S, and stop imports, which can be repeated.

        Unfinished work stays in the journal, so that the next start can report it.
        """
        self._closing.set()
        for entry, job in self._running.items():
            if entry.kind != EXPORT:
                job.cancel()
        wait([job for entry, job in self._running.items() if entry.kind == EXPORT], EXPORT_WITHIN_S)
        self._stopping.set()
        wait(self._running.values(), CLOSE_WITHIN_S)
        self._background.close(wait=False)
        done = [job for job in self._running.values() if job.done() and not job.cancelled() and job.exception() is None]
        self._running = {entry: job for entry, job in self._running.items() if job not in done}
        self._write_journal()

    def show_cut_short(self) -> None:
        """Show which transfer was cut short when the last run ended. Call it once the store is open."""
        # The file may be missing, or edited by another program.
        with suppress(OSError, ValueError, TypeError, LookupError):
            entry = read_object(self._journal, CONFIG)["running"][-1]
            kind, name = entry["kind"], str(entry["name"])
            self._banner.show_message(lambda: self._cut_short(kind).format(name=name))
        self._write_journal()

    def _cut_short(self, kind: str) -> str:
        if kind == IMPORT:
            return self.tr(
                "The import of {name} was cut off when Tandem quit. Import the file again to add the missing chats."
            )
        return self.tr("The export to {name} was cut off when Tandem quit. Export again to get everything.")

    def _write_journal(self) -> None:
        """Write the names of the running transfers. The file exists only while there are any.

        A disk error loses a name, never the transfer.
        """
        # Without a store of its own, this window must not write the journal of the window that has it.
        if not self._session.store.persistent:
            return
        named = [{"kind": one.kind, "name": one.name} for one in self._running if one.kind != _LEFT]
        with suppress(OSError):
            if named:
                write_atomically(self._journal, json.dumps({"running": named}).encode())
            else:
                self._journal.unlink(missing_ok=True)

    # On the transfer's thread

    def _ask_store(self, operation: Callable[[ConversationStore], Result]) -> Result:
        """Run `operation` on the store's thread and return its result; raise `Cancelled` if the user has stopped."""
        if self._stopping.is_set():
            raise Cancelled
        return self._session.store.wait_for(operation)

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
        entry: _Entry,
        work: Callable[[], Result],
        done: Callable[[Result], tuple[str, bool]],
        stopped: Callable[[], str],
        written: Path | None = None,
    ) -> None:
        """Queue the work. `done` words its result and says whether something is missing, so that the notice stays;
        `stopped` words that it was stopped. `written` is then offered.
        """

        def fail(error: Exception) -> None:
            if isinstance(error, Cancelled):
                self._finish(entry, stopped())
                return
            # Chats that an import added before the error stay.
            self._session.store.reload()
            sentence = self.tr("The operation failed: {detail}").format(detail=str(error))
            if isinstance(error, OSError) and error.filename:
                words = self.tr("{name} could not be read or written: {detail}")
                sentence = words.format(name=Path(str(error.filename)).name, detail=error.strerror)
            self._finish(entry, sentence, calm=False)

        def succeed(result: Result) -> None:
            sentence, is_incomplete = done(result)
            self._finish(entry, sentence, stays=is_incomplete, written=written)

        self._running[entry] = self._background.run(work, succeed, fail)
        self._write_journal()
        self.changed.emit()

    def _finish(
        self, entry: _Entry, sentence: str, calm: bool = True, stays: bool = False, written: Path | None = None
    ) -> None:
        del self._running[entry]
        self._write_journal()
        if not self._running:
            self._stopping.clear()
            self._banner.dismiss(_RUNNING)
        self.changed.emit()
        self._written = written
        self._show_action.setText(self.tr("Show in Finder"))
        action = self._show_action if written is not None else None
        self._banner.show_message(lambda: sentence, action, calm=calm, stays=stays)

    def _show_written(self) -> None:
        if self._written is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._written.parent)))

    def _export_stopped(self) -> str:
        return self.tr("The export was canceled.")

    def _imported(self, report: ImportReport) -> tuple[str, bool]:
        self._session.store.reload()
        for chat in report.extended:
            self._session.chats.reload(chat)
        from app.conversations.imports.imported import EMPTY, IN_TRASH

        in_trash, empty = (sum(one.reason == reason for one in report.skipped) for reason in (IN_TRASH, EMPTY))
        unread, lines = len(report.skipped) - in_trash - empty, report.left_out.get("unreadable", 0)
        parts = sum(report.left_out.get(reason, 0) for reason in ("tool", "reasoning", "file"))
        sentences = [self.tr("%n chat(s) imported.", "", len(report.added) + len(report.extended))]
        if report.unchanged:
            sentences.append(self.tr("%n chat(s) were skipped because they already exist.", "", len(report.unchanged)))
        if in_trash:
            sentences.append(self.tr("%n chat(s) are in the trash and stay there.", "", in_trash))
        if empty:
            sentences.append(self.tr("%n chat(s) have no question or answer and were left out.", "", empty))
        if unread:
            sentences.append(self.tr("%n part(s) of the file could not be read as a chat.", "", unread))
        if lines:
            sentences.append(self.tr("%n line(s) of the file could not be read.", "", lines))
        if parts:
            sentences.append(self.tr("%n file(s), tool call(s) or reasoning text(s) were left out.", "", parts))
        return joined(*sentences), bool(in_trash or empty or unread or lines or parts)

    def _import_stopped(self) -> str:
        self._session.store.reload()
        return self.tr("The import was canceled. Import the file again to add the missing chats.")

    def _show_running(self, sentence: Callable[[], str]) -> None:
        self._banner.dismiss(_RUNNING)
        self._banner.show_message(sentence, self._stop_action, calm=True, stays=True, about=_RUNNING)

    def _show_progress(self, done: int) -> None:
        self._imported_so_far = done
        self._banner.retranslate()

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


_FILTERS = {MARKDOWN: "Markdown (*.md)", HTML: "HTML (*.html)", JSON: "JSON (*.json)"}


def _form_of(path: Path) -> str:
    return next((form for form, suffix in SUFFIXES.items() if suffix == path.suffix.lower()), MARKDOWN)


def _with_suffix(path: Path, chosen: str) -> Path:
    """Add the suffix of the dialog's filter to a name without a known suffix."""
    if path.suffix.lower() in SUFFIXES.values():
        return path
    form = next((form for form, words in _FILTERS.items() if words == chosen), MARKDOWN)
    return path.with_name(path.name + SUFFIXES[form])
