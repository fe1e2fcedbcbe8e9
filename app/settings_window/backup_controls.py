"""The buttons that make, restore and delete backups of the chats."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QSize, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.conversations.backups import Backup, back_up_now, delete_backups, list_backups
from app.library.library import Library
from app.session.session import Session
from app.widgets.confirm_button import ConfirmButton
from app.widgets.flow_layout import FlowLayout
from app.widgets.popups import Menu
from app.widgets.style_class import styled

_GAP = 8


class BackupControls(QWidget):
    """The buttons. `said` carries a sentence about what was done, `changed` follows when the backups changed."""

    said = Signal(str)
    changed = Signal()

    def __init__(self, library: Library, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._library, self._session = library, session
        self.back_up = styled(QPushButton(self), "button")
        self.restore = styled(RestoreButton(library, session, self), "button")
        self.delete = _DeleteButton(self)
        row = FlowLayout(self, _GAP)
        self._buttons = (self.back_up, self.restore, self.delete)
        for button in self._buttons:
            row.addWidget(button)
        self.back_up.clicked.connect(self._back_up)
        self.restore.said.connect(self.said)
        self.restore.listed.connect(self.changed)
        self.delete.confirmed.connect(self._delete)

    def sizeHint(self) -> QSize:
        """Return the size of all buttons in one row."""
        hints = [button.sizeHint() for button in self._buttons]
        width = sum(hint.width() for hint in hints) + _GAP * (len(hints) - 1)
        return QSize(width, max(hint.height() for hint in hints))

    def minimumSizeHint(self) -> QSize:
        return QSize(max(button.sizeHint().width() for button in self._buttons), 0)

    def words(self) -> str:
        """Return a sentence about the backups and the deleted chats in them."""
        backups = self.restore.backups
        if not backups:
            return self.tr("Tandem makes a backup every day and keeps the last three.")
        return self.tr(
            "The oldest is from {date}. Chats and messages deleted since then stay in it until it is replaced or "
            "deleted."
        ).format(date=date_words(backups[-1]))

    def retranslate(self) -> None:
        self.back_up.setText(self.tr("Back up now"))
        self.back_up.setAccessibleName(self.tr("Back up the chats now"))
        self.back_up.setEnabled(self._session.store.ready)
        self.restore.retranslate()
        self.delete.show_backups(self.restore.backups)

    def _back_up(self) -> None:
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
        self._library.background.run(delete, lambda _: done(), owner=self)

    def _done(self, words: str) -> None:
        self.said.emit(words)
        self.restore.refresh()


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
        question = self.tr("Delete %n backup(s)?", "", self._count)
        self.setText(question if self.asks else self.tr("Delete all…"))
        self.setAccessibleName(question if self.asks else self.tr("Delete all backups"))
        self.setEnabled(self._count > 0)


class RestoreButton(QPushButton):
    """Chooses a backup. `said` carries a sentence about the choice, which takes effect at the next start.

    `listed` follows when the `backups`, newest first, changed.
    """

    said = Signal(str)
    listed = Signal()

    def __init__(self, library: Library, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._library, self._session = library, session
        self.backups: list[Backup] = []
        self.choices = Menu(self)
        self.setMenu(self.choices)

    def refresh(self) -> None:
        """Read the list of backups."""
        read = partial(list_backups, self._session.store.path)
        self._library.background.run(read, self._show, lambda _: self._show([]), owner=self)

    def retranslate(self) -> None:
        self.setText(self.tr("Restore a backup…"))
        self.setAccessibleName(self.tr("Restore a backup of the chats"))
        self._show(self.backups)

    def _show(self, found: list[Backup]) -> None:
        if found != self.backups:
            self.backups = found
            self.listed.emit()
        self.choices.clear()
        for backup in found:
            text = self.tr("{date} · %n chat(s)", "", backup.chats).replace("{date}", date_words(backup))
            self.choices.addAction(text).triggered.connect(partial(self._choose, backup))
        if not found:
            self.choices.addAction(self.tr("There is no backup yet. Tandem makes one every day.")).setEnabled(False)
        if self._library.settings.values.restore_backup:
            self.choices.addSeparator()
            self.choices.addAction(self.tr("Don't restore")).triggered.connect(self._choose_nothing)

    def _choose(self, backup: Backup, _checked: bool = False) -> None:
        self._library.settings.change(restore_backup=backup.path.name)
        text = self.tr(
            "Chats from {date} will be restored the next time you open Tandem. Your current chats are kept as a backup."
        )
        self.said.emit(text.format(date=date_words(backup)))
        self.refresh()

    def _choose_nothing(self) -> None:
        self._library.settings.change(restore_backup="")
        self.said.emit(self.tr("Your chats stay as they are."))
        self.refresh()


def date_words(backup: Backup) -> str:
    """Return the date of a backup in the format of the language."""
    return QLocale().toString(QDateTime.fromSecsSinceEpoch(int(backup.made_at)), QLocale.FormatType.ShortFormat)
