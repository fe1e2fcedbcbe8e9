"""How answers are generated: the defaults, the own settings of chats, and presets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.conversations.answer_writer import FLUSH_AFTER
from app.conversations.chat_settings import OWN, SET_ASIDE, SPECULATION_KEYS, GenerationSettings
from app.conversations.presets import NEW_CHATS, Preset
from app.conversations.store import ConversationStore
from app.session.chat_service import ChatService
from app.session.chats import Chat
from app.session.store_client import StoreClient
from app.session.stored_chats import ensure_stored
from engine.requests import SamplingSettings, SpeculationSettings

# The temperature of another answer if none was chosen and it would be 0: that of the balanced preset.
VARIED = 0.7


class SettingsService(QObject):
    """Owns the defaults and the user's presets. `chat_changed` carries a chat whose own settings changed.

    `speculation_changed` follows when `speculation` or its default changes, `defaults_changed` when any default does,
    `presets_changed` when `presets` does.
    """

    chat_changed = Signal(object)
    speculation_changed = Signal()
    defaults_changed = Signal()
    presets_changed = Signal()

    def __init__(self, chats: ChatService, store: StoreClient, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chats = chats
        self._store = store
        self.defaults = GenerationSettings()
        # Whether the default temperature is the user's choice, not the model's recommendation or Tandem's own.
        self.temperature_chosen = False
        self.presets: list[Preset] = []
        self._shown = chats.shown
        self._waiting: set[Chat] = set()
        chats.opened.connect(self._chat_opened)
        store.opened.connect(lambda _report: self._change_presets(lambda _store: None))

    def generation_of(self, chat: Chat) -> GenerationSettings:
        """Return how answers in that chat are generated: the defaults, changed by its own settings."""
        return self.defaults.with_overrides(chat.own)

    def varied_generation_of(self, chat: Chat, before: int = 1) -> GenerationSettings:
        """Return how another answer to a question that has `before` answers is generated.

        A model repeats its words at temperature 0 and with the same seed, but a person who asks again wants others.
        """
        chosen = self.generation_of(chat)
        if self.is_greedy(chat):
            return chosen
        sampling = chosen.sampling
        # Each further answer has a seed of its own, and the same one each time it is asked for in the same place.
        next_seed = None if sampling.seed is None else (sampling.seed + before) % 2**64
        varied = replace(sampling, temperature=sampling.temperature or VARIED, seed=next_seed)
        return replace(chosen, sampling=varied)

    def is_greedy(self, chat: Chat) -> bool:
        """Whether another answer in that chat has the same words, because the person chose temperature 0."""
        chosen = self.temperature_chosen or "temperature" in chat.own
        return chosen and not self.generation_of(chat).sampling.temperature

    @property
    def sampling(self) -> SamplingSettings:
        """The sampling of the chat on screen."""
        return self.generation_of(self._chats.shown).sampling

    @property
    def speculation(self) -> SpeculationSettings:
        """The speculation of the chat on screen."""
        return self.generation_of(self._chats.shown).speculation

    def set_defaults(self, defaults: GenerationSettings) -> None:
        """Set the values for chats without own settings, from the next question on."""
        before = self.defaults
        self.defaults = defaults
        if defaults.speculation != before.speculation:
            self.speculation_changed.emit()
        if defaults != before:
            self.defaults_changed.emit()

    def set_speculation(self, settings: SpeculationSettings) -> None:
        """Change the speculation of the chat on screen if it has its own, else the default."""
        chat = self._chats.shown
        if not any(key in chat.own for key in SPECULATION_KEYS):
            self.defaults = replace(self.defaults, speculation=settings)
            self.speculation_changed.emit()
            return
        wanted = replace(self.defaults, speculation=settings).values()
        default = self.defaults.values()
        overrides = {key: value for key, value in chat.own.items() if key not in SPECULATION_KEYS}
        overrides |= {key: wanted[key] for key in SPECULATION_KEYS if wanted[key] != default[key]}
        self.set_own(chat, chat.system_prompt, overrides)

    def set_own(self, chat: Chat, system_prompt: str, overrides: Mapping[str, Any]) -> None:
        """Set a chat's system prompt and own settings; on disk within half a second."""
        before = self.speculation
        chat.system_prompt = system_prompt
        chat.settings = {**chat.settings, OWN: dict(overrides)}
        self.chat_changed.emit(chat)
        if self.speculation != before:
            self.speculation_changed.emit()
        if chat in self._waiting:
            return
        self._waiting.add(chat)

        def write(store: ConversationStore) -> None:
            self._waiting.discard(chat)
            chat_id = ensure_stored(store, chat)
            stored = store.conversations.get(chat_id).settings
            store.conversations.set_system_prompt(chat_id, chat.system_prompt)
            aside = {key: chat.settings[key] for key in (SET_ASIDE,) if key in chat.settings}
            store.conversations.set_settings(chat_id, {**stored, **aside, OWN: chat.own})

        self._store.of(chat).schedule(write, FLUSH_AFTER)

    def set_aside(self, chat: Chat) -> None:
        """Keep a chat's system prompt and own settings for later. Call it before a preset replaces them."""
        if chat.system_prompt or chat.own:
            replaced = {"system_prompt": chat.system_prompt, OWN: chat.own}
            chat.settings = {**chat.settings, SET_ASIDE: replaced}

    def save_preset(self, name: str) -> None:
        """Save the system prompt and own settings of the chat on screen under a name."""
        prompt = self._chats.shown.system_prompt
        overrides = self._chats.shown.own
        self._change_presets(lambda store: store.presets.save(name, prompt, overrides))

    def delete_preset(self, name: str) -> None:
        """Delete one of the user's presets."""
        self._change_presets(lambda store: store.presets.delete(name))

    def begin_chats_with(self, system_prompt: str, overrides: Mapping[str, Any]) -> None:
        """Set the system prompt and the own settings that new chats begin with.

        The empty chat gets them, too, unless the person has changed its own.
        """
        before = self._chats.preset_of_new_chats
        blank = self._chats.blank
        self._chats.preset_of_new_chats = Preset("", system_prompt, overrides)
        if not blank.turns and (blank.system_prompt, blank.own) == (before.system_prompt, before.own):
            self.set_own(blank, system_prompt, overrides)
        self._change_presets(lambda store: store.presets.save(NEW_CHATS, system_prompt, overrides))

    def _change_presets(self, change: Callable[[ConversationStore], None]) -> None:
        """Run a change of the presets in the store, and show those that there are then."""

        def write(store: ConversationStore) -> list[Preset]:
            change(store)
            return store.presets.all()

        self._store.run(write, self._show_presets)

    def _show_presets(self, presets: list[Preset]) -> None:
        self.presets = presets
        self.presets_changed.emit()

    def _chat_opened(self, chat: Chat) -> None:
        """Follow the chat on screen, which may have other settings."""
        before = self.generation_of(self._shown).speculation
        self._shown = chat
        if self.speculation != before:
            self.speculation_changed.emit()
