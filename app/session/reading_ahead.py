"""Has the engine read the files of a folder before its chats ask, so that every chat of it begins at once.

The engine keeps the caches under the folder's own name: they outlive its chats, and all of these continue a copy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.conversations.projects import Project
from app.session.answer import Answer
from app.session.chat_request import chat_request
from app.session.chats import Chat, Turn
from app.session.model_service import ModelService
from app.session.project_service import ProjectService
from app.session.settings_service import SettingsService
from app.session.store_client import StoreClient
from app.session.tool_service import ToolService
from engine.client import RequestStream
from engine.errors import EngineError
from engine.events import Event, Failed, Finished

# Any question will do: no chat shares it.
_QUESTION = "."


class ReadingAhead:
    """Reads one folder at a time. Used on the Qt thread."""

    def __init__(
        self,
        models: ModelService,
        settings: SettingsService,
        store: StoreClient,
        tools: ToolService,
        projects: ProjectService,
        read: Callable[[], object],
    ) -> None:
        """`read` is called when files were read."""
        self._models, self._settings, self._store = models, settings, store
        self._tools, self._projects, self._tell = tools, projects, read
        # The files that were read or cannot be read, by the name of their caches and the paths of the models.
        self._read: dict[tuple[str, tuple[str, str | None]], bool] = {}
        self._stream: RequestStream | None = None
        self._stopped: list[Callable[[], object]] = []

    def has_read(self, project: Project) -> bool:
        """Whether the loaded models have read the files of a folder."""
        return self._read.get((project.folder.uid, self._models.pair.paths), False)

    def begin(self, chat: Chat) -> None:
        """Read what the chats of this one's folder begin with, unless the engine has done so since it changed."""
        pair, project = self._models.pair, self._projects.known(chat.folder_id)
        if pair.main is None or pair.loading:
            # The caches in memory go with the models.
            self._read.clear()
            return
        if project is None or not project.text or self._stream is not None or not self._store.persistent:
            return
        what, tools = (project.folder.uid, pair.paths), [*chat.turns[-1].tools] if chat.turns else []
        # Servers of tools, whose tools belong to the prompt, start with the first question only.
        if what in self._read or pair.parked or (self._tools.has_servers(chat) and not tools):
            return
        if not tools:
            self._tools.gather(chat, tools.extend)

        def receive(events: list[Event]) -> None:
            last = events[-1]
            if isinstance(last, (Finished, Failed)):
                self._stream = None
                # What failed, because it is too long for example, would fail again.
                if isinstance(last, Failed) or last.reason != "cancelled":
                    self._read[what] = isinstance(last, Finished)
                    self._tell()
                stopped, self._stopped = self._stopped, []
                for then in stopped:
                    then()

        turn = Turn(_QUESTION, Answer(), tools=tools)
        like = Chat(turns=[turn], settings=chat.settings, folder_id=chat.folder_id)
        try:
            request = chat_request(like, turn, self._settings.generation_of(chat), self._models, self._store, project)
            request = replace(request, max_tokens=1, grammar=None, conversation=project.folder.uid, shared=True)
            self._stream = self._models.submit(request, receive)
        except EngineError:
            # The question itself says what is wrong.
            return

    def stop(self, then: Callable[[], object]) -> None:
        """Stop reading, which leaves what was read in the prefix cache, then call `then`."""
        if self._stream is None:
            then()
            return
        self._stopped.append(then)
        self._stream.cancel()
