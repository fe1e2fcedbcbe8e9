"""The chats in memory: the one on screen, its path of messages, unsent messages and the trash."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.conversations.chat_settings import OWN, TOOLS_ON
from app.conversations.conversation_list import TRASHED
from app.conversations.database.encoding import to_json
from app.conversations.database.errors import NotDeleted, NotFound, NotRemoved
from app.conversations.database.records import Attachment, Conversation, Folder, Message
from app.conversations.deletions import Deletion
from app.conversations.exports.json_format import conversation_as_object
from app.conversations.presets import Preset
from app.conversations.projects import preset_of
from app.conversations.store import ConversationStore
from app.session.chats import READ_POSITION, Chat, MessageNode, Turn, turns_of
from app.session.store_client import StoreClient, last_on_screen, next_new_chat
from app.session.stored_chats import UnsentMessages, move_empty, path_of
from app.widgets.throttle import single_shot

# How many chats stay in memory after they were on screen, to show them again at once.
CHATS_IN_MEMORY = 12
# How long a temporary chat can be restored after another one is shown.
UNDO_MS = 10_000


class ChatService(QObject):
    """Owns the chats in memory. `shown`, the chat on screen, exists from the start.

    `opened` carries the chat that is now shown, and `opening_changed` whether another one is being read to be shown:
    until then the one before stands below its name. `path_changed` carries a chat whose turns changed. `removing`
    carries the id of a chat: before the chat is moved to the trash or deleted, when a temporary chat is left, and after
    the chat was deleted with the whole trash or as a temporary chat. `trashed` carries a chat's id and title once the
    chat is in the trash. `branched` is emitted when the copy of a branch is shown. `messages_deleted` carries how many
    messages were deleted at once, and `trash_emptied` how many chats were deleted. `left` carries whether
    `restore_last` restores the temporary chat that was left. `unsent_kept` carries a chat whose unsent message may be
    another one now.
    """

    opened = Signal(object)
    opening_changed = Signal(bool)
    path_changed = Signal(object)
    removing = Signal(int)
    trashed = Signal(int, str)
    branched = Signal()
    messages_deleted = Signal(int)
    trash_emptied = Signal(int)
    left = Signal(bool)
    unsent_kept = Signal(object)

    def __init__(self, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.shown = self.blank = Chat()
        self.preset_of_new_chats = Preset("")
        # The system prompt and the own settings of the empty chat, until the user changes them.
        self._begun = self.blank.system_prompt, self.blank.own
        # What `restore_last` restores, the newest last: ids of chats in the trash, deleted messages, temporary chats.
        self.restorable: list[int | Deletion | Chat] = []
        self._dropping = single_shot(self, self._drop_left, UNDO_MS)
        # The chats in memory by their ids, the one that was shown last at the end.
        self._in_memory: dict[int, Chat] = {}
        self._unsent = UnsentMessages(store)
        self.beside: list[Chat] = []
        """The chats in windows of their own, which stay in memory."""
        # The id of the chat that is being loaded to be shown; None if there is none.
        self._wanted: int | None = None
        store.opened.connect(lambda _report: self._store_opened())
        store.listed.connect(self._follow_moves)

    def new_chat(self, folder: Folder | None = None) -> None:
        """Show the empty chat, which may hold an unsent message, in a folder or in none."""
        blank = self.blank
        folder_id = None if folder is None else folder.id
        if blank.turns or blank.waiting:
            self._make_blank(folder)
        elif blank.folder_id != folder_id:
            if (blank.system_prompt, blank.own) == self._begun:
                self._begun = self._begin(blank, folder)
            blank.folder_id = folder_id
            if blank.id is not None:
                self._store.run(lambda store: move_empty(store, blank))
        self.open(self.blank)

    def _make_blank(self, folder: Folder | None) -> None:
        """Make another empty chat: the one before is in the list, or is being removed."""
        self.blank = Chat()
        self._begun = self._begin(self.blank, folder)

    def new_temporary_chat(self) -> None:
        """Show a new chat that is never stored on disk, and is gone soon after another one is shown."""
        self.open(self.begin_chat(temporary=True))

    def begin_chat(self, temporary: bool = False) -> Chat:
        """Return a new chat with the preset of new chats, without showing it."""
        chat = Chat(temporary=temporary)
        self._begin(chat, None)
        return chat

    def keep(self, chat: Chat) -> None:
        """Store a temporary chat on disk, and show it from there."""

        def read(store: ConversationStore) -> str:
            assert chat.id is not None
            return to_json(conversation_as_object(store, chat.id))

        def add_to_store(exported: str) -> None:
            from app.conversations.imports.adding import add
            from app.conversations.imports.tandem import TANDEM

            entry = json.loads(exported)
            no_files = dict[str, bytes]().get
            conversation = replace(TANDEM.read(entry, no_files), title=entry["title"])
            self._store.run(lambda store: add(store, conversation)[1], self.open_id)

        self._store.of(chat).run(read, add_to_store)

    def open(self, chat: Chat) -> None:
        """Show another chat instead of one that is still being read.

        Answers in other chats continue, but a temporary chat that was left is soon deleted.
        """
        self._want(None)
        before = self.shown
        self.shown = chat
        self._remember(chat)
        self.opened.emit(chat)
        if before.temporary and before is not chat:
            self._leave_temporary(before)

    def _leave_temporary(self, chat: Chat) -> None:
        """Stop the answers of a temporary chat, and delete it unless it is restored soon."""
        is_kept = chat.uid == self.shown.uid != ""
        if is_kept or not (chat.turns or any(chat.not_asked)):
            self._drop(chat)
            return
        if chat.id is not None:
            self.removing.emit(chat.id)
        self.restorable.append(chat)
        self._dropping.start()
        self.left.emit(True)

    def _drop_left(self) -> None:
        """Delete the temporary chats that were left, which can no longer be restored."""
        for chat in [entry for entry in self.restorable if isinstance(entry, Chat)]:
            self.restorable.remove(chat)
            self._drop(chat)
        self.left.emit(False)

    def _drop(self, chat: Chat) -> None:
        """Delete a temporary chat, and stop its answers."""
        # An unsent message that is about to be written would store the chat again.
        chat.unsent = ""
        chat.unsent_attachments = ()
        chat.waiting.clear()

        def purge(store: ConversationStore) -> int | None:
            if chat.id is not None:
                store.conversations.purge(chat.id)
            return chat.id

        self._store.of(chat).run(purge, lambda chat_id: None if chat_id is None else self._forget(chat_id))

    def open_id(self, chat_id: int, then: Callable[[Chat], object] | None = None) -> None:
        """Load and show a chat; `then` gets it. Another call before it is loaded takes precedence."""
        self._want(chat_id)

        def show(chat: Chat) -> None:
            if self._wanted == chat_id:
                # The chat in memory may have answers that are being written.
                chat = self._in_memory.get(chat_id, chat)
                self.open(chat)
                if then is not None:
                    then(chat)

        def refuse(_error: Exception) -> None:
            if self._wanted == chat_id:
                self._want(None)

        self._store.load(chat_id, show, refuse)

    def _want(self, chat_id: int | None) -> None:
        """Note which chat is being read to be shown; None if there is none, or no more."""
        self._wanted = chat_id
        self.opening_changed.emit(chat_id is not None and chat_id != self.shown.id)

    def read(self, chat_id: int, then: Callable[[Chat], object]) -> None:
        """Load a chat without showing it; `then` gets it, as the object in memory if the chat is in memory."""

        def take(loaded: Chat) -> None:
            chat = self.shown if self.shown.id == chat_id else self._in_memory.get(chat_id, loaded)
            self._remember(chat)
            then(chat)

        self._store.load(chat_id, take, on_screen=False)

    def has(self, chat: Chat) -> bool:
        """Whether the chat is still in use: not the first empty chat, once the store's empty chat has replaced it."""
        return chat is self.blank or chat.id is not None or bool(chat.turns or chat.waiting)

    def keep_unsent(self, chat: Chat, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Keep the text and files of the composer; on disk within half a second."""
        is_same = (chat.unsent, chat.unsent_attachments) == (text, attachments)
        chat.unsent = text
        chat.unsent_attachments = attachments
        # The text is the same if asking the question has emptied it already.
        self.unsent_kept.emit(chat)
        if not is_same or self._unsent.is_refused(chat):
            self._unsent.write_soon(chat)

    def keep_waiting(self, chat: Chat) -> None:
        """Write at once what waits in a chat, with its unsent message. A chat where a question waits is in the list."""
        first = chat.waiting[0] if chat.waiting else None
        # The next new chat is not in the list. Any other chat stays in the list, or nobody would find its message.
        is_unlisted = first is None and chat is self.blank

        def write(store: ConversationStore) -> None:
            self._unsent.write(store, chat)
            if chat.id is None or chat.turns:
                return
            if first is not None:
                store.conversations.title_after(chat.id, first.question, first.attachments)
            elif is_unlisted:
                store.conversations.title_automatically(chat.id)

        self._store.of(chat).run(write, lambda _: self._remember(chat) if chat.waiting else None)

    def close(self) -> None:
        """Try again to write the unsent messages that could not be written."""
        self._dropping.stop()
        self._unsent.write_again()

    def keep_read_position(self, chat: Chat, position: tuple[int, int] | None) -> None:
        """Keep how far a chat is scrolled (a turn's index and pixels) until it is shown again."""
        if chat.read_position != position:
            self._store.keep_setting(chat, READ_POSITION, position)

    def switch(self, chat: Chat, node: MessageNode, step: int) -> None:
        """Show the sibling `step` positions after a message, with the branch last shown below it."""
        if node.id is None:
            return
        message_id = node.id

        def select(store: ConversationStore) -> None:
            siblings = store.messages.siblings(message_id)
            store.messages.select(siblings[(siblings.index(message_id) + step) % len(siblings)])

        self._show_path(chat, select)

    def show_message(self, chat_id: int, message_id: int, then: Callable[[Chat], object]) -> None:
        """Open the chat of a message on the branch that holds it; `then` gets the chat."""
        self._store.run(
            lambda store: store.messages.select(message_id),
            lambda _: self.open_id(chat_id, lambda chat: self._show_path(chat, then=lambda: then(chat))),
        )

    def show_branch_of(self, chat: Chat, answer_id: int, then: Callable[[], object]) -> None:
        """Show the branch of an answer, such as one that is about to be written; `then` is called in any case."""
        self._show_path(chat, lambda store: store.messages.select(answer_id), then, lambda _error: then())

    def branch(self, turn: Turn) -> None:
        """Copy the chat down to this turn to a new chat and show that."""
        chat_id = self.shown.id
        message_ids = turn.stored_ids
        if chat_id is None or not message_ids or self.shown.temporary:
            return
        self._store.run(
            lambda store: store.messages.branch(message_ids[-1], store.conversations.title_of_copy(chat_id)),
            lambda copy_id: self.open_id(copy_id, lambda _chat: self.branched.emit()),
        )

    def duplicate(self, chat_id: int) -> None:
        """Copy a chat with all of its branches and show the copy."""
        self._store.run(
            lambda store: store.messages.duplicate(chat_id, store.conversations.title_of_copy(chat_id)), self.open_id
        )

    def replace_turn(self, chat: Chat, turn: Turn, fresh: Turn) -> Callable[[], None]:
        """Show `fresh` in the place of `turn` and all that follow it. Returns what undoes that."""
        before = chat.turns.copy()
        chat.turns[chat.turns.index(turn) :] = [fresh]
        self.path_changed.emit(chat)

        def undo() -> None:
            if fresh in chat.turns:
                # At once, because the path on disk may not be readable.
                chat.turns = before
                self.path_changed.emit(chat)
            self._show_path(chat)

        return undo

    def remove_turn(self, chat: Chat, turn: Turn) -> None:
        """Remove a turn from the chat, in memory only."""
        chat.turns.remove(turn)
        self.path_changed.emit(chat)

    def delete_question(self, chat: Chat, turn: Turn) -> None:
        """Delete a question with all of its answers; `restore_last` undoes it. Later turns stay."""
        message_id = turn.question_node.id
        if message_id is not None:
            self._delete(chat, lambda store: store.deletions.delete_question(message_id))

    def delete_answer(self, chat: Chat, turn: Turn) -> None:
        """Delete an answer with all that follows it; `restore_last` undoes it. Its siblings stay."""
        message_id = turn.version_node.id
        if message_id is not None:
            self._delete(chat, lambda store: store.deletions.delete_answer(message_id))

    def _delete(self, chat: Chat, delete: Callable[[ConversationStore], Deletion]) -> None:
        """Delete messages and show the path that remains; nothing while an answer is being written."""
        # The messages may include the answer that is being written.
        if chat.answering:
            return

        def deleted(outcome: tuple[Deletion, list[Message]]) -> None:
            deletion, path = outcome
            self.restorable.append(deletion)
            self._take_path(chat, path)
            self.messages_deleted.emit(len(deletion.messages))

        self._store.of(chat).run(lambda store: (delete(store), path_of(store, chat)), deleted)

    def _show_path(
        self,
        chat: Chat,
        select: Callable[[ConversationStore], object] = lambda _store: None,
        then: Callable[[], object] = lambda: None,
        refused: Callable[[Exception], object] | None = None,
    ) -> None:
        """Run `select` in the store, show the path that the chat has after it, and call `then`."""

        def read(store: ConversationStore) -> list[Message]:
            select(store)
            return path_of(store, chat)

        def take(path: list[Message]) -> None:
            self._take_path(chat, path)
            then()

        self._store.of(chat).run(read, take, refused)

    def reload(self, chat_id: int) -> None:
        """Read a chat in memory again after something else wrote to it."""
        if chat := self._in_memory.get(chat_id):
            self._store.run(
                lambda store: path_of(store, chat), lambda path: self._take_path(chat, path, keep_ended=False)
            )

    def _take_path(self, chat: Chat, path: list[Message], keep_ended: bool = True) -> None:
        """Show these messages. Known turns are kept; without `keep_ended` only the turns that are being answered."""
        ended = [turn for turn in chat.turns if turn.answer.ended] if keep_ended else []
        turns = turns_of(path, ended + chat.answering)
        for turn in chat.answering:
            # A turn that was asked after the path was read belongs at the end of the path, or to a question in it.
            if turn.answer_node.id is None:
                question_id = turn.question_node.id
                ids = [stored.question_node.id for stored in turns]
                end = ids.index(question_id) if question_id and question_id in ids else len(turns)
                turns[end:] = [turn]
        chat.turns = turns
        self.path_changed.emit(chat)

    def trash(self, chat_id: int) -> None:
        """Move a chat to the trash; its answers stop. `trashed` follows, and `restore_last` undoes it."""
        if self.blank.id == chat_id:
            self._make_blank(None)
        self.removing.emit(chat_id)

        def trash(store: ConversationStore) -> str:
            store.conversations.trash(chat_id)
            return store.conversations.get(chat_id).title

        def trashed(title: str) -> None:
            if self.shown.id == chat_id:
                self.new_chat()
            self.restorable.append(chat_id)
            self.trashed.emit(chat_id, title)

        self._store.run(trash, trashed)

    def restore_last(self) -> None:
        """Restore and show the chat that was trashed or left last, or the messages that were deleted last."""
        last = self.restorable.pop()
        shown = self.shown
        if isinstance(last, Chat):
            self.open(last)
            return

        def refused(error: Exception) -> None:
            # Only memory has the deleted messages.
            if not isinstance(error, NotFound):
                self.restorable.append(last)

        if isinstance(last, Deletion) and shown.temporary and last.conversation_id == shown.id:
            self._show_path(shown, lambda store: store.deletions.restore(last), refused=refused)
        elif isinstance(last, Deletion):
            self._store.run(
                lambda store: store.deletions.restore(last),
                lambda _: self.open_id(last.conversation_id, self._show_path),
                refused,
            )
        else:
            self._store.run(lambda store: store.conversations.restore(last), lambda _: self.open_id(last), refused)

    def purge(self, chat_id: int, backups: bool = False) -> None:
        """Delete a chat for good, also from the `backups` if wanted; if it is on screen, show the empty chat."""
        self._forget(chat_id)
        if backups:
            self._remove_from_backups(lambda store: [store.conversations.get(chat_id)])
        self._store.run(lambda store: store.conversations.purge(chat_id))

    def empty_trash(self, backups: bool = False) -> None:
        """Delete all chats in the trash for good, also from the `backups` if wanted.

        Chats that cannot be deleted because the database is damaged stay in the trash, and are reported as NotDeleted.
        """
        if backups:
            self._remove_from_backups(lambda store: store.conversations.view(TRASHED))

        def forget(outcome: tuple[list[int], list[str]]) -> None:
            purged, not_purged = outcome
            for chat_id in purged:
                self._forget(chat_id)
            self.trash_emptied.emit(len(purged))
            if not_purged:
                self._store.failed.emit(NotDeleted(not_purged))

        self._store.run(lambda store: store.purge_trash(), forget)

    def _remove_from_backups(self, chats: Callable[[ConversationStore], list[Conversation]]) -> None:
        """Remove chats from the backups before they are deleted: if it is interrupted, they are still in the trash."""

        def done(files: list[str]) -> None:
            if files:
                self._store.failed.emit(NotRemoved(files))

        def remove(store: ConversationStore) -> list[str]:
            return self._store.remove_from_backups([chat.uid for chat in chats(store)])

        self._store.run(remove, done)

    def note_written(self, chat: Chat) -> None:
        """Keep a chat in memory after one of its turns was stored.

        Storing a turn has taken the chat out of the trash, so `restore_last` no longer restores it.
        """
        self._remember(chat)
        if chat.id in self.restorable:
            self.restorable.remove(chat.id)

    def _follow_moves(self) -> None:
        """Set the folder of each chat in memory that was moved in the list."""
        for listed in self._store.changed_conversations:
            chat = self.shown if self.shown.id == listed.id else self._in_memory.get(listed.id)
            if chat is not None:
                chat.folder_id = listed.folder_id

    def _forget(self, chat_id: int) -> None:
        """Remove from memory a chat that is being deleted or was deleted, so that nothing restores or shows it."""
        if self.blank.id == chat_id:
            self._make_blank(None)
        self.removing.emit(chat_id)
        self._in_memory.pop(chat_id, None)
        self.restorable = [
            entry for entry in self.restorable if chat_id not in (entry, getattr(entry, "conversation_id", 0))
        ]
        if self.shown.id == chat_id:
            self.new_chat()

    def _remember(self, chat: Chat) -> None:
        """Keep the most recent chats in memory, and all that are being answered or have a window of their own."""
        if chat.id is None:
            return
        self._in_memory.pop(chat.id, None)
        self._in_memory[chat.id] = chat
        for chat_id in list(self._in_memory)[:-CHATS_IN_MEMORY]:
            chat = self._in_memory[chat_id]
            if not (chat.answering or chat.waiting) and chat not in self.beside:
                del self._in_memory[chat_id]

    def _store_opened(self) -> None:
        """Show the chat of the last run, once the store is open."""
        # Ids of a temporary store that this store replaces mean other chats in it.
        self._in_memory.clear()
        self._store.run(
            lambda store: (next_new_chat(store), last_on_screen(store), store.presets.of_new_chats()), self._show_first
        )

    def _show_first(self, first: tuple[Chat, Chat | None, Preset]) -> None:
        """Show the chat of the last run, unless the first empty chat was used already."""
        blank, last, self.preset_of_new_chats = first
        if blank.id is None:
            self._begun = self._begin(blank, None)
        shown = self.shown
        unsent = any(shown.not_asked)
        chosen = shown.system_prompt or shown.own or shown.settings.get(TOOLS_ON) is not None
        if shown is self.blank and not (shown.turns or unsent or chosen):
            self.blank = blank
            self.open(blank if last is None or last.id == blank.id else last)

    def _begin(self, chat: Chat, folder: Folder | None) -> tuple[str, dict[str, Any]]:
        """Give an empty chat the folder, and the system prompt and settings of new chats there.

        Returns the system prompt and the chat's own settings.
        """
        preset = preset_of(folder) or self.preset_of_new_chats
        tools = None if folder is None else folder.settings.get(TOOLS_ON)
        chat.folder_id = None if folder is None else folder.id
        chat.system_prompt = preset.system_prompt
        chat.settings = {**chat.settings, OWN: dict(preset.own), TOOLS_ON: tools}
        return chat.system_prompt, chat.own
