"""The button that lists the backups of the chats and chooses the one to restore at the next start."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QDateTime, QLocale, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.conversations.backups import Backup
from app.library.library import Library
from app.session.session import Session
from app.widgets.popups import Menu


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
        self._library.background.run(self._session.chats.list_backups, self._show, lambda _: self._show([]), owner=self)

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
            self.choices.addAction(self.tr("Restore nothing")).triggered.connect(self._choose_nothing)

    def _choose(self, backup: Backup, _checked: bool = False) -> None:
        self._library.settings.change(restore_backup=backup.path.name)
        text = self.tr(
            "The chats of {date} will be back the next time Tandem starts. The chats they replace are kept as a backup."
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
