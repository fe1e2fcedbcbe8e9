"""The page of Tandem's data: folders and sizes, moving, backups, clearing caches, removing everything."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QPushButton, QWidget

from app.library.library import Library
from app.session.session import Session
from app.settings.disk_use import DiskUse, clear_caches, measure
from app.settings.relocation import CopyProgress, MoveRefused, move_folder
from app.settings_window.backup_controls import BackupControls
from app.settings_window.pages import PageParts
from app.settings_window.table_page import TablePage
from app.widgets.buttons import button
from app.widgets.labels import label, show_words
from app.widgets.layouts import fill, hbox, vbox
from app.wording.hub import moved_sentence, refused_sentence, size_words

_IDS = ("chats", "models", "caches", "settings")
_MOVABLE = ("chats", "models")
_PROGRESS_MS = 250


class StoragePage(TablePage):
    """Shows the folders, whose sizes it measures whenever it is shown."""

    def __init__(self, library: Library, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("storage", library.settings, parent)
        self._library = library
        self._session = session
        self._disk_use: dict[str, DiskUse] = {}
        self.open_buttons: dict[str, QPushButton] = {}
        self.move_buttons: dict[str, QPushButton] = {}
        self.clear = self.bound("Clear", button(self, self._clear))
        self.bound("Clear the caches", self.clear, QWidget.setAccessibleName)
        self.stop = self.bound("Stop", button(self, self._stop_moving))
        self.stop.hide()
        self.folders = {_IDS[0]: self.row(self._controls(_IDS[0]), at_end=True)}
        self.backups = BackupControls(library, session, self)
        self._backup_row = self.row(self.backups, at_end=True)
        self.folders |= {id_: self.row(self._controls(id_), at_end=True) for id_ in _IDS[1:]}
        self.removal = RemovalControls(self)
        self._removal_row = self.row(self.removal, at_end=True)
        self.outcome = label(self, "reason-plain", wraps=True)
        self.outcome.hide()
        self.add(self.outcome, 16)
        self.add_line(8, self.stop)
        self._progress: CopyProgress | None = None
        self._timer = QTimer(self, interval=_PROGRESS_MS)
        self._timer.timeout.connect(self._show_progress)
        self.backups.said.connect(partial(show_words, self.outcome))
        self.backups.changed.connect(self._measure)
        self.removal.confirmed.connect(self._remove_everything)
        self.restyle()

    def _controls(self, id_: str) -> QWidget:
        """Return the buttons of a folder."""
        controls = QWidget(self)
        buttons = hbox(controls, margins=(0, 0, 0, 0), spacing=8)
        if id_ in _MOVABLE:
            move = self.move_buttons[id_] = button(controls, partial(self._choose_folder, id_))
            self.bound("Move…", move)
            buttons.addWidget(move)
        elif id_ == "caches":
            buttons.addWidget(self.clear)
        show = self.open_buttons[id_] = button(controls, partial(self._open, id_))
        self.bound("Show", show)
        buttons.addWidget(show)
        return controls

    # Folders and sizes

    def _measure(self) -> None:
        """Measure the folders, in the background."""
        self._library.background.run(measure, self._take, owner=self)

    def _take(self, measured: tuple[DiskUse, ...]) -> None:
        self._disk_use = {use.id: use for use in measured}
        self.removal.show_measured(measured)
        self._set_folder_texts()

    def _open(self, id_: str) -> None:
        if id_ in self._disk_use:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._disk_use[id_].folder)))

    # Backing up, clearing and moving

    def _clear(self) -> None:
        """Remove the caches after the engine dropped its prefixes, which it would write to the disk again otherwise."""
        self.clear.setEnabled(False)

        def work() -> tuple[DiskUse, ...]:
            clear_caches()
            return measure()

        def cleared(measured: tuple[DiskUse, ...]) -> None:
            self._take(measured)
            # Those of comparisons were among the caches.
            self._session.history.read_measured()

        def dropped(_: None) -> None:
            self._library.background.run(work, cleared, owner=self)

        if not self._session.models.call_engine(lambda engine: engine.clear_prefix_cache(), dropped):
            dropped(None)

    def _choose_folder(self, id_: str) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Choose where to move it"))
        if folder and id_ in self._disk_use:
            self.move_to(id_, Path(folder) / f"Tandem {id_}")

    def move_to(self, id_: str, folder: Path) -> None:
        """Move the models now, or the chats, which are in use, at the next start."""
        if id_ == "chats":
            self._library.settings.change(move_chats_to=str(folder))
            words = self.tr("The chats will move to {folder} the next time Tandem starts.")
            show_words(self.outcome, words.format(folder=folder))
        elif self._library.running:
            show_words(self.outcome, self.tr("Models are being downloaded. Move them when that is finished."))
        else:
            self._move_models(self._disk_use[id_].folder, folder)

    def _move_models(self, old: Path, new: Path) -> None:
        """Move the folder of models, in the background, and show how far it is."""
        progress = self._progress = CopyProgress()

        def work() -> MoveRefused | None:
            try:
                move_folder(old, new, progress)
            except MoveRefused as refused:
                return refused
            return None

        def done(refused: MoveRefused | None) -> None:
            self._progress = None
            self._timer.stop()
            self.stop.hide()
            show_words(self.outcome, moved_sentence(new) if refused is None else refused_sentence(refused))
            self._library.rescan()
            self._measure()

        self.stop.show()
        self._timer.start()
        self._show_progress()
        self._library.background.run(work, done, owner=self)

    def _show_progress(self) -> None:
        """Say how many bytes of the models are copied."""
        if self._progress is not None:
            words = self.tr("Copying and verifying: {done} of {total}.")
            done = size_words(self._progress.done)
            total = size_words(self._progress.total)
            show_words(self.outcome, words.format(done=done, total=total))

    def _stop_moving(self) -> None:
        if self._progress is not None:
            self._progress.stopped = True

    def _remove_everything(self) -> None:
        """Quit; the removal follows at the end of this run, when no file is open."""
        self._library.settings.change(remove_everything=True)
        QCoreApplication.quit()

    # Words

    def retranslate(self) -> None:
        super().retranslate()
        show_words(self.outcome, "")
        self._set_folder_texts()

    def _set_folder_texts(self) -> None:
        """Show the folders with their sizes, as far as these are measured."""
        names = {
            "chats": (self.tr("Chats"), self.tr("Includes the download list.")),
            "models": (self.tr("Models"), self.tr("The Hugging Face cache, shared with other apps.")),
            "caches": (self.tr("Caches"), self.tr("Temporary files that Tandem can recreate.")),
            "settings": (self.tr("Settings"), self.tr("Your preferences.")),
        }
        for id_, row in self.folders.items():
            use = self._disk_use.get(id_)
            name, help_ = names[id_]
            row.set_words(name, f"{help_}\n{use.folder} · {_size_of([use])}" if use else help_)
            self.open_buttons[id_].setAccessibleName(self.tr("Show in Finder: {name}").format(name=name))
            self.open_buttons[id_].setEnabled(use is not None)
            if move := self.move_buttons.get(id_):
                move.setAccessibleName(self.tr("Move the folder: {name}").format(name=name))
                move.setEnabled(use is not None and self._progress is None)
        self.clear.setEnabled("caches" in self._disk_use and self._disk_use["caches"].bytes > 0)
        self.backups.retranslate()
        self._backup_row.set_words(self.tr("Backups"), self.backups.words())
        self.removal.retranslate()
        self._removal_row.set_words(
            self.tr("All data"),
            self.tr(
                "Before you uninstall Tandem: deletes what it keeps, also in the keychain. "
                "Downloaded models stay, because other apps may use them."
            ),
        )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._progress is not None:
            self._timer.start()
        self._measure()
        self.backups.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.removal.reset()
        self._timer.stop()


def _size_of(folders: Iterable[DiskUse]) -> str:
    """Return the size of these folders together, and that some of it is not known if the system refused a part."""
    folders = [*folders]
    total = sum(use.bytes for use in folders)
    if all(use.is_whole for use in folders):
        return size_words(total)
    if not total:
        return QCoreApplication.translate("StoragePage", "cannot be read")
    words = QCoreApplication.translate("StoragePage", "at least {size}, parts cannot be read")
    return words.format(size=size_words(total))


class RemovalControls(QWidget):
    """Shows one button, then the first question with a list of the data to be removed, then the second question.

    `confirmed` follows both.
    """

    confirmed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._asked = 0
        self._disk_use: tuple[DiskUse, ...] = ()
        self.question = label(self, "reason-plain", wraps=True)
        self.go_on = button(self, self._go_on)
        self.cancel = button(self, self.reset)
        buttons = fill(hbox(spacing=8), 1, self.cancel, self.go_on)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=8), self.question, buttons)

    def show_measured(self, measured: tuple[DiskUse, ...]) -> None:
        """Show the sizes of what is removed: of the chats with their backups, and of settings and caches."""
        self._disk_use = measured
        self.retranslate()

    def reset(self) -> None:
        """Show the one button again."""
        self._asked = 0
        self.retranslate()

    def retranslate(self) -> None:
        chats = _size_of(use for use in self._disk_use if use.id == "chats")
        others = _size_of(use for use in self._disk_use if use.id in ("caches", "settings"))
        first = self.tr(
            "This deletes all chats and their backups ({chats}), and settings and caches ({rest}), from this Mac. "
            "Export the chats first if you want to keep them."
        )
        questions = (
            "",
            first.format(chats=chats, rest=others),
            self.tr("This deletes your chats, backups, settings and caches, then quits Tandem. You can't undo this."),
        )
        steps = (self.tr("Delete everything…"), self.tr("Continue…"), self.tr("Delete and quit"))
        show_words(self.question, questions[self._asked])
        self.go_on.setText(steps[self._asked])
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setVisible(self._asked > 0)

    def _go_on(self) -> None:
        """Ask the next question, or emit `confirmed` after the last one."""
        if self._asked == 2:
            self.confirmed.emit()
            return
        self._asked += 1
        self.retranslate()
        # So that another press of Return does no harm.
        self.cancel.setFocus()


def build(parts: PageParts) -> StoragePage:
    """Return the page Storage."""
    return StoragePage(parts.library, parts.session)
