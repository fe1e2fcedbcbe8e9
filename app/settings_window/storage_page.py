"""What Tandem keeps on the disk: folders and sizes, moving them, backups, clearing caches, removing everything."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QWidget

from app.library.library import Library
from app.session.session import Session
from app.settings.disk_use import DiskUse, clear_caches, clear_prefixes, measure
from app.settings.relocation import MoveRefused, Progress, move_folder
from app.settings_window.backup_controls import BackupControls
from app.settings_window.removal import RemovalControls
from app.settings_window.table_page import TablePage
from app.widgets.labels import label
from app.widgets.layouts import hbox
from app.wording.hub import moved_sentence, refused_sentence, size_words

_IDS = ("chats", "prefixes", "models", "caches", "settings")
_MOVABLE = ("chats", "models")
_PROGRESS_MS = 250


class StoragePage(TablePage):
    """Measures the folders whenever it is shown."""

    def __init__(self, title: str, library: Library, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("storage", title, library.settings, parent)
        self._library, self._session = library, session
        self._disk_use: dict[str, DiskUse] = {}
        self.open_buttons: dict[str, QPushButton] = {}
        self.move_buttons: dict[str, QPushButton] = {}
        self.clear, self.clear_prefixes = QPushButton(self), QPushButton(self)
        self.stop = self.bound("Stop", QPushButton(self))
        self.folders = {_IDS[0]: self.row(self._controls(_IDS[0]), at_end=True)}
        self.backups = BackupControls(library, session, self)
        self._backup_row = self.row(self.backups, at_end=True)
        self.folders |= {id_: self.row(self._controls(id_), at_end=True) for id_ in _IDS[1:]}
        self.removal = RemovalControls(self)
        self._removal_row = self.row(self.removal, at_end=True)
        self.outcome = label(self, "reason-plain", wraps=True)
        self.outcome.hide()
        self.stop.setProperty("styleClass", "button")
        self.stop.hide()
        self.add(self.outcome, 16)
        line = QHBoxLayout()
        line.addWidget(self.stop)
        line.addStretch(1)
        below = QWidget(self)
        below.setLayout(line)
        self.add(below)
        self._progress: Progress | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_PROGRESS_MS)
        self._timer.timeout.connect(self._show_progress)
        self.clear.clicked.connect(partial(self._clear, clear_caches))
        self.clear_prefixes.clicked.connect(partial(self._clear, clear_prefixes))
        self.backups.said.connect(self._say)
        self.backups.changed.connect(self._measure_again)
        self.removal.confirmed.connect(self._remove_everything)
        self.stop.clicked.connect(self._stop_moving)
        self.restyle()

    def _controls(self, id_: str) -> QWidget:
        controls = QWidget(self)
        buttons = hbox(controls, margins=(0, 0, 0, 0), spacing=8)
        self.open_buttons[id_] = QPushButton(controls)
        shown = [self.open_buttons[id_]]
        if id_ in _MOVABLE:
            self.move_buttons[id_] = QPushButton(controls)
            self.move_buttons[id_].clicked.connect(partial(self._choose_folder, id_))
            shown.insert(0, self.move_buttons[id_])
        own = {"prefixes": self.clear_prefixes, "caches": self.clear}
        if id_ in own:
            shown.insert(0, own[id_])
        for button in shown:
            button.setProperty("styleClass", "button")
            buttons.addWidget(button)
        self.open_buttons[id_].clicked.connect(partial(self._open, id_))
        return controls

    # Folders and sizes

    def _measure(self) -> None:
        self._measure_again()
        self.backups.restore.refresh()

    def _measure_again(self) -> None:
        self._library.background.run(measure, self._take, owner=self)

    def _take(self, measured: tuple[DiskUse, ...]) -> None:
        self._disk_use = {one.id: one for one in measured}
        sizes = {one.id: one.bytes for one in measured}
        self.removal.show_sizes(sizes["chats"], sizes["prefixes"] + sizes["caches"] + sizes["settings"])
        self._word_folders()

    def _open(self, id_: str) -> None:
        if id_ in self._disk_use:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._disk_use[id_].folder)))

    def _say(self, words: str) -> None:
        self.outcome.setText(words)
        self.outcome.setVisible(bool(words))

    # Backing up, clearing and moving

    def _clear(self, remove: Callable[[], None]) -> None:
        """Both hold stored prefixes, so the engine drops its own first; otherwise it would write them again."""
        for button in (self.clear, self.clear_prefixes):
            button.setEnabled(False)

        def work() -> tuple[DiskUse, ...]:
            remove()
            return measure()

        def dropped(_: None) -> None:
            self._library.background.run(work, self._take, owner=self)

        if not self._session.models.call_engine(lambda engine: engine.clear_prefix_cache(), dropped):
            dropped(None)

    def _choose_folder(self, id_: str) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Choose where to move it"))
        if folder and id_ in self._disk_use:
            self.move_to(id_, Path(folder) / f"Tandem {id_}")

    def move_to(self, id_: str, folder: Path) -> None:
        """Move the models now, and the chats, which are in use, at the next start."""
        if id_ == "chats":
            self._library.settings.change(move_chats_to=str(folder))
            self._say(self.tr("The chats will move to {folder} the next time Tandem starts.").format(folder=folder))
        elif self._library.running:
            self._say(self.tr("Models are being downloaded. Move them when that is finished."))
        else:
            self._move_models(self._disk_use[id_].folder, folder)

    def _move_models(self, old: Path, new: Path) -> None:
        progress = self._progress = Progress()

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
            self._say(moved_sentence(new) if refused is None else refused_sentence(refused))
            self._library.rescan()
            self._measure()

        self.stop.show()
        self._timer.start()
        self._show_progress()
        self._library.background.run(work, done, owner=self)

    def _show_progress(self) -> None:
        if self._progress is not None:
            words = self.tr("Copying and verifying: {done} of {total}.")
            done, total = size_words(self._progress.done), size_words(self._progress.total)
            self._say(words.format(done=done, total=total))

    def _stop_moving(self) -> None:
        if self._progress is not None:
            self._progress.stopped = True

    def _remove_everything(self) -> None:
        """Done when nothing is open any more: at the very end of this run."""
        self._library.settings.change(remove_everything=True)
        QCoreApplication.quit()

    # Words

    def retranslate(self) -> None:
        super().retranslate()
        self._say("")
        self._word_folders()

    def _word_folders(self) -> None:
        names = {
            "chats": (self.tr("Chats"), self.tr("Includes the download list.")),
            "prefixes": (
                self.tr("Prompt cache"),
                self.tr("Lets follow-up questions start without reprocessing the chat."),
            ),
            "models": (self.tr("Models"), self.tr("The Hugging Face cache, shared with other apps.")),
            "caches": (self.tr("Caches"), self.tr("Temporary files that Tandem can recreate.")),
            "settings": (self.tr("Settings"), self.tr("Your preferences.")),
        }
        for id_, row in self.folders.items():
            use = self._disk_use.get(id_)
            name, help_ = names[id_]
            row.set_words(name, f"{help_}\n{use.folder} · {size_words(use.bytes)}" if use else help_)
            self._word(self.open_buttons[id_], self.tr("Show"), self.tr("Show in Finder: {name}").format(name=name))
            self.open_buttons[id_].setEnabled(use is not None)
            if id_ in _MOVABLE:
                moving = self.tr("Move the folder: {name}").format(name=name)
                self._word(self.move_buttons[id_], self.tr("Move…"), moving)
                self.move_buttons[id_].setEnabled(use is not None and self._progress is None)
        self._word(self.clear, self.tr("Clear"), self.tr("Clear the caches"))
        self._word(self.clear_prefixes, self.tr("Clear"), self.tr("Clear the prompt cache"))
        for button, id_ in ((self.clear, "caches"), (self.clear_prefixes, "prefixes")):
            button.setEnabled(id_ in self._disk_use and self._disk_use[id_].bytes > 0)
        self.backups.retranslate()
        self._backup_row.set_words(self.tr("Backups"), self.backups.words())
        self.removal.retranslate()
        self._removal_row.set_words(
            self.tr("All data"),
            self.tr(
                "Before you uninstall Tandem: deletes what it keeps, and your Hub token in the keychain. Downloaded "
                "models stay, because other apps may use them."
            ),
        )

    def _word(self, button: QPushButton, text: str, name: str) -> None:
        button.setText(text)
        button.setAccessibleName(name)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._progress is not None:
            self._timer.start()
        self._measure()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.removal.reset()
        self._timer.stop()
