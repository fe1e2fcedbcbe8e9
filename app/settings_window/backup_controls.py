"""The buttons that make, restore and delete backups of the chats."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.conversations.backups import Backup, back_up_now, delete_backups, list_backups
from app.library.library import Library
from app.session.session import Session
from app.widgets.buttons import ConfirmButton, button
from app.widgets.layouts import FlowRow
from app.widgets.popups import Menu
from app.wording.figures import moment


class BackupControls(FlowRow):
    """The buttons for backups: make one, restore one, delete all.

    `said` carries a sentence about what was done, `changed` follows when the `backups` changed, which have the newest
    first, and are empty while the system refuses to list them. The one chosen in the menu of `restore` replaces the
    chats at the next start.
    """

    said = Signal(str)
    changed = Signal()

    def __init__(self, library: Library, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._library = library
        self._session = session
        self.backups: list[Backup] = []
        self._is_refused = False
        self.back_up = button(self, self._back_up)
        self.restore = button(self)
        self.choices = Menu(self.restore)
        self.restore.setMenu(self.choices)
        self.delete = _DeleteButton(self)
        self.add(self.back_up, self.restore, self.delete)
        self.delete.confirmed.connect(self._delete)

    def words(self) -> str:
        """Return a sentence about the backups and the deleted chats in them."""
        if self._is_refused:
            return self.tr("The backups cannot be read. Check the permissions of their folder.")
        if not self.backups:
            return self.tr("Tandem makes a backup every day and keeps the last three.")
        return self.tr(
            "The oldest is from {date}. Chats and messages deleted since then stay in it until it is replaced or "
            "deleted."
        ).format(date=moment(self.backups[-1].made_at))

    def retranslate(self) -> None:
        self.back_up.setText(self.tr("Back up now"))
        self.back_up.setAccessibleName(self.tr("Back up the chats now"))
        self.back_up.setEnabled(self._session.store.ready)
        self.restore.setText(self.tr("Restore a backup…"))
        self.restore.setAccessibleName(self.tr("Restore a backup of the chats"))
        self._fill_choices()
        self.delete.show_backups(self.backups)

    def refresh(self) -> None:
        """Read the list of backups, in the background."""

        def failed(_: Exception) -> None:
            self._show([], is_refused=True)

        self._library.background.run(partial(list_backups, self._session.store.path), self._show, failed, owner=self)

    def _show(self, backups: list[Backup], *, is_refused: bool = False) -> None:
        changed = (backups, is_refused) != (self.backups, self._is_refused)
        self.backups = backups
        self._is_refused = is_refused
        self._fill_choices()
        if changed:
            self.changed.emit()

    def _fill_choices(self) -> None:
        """Fill the menu of backups that can be restored."""
        self.choices.clear()
        for backup in self.backups:
            text = self.tr("{date} · %Ln chat(s)", "", backup.chats).replace("{date}", moment(backup.made_at))
            self.choices.addAction(text).triggered.connect(partial(self._choose, backup))
        if self._is_refused:
            self.choices.addAction(self.words()).setEnabled(False)
        elif not self.backups:
            self.choices.addAction(self.tr("There is no backup yet. Tandem makes one every day.")).setEnabled(False)
        if self._library.settings.values.restore_backup:
            self.choices.addSeparator()
            self.choices.addAction(self.tr("Don't restore")).triggered.connect(self._choose_nothing)

    def _choose(self, backup: Backup, _checked: bool = False) -> None:
        """Choose a backup that replaces the chats at the next start."""
        text = self.tr(
            "Chats from {date} will be restored the next time you open Tandem. Your current chats are kept as a backup."
        )
        self._library.settings.change(restore_backup=backup.path.name)
        self._done(text.format(date=moment(backup.made_at)))

    def _choose_nothing(self) -> None:
        self._library.settings.change(restore_backup="")
        self._done(self.tr("Your chats stay as they are."))

    def _back_up(self) -> None:
        """Back up the chats now, and say where the backup is."""

        def failed(_: Exception) -> None:
            self.said.emit(self.tr("The chats could not be backed up. Check whether there is free space on the disk."))

        def done(backup: Path) -> None:
            self._done(self.tr("The chats were backed up to {file}.").format(file=backup))

        path = self._session.store.path
        self._session.store.run(lambda store: back_up_now(store, path), done, failed)

    def _delete(self) -> None:
        self._library.settings.change(restore_backup="")
        done = partial(self._done, self.tr("All backups were deleted."))
        delete = partial(delete_backups, self._session.store.path)

        def failed(_: Exception) -> None:
            self._done(self.tr("Some backups could not be deleted. Check the permissions of their folder."))

        self._library.background.run(delete, lambda _: done(), failed, owner=self)

    def _done(self, words: str) -> None:
        """Say what was done, and read the list of backups again."""
        self.said.emit(words)
        self.refresh()


class _DeleteButton(ConfirmButton):
    """Deletes all backups once that was confirmed."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._count = 0
        self.restyle()

    def show_backups(self, backups: list[Backup]) -> None:
        self._count = len(backups)
        self.asks = self.asks and self._count > 0
        self.retranslate()

    def retranslate(self) -> None:
        question = self.tr("Delete %Ln backup(s)?", "", self._count)
        self.setText(question if self.asks else self.tr("Delete all…"))
        self.setAccessibleName(question if self.asks else self.tr("Delete all backups"))
        self.setEnabled(self._count > 0)
