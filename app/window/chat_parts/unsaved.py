"""What the window does while its chats are not saved, and with those that an earlier window could not save."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.conversations.database.records import pictures_in
from app.conversations.pictures import pictures_of
from app.conversations.store import ConversationStore
from app.conversations.worker import StoreThread
from app.session.chats import Chat
from app.session.session import Session
from app.settings.relocation import MoveRefused
from app.widgets.banner import Banner
from app.window.actions.window_action import ActedWindow
from app.window.transfer import ImportExport
from app.wording.errors import closed_store_sentence, joined
from app.wording.hub import refused_sentence

# The topics of the notices.
_UNSAVED = "unsaved"
_LEFT = "left behind"


class UnsavedChats(QObject):
    """Says why the chats are not saved and offers what helps, asks before they are lost, and adds them afterwards."""

    def __init__(
        self, session: Session, banner: Banner, export: QAction, transfer: ImportExport, window: ActedWindow
    ) -> None:
        """`export` is the action that exports all chats."""
        super().__init__(window)
        self._session = session
        self._banner = banner
        self._export = export
        self._transfer = transfer
        self._window = window
        self._choose_action = QAction(self)
        self._again_action = QAction(self)
        self._add_action = QAction(self)
        self._show_action = QAction(self)
        self._error: Exception | None = None
        self._left: StoreThread | None = None
        self._question: QMessageBox | None = None
        self._may_close = False
        self._choose_action.triggered.connect(self._choose_folder)
        self._again_action.triggered.connect(self._try_again)
        self._add_action.triggered.connect(self._add_left)
        self._show_action.triggered.connect(self._show_left)
        store = session.store
        store.unavailable.connect(self._show_error)
        store.moved.connect(self._show_moved)
        store.replaced.connect(self._replace)
        store.recovered_store.connect(self._offer)
        for changed in (session.answers.asked, session.answers.ended, session.answers.not_stored):
            changed.connect(lambda *_: self._update())

    def _show_error(self, error: Exception) -> None:
        self._error = error
        folder = self._session.store.chosen_folder

        def sentence() -> str:
            self._choose_action.setText(self.tr("Choose another folder…"))
            self._again_action.setText(self.tr("Try again"))
            if folder is None:
                return joined(closed_store_sentence(error), self.tr("Chats in this window are not saved."))
            kept_in_folder = self.tr("Until your chats can be opened, the ones in this window are kept in {folder}.")
            return joined(closed_store_sentence(error), kept_in_folder.format(folder=folder))

        self._update()
        self._banner.dismiss(_UNSAVED)
        self._banner.show_message(
            sentence, self._choose_action, self._export, self._again_action, closable=folder is not None, about=_UNSAVED
        )

    def _update(self, changes: bool = False) -> None:
        """Allow a change of the store only while no answer is being written to it and it does not change already."""
        for action in (self._choose_action, self._again_action):
            action.setEnabled(self._session.answers.is_idle and not changes)

    def _try_again(self) -> None:
        self._update(changes=True)
        self._session.store.try_again()

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self._window, self.tr("Choose where to keep these chats"))
        if chosen and self._session.answers.is_idle:
            self._update(changes=True)
            self._session.store.keep_in(Path(chosen))

    def _show_moved(self, refused: Exception | None) -> None:
        assert self._error is not None
        self._show_error(self._error)
        if refused is not None:
            error = refused if isinstance(refused, MoveRefused) else MoveRefused("io", detail=str(refused))
            self._banner.show_message(lambda: refused_sentence(error))

    def _replace(self, temporary_store: StoreThread) -> None:
        """Add the chats of this window to the user's store, which could be opened now.

        The unsent message stays on screen, in a new chat. Chats with turns are added with their own settings; those of
        a chat without turns go to the new one. A temporary chat stays on screen as it is: nothing of it may be stored.
        """
        chats = self._session.chats
        before = self._session.chat
        # Their ids mean other chats in the user's store; temporary ones have a store of their own.
        chats.restorable = [entry for entry in chats.restorable if isinstance(entry, Chat)]
        chats.blank = Chat()
        self._session.waiting.gather_in(chats.blank if before.temporary else before)
        self._error = None
        self._banner.dismiss(_UNSAVED)
        if before.temporary:
            self._transfer.add_unsaved(temporary_store)
            return
        folder = pictures_of(temporary_store.path)
        unsent_pictures = pictures_in(before.unsent_attachments)

        def carry(store: ConversationStore) -> None:
            for picture in unsent_pictures:
                store.pictures.add((folder / picture.digest).read_bytes())

        def show(_: object) -> None:
            # With what was typed meanwhile.
            chats.blank.unsent = before.unsent
            chats.blank.unsent_attachments = before.unsent_attachments
            if not before.turns:
                chats.blank.system_prompt = before.system_prompt
                chats.blank.settings = before.settings
            chats.new_chat()
            self._transfer.add_unsaved(temporary_store)

        if unsent_pictures:
            # If a picture cannot be copied, the store says so, and the message is shown without it.
            self._session.store.run(carry, show, show)
        else:
            show(None)

    def may_close(self) -> bool:
        """Return whether the window may close now; if chats would be lost, ask, once."""
        if self._error is None or self._may_close or self._session.store.chosen_folder is not None:
            return True
        if self._question is None and (count := self._session.store.count_chats()):
            self._ask(count)
        return self._question is None

    def _ask(self, count: int) -> None:
        question = self._question = QMessageBox(self._window)
        question.setIcon(QMessageBox.Icon.Warning)
        question.setText(self.tr("%Ln chat(s) in this window are not saved.", "", count))
        kept_aside = self.tr("Tandem keeps them aside and offers to add them to your chats the next time it starts.")
        lost = self.tr("They are lost when Tandem quits. Export them first if you want to keep them.")
        question.setInformativeText(kept_aside if self._session.store.is_offered else lost)
        export = question.addButton(self._export.text(), QMessageBox.ButtonRole.ActionRole)
        cancel = question.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        leave = question.addButton(self.tr("Quit"), QMessageBox.ButtonRole.DestructiveRole)
        question.setDefaultButton(cancel)

        def answered() -> None:
            pressed = question.clickedButton()
            self._question = None
            question.deleteLater()
            if pressed is leave:
                self._may_close = True
                self._window.quit()
            elif pressed is export:
                self._export.trigger()

        question.finished.connect(lambda _result: answered())
        # It may be hidden, and shows the question.
        self._window.show()
        question.open()

    def _offer(self, left: StoreThread, count: int) -> None:
        self._left = left

        def sentence() -> str:
            self._add_action.setText(self.tr("Add to my chats"))
            self._show_action.setText(self.tr("Show in Finder"))
            return self.tr("Tandem kept %Ln chat(s) from a time when it could not open your chats.", "", count)

        self._banner.show_message(sentence, self._add_action, self._show_action, is_info=True, stays=True, about=_LEFT)

    def _add_left(self) -> None:
        if self._left is not None:
            self._transfer.add_unsaved(self._left)

    def _show_left(self) -> None:
        if self._left is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._left.path.parent)))
