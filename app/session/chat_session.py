"""The part of the session that is about chats: which is on screen, drafts, the trash, and what each has of its own."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal

from app.conversations.answer_writer import FLUSH_AFTER
from app.conversations.chat_settings import OWN, SET_ASIDE, SPECULATION_KEYS, Generation
from app.conversations.presets import Preset
from app.session.chats import PLACE, Chat, Turn
from app.session.model_session import ModelSession
from app.session.store_client import OPENED_AT, StoreClient, last_on_screen, next_new_chat
from app.system.paths import data_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from app.conversations.opening import OpenReport
    from app.conversations.records import Attachment
    from app.conversations.store import ConversationStore
    from app.session.streaming_answer import StreamingAnswer
    from engine.client import EngineClient
    from engine.requests import SamplingSettings, SpeculationSettings
    from engine.settings import EngineSettings

# Chats that stay in memory after they were on screen, so that coming back costs nothing.
CHATS_IN_MEMORY = 12


class ChatSession(ModelSession):
    """`opened` carries the chat that is now shown, `trashed` a chat's id and title, `trash_emptied` how many chats are
    gone for good, `tuned` a chat whose own settings are others now.
    """

    opened = Signal(object)
    trashed = Signal(int, str)
    trash_emptied = Signal(int)
    tuned = Signal(object)
    presets_changed = Signal()
    store_opened = Signal(object)
    speculation_changed = Signal()

    def __init__(
        self, make_engine: Callable[[], EngineClient], starter_pair: tuple[Path, Path], chats: Path | None = None
    ) -> None:
        """`chats` is the store's file; None is the user's own."""
        super().__init__(make_engine, starter_pair)
        self._own_chats = chats is None
        self.keeper = StoreClient(self.bridge, chats or data_folder() / "chats.db", self)
        self.keeper.opened.connect(self._store_opened)
        self.keeper.purged.connect(self.forget_conversations)
        self.chat = self._blank = Chat()
        self.deleted: list[int] = []
        self.defaults = Generation()
        self.presets: list[Preset] = []
        self.of_new_chats = Preset("")
        self._live: dict[Turn, StreamingAnswer] = {}
        self._open: dict[int, Chat] = {}
        self._drafts: set[Chat] = set()
        self._tuned: set[Chat] = set()
        self._wanted: int | None = None

    def configure(self, limits: EngineSettings) -> None:
        """The same, but what is read of other chats than the user's own is not kept among what was read of those."""
        super().configure(limits if self._own_chats else replace(limits, prefix_cache_folder=None))

    @property
    def saving(self) -> bool:
        """Whether the store is open, so that a question can be kept before it is asked."""
        return self.keeper.ready

    def new_chat(self) -> None:
        """Show the empty chat; there is always one, and it may hold a draft."""
        if self._blank.turns:
            self._blank = self._make_blank()
        # A chat that is still being read is no longer waited for.
        self._wanted = None
        self.open(self._blank)

    def open(self, chat: Chat) -> None:
        """Show another chat. What streams elsewhere goes on."""
        before = self.speculation
        self.chat = chat
        self._remember(chat)
        self.opened.emit(chat)
        if self.speculation != before:
            self.speculation_changed.emit()

    def open_id(self, conversation_id: int, then: Callable[[Chat], object] | None = None) -> None:
        """Show a chat of the list; `then` gets it."""
        self._wanted = conversation_id

        def show(chat: Chat) -> None:
            # Only the newest wish counts, and a chat that streams has its own record.
            if self._wanted == conversation_id:
                chat = self._open.get(conversation_id, chat)
                self.open(chat)
                if then is not None:
                    then(chat)

        self.keeper.load(conversation_id, show)

    @property
    def quiet(self) -> bool:
        """Whether no answer is being written, in any chat: what is measured now is not disturbed."""
        return not self._live

    @property
    def streaming_chats(self) -> frozenset[int]:
        """The ids of the chats in which an answer is being written."""
        return frozenset(live.chat.id for live in self._live.values() if live.chat.id is not None)

    def streaming_in(self, conversation_id: int) -> bool:
        return any(live.chat.id == conversation_id for live in self._live.values())

    def has(self, chat: Chat) -> bool:
        """False only for the first empty chat once another, found when the store opened, has taken its place."""
        return chat is self._blank or chat.id is not None or bool(chat.turns)

    def keep_draft(self, chat: Chat, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Keep what stands in the composer; on disk within half a second."""
        if (chat.draft, chat.draft_attachments) == (text, attachments):
            return
        chat.draft, chat.draft_attachments = text, attachments
        if chat in self._drafts:
            return
        self._drafts.add(chat)

        def write(store: ConversationStore) -> None:
            self._drafts.discard(chat)
            if chat.id is not None or chat.draft or chat.draft_attachments:
                store.conversations.set_draft(ensure_stored(store, chat), chat.draft, chat.draft_attachments)

        self.keeper.later(write, FLUSH_AFTER)

    def keep_place(self, chat: Chat, place: tuple[int, int] | None) -> None:
        """Note where a chat is being read, for when it is shown again."""
        if chat.place == place:
            return
        chat.settings = {**chat.settings, PLACE: place}
        if chat.id is None:
            return
        conversation_id = chat.id

        def write(store: ConversationStore) -> None:
            stored = store.conversations.get(conversation_id).settings
            store.conversations.set_settings(conversation_id, {**stored, PLACE: place})

        self.keeper.later(write, 0.0)

    def trash(self, conversation_id: int) -> None:
        """Move a chat to the trash; its answers stop. `trashed` follows, and `restore` undoes it."""
        self._stop_answers(conversation_id)

        def gone(title: str) -> None:
            if self.chat.id == conversation_id:
                self.new_chat()
            self.deleted.append(conversation_id)
            self.trashed.emit(conversation_id, title)

        def trash(store: ConversationStore) -> str:
            store.conversations.trash(conversation_id)
            return store.conversations.get(conversation_id).title

        self.keeper.do(trash, gone)

    def restore(self) -> None:
        """Bring back the chat that was deleted last."""
        conversation_id = self.deleted.pop()
        self.keeper.do(lambda store: store.conversations.restore(conversation_id))
        self.open_id(conversation_id)

    def purge(self, conversation_id: int) -> None:
        """Delete a chat for good. If it is on screen, the empty chat takes its place."""
        self._forget(conversation_id)
        self.keeper.do(lambda store: store.conversations.purge(conversation_id))

    def empty_trash(self) -> None:
        """Delete all chats in the trash for good."""

        def forget(purged: list[int]) -> None:
            for conversation_id in purged:
                self._forget(conversation_id)
            self.trash_emptied.emit(len(purged))

        self.keeper.do(lambda store: store.conversations.purge_trash(), forget)

    def _stop_answers(self, conversation_id: int) -> None:
        for live in list(self._live.values()):
            if live.chat.id == conversation_id:
                live.cancel()

    def _forget(self, conversation_id: int) -> None:
        self._stop_answers(conversation_id)
        self._open.pop(conversation_id, None)
        if conversation_id in self.deleted:
            self.deleted.remove(conversation_id)
        if self.chat.id == conversation_id:
            self.new_chat()

    def _remember(self, chat: Chat) -> None:
        """Chats that were on screen stay in memory, the last few and all that stream."""
        if chat.id is None:
            return
        self._open.pop(chat.id, None)
        self._open[chat.id] = chat
        for key in list(self._open)[:-CHATS_IN_MEMORY]:
            if not self.streaming_in(key):
                del self._open[key]

    def _store_opened(self, report: OpenReport | None) -> None:
        def read(store: ConversationStore) -> tuple[Chat, Chat | None, list[Preset], Preset]:
            return next_new_chat(store), last_on_screen(store), store.presets.all(), store.presets.of_new_chats()

        def show(found: tuple[Chat, Chat | None, list[Preset], Preset]) -> None:
            blank, last, self.presets, self.of_new_chats = found
            if blank.id is None:
                self._begin_with_preset(blank)
            self.presets_changed.emit()
            shown = self.chat
            empty = not (shown.turns or shown.draft or shown.system_prompt or shown.own)
            untouched = shown is self._blank and empty
            if untouched:
                self._blank = blank
                self.open(blank if last is None or last.id == blank.id else last)

        self.keeper.do(read, show)
        if report is not None:
            self.keeper.do(lambda store: store.conversations.uids(), self.keep_stored)
        self.store_opened.emit(report)

    # What a chat has of its own

    def generation_of(self, chat: Chat) -> Generation:
        """How answers in that chat are generated."""
        return self.defaults.with_own(chat.own)

    @property
    def sampling(self) -> SamplingSettings:
        """Of the chat on screen."""
        return self.generation_of(self.chat).sampling

    @property
    def speculation(self) -> SpeculationSettings:
        """Of the chat on screen."""
        return self.generation_of(self.chat).speculation

    def set_defaults(self, defaults: Generation) -> None:
        """What holds where a chat has no settings of its own, from the next question on."""
        changed = defaults.speculation != self.defaults.speculation
        self.defaults = defaults
        if changed:
            self.speculation_changed.emit()

    def set_speculation(self, settings: SpeculationSettings) -> None:
        """From the next question on: of the chat on screen where it has its own, else of all."""
        own = self.chat.own
        if not any(key in own for key in SPECULATION_KEYS):
            self.defaults = replace(self.defaults, speculation=settings)
            self.speculation_changed.emit()
            return
        wanted = replace(self.defaults, speculation=settings).values()
        default = self.defaults.values()
        kept = {key: value for key, value in own.items() if key not in SPECULATION_KEYS}
        kept |= {key: wanted[key] for key in SPECULATION_KEYS if wanted[key] != default[key]}
        self.set_own(self.chat, self.chat.system_prompt, kept)

    def set_own(self, chat: Chat, system_prompt: str, own: Mapping[str, Any]) -> None:
        """Give a chat its system prompt and its settings; on disk within half a second."""
        before = self.speculation
        chat.system_prompt, chat.settings = system_prompt, {**chat.settings, OWN: dict(own)}
        self.tuned.emit(chat)
        if self.speculation != before:
            self.speculation_changed.emit()
        if chat in self._tuned:
            return
        self._tuned.add(chat)

        def write(store: ConversationStore) -> None:
            self._tuned.discard(chat)
            conversation_id = ensure_stored(store, chat)
            stored = store.conversations.get(conversation_id).settings
            store.conversations.set_system_prompt(conversation_id, chat.system_prompt)
            aside = {key: chat.settings[key] for key in (SET_ASIDE,) if key in chat.settings}
            store.conversations.set_settings(conversation_id, {**stored, **aside, OWN: chat.own})

        self.keeper.later(write, FLUSH_AFTER)

    def set_aside(self, chat: Chat) -> None:
        """Keep what a chat has of its own beside it, for the way back; to be called before a preset takes its place."""
        if chat.system_prompt or chat.own:
            kept = {"system_prompt": chat.system_prompt, OWN: chat.own}
            chat.settings = {**chat.settings, SET_ASIDE: kept}

    def save_preset(self, name: str) -> None:
        """Keep what the chat on screen has of its own under a name."""
        prompt, own = self.chat.system_prompt, self.chat.own
        self._change_presets(lambda store: store.presets.save(name, prompt, own))

    def delete_preset(self, name: str) -> None:
        self._change_presets(lambda store: store.presets.delete(name))

    def begin_chats_with(self, system_prompt: str, own: Mapping[str, Any]) -> None:
        """What chats that are made from now on have of their own at first."""
        before, self.of_new_chats = self.of_new_chats, Preset("", system_prompt, own)
        blank = self._blank
        if not blank.turns and (blank.system_prompt, blank.own) == (before.system_prompt, before.own):
            self.set_own(blank, system_prompt, own)
        self._change_presets(lambda store: store.presets.save_for_new_chats(system_prompt, own))

    def _change_presets(self, change: Callable[[ConversationStore], None]) -> None:
        def write(store: ConversationStore) -> list[Preset]:
            change(store)
            return store.presets.all()

        def show(presets: list[Preset]) -> None:
            self.presets = presets
            self.presets_changed.emit()

        self.keeper.do(write, show)

    def _make_blank(self) -> Chat:
        chat = Chat()
        self._begin_with_preset(chat)
        return chat

    def _begin_with_preset(self, chat: Chat) -> None:
        preset = self.of_new_chats
        chat.system_prompt = preset.system_prompt
        if preset.own:
            chat.settings = {**chat.settings, OWN: dict(preset.own)}


def ensure_stored(store: ConversationStore, chat: Chat) -> int:
    """The chat's id, after giving it a row if it has none yet. On the store's thread, where such wishes queue."""
    if chat.id is None:
        settings = {**chat.settings, OPENED_AT: time.time()}
        conversation_id = store.conversations.create(system_prompt=chat.system_prompt, settings=settings)
        # The id last: whoever looks at it from another thread finds the other one too.
        chat.uid = store.conversations.get(conversation_id).uid
        chat.id = conversation_id
    return chat.id
