"""The tools of chats: Tandem's built-in tools, and the tools of the servers that the user has set up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, QObject, Qt, Signal, Slot

from app.conversations.chat_settings import TOOLS_ALLOWED, TOOLS_ON
from app.session.bridge import Bridge
from app.session.calls import OpenQuestion
from app.session.chats import Chat
from app.session.model_service import ModelService
from app.session.store_client import StoreClient
from app.settings.keychain import Keychain
from app.system.language import best_language
from app.tools.questions import QuestionReply, ServerQuestion
from app.tools.servers import ToolSettings, WebChoice
from app.tools.tool import TANDEM, Permission, Tool, ToolFailed, ToolProgress, ToolResult, with_distinct_names
from app.tools.web_addresses import WebAddresses
from app.tools.web_tools import WebCall, web_tools

if TYPE_CHECKING:
    # Imports asyncio, which would delay the window, and most users never set up a server.
    from app.tools.host import ToolHost

# Gets the result of a call, or the reason why the call has no result.
OnResult = Callable[[ToolResult | ToolFailed], object]


@dataclass(frozen=True)
class BuiltIn:
    """A tool of Tandem itself. `run(done)` runs it and calls `done` with the text of its result, on the Qt thread."""

    tool: Tool
    run: Callable[[Callable[[str], object]], object]


class ToolService(QObject):
    """Owns the tool servers and the user's permissions. No server runs before a chat needs it.

    `changed` is emitted when a chat's tools, a permission or the state of a server changed.
    """

    changed = Signal()
    # Emitted on the thread of the servers.
    _host_changed = Signal()
    # The function that shows a question, and the question. Emitted on the thread of the servers.
    _question_asked = Signal(object, object)

    def __init__(
        self, models: ModelService, store: StoreClient, bridge: Bridge, file: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._models = models
        self._store = store
        self._bridge = bridge
        # Changes come from several threads, and the last choice is written before the app ends.
        self._writes = ThreadPoolExecutor(1, "tools-file")
        self.settings = ToolSettings(file, Keychain(), self._writes.submit)
        self.built_in: list[BuiltIn] = []
        # The addresses that Tandem's web tools may reach.
        self.web_addresses = WebAddresses()
        self._host: ToolHost | None = None
        self._host_changed.connect(self.changed, Qt.ConnectionType.QueuedConnection)
        self._question_asked.connect(self._show_question, Qt.ConnectionType.QueuedConnection)

    @Slot(object, object)
    def _show_question(self, show: Callable[[OpenQuestion], object], question: OpenQuestion) -> None:
        """Show a question on the Qt thread."""
        show(question)

    @property
    def host(self) -> ToolHost:
        """The servers. None of them runs when this is first used."""
        if self._host is None:
            from app.tools.host import ToolHost

            self._host = ToolHost(self.settings.servers, self._host_changed.emit, self.settings)
        return self._host

    def servers_changed(self) -> None:
        """Use the servers as they are set up now. Call it after a change of `settings`."""
        if self._host is not None:
            self._host.set_servers(self.settings.servers)
        self.changed.emit()

    @property
    def web_tools(self) -> list[Tool]:
        """Tandem's tools for the web; none unless the person has turned them on."""
        choice = self.settings.web
        return web_tools(choice.service) if choice.on else []

    def set_web(self, choice: WebChoice) -> None:
        """Keep what the person chose for the web tools. Chats have them from the next question on."""
        self.settings.set_web(choice)
        self.changed.emit()

    @property
    def usable(self) -> bool:
        """Whether the loaded model's chat template takes tools, and the form of its calls is known."""
        return bool(self._models.pair.main and self._models.pair.main.tool_format)

    def is_on(self, chat: Chat) -> bool:
        """Whether the chat has tools. By default only the Starter has tools: the built-in ones, which it was taught."""
        chosen = chat.settings.get(TOOLS_ON)
        return chosen if isinstance(chosen, bool) else self._models.is_starter

    def concern(self, chat: Chat) -> bool:
        """Whether the person has tools of their own choice, or chose whether the chat has tools."""
        return bool(self.settings.servers) or self.settings.web.on or chat.settings.get(TOOLS_ON) is not None

    def set_on(self, chat: Chat, on: bool) -> None:
        """Give the chat its tools, or none, from the next question on."""
        self._store.keep_setting(chat, TOOLS_ON, on)
        self.changed.emit()

    def turn_on_if_unchosen(self, chat: Chat) -> bool:
        """Give the chat its tools, unless the person has chosen or the model cannot use any. Return whether it did."""
        begins = self.usable and chat.settings.get(TOOLS_ON) is None
        if begins:
            self.set_on(chat, True)
        return begins

    def takes_servers(self, chat: Chat) -> bool:
        """Whether the person switched on tools in the chat. Otherwise the chat has no tools of servers."""
        return chat.settings.get(TOOLS_ON) is True

    def servers_of(self, chat: Chat) -> list[str]:
        """Return the names of the servers whose tools the chat has."""
        takes = self.usable and self.takes_servers(chat)
        return [server.name for server in self.settings.servers if server.usable] if takes else []

    def web_tools_of(self, chat: Chat) -> list[Tool]:
        """Return the web tools that the chat has."""
        takes = self.usable and self.takes_servers(chat)
        return [tool for tool in self.web_tools if takes and not self.is_off(tool)]

    def gather(self, chat: Chat, then: Callable[[list[Tool]], object]) -> None:
        """Call `then` with the chat's tools, at once or when its servers run; with [] if the chat has no tools."""
        if not self.usable or not self.is_on(chat):
            then([])
            return
        of_web = self.web_tools_of(chat)
        if of_web:
            self.host.prepare_web()
        built_in = [*(entry.tool for entry in self.built_in), *of_web]
        names = self.servers_of(chat)
        if not names:
            then(built_in)
            return

        def gathered(future: Future[list[Tool]]) -> None:
            tools = [] if future.cancelled() or future.exception() else future.result()
            then(with_distinct_names([*built_in, *(tool for tool in tools if not self.is_off(tool))]))

        self._bridge.watch(self.host.tools(names), gathered)

    def known_tools(self, chat: Chat) -> list[Tool]:
        """Return the chat's tools without starting a server: only servers that already run contribute theirs."""
        if not self.usable or not self.is_on(chat):
            return []
        tools = [*(entry.tool for entry in self.built_in), *self.web_tools_of(chat)]
        for name in self.servers_of(chat):
            tools += (tool for tool in self.host.status(name).tools if not self.is_off(tool))
        return with_distinct_names(tools)

    def is_off(self, tool: Tool) -> bool:
        """Whether the person switched the tool off. Then no model is told of the tool, and no call of it runs."""
        return self.settings.permission(tool) is Permission.DENY

    def permission(self, chat: Chat, tool: Tool) -> Permission:
        """Return whether a call of the tool runs in that chat."""
        allowed = chat.settings.get(TOOLS_ALLOWED)
        return self.settings.permission(tool, allowed if isinstance(allowed, list) else ())

    def permit(self, chat: Chat, tool: Tool, permission: Permission) -> None:
        """Keep the person's choice: the permission CHAT for this chat, the other permissions for all chats."""
        if permission is Permission.CHAT:
            stored = chat.settings.get(TOOLS_ALLOWED)
            allowed = stored if isinstance(stored, list) else []
            self._store.keep_setting(chat, TOOLS_ALLOWED, [*allowed, tool.fingerprint])
        else:
            self.settings.permit(tool, permission)
        self.changed.emit()

    def common_permission(self, tools: Sequence[Tool]) -> Permission | None:
        """Return what all of these tools may do in all chats; None if that differs or there are none.

        Those that are off do not count, unless all are.
        """
        on = [tool for tool in tools if not self.is_off(tool)]
        permissions = {self.settings.permission(tool) for tool in on or tools}
        return permissions.pop() if len(permissions) == 1 else None

    def permit_all(self, tools: Sequence[Tool], permission: Permission) -> None:
        """Keep a choice for all of these tools: ASK, ALWAYS or DENY.

        Those that were switched off one by one stay off, unless all are off.
        """
        on = [tool for tool in tools if not self.is_off(tool)]
        for tool in on or tools:
            if permission is Permission.DENY:
                self.settings.switch(tool, on=False)
            else:
                self.settings.permit(tool, permission)
        self.changed.emit()

    def switch(self, tool: Tool, on: bool) -> None:
        """Switch a tool off in all chats, or on again with the permission that it had."""
        self.settings.switch(tool, on)
        self.changed.emit()

    def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        reported: Callable[[ToolProgress], object],
        done: OnResult,
        ask: Callable[[OpenQuestion], object],
    ) -> Callable[[], object]:
        """Call a tool that the person has allowed; `done` gets its outcome. Returns a function that cancels the call.

        `reported` gets the progress that the tool reports, on the thread of the servers. `ask` gets the questions that
        the server has for the person, on the Qt thread. A cancelled call does not call `done`.
        """
        if tool.asks_nobody:
            run = next(entry.run for entry in self.built_in if entry.tool == tool)
            run(lambda text: done(ToolResult(text)))
            return lambda: None
        if tool.server == TANDEM:
            language = best_language([QLocale().name()])
            future = self.host.call_web(WebCall(tool, arguments), self.web_addresses, language)
        else:

            def pass_on(question: ServerQuestion, reply: Callable[[QuestionReply], object]) -> Callable[[], object]:
                self._question_asked.emit(ask, OpenQuestion(question, reply))
                return partial(self._question_asked.emit, ask, OpenQuestion(question, reply, is_over=True))

            future = self.host.call(tool, arguments, reported, ask=pass_on)
        self._bridge.watch(future, partial(_deliver, done))
        return future.cancel

    def close(self) -> None:
        """End all servers. Safe to call twice."""
        self._writes.shutdown()
        if self._host is not None:
            self._host.close()


def _deliver(done: OnResult, future: Future[ToolResult]) -> None:
    """Pass on the outcome of a call, unless it was cancelled."""
    try:
        done(future.result())
    except ToolFailed as error:
        done(error)
    except CancelledError:
        # The canceller needs no callback.
        return
