"""Chats out of the store and into it, as files: the dialogs, the work on a thread of its own, and what came of it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
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
from app.conversations.imports.reading import import_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from PySide6.QtWidgets import QWidget

    from app.banner import Banner
    from app.conversations.imports.reading import ImportReport
    from app.conversations.store import ConversationStore
    from app.session import Session


class Transfer(QObject):
    """Writes and reads on one thread, which waits for the store's; the window waits for neither."""

    def __init__(self, session: Session, banner: Banner, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._banner = session, banner
        self._pool: ThreadPoolExecutor | None = None

    @property
    def _window(self) -> QWidget:
        return self._banner.window()

    def export_chat(self, chat: int) -> None:
        """Ask where to, then write one chat in the form that the file's name tells."""
        title = next((row.title for row in self._session.keeper.conversations if row.id == chat), "")
        suggested = free_name(Path.home(), title or self.tr("Untitled chat"), SUFFIXES[MARKDOWN])
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
        run = self._session.keeper.wait_for
        if form == JSON:
            work = partial(write_json, run, [chat], path)
        else:
            work = partial(write_text, run, chat, path, form, self._labels())
        self._start(work, lambda _: self.tr("Exported to {name}.").format(name=path.name))

    def write_all(self, path: Path) -> None:
        """JSON into one file; other forms into a folder of that name."""
        run, form, labels = self._session.keeper.wait_for, _form_of(path), self._labels()

        def work() -> int:
            chats = run(_all_chats)
            if form == JSON:
                write_json(run, chats, path)
            else:
                folder = path.with_suffix("")
                folder.mkdir(exist_ok=True)
                write_folder(run, chats, folder, form, labels)
            return len(chats)

        self._start(work, lambda count: self.tr("%n chat(s) exported.", "", count))

    def read(self, path: Path) -> None:
        work = partial(import_file, self._session.keeper.wait_for, path)
        self._start(work, self._imported)

    def close(self) -> None:
        """Let what runs come to its end."""
        if self._pool is not None:
            self._pool.shutdown()

    def _imported(self, report: ImportReport) -> str:
        self._session.keeper.reload()
        new = len(report.added) + len(report.extended)
        sentence = self.tr("%n chat(s) imported.", "", new)
        if report.unchanged:
            sentence += " " + self.tr("%n chat(s) were here already.", "", len(report.unchanged))
        if report.skipped:
            sentence += " " + self.tr("%n part(s) of the file could not be read as a chat.", "", len(report.skipped))
        return sentence

    def run(
        self, work: Callable[[], Any], then: Callable[[Any], object], failed: Callable[[BaseException], object]
    ) -> None:
        """Do something that waits for disks beside the window's work; its result or its error come back here."""
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "transfer")

        def done(future: Future[Any]) -> None:
            error = future.exception()
            if error is None:
                then(future.result())
            else:
                failed(error)

        self._session.bridge.watch(self._pool.submit(work), done)

    def _start(self, work: Callable[[], object], words: Callable[..., str]) -> None:
        def tell(sentence: str, calm: bool) -> None:
            self._banner.tell(lambda: sentence, None, calm=calm)

        def failed(error: BaseException) -> None:
            tell(self.tr("That did not work: {detail}").format(detail=str(error)), False)

        self.run(work, lambda result: tell(words(result), True), failed)

    def _labels(self) -> Labels:
        return Labels(
            self.tr("You"),
            self.tr("Assistant"),
            self.tr("System prompt"),
            self.tr("Untitled chat"),
            self.tr("This answer was interrupted."),
            self.tr("This answer ended with an error."),
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
