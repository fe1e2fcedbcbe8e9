"""What can be done with chats and messages, wired between the window's views and the session.

The window itself only arranges the views; menus of messages, the list's menu, banners of the store and the in-chat
search come together here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, QPoint, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from app.chat.find_bar import FindBar
from app.chat.plain_text import plain_text, spoken_text
from app.chat.speaker import Speaker
from app.window.attaching import Attaching
from app.window.finding import Finding
from app.window.transfer import Transfer
from app.wording import errors as wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.state import Actions
    from app.chat.transcript import Transcript
    from app.conversations.errors import StoreError
    from app.conversations.opening import OpenReport
    from app.conversations.store import ConversationStore
    from app.session.chats import Turn
    from app.session.session import Session
    from app.sidebar.pane import ChatPane
    from app.widgets.banner import Banner


# The actions that `ChatCommands.handlers` serves.
CHAT_COMMANDS = (
    "ask-again",
    "edit-last",
    "continue-answer",
    "copy-answer",
    "read-aloud",
    "stop-reading",
    "rename-chat",
    "pin-chat",
    "duplicate-chat",
    "move-chat",
    "archive-chat",
    "delete-chat",
    "restore-chat",
    "save-again",
    "show-chats-folder",
    "find-in-chat",
    "find-next",
    "find-previous",
    "export-chat",
    "export-all",
    "import-chats",
    "stop-transfer",
)


class ChatCommands(QObject):
    """Created by the window, with the views that it wires."""

    def __init__(
        self,
        session: Session,
        actions: Actions,
        pane: ChatPane,
        transcript: Transcript,
        find_bar: FindBar,
        banner: Banner,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._actions = session, actions
        self._pane, self._transcript, self._find, self._banner = pane, transcript, find_bar, banner
        self.transfer = Transfer(session, banner, actions["stop-transfer"], self)
        self.attaching = Attaching(session, self.transfer, banner, self)
        self.speaker = Speaker(self)
        self._finding = Finding(session, transcript, find_bar, self)
        self.menu = QMenu()
        # Which key sends, as in the message box.
        self.send_key: Callable[[], str] = lambda: "enter"
        self._connect()

    def _connect(self) -> None:
        session = self._session
        self._pane.chosen.connect(lambda chat: session.open_id(chat))
        self._pane.found.connect(self.show_hit)
        self._pane.acted.connect(self.act_on_chat)
        self._pane.model.renamed.connect(self._rename)
        self._pane.model.pins_ordered.connect(self._order_pins)
        self._pane.model.folders_ordered.connect(self._order_folders)
        self._pane.model.folder_renamed.connect(self._rename_folder)
        self._pane.model.moved.connect(self.move_to_folder)
        self._pane.row_menu.moved.connect(self.move_to_folder)
        self._pane.row_menu.folder_wanted.connect(self.move_to_new_folder)
        self._pane.row_menu.folder_acted.connect(self.act_on_folder)
        self._pane.trash_emptied.connect(session.empty_trash)
        self._transcript.acted.connect(self.act_on_turn)
        self._transcript.edited.connect(self._edit)
        self._transcript.tokens_wanted.connect(lambda turn: session.want_tokens(session.chat, turn))
        self._transcript.menu_wanted.connect(self._show_menu)
        session.chats_changed.connect(self.refresh_list)
        session.opened.connect(lambda _chat: self.refresh_list())
        session.kept.connect(lambda _chat, _turn: self.refresh_list())
        session.trashed.connect(self._tell_trashed)
        session.store_opened.connect(self._tell_report)
        session.keeper.listed.connect(self.refresh_list)
        # Who comes back after midnight, or from another time zone, finds other days in the list.
        QApplication.instance().applicationStateChanged.connect(self.refresh_list)  # type: ignore[union-attr]
        session.keeper.trouble.connect(self._tell_trouble)
        session.keeper.unsaved.connect(self._tell_unsaved)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What the window's actions about chats do."""
        return {
            "ask-again": lambda: self._on_last("again"),
            "edit-last": lambda: self._on_last("edit"),
            "continue-answer": lambda: self._on_last("go-on"),
            "copy-answer": self._copy_answer,
            "read-aloud": lambda: self._on_last("speak"),
            "stop-reading": self.speaker.stop,
            "rename-chat": lambda: self._on_shown("rename"),
            "pin-chat": lambda: self._on_shown("pin"),
            "duplicate-chat": lambda: self._on_shown("duplicate"),
            "move-chat": lambda: self._on_shown("move"),
            "archive-chat": lambda: self._on_shown("archive"),
            "delete-chat": lambda: self._on_shown("trash"),
            "restore-chat": self._undo_delete,
            "save-again": self._session.save_again,
            "show-chats-folder": self._show_folder,
            "find-in-chat": self._find.open,
            "find-next": lambda: self._find.step(1),
            "find-previous": lambda: self._find.step(-1),
            "export-chat": lambda: self._on_shown("export"),
            "export-all": self.transfer.export_all,
            "import-chats": self.transfer.import_chats,
            "stop-transfer": self.transfer.stop,
        }

    # The list

    def refresh_list(self) -> None:
        self._pane.refresh(self._session.chat.id, self._session.streaming_chats)

    def act_on_chat(self, word: str, chat: int) -> None:
        session, keeper = self._session, self._session.keeper
        if word == "trash":
            session.trash(chat)
        elif word == "restore":
            keeper.do(lambda store: store.conversations.restore(chat))
        elif word == "purge":
            session.purge(chat)
        elif word == "pin":
            keeper.do(lambda store: store.conversations.pin(chat, 0))
        elif word == "unpin":
            keeper.do(lambda store: store.conversations.unpin(chat))
        elif word == "duplicate":
            keeper.do(
                lambda store: store.messages.duplicate(chat, store.conversations.title_of_copy(chat)), session.open_id
            )
        elif word == "archive":
            keeper.do(lambda store: store.conversations.archive(chat))
        elif word == "unarchive":
            keeper.do(lambda store: store.conversations.unarchive(chat))
        elif word == "export":
            self.transfer.export_chat(chat)
        elif word == "move":
            self._pane.choose_folder(chat)
        elif word == "rename":
            self._pane.rename(chat)

    def move_to_folder(self, chat: int, folder: int | None) -> None:
        """A chat is either at the top or in a folder."""

        def move(store: ConversationStore) -> None:
            store.conversations.move_to_folder(chat, folder)
            store.conversations.unpin(chat)

        self._session.keeper.do(move)

    def move_to_new_folder(self, chat: int) -> None:
        """Make a folder for a chat, and let its name be typed."""
        names = {folder.name for folder in self._session.keeper.folders}
        name, number = self.tr("New folder"), 2
        while name in names:
            name, number = f"{self.tr('New folder')} {number}", number + 1

        def make(store: ConversationStore) -> int:
            folder = store.conversations.create_folder(name)
            store.conversations.move_to_folder(chat, folder)
            store.conversations.unpin(chat)
            return folder

        # The list is shown anew after the operation's own answer.
        self._session.keeper.do(
            make, lambda folder: QTimer.singleShot(0, self._pane, lambda: self._pane.rename_folder(folder))
        )

    def act_on_folder(self, word: str, folder_id: int) -> None:
        keeper = self._session.keeper
        folder = next((folder for folder in keeper.folders if folder.id == folder_id), None)
        if folder is None:
            return
        if word == "toggle":
            keeper.do(lambda store: store.conversations.close_folder(folder_id, not folder.closed))
        elif word in ("up", "down"):
            order = [known.id for known in keeper.folders if known.id != folder_id]
            place = keeper.folders.index(folder) + (1 if word == "down" else -1)
            if 0 <= place <= len(order):
                self._order_folders([*order[:place], folder_id, *order[place:]])
        elif word == "show":
            self._pane.show_folder(folder_id)
        elif word == "rename":
            self._pane.rename_folder(folder_id)
        elif word == "delete":
            keeper.do(lambda store: store.conversations.delete_folder(folder_id))

    def _rename_folder(self, folder: int, name: str) -> None:
        self._session.keeper.do(lambda store: store.conversations.rename_folder(folder, name))

    def show_hit(self, chat: int, message: int) -> None:
        """Show a message that the search over all chats found."""
        self._finding.show_hit(chat, message, self._pane.search.words)

    def _on_shown(self, word: str) -> None:
        shown = self._session.chat.id
        if shown is None:
            return
        pinned = any(chat.id == shown and chat.pin_position is not None for chat in self._session.keeper.conversations)
        self.act_on_chat("unpin" if word == "pin" and pinned else word, shown)

    def _rename(self, chat: int, title: str) -> None:
        self._session.keeper.do(lambda store: store.conversations.rename(chat, title))

    def _order_pins(self, chats: list[int]) -> None:
        self._session.keeper.do(lambda store: store.conversations.order_pins(chats))

    def _order_folders(self, folders: list[int]) -> None:
        self._session.keeper.do(lambda store: store.conversations.order_folders(folders))

    # Messages

    def act_on_turn(self, turn: Turn, word: str) -> None:
        session = self._session
        if turn not in session.chat.turns:
            # A menu that was open while the chat came to show others.
            return
        if word == "copy":
            QGuiApplication.clipboard().setText(turn.answer.reply)
        elif word == "copy-plain":
            QGuiApplication.clipboard().setText(plain_text(turn.answer.reply))
        elif word == "copy-question":
            QGuiApplication.clipboard().setText(turn.question)
        elif word == "speak":
            self.speaker.speak(spoken_text(turn.answer.reply), QLocale().name())
        elif word == "branch":
            session.branch(turn)
        elif word in _STEPS:
            which, step = _STEPS[word]
            session.switch(session.chat, turn.question_place if which == "question" else turn.answer_place, step)
        elif session.ready and word == "again":
            session.ask_again(turn)
        elif session.ready and word == "go-on":
            session.go_on(turn)
        elif session.ready and word == "edit":
            self._transcript.view(turn).edit_question(self.send_key())

    def _on_last(self, word: str) -> None:
        if self._session.chat.turns:
            self.act_on_turn(self._session.chat.turns[-1], word)

    def _copy_answer(self) -> None:
        answers = [turn.answer.reply for turn in self._session.chat.turns if turn.answer.text]
        QGuiApplication.clipboard().setText(answers[-1])

    def _edit(self, turn: Turn, text: str) -> None:
        if text == turn.question:
            self._transcript.view(turn).end_edit()
        elif self._session.ready:
            self._transcript.view(turn).end_edit()
            self._session.edit(turn, text)

    def _show_menu(self, turn: Turn, place: QPoint) -> None:
        self.fill_menu(turn)
        self.menu.popup(place)

    def fill_menu(self, turn: Turn) -> None:
        """What can be done with a turn, for the mouse's second button and the "more" button."""
        menu, ready, ended = self.menu, self._session.ready, turn.answer.ended
        menu.clear()
        if selected := self._transcript.view(turn).selected_text():
            menu.addAction(self.tr("Copy the selection")).triggered.connect(
                lambda: QGuiApplication.clipboard().setText(selected)
            )
        has_text = bool(turn.answer.text)
        last = bool(self._session.chat.turns) and turn is self._session.chat.turns[-1]
        entries = (
            ("copy", self.tr("Copy the answer as Markdown"), has_text),
            ("copy-plain", self.tr("Copy the answer as plain text"), has_text),
            ("copy-question", self.tr("Copy the message"), bool(turn.question)),
            ("speak", self._words_to_speak(), has_text and self.speaker.program is not None),
            ("edit", self.tr("Edit the message"), turn.asks and ready),
            ("again", self.tr("Regenerate"), ready and ended),
            ("go-on", self.tr("Continue the answer"), ready and last and turn.answer.unfinished),
            ("branch", self.tr("Branch"), ended),
        )
        for word, text, enabled in entries:
            action = menu.addAction(text)
            action.setEnabled(enabled)
            action.triggered.connect(lambda _=False, chosen=word: self.act_on_turn(turn, chosen))

    def _words_to_speak(self) -> str:
        if self.speaker.program is None:
            return self.tr("Read aloud: this system has no voice")
        return self.tr("Read the answer aloud")

    # What the store says

    def _tell_trashed(self, _chat: int, title: str) -> None:
        name = title or self.tr("Untitled chat")
        sentence = self.tr("“{title}” is in the trash.").format(title=name)
        self._banner.show_message(lambda: sentence, self._actions["restore-chat"], calm=True)

    def _undo_delete(self) -> None:
        self._banner.hide()
        if self._session.deleted:
            self._session.restore()

    def _tell_trouble(self, error: StoreError) -> None:
        self._banner.show_message(lambda: wording.store_sentence(error), self._actions["save-again"])

    def _tell_unsaved(self, error: Exception) -> None:
        self._banner.show_message(lambda: wording.closed_store_sentence(error), self._actions["show-chats-folder"])

    def _tell_report(self, report: OpenReport | None) -> None:
        if report is None:
            return
        if (damage := report.damage) is not None:
            self._banner.show_message(lambda: wording.damage_sentence(damage), self._actions["show-chats-folder"])
        elif self._banner.isHidden():
            # What is told already matters more; the note waits.
            self.transfer.show_cut_short()

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._session.keeper.path.parent)))


_STEPS = {
    "previous-question": ("question", -1),
    "next-question": ("question", 1),
    "previous-answer": ("answer", -1),
    "next-answer": ("answer", 1),
}
