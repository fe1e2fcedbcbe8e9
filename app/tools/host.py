"""Runs the servers of tools, and calls their tools, on a thread with an event loop of its own. No Qt."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from app.tools.questions import AskPerson, nobody_to_ask
from app.tools.servers import Server, ServerStatus, ToolSettings
from app.tools.tool import SILENCE_S, Tool, ToolFailed, ToolProgress, ToolResult
from app.tools.web_tools import WebCall, prepare

if TYPE_CHECKING:
    from app.tools.connection import McpConnection
    from app.tools.service_metadata import Issuer
    from app.tools.web_addresses import WebAddresses

log = logging.getLogger(__name__)

# Seconds that a server which starts may be silent: package runners such as npx load the server first.
START_S = 60.0
# Seconds in which all servers end; those that have not are ended by their guardians.
CLOSE_S = 6.0
# A process that ends by itself is started again at most MOST_RESTARTS times within RESTARTS_S seconds: one that ends
# with each call would keep a model busy, and leave a person without a reason.
MOST_RESTARTS = 3
RESTARTS_S = 60.0
# The failures after which a call may be repeated.
_LOST = ("lost-session", "unreachable")
# With this status, a server has to refuse a session that it does not know, before it looks at the call.
_REFUSED_SESSION = ("lost-session", 404)
_Result = TypeVar("_Result")


class ToolHost:
    """The servers that run. Every method may be called from any thread and returns at once, except `close`.

    `changed` is called on any thread when a status or a list of tools has changed. `settings` has the secrets and the
    sign-ins; None for servers that need neither. `start_s` is how long a server that starts may be silent, in seconds.
    """

    def __init__(
        self,
        servers: Sequence[Server],
        changed: Callable[[], None],
        settings: ToolSettings | None = None,
        start_s: float = START_S,
    ) -> None:
        self._servers = {server.name: server for server in servers}
        self._changed = changed
        self._settings = settings
        self._start_s = start_s
        self._closing = asyncio.Event()
        # Servers whose start waits for the import of `connection`.
        self._awaited: frozenset[str] = frozenset()
        # The newest sign-in of each server, also one that is over.
        self._sign_ins: dict[str, Future[None]] = {}
        # The names of services at which a person signs in to a server that calls them otherwise.
        self._issuers: dict[str, tuple[str, str]] = {}
        # These belong to the loop: the newest connection of each server, also one that is over; when its process was
        # started again, as times of the loop; and the tasks that run connections.
        self._connections: dict[str, McpConnection] = {}
        self._restarts: dict[str, list[float]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        started: Future[asyncio.AbstractEventLoop] = Future()
        # A daemon, so that a call of the keychain that waits for the person does not keep the program from ending.
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(started)), name="tools", daemon=True)
        self._thread.start()
        self._loop = started.result()

    def set_servers(self, servers: Sequence[Server]) -> None:
        """Use these servers from now on; those that changed or are gone end."""
        self._servers = {server.name: server for server in servers}
        self._loop.call_soon_threadsafe(self._end_others)

    def tools(self, names: Collection[str]) -> Future[list[Tool]]:
        """Return the tools of the usable servers with these names, and start those that do not run.

        A server that fails is left out. The next call starts it again, unless it took too long: then only after
        `stop`.
        """
        return self._submit(self._all_tools(frozenset(names)))

    def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        reported: Callable[[ToolProgress], object] = lambda _: None,
        silence_s: float = SILENCE_S,
        ask: AskPerson = nobody_to_ask,
    ) -> Future[ToolResult]:
        """Call a tool to which the person has agreed. Cancelling the future tells the server.

        The future has a `ToolFailed` if the call fails. `reported` gets the progress, on the thread of the servers. A
        tool that its server has changed since is not called. A call that is lost on its way to a server over HTTP is
        repeated once, if the server never looked at it or the tool may be called twice. `silence_s` is how long the
        server may say nothing, in seconds. `ask` gets the questions of the server for the person.
        """
        return self._submit(self._call(tool, arguments, reported, silence_s, ask))

    def prepare_web(self) -> None:
        """Import what calls of the web tools need, so that the first one does not keep the window waiting for it."""
        self._submit(prepare())

    def call_web(self, call: WebCall, addresses: WebAddresses, language: str) -> Future[ToolResult]:
        """Run a call of Tandem's own web tools, to which the person has agreed. Cancelling the future ends it.

        `language` is the window's. The future has a `ToolFailed` if the call fails.
        """
        assert self._settings is not None
        return self._submit(call.run(self._settings, addresses, language))

    def sign_in(self, name: str, open_page: Callable[[str], object], page_text: str) -> Future[None]:
        """Ask the person to sign in to a server, then start it; see `sign_in.sign_in`. Its status tells how it ends."""
        future = self._sign_ins[name] = self._submit(self._sign_in_and_start(name, open_page, page_text))
        self._changed()
        future.add_done_callback(lambda _: self._changed())
        return future

    def sign_out(self, name: str) -> Future[None]:
        """End a server, and forget its sign-in."""
        return self._submit(self._sign_out(name))

    def status(self, name: str) -> ServerStatus:
        """Return the state of a server, also of one that was never started or is not known."""
        if name in self._sign_ins and not self._sign_ins[name].done():
            return ServerStatus("signing-in", issuers=self._issuers.get(name))
        connection = self._connections.get(name)
        if connection is None:
            return ServerStatus("starting" if name in self._awaited else "stopped")
        return connection.status

    def stop(self, name: str) -> None:
        """End a server, if it runs, or a sign-in that waits; `tools` starts it again."""
        self._loop.call_soon_threadsafe(self._stop, name)

    def close(self) -> None:
        """End every server with its processes, within seconds. They also end if this process is killed."""
        with suppress(RuntimeError):
            # It raises if the loop is closed already.
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(CLOSE_S)

    def _submit(self, work: Coroutine[Any, Any, _Result]) -> Future[_Result]:
        """Run `work` on the loop. After `close` the future is cancelled, and `work` never begins."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop)
        except RuntimeError:
            # The loop is closed.
            work.close()
            ended: Future[_Result] = Future()
            ended.cancel()
            return ended

    async def _run(self, started: Future[asyncio.AbstractEventLoop]) -> None:
        started.set_result(asyncio.get_running_loop())
        await self._closing.wait()
        for name in self._connections:
            self._stop(name)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _all_tools(self, names: Collection[str]) -> list[Tool]:
        """Do what `tools` says; a server that fails shows by its status why."""
        wanted = [server for server in self._servers.values() if server.name in names and server.usable]
        if missing := [server.name for server in wanted if server.name not in self._connections]:
            self._awaited = frozenset(missing)
            self._changed()
        connections = await asyncio.gather(
            *(self._with_tools(server.name) for server in wanted), return_exceptions=True
        )
        return [tool for server in connections if not isinstance(server, BaseException) for tool in server.tools]

    async def _with_tools(self, name: str) -> McpConnection:
        """Return the connection of a server once its list of tools is fresh. Raises `ToolFailed` as `_connected`."""
        connection = await self._connected(name)
        await connection.refresh()
        return connection

    async def _call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        reported: Callable[[ToolProgress], object],
        silence_s: float,
        ask: AskPerson,
    ) -> ToolResult:
        connection = await self._connected(tool.server)
        try:
            return await connection.call(tool, arguments, reported, silence_s, ask)
        except ToolFailed as error:
            never_ran = connection.unsent or (error.code, error.arguments.get("detail")) == _REFUSED_SESSION
            if error.code not in _LOST or not (tool.repeatable or never_ran):
                raise
        return await (await self._connected(tool.server)).call(tool, arguments, reported, silence_s, ask)

    async def _sign_in_and_start(self, name: str, open_page: Callable[[str], object], page_text: str) -> None:
        """Ask the person to sign in, then start the server with the sign-in, without waiting until it runs.

        The status of the server's connection shows a failure. The window offers to sign in only where a connection
        has failed. If that went meanwhile, because the person changed the server, the failure is not shown.
        """
        from app.tools.sign_in import sign_in

        assert self._settings is not None
        self._issuers.pop(name, None)

        def note_issuer(issuer: Issuer) -> None:
            self._issuers[name] = (issuer.expected, issuer.named)

        try:
            await sign_in(self._servers[name], self._settings, open_page, page_text, note_issuer)
        except ToolFailed as error:
            if (connection := self._connections.get(name)) is not None:
                connection.failure = error
            return
        # The settings note that the server has a sign-in now. Taking them ends a connection that has none.
        self.set_servers(self._settings.servers)
        # Starts the server; whether that works its status shows.
        self.tools([name])

    async def _sign_out(self, name: str) -> None:
        """Forget a sign-in, and end the connection that used it."""
        assert self._settings is not None
        await asyncio.to_thread(self._settings.keep_sign_in, self._servers[name], "")
        self.set_servers(self._settings.servers)

    async def _connected(self, name: str) -> McpConnection:
        """Return the connection of a server, started if necessary, once it is ready.

        Raises `ToolFailed` if the person has not agreed to the server, or why it cannot be started.
        """
        # Importing the package takes a second of a processor's time, which only those who use tools shall spend.
        from app.tools.connection import McpConnection

        self._awaited = frozenset()
        server = self._servers.get(name)
        if server is None or not server.usable:
            raise ToolFailed("not-approved", server=name)
        connection = self._connections.get(name)
        if connection is not None and connection.server != server:
            connection.stop()
        if self._closing.is_set():
            # The end of the loop would cancel its start.
            raise ToolFailed("ended", server=name, detail="stopped")
        if connection is not None and connection.ended_by in ("ended", "keeps-ending"):
            self._count_restart(connection)
        # One that was not ready in time would make everyone wait again.
        if connection is None or not (connection.is_usable or connection.ended_by == "slow-start"):
            connection = self._connections[name] = McpConnection(server, self._start_s, self._changed, self._settings)
            task = asyncio.create_task(connection.run())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            self._changed()
        await connection.started()
        return connection

    def _count_restart(self, ended: McpConnection) -> None:
        """Count that a server's process has ended and is started again.

        Raises `ToolFailed` (keeps-ending), which its status shows too, if that was too often.
        """
        name = ended.server.name
        now = self._loop.time()
        newest = [at for at in self._restarts.get(name, ()) if now - at < RESTARTS_S]
        if len(newest) >= MOST_RESTARTS:
            detail = ended.failure.arguments["detail"] if ended.failure is not None else ""
            ended.failure = ToolFailed("keeps-ending", server=name, count=MOST_RESTARTS, detail=detail)
            self._changed()
            raise ended.failure
        self._restarts[name] = [*newest, now]

    def _stop(self, name: str) -> None:
        """End a server and its sign-in, and forget how often it was started. On the loop."""
        self._restarts.pop(name, None)
        if name in self._sign_ins:
            self._sign_ins[name].cancel()
        if (connection := self._connections.get(name)) is not None:
            connection.stop()

    def _end_others(self) -> None:
        """End the connections of servers that are gone or have changed. On the loop."""
        for name, connection in list(self._connections.items()):
            if self._servers.get(name) != connection.server:
                connection.stop()
                del self._connections[name]
        self._changed()
