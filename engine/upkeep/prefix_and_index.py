"""The stores of finished turns and answers for the resident main models: prefix caches and the index of answers.

Runs on the engine's thread, like everything that uses the models.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from pathlib import Path

from engine.answer_index.index import AnswerIndex, Usage, delete_index, tokenizer_name
from engine.errors import EngineError
from engine.files.steps import Steps, result_of
from engine.prefix.cache import PrefixCache
from engine.prefix.files import TurnDeletions
from engine.prefix.store import PrefixStore
from engine.settings import EngineSettings
from engine.speculation.drafters.reduced_vocabulary import reduce_vocabulary
from engine.speculation.drafters.sources import HeadSource
from engine.status import LoadedPair
from engine.upkeep.models import Models


class PrefixAndIndexStores:
    """Keeps the prefix cache and the index of answers in step with `models`.

    `enqueue(steps, done)` queues work between rounds.
    """

    def __init__(
        self,
        models: Models,
        prefix_cache: PrefixCache,
        enqueue: Callable[[Steps[LoadedPair], Callable[[LoadedPair | EngineError], None]], None],
    ) -> None:
        self._models = models
        self._prefix_cache = prefix_cache
        self._enqueue = enqueue
        # The stored prefixes of the resident main models, by their folders.
        self._stores: dict[Path, PrefixStore] = {}
        self._deletions = TurnDeletions()
        # The index of earlier answers, if the settings name a folder for it and it was needed, and its settings.
        self._answers: AnswerIndex | None = None
        self._answers_at: tuple[Path | None, int] = (None, 0)
        # The folder of an index that is not named any more, and could not be deleted.
        self._undeleted_index: Path | None = None
        # The newest count of their tokens; a head's smaller vocabulary is made of the most frequent.
        self._usage: Future[Usage] | None = None

    def configure(self, before: EngineSettings) -> None:
        """Apply changed settings; a folder that they name no more is emptied."""
        settings = self._models.settings
        turns = before.prefix_cache_folder
        answers = before.answer_index_folder
        self._prefix_cache.budget = settings.prefix_cache_bytes
        self._prefix_cache.shrink()
        stored = (settings.prefix_cache_folder, settings.prefix_folder_bytes)
        if stored != (before.prefix_cache_folder, before.prefix_folder_bytes):
            self._stores.clear()
            if self._models.loaded:
                self.open_store()
        if turns is not None and settings.prefix_cache_folder is None:
            self._deletions.forget_others(turns, ())
        if settings.answer_index_folder != answers:
            self.open_answers()
        if answers is not None and settings.answer_index_folder is None and not delete_index(answers):
            self._undeleted_index = answers

    def open_store(self) -> None:
        """Use the finished turns of earlier sessions, if the settings name a folder for them, as it is now."""
        self._retry_deletions()
        settings = self._models.settings
        folder = settings.prefix_cache_folder
        store = None
        if folder is not None:
            store = PrefixStore(folder, self._models.main, settings.prefix_folder_bytes)
            store.use_drafter(self._models.drafter)
            self._stores[self._models.main.info.path] = store
        self._prefix_cache.store = store

    def open_answers(self) -> None:
        """Look up in the answers of earlier chats, if the settings name a folder for them; empty one not named now."""
        settings = self._models.settings
        at = settings.answer_index_folder, settings.answer_index_bytes
        if at != self._answers_at:
            if self._answers is not None:
                if at[0] is None:
                    self._answers.forget_others(())
                self._answers.close()
            self._answers = None
            if at[0] is not None:
                undeleted = at[0] == self._undeleted_index
                self._answers = AnswerIndex(at[0], at[1], deletes_first=undeleted)
                if undeleted:
                    self._undeleted_index = None
            self._answers_at = at
        self._use_answers()
        self.renew_vocabulary()

    def switch(self) -> None:
        """Use the texts of the resident main model that is in use now."""
        path = self._models.main.info.path
        if path in self._stores:
            self._prefix_cache.store = self._stores[path]
        else:
            self.open_store()
        self._use_answers()

    def _use_answers(self) -> None:
        """Use the index of the answers that were made with the tokenizer of the main model in use."""
        if self._models.loaded:
            self._models.drafting.answers = self._answers
            if self._answers is not None:
                self._answers.use(tokenizer_name(self._models.main.info.path))

    def renew_vocabulary(self) -> None:
        """Draft with the whole vocabulary, until a smaller one was made of the answers, between other work."""
        self._usage = None
        models = self._models
        if models.loaded:
            models.drafting.set_reduced(None)
        if self._answers is not None and isinstance(models.drafter, HeadSource):
            self._usage = self._answers.usage()
            self._enqueue(self._reduce(self._usage), lambda _outcome: None)

    def _reduce(self, usage: Future[Usage]) -> Steps[LoadedPair]:
        drafting = self._models.drafting
        used = yield from result_of(usage)
        models = self._models
        if not models.loaded or models.drafting is not drafting:
            return models.pair
        if usage is self._usage and isinstance(models.drafter, HeadSource):
            reduced = yield from reduce_vocabulary(models.main, models.drafter, used)
            # Chats may have been deleted in the meantime. Another drafter waits for this change to end.
            if usage is self._usage:
                models.drafting.set_reduced(reduced)
        return models.pair

    def close(self) -> None:
        """Delete what could not be deleted before, and write what the index of answers has not written yet."""
        self._retry_deletions()
        if self._answers is not None:
            self._answers.close()

    def _retry_deletions(self) -> None:
        """Delete what could not be deleted before."""
        self._deletions.retry()
        if self._undeleted_index is not None and delete_index(self._undeleted_index):
            self._undeleted_index = None

    def keep_answer(self, name: str | None, tokens: Sequence[int]) -> None:
        """Add an answer that has ended to the index of answers, unless its conversation has no name.

        Then delete what could not be deleted before.
        """
        if name and self._answers is not None:
            self._answers.add(name, tokens)
        self._retry_deletions()

    def forget_conversations(self, names: Collection[str]) -> None:
        """Forget the finished turns and answers of these conversations for good, in memory and on disk."""
        if (answers := self._opened_answers()) is not None:
            answers.forget(names)
            self.renew_vocabulary()
        self._prefix_cache.forget(names)
        if (folder := self._models.settings.prefix_cache_folder) is not None:
            self._deletions.forget(folder, names)

    def keep_stored(self, names: Collection[str]) -> None:
        """Forget the finished turns and answers of all other conversations on disk; turns in memory stay."""
        if (answers := self._opened_answers()) is not None:
            answers.forget_others(names)
            self.renew_vocabulary()
        if (folder := self._models.settings.prefix_cache_folder) is not None:
            self._deletions.forget_others(folder, names)
            self._stores.clear()
            if self._models.loaded:
                self.open_store()

    def _opened_answers(self) -> AnswerIndex | None:
        """Return the index of answers, also while no model is loaded."""
        if self._answers is None and self._models.settings.answer_index_folder is not None:
            self.open_answers()
        return self._answers

    def release(self, path: Path) -> None:
        """Before the main model in this folder is unloaded, save its finished turns to its store, and drop them."""
        models = self._models
        for model in models.resident:
            if model.path == path:
                self._prefix_cache.release(model.main.model, self._stores.pop(path, None))
        if models.loaded and models.main.info.path == path:
            self._prefix_cache.store = None
            if self._answers is not None:
                self._answers.use("")
