"""The session: the services that live as long as the window, and the order in which they end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from app.session.answer_service import AnswerService
from app.session.api_service import ApiService
from app.session.bridge import Bridge
from app.session.chat_requests import Services
from app.session.chat_service import ChatService
from app.session.chats import Chat
from app.session.cluster_service import ClusterService
from app.session.history_service import HistoryService
from app.session.list_service import ListService
from app.session.model_service import ModelService
from app.session.project_service import ProjectService
from app.session.settings_service import SettingsService
from app.session.store_client import StoreClient
from app.session.teaching_service import TeachingService
from app.session.tool_service import ToolService
from app.session.waiting_questions import WaitingQuestions
from app.system.paths import data_folder, speeds_file
from engine.client import EngineClient


class Session(QObject):
    """Makes the services and connects them. Views call their methods and listen to their signals."""

    def __init__(
        self, make_engine: Callable[[], EngineClient], starter_pair: tuple[Path, Path], chats: Path | None = None
    ) -> None:
        """`chats` is the store's file, None for the user's own; only that leaves prefix caches on disk."""
        super().__init__()
        self._closed = False
        self._bridge = Bridge(self)
        # Emitted before the services get the events of a frame.
        self.frame_begins = self._bridge.frame_begins
        self.store = StoreClient(self._bridge, chats or data_folder() / "chats.db", self)
        self.models = ModelService(make_engine, starter_pair, self._bridge, stores_prefixes=chats is None, parent=self)
        self.chats = ChatService(self.store, self)
        self.settings = SettingsService(self.chats, self.store, self)
        tools_file = (chats.parent if chats else data_folder()) / "tools.json"
        self.tools = ToolService(self.models, self.store, self._bridge, tools_file, self)
        self.list = ListService(self.store, self)
        self.projects = ProjectService(self.list, self.store, self)
        services = Services(self.models, self.chats, self.settings, self.store, self.tools, self.projects)
        self.answers = AnswerService(services, self)
        self.waiting = WaitingQuestions(self.answers, self.models, self.chats, self.store, self)
        self.history = HistoryService(self.store, chats.with_name("speeds.json") if chats else speeds_file(), self)
        self._note_speedups()
        self.teaching = TeachingService(self.models, self.store, self)
        self.api = ApiService(self.models, self)
        self.api.calls_ended.connect(self.history.add)
        self.cluster = ClusterService(self.models, self)
        self.store.purged.connect(self.models.forget_conversations)
        self.store.opened.connect(self._drop_unknown_prefixes)

    def _note_speedups(self) -> None:
        """Connect what sets the speed-up of its pair in each answer, before any view shows the answer."""
        history = self.history
        for changed in (self.chats.opened, self.chats.path_changed):
            changed.connect(history.note_speedups)
        self.answers.arrived.connect(lambda _chat, turn: history.note_speedup(turn.answer))
        history.measured_changed.connect(lambda: history.note_speedups(self.chat))

    @property
    def chat(self) -> Chat:
        """The chat on screen."""
        return self.chats.shown

    @property
    def busy(self) -> bool:
        """Whether the engine or the store has pending work."""
        return self._bridge.busy

    def close(self) -> None:
        """Stop all work, write pending changes, and end both threads. Safe to call twice."""
        if self._closed:
            return
        self._closed = True
        self.api.close()
        self.teaching.close()
        self.projects.close()
        self.models.end_calls()
        self._bridge.drain()
        self._bridge.close()
        self.answers.close()
        self.chats.close()
        self.tools.close()
        self.store.close()
        self.models.close()
        self.cluster.close()

    def _drop_unknown_prefixes(self) -> None:
        """Drop prefixes of unknown chats, unless the store is temporary and knows none of the user's chats."""
        if self.store.persistent:
            self.store.run(lambda store: store.conversations.uids(), self.models.keep_stored)
