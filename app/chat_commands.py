"""What can be done with chats and messages, wired between the window's views and the session.

The window itself only arranges the views; menus of messages, the list's menu, banners of the store and the in-chat
search come together here.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication, QTextDocument
from PySide6.QtWidgets import QMenu

from app import wording
from app.chat.attachments import NotAttachable, count_tokens, read_attachment
from app.chat.find_bar import FindBar
from app.chat.formulas import with_formulas, with_signs
from app.transfer import Transfer

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions import Actions
    from app.banner import Banner
    from app.chat.transcript import Transcript
    from app.conversations.chats import Chat, Turn
    from app.conversations.errors import StoreError
    from app.conversations.opening import OpenReport
    from app.conversations.pane import ChatPane
    from app.conversations.records import Attachment
    from app.session import Session


# The actions that `ChatCommands.handlers` serves.
CHAT_COMMANDS = (
    "ask-again",
    "edit-last",
    "continue-answer",
    "rename-chat",
    "pin-chat",
    "duplicate-chat",
    "archive-chat",
    "delete-chat",
    "restore-chat",
    "save-again",
    "show-chats-folder",
    "find-in-chat",
    "export-chat",
    "export-all",
    "import-chats",
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
        self.transfer = Transfer(session, banner, self)
        self.menu = QMenu()
        self._connect()

    def _connect(self) -> None:
        session = self._session
        self._pane.chosen.connect(lambda chat: session.open_id(chat))
        self._pane.found.connect(self.show_hit)
        self._pane.acted.connect(self.act_on_chat)
        self._pane.model.renamed.connect(self._rename)
        self._pane.model.pins_ordered.connect(self._order_pins)
        self._transcript.acted.connect(self.act_on_turn)
        self._transcript.edited.connect(self._edit)
        self._transcript.tokens_wanted.connect(lambda turn: session.want_tokens(session.chat, turn))
        self._transcript.menu_wanted.connect(self._show_menu)
        self._find.chosen.connect(self._show_found)
        self._find.changed.connect(lambda: self._transcript.mark(self._find.query))
        session.chats_changed.connect(self.refresh_list)
        session.opened.connect(self._chat_opened)
        session.kept.connect(lambda _chat, _turn: self.refresh_list())
        session.trashed.connect(self._tell_trashed)
        session.store_opened.connect(self._tell_report)
        session.keeper.listed.connect(self.refresh_list)
        session.keeper.trouble.connect(self._tell_trouble)
        session.keeper.unsaved.connect(self._tell_unsaved)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What the window's actions about chats do."""
        return {
            "ask-again": lambda: self._on_last("again"),
            "edit-last": lambda: self._on_last("edit"),
            "continue-answer": lambda: self._on_last("go-on"),
            "rename-chat": lambda: self._on_shown("rename"),
            "pin-chat": lambda: self._on_shown("pin"),
            "duplicate-chat": lambda: self._on_shown("duplicate"),
            "archive-chat": lambda: self._on_shown("archive"),
            "delete-chat": lambda: self._on_shown("trash"),
            "restore-chat": self._undo_delete,
            "save-again": self._session.save_again,
            "show-chats-folder": self._show_folder,
            "find-in-chat": self._find.open,
            "export-chat": lambda: self._on_shown("export"),
            "export-all": self.transfer.export_all,
            "import-chats": self.transfer.import_chats,
        }

    # The list

    def refresh_list(self) -> None:
        session = self._session
        streaming = frozenset(chat.id for chat in session.keeper.conversations if session.streaming_in(chat.id))
        self._pane.refresh(session.chat.id, streaming)

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
            keeper.do(lambda store: store.messages.duplicate(chat), session.open_id)
        elif word == "archive":
            keeper.do(lambda store: store.conversations.archive(chat))
        elif word == "unarchive":
            keeper.do(lambda store: store.conversations.unarchive(chat))
        elif word == "export":
            self.transfer.export_chat(chat)
        elif word == "rename":
            self._pane.rename(chat)

    def show_hit(self, chat: int, message: int) -> None:
        """Show a message that the search over all chats found, with the words marked."""
        text = self._pane.search.text()

        def show(opened: Chat) -> None:
            places = ((turn, (turn.question_place.id, turn.answer_place.id)) for turn in opened.turns)
            turn = next((turn for turn, ids in places if message in ids), None)
            if turn is not None:
                self._find.search_for(text, turn)

        self._session.show_message(chat, message, show)

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

    # Messages

    def act_on_turn(self, turn: Turn, word: str) -> None:
        session = self._session
        if word == "copy":
            QGuiApplication.clipboard().setText(turn.answer.reply)
        elif word == "copy-plain":
            QGuiApplication.clipboard().setText(plain_text(turn.answer.reply))
        elif word == "copy-question":
            QGuiApplication.clipboard().setText(turn.question)
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
            self._transcript.view(turn).edit_question()

    def _on_last(self, word: str) -> None:
        if self._session.chat.turns:
            self.act_on_turn(self._session.chat.turns[-1], word)

    def _edit(self, turn: Turn, text: str) -> None:
        if self._session.ready and text != turn.question:
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
            ("copy-question", self.tr("Copy the message"), turn.asks),
            ("edit", self.tr("Edit the message"), turn.asks and ready),
            ("again", self.tr("Answer again"), ready and ended),
            ("go-on", self.tr("Continue the answer"), ready and last and turn.answer.unfinished),
            ("branch", self.tr("New chat from here"), ended),
        )
        for word, text, enabled in entries:
            action = menu.addAction(text)
            action.setEnabled(enabled)
            action.triggered.connect(lambda _=False, chosen=word: self.act_on_turn(turn, chosen))

    # The composer

    def attach(self, files: list[str], add: Callable[[Attachment, int | None], None]) -> None:
        """Read text files and count their tokens, beside the window's work; `add` gets each."""
        model = self._session.pair.main.path if self._session.pair.main is not None else None

        def read(file: str) -> tuple[Attachment, int | None]:
            attachment = read_attachment(Path(file))
            return attachment, None if model is None else count_tokens(Path(model), attachment.text)

        for file in files:
            self.transfer.run(partial(read, file), lambda found: add(*found), self._tell_not_attached)

    def _tell_not_attached(self, error: BaseException) -> None:
        if not isinstance(error, NotAttachable):
            raise error
        sentences = {
            "not-text": self.tr("{name} is no text file. Tandem attaches text and code; PDF and pictures not yet."),
            "too-large": self.tr("{name} is larger than 2 MB, which no context holds."),
            "unreadable": self.tr("{name} cannot be read."),
        }
        sentence = sentences[error.reason].format(name=error.name)
        self._banner.tell(lambda: sentence, None)

    # Inside the chat

    def _chat_opened(self, _chat: Chat) -> None:
        self._find.close_bar()
        self.refresh_list()

    def _show_found(self, turn: Turn) -> None:
        self._transcript.mark(self._find.query)
        self._transcript.reveal(turn)

    # What the store says

    def _tell_trashed(self, _chat: int, title: str) -> None:
        name = title or self.tr("Untitled chat")
        sentence = self.tr("“{title}” is in the trash.").format(title=name)
        self._banner.tell(lambda: sentence, self._actions["restore-chat"], calm=True)

    def _undo_delete(self) -> None:
        self._banner.hide()
        if self._session.deleted:
            self._session.restore()

    def _tell_trouble(self, error: StoreError) -> None:
        self._banner.tell(lambda: wording.store_sentence(error), self._actions["save-again"])

    def _tell_unsaved(self, error: Exception) -> None:
        self._banner.tell(lambda: wording.closed_store_sentence(error), self._actions["show-chats-folder"])

    def _tell_report(self, report: OpenReport | None) -> None:
        if report is not None and (damage := report.damage) is not None:
            self._banner.tell(lambda: wording.damage_sentence(damage), self._actions["show-chats-folder"])

    def _show_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._session.keeper.path.parent)))


_STEPS = {
    "previous-question": ("question", -1),
    "next-question": ("question", 1),
    "previous-answer": ("answer", -1),
    "next-answer": ("answer", 1),
}


def plain_text(markdown: str) -> str:
    """Markdown as it reads, without its signs."""
    marked, formulas = with_signs(markdown)
    document = QTextDocument()
    document.setMarkdown(marked)
    return with_formulas(document.toPlainText(), formulas, lambda formula: formula.latex)
