"""One running server of tools, on the event loop of the thread `tools`, and its messages, within limits."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from typing import Any, cast

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError, UrlElicitationRequiredError
from mcp.client.session import IncomingMessage
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.dispatcher import ProgressFnT
from pydantic import TypeAdapter, ValidationError

from app.system.versions import installed_version
from app.tools.guardian import LONGEST_LINE, REPORT, TOO_LARGE
from app.tools.listing import MOST_TOOLS, SENT, tools_of, with_mended_messages
from app.tools.questions import (
    LONGEST_QUESTION,
    AskPerson,
    ServerQuestion,
    form_question,
    nobody_to_ask,
    page_question,
)
from app.tools.results import MOST_PICTURES, result_of
from app.tools.running_call import MOST_QUESTIONS, RunningCall
from app.tools.servers import Server, ServerStatus, ToolSettings
from app.tools.sign_in import SignIn
from app.tools.stderr_reason import reason_in
from app.tools.tool import LONGEST_INSTRUCTIONS, Tool, ToolFailed, ToolProgress, ToolResult
from app.tools.transports import NO_SESSION, http_client, process_of, spawned, too_large
from engine.pictures.reading import time_for

log = logging.getLogger(__name__)

# The package logs the faults of a server as errors of its own; here they become a `ToolFailed`.
for _name in ("mcp", "client"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)

# Seconds for a server to end in an orderly way.
CLOSING_S = 3.0
# Seconds for its last words on the standard error, once it has ended.
LAST_WORDS_S = 0.5
# Seconds between two readings of a list of tools that keeps changing.
RELIST_S = 1.0
# The characters of stderr that are kept, and the most of it in the sentence of an error.
KEPT_STDERR = 16 * 1024
_LONGEST_DETAIL = 300
# Characters of why a server refuses a call: a model has to read which argument is wrong, and servers write a list of
# these as indented JSON.
_LONGEST_REFUSAL = 1000
# A start ends after this many times the longest silence, even if the server goes on to print.
_LONGEST_START = 10
# Seconds for which a list of tools is fresh, if the server says less: the SDKs say 0, with which each question would
# wait for each server's list.
LEAST_FRESH_S = 60.0
# Pages of a list of tools, which a server could make endless.
_MOST_PAGES = 100
# Seconds before a call is sent again for which the server wants no input: twice as many each time, up to a limit. A
# server may let a call wait so while the person is on a page.
INPUT_PAUSE_S = 0.25
_LONGEST_INPUT_PAUSE_S = 5.0
# Why a server cannot have a model write for it: it would use the person's models for what nobody sees.
_NO_SAMPLING = "it asks Tandem's models to write for it, which Tandem does not let servers do"
# Folders of this computer that a server gets are among its arguments, where the person has agreed to them.
_NO_FOLDERS = "it asks for folders of this computer, which Tandem does not give to servers"
# The package's message when a server has gone; servers use its number, too.
_CLOSED = "Connection closed"
# The statuses by which an address of the older transport SSE refuses the newer one.
_REFUSALS_OF_SSE = (400, 404, 405, 406, 415)
_RESULTS: TypeAdapter[types.CallToolResult | types.InputRequiredResult] = TypeAdapter(
    types.CallToolResult | types.InputRequiredResult
)


class McpConnection:
    """A server from its start to its end. `changed` is called on the loop when its state or its tools have changed.

    tools: the tools of the newest list, () before the first list
    unusable: the names of listed tools that cannot be used
    only_as_tasks: the names of listed tools that can be called only by a form of calls that is not supported here
    failure: why it failed; None while it runs, and if it was stopped
    over: set when the server and its processes have ended
    """

    def __init__(
        self, server: Server, start_s: float, changed: Callable[[], object], settings: ToolSettings | None = None
    ) -> None:
        self.server = server
        self._settings = settings
        self.tools: tuple[Tool, ...] = ()
        self.unusable: tuple[str, ...] = ()
        self.only_as_tasks: tuple[str, ...] = ()
        self.failure: ToolFailed | None = None
        # Whether it failed before the server could get a call.
        self.unsent = False
        self.over = asyncio.Event()
        self._start_s = start_s
        self._changed = changed
        # The newest last. A server does not say during which call it asks.
        self._running: list[RunningCall] = []
        self._client: Client | None = None
        # The names of the tools in the newest list that the package would refuse.
        self._odd: list[str] = []
        # Whether it was reached over the older transport SSE.
        self._has_events = False
        # Set when it has its tools or has ended.
        self._settled = asyncio.Event()
        # Set when it shall end.
        self._ending = asyncio.Event()
        # Set when `_follow` has something to do: the list of tools has changed, or the server shall end.
        self._has_work = asyncio.Event()
        # Until when, on the loop's clock, the newest list is fresh.
        self._fresh_until = math.inf
        # Whether the server announces changes of its list.
        self._is_announced = False
        # Set when a list that was out of date has been read again, or cannot be.
        self._is_read = asyncio.Event()
        # Whether `stop` was called, so that its end is no failure.
        self._stopped = False
        self._begin()

    @property
    def status(self) -> ServerStatus:
        """The state of the server. May be read on any thread."""
        stderr = self._stderr.decode("utf-8", "replace").strip()
        if self.over.is_set():
            return ServerStatus("stopped" if self.failure is None else "failed", self.failure, stderr=stderr)
        if self._settled.is_set():
            return ServerStatus("running", None, self.tools, self.unusable, self.only_as_tasks, stderr)
        return ServerStatus("starting", stderr=stderr)

    @property
    def is_usable(self) -> bool:
        """Whether the server runs or starts, and shall not end."""
        return not (self.over.is_set() or self._ending.is_set())

    @property
    def ended_by(self) -> str:
        """The code of the failure by which the server has ended by itself; "" if it has not."""
        return self.failure.code if self.failure is not None and not self._stopped else ""

    async def started(self) -> None:
        """Wait until the server has its tools. Raises `ToolFailed` if it fails."""
        await self._settled.wait()
        if self.over.is_set():
            raise self._ended()

    async def refresh(self) -> None:
        """Read a list of tools again that is out of date, if the server does not announce its changes."""
        if self._is_announced or not self.is_usable or anyio.current_time() < self._fresh_until:
            return
        self._is_read.clear()
        self._has_work.set()
        await self._is_read.wait()

    async def run(self) -> None:
        """Start the server and follow its list of tools until it ends or `stop` is called; `failure` says why."""
        error = await self._live("auto")
        # A command of an older version may end at the first question of a newer one, instead of refusing it; an address
        # of the older transport SSE refuses what is sent to it.
        status = getattr(_leaf(error), "arguments", {}).get("status")
        is_slow = self._scope.cancelled_caught
        may_be_older = _message_of(error) == _CLOSED if self.server.command else status in _REFUSALS_OF_SSE
        if may_be_older and not (is_slow or self._settled.is_set() or self._stopped):
            self._begin()
            older = await self._live("legacy")
            # What an address has answered at first says more about a wrong one.
            error = older if self.server.command or self._has_events else error
        if not self._stopped:
            self.failure = self.failure or self._reason(error)
            # The server's message may have its secrets in it.
            log.info("the server %s of tools ended: %s", self.server.name, self.failure.code)
        self.over.set()
        self._settled.set()
        self._is_read.set()
        self._changed()

    def stop(self) -> None:
        """End the server: in an orderly way if it ends in time, else by force. Does not wait."""
        self._stopped = True
        self._end()
        self._scope.deadline = min(self._scope.deadline, asyncio.get_running_loop().time() + CLOSING_S)
        if not self._settled.is_set():
            self._scope.cancel()

    async def call(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        reported: Callable[[ToolProgress], object],
        silence_s: float,
        ask: AskPerson = nobody_to_ask,
    ) -> ToolResult:
        """Call a tool, as `ToolHost.call` does. The server is told of a call that is cancelled or silent for too long.

        Raises `ToolFailed`: (changed-tool), (slow-call), (refused) with the server's message, or why it has ended.
        """
        names = {"server": tool.server, "tool": tool.name}
        # What may have changed meanwhile is not what a person agreed to.
        if tool.fingerprint not in (listed.fingerprint for listed in self.tools):
            raise ToolFailed("changed-tool", **names)
        assert self._client is not None
        begun = time.monotonic()
        running = RunningCall(ask, silence_s)

        async def report(progress: float, total: float | None, message: str | None) -> None:
            running.hear()
            done = progress if math.isfinite(progress) else 0.0
            known = total if total is not None and math.isfinite(total) else None
            reported(ToolProgress(done, known, message or "", time.monotonic()))

        self._running.append(running)
        try:
            with running.silence:
                sent = await self._answer(running, tool.name, arguments, report)
            if running.silence.cancelled_caught:
                raise ToolFailed("slow-call", **names, seconds=round(silence_s))
        except (MCPError, ValidationError) as error:
            raise await self._call_failure(error, names) from error
        finally:
            self._running.remove(running)
            running.end()
        pictures_time = time_for(MOST_PICTURES)
        try:
            return await asyncio.to_thread(result_of, sent, time.monotonic() - begun, pictures_time)
        finally:
            # The call may be cancelled meanwhile.
            pictures_time.abandoned.set()

    async def _answer(
        self, running: RunningCall, name: str, arguments: Mapping[str, Any], report: ProgressFnT
    ) -> Mapping[str, Any]:
        """Send a call and return its result, as it was sent. Meanwhile ask for the input that the server wants first.

        The call is sent again with the input. A page that has to be visited first is such an input in the protocol with
        sessions. Raises `ToolFailed` (refused) if it asks for something other than a person's reply, or without end, or
        answers with a kind of result that is not known, and `MCPError`.
        """
        assert self._client is not None
        params = types.CallToolRequestParams(name=name, arguments=dict(arguments))
        opened = set[str]()
        rounds_with_questions = 0
        pause = INPUT_PAUSE_S
        while rounds_with_questions <= MOST_QUESTIONS:
            # Not `call_tool`, which also checks the result against the server's schema: a regular expression of it
            # could keep this thread busy for ever, and a result is only text here.
            request = types.CallToolRequest(params=params)
            try:
                answer = await self._client.session.send_request(request, _RESULTS, progress_callback=report)
            except MCPError as error:
                if not await self._visited(running, _pages_wanted(error)):
                    raise
                rounds_with_questions += 1
                continue
            if not isinstance(answer, types.InputRequiredResult):
                return self._result_in(answer, name)
            replies = await self._replies(running, name, answer.input_requests or {}, opened)
            if replies:
                rounds_with_questions += 1
            else:
                # It waits for something else, perhaps a page on which the person is. This counts as silence.
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_INPUT_PAUSE_S)
            update = {"input_responses": replies or None, "request_state": answer.request_state}
            params = params.model_copy(update=update)
        raise ToolFailed("refused", server=self.server.name, tool=name, detail="it asks without end")

    def _result_in(self, answer: types.CallToolResult, name: str) -> Mapping[str, Any]:
        """Return the result of a call of the tool `name` as it was sent. Raises `ToolFailed` (refused)."""
        sent = (answer.meta or {}).get(SENT)
        if sent is None:
            # What `listing` has not kept is no complete result.
            raise ToolFailed("refused", server=self.server.name, tool=name, detail="a result of an unknown kind")
        return cast(Mapping[str, Any], sent)

    async def _replies(
        self, running: RunningCall, name: str, requests: types.InputRequests, opened: set[str]
    ) -> types.InputResponses:
        """Return the inputs that a server wants before it answers a call of the tool `name`.

        `opened` are the addresses of the pages that the person has opened for this call, and gets those that follow. Of
        a page that is asked for again, the person says when they have finished there. Raises `ToolFailed` (refused).
        """
        replies: types.InputResponses = {}
        for key, wanted in requests.items():
            running.hear()
            if not isinstance(wanted, types.ElicitRequest):
                detail = _NO_FOLDERS if isinstance(wanted, types.ListRootsRequest) else _NO_SAMPLING
                raise ToolFailed("refused", server=self.server.name, tool=name, detail=detail)
            page = wanted.params if isinstance(wanted.params, types.ElicitRequestURLParams) else None
            if page is not None and page.url in opened:
                reply = await running.reply_to(self._waiting_question(page))
                replies[key] = types.ElicitResult(action=reply.action)
                continue
            result = replies[key] = await self._elicited(running, wanted.params)
            if page is not None and result.action == "accept":
                opened.add(page.url)
        return replies

    def _waiting_question(self, page: types.ElicitRequestURLParams) -> ServerQuestion:
        """Return the question whether the person has finished on a page that they have opened."""
        return ServerQuestion(self.server.name, page.message[:LONGEST_QUESTION], waits_for_page=True)

    async def _elicited(self, running: RunningCall, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Ask the person a server's question. A question that cannot be shown is declined."""
        name = self.server.name
        try:
            if isinstance(params, types.ElicitRequestURLParams):
                question = page_question(name, params.message, params.url)
            else:
                question = form_question(name, params.message, params.requested_schema)
        except ValueError:
            return types.ElicitResult(action="decline")
        reply = await running.reply_to(question)
        content = None if reply.content is None else dict(reply.content)
        return types.ElicitResult(action=reply.action, content=content)

    async def _visited(self, running: RunningCall, pages: Sequence[types.ElicitRequestURLParams]) -> bool:
        """Ask the person to open each page, and then whether they have finished there; return whether they have.

        A server that says so by itself ends the wait. Not every one does, and its word may be lost.
        """
        # Of a page without an id no server can say it.
        running.expect([page.elicitation_id or "" for page in pages])
        for page in pages:
            running.hear()
            if (await self._elicited(running, page)).action != "accept":
                return False
        if not pages:
            return False
        return (await running.reply_to(self._waiting_question(pages[-1]))).action == "accept"

    async def _elicit(self, _context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        """Answer a question that a server asks by itself, in the protocol with sessions."""
        if not self._running:
            return types.ElicitResult(action="cancel")
        return await self._elicited(self._running[-1], params)

    async def _call_failure(self, error: MCPError | ValidationError, names: Mapping[str, str]) -> ToolFailed:
        """Return why a call has no result, once the server has ended if that is why."""
        if _message_of(error) == _CLOSED:
            # The end of `run` says why.
            self._end()
            await self.over.wait()
            return self._ended()
        if self.server.url and isinstance(error, MCPError) and NO_SESSION.search(error.message):
            self.failure = ToolFailed("lost-session", server=self.server.name, detail=_message_of(error))
            self._end()
            return self.failure
        if isinstance(error, MCPError) and error.code == types.HEADER_MISMATCH:
            # The schema says which arguments are headers, too, and may have changed. The next question gets it.
            self._has_work.set()
        return ToolFailed("refused", **names, detail=_message_of(error, _LONGEST_REFUSAL))

    def _ended(self) -> ToolFailed:
        """Return why the server cannot be called any more."""
        return self.failure or ToolFailed("ended", server=self.server.name, detail="stopped")

    def _begin(self) -> None:
        """Set the state of a server that is about to start, for the first time or in the older protocol."""
        self.failure = None
        self._scope = anyio.CancelScope()
        self._stderr = b""
        self._reader: asyncio.Task[None] | None = None
        self._ending.clear()

    async def _live(self, mode: str) -> Exception:
        """Run the server until it ends, and return the error that ended it.

        `mode` is the package's: "auto" asks for the newest protocol first, "legacy" for an older one only.
        """
        self._latest_start = anyio.current_time() + _LONGEST_START * self._start_s
        self._wait_for_start()
        try:
            with self._scope:
                await self._talk(mode)
        except Exception as error:
            return error
        finally:
            if self._reader is not None:
                # A process that has left the server's group may keep the standard error open.
                await asyncio.wait([self._reader], timeout=LAST_WORDS_S)
                self._reader.cancel()
        return EOFError(_CLOSED)

    def _wait_for_start(self) -> None:
        """Wait for a server that starts from now on, because it has shown a sign of life."""
        if not (self._settled.is_set() or self._stopped):
            self._scope.deadline = min(anyio.current_time() + self._start_s, self._latest_start)

    async def _talk(self, mode: str) -> None:
        """Start the server or reach it, list its tools, and follow their changes until it shall end.

        Raises the error that ends it by itself: `ToolFailed`, or an error of the package.
        """
        server = self.server
        auth = None
        if self._settings is not None:
            server = await asyncio.to_thread(self._settings.with_secrets, server)
            auth = await SignIn(server, self._settings, self._fail).load()
        info = types.Implementation(name="Tandem", version=installed_version("tandem-chat") or "0")
        async with AsyncExitStack() as stack:
            if server.command:
                process = process_of(server)
                (reader, writer) = os.pipe()
                self._reader = asyncio.create_task(self._read_stderr(reader))
                errors = stack.enter_context(os.fdopen(writer, "w"))
                transport: AbstractAsyncContextManager[Any] = spawned(process, errors)
            elif mode == "legacy":
                transport = self._events(server, auth)
            else:
                client = await stack.enter_async_context(http_client(server, auth))
                transport = streamable_http_client(server.url, http_client=client, max_sse_event_size=LONGEST_LINE)
            mended = with_mended_messages(transport, self._odd.append, self._end)
            mcp_client = Client(
                mended,
                client_info=info,
                message_handler=self._hear,
                elicitation_callback=cast(Any, self._elicit),
                cache=None,
                mode=mode,
            )
            self._client = await stack.enter_async_context(mcp_client)
            await self._list()
            self._scope.deadline = math.inf
            self._settled.set()
            self._changed()
            async with anyio.create_task_group() as group:
                group.start_soon(self._subscribe)
                await self._follow()
                group.cancel_scope.cancel()

    @asynccontextmanager
    async def _events(self, server: Server, auth: httpx2.Auth | None) -> AsyncGenerator[Any]:
        """Reach an address of the older transport SSE, and note that it is one. The package bounds events to 1 MiB."""
        made = cast(Any, lambda **_: http_client(server, auth, self._fail))
        async with sse_client(server.url, httpx_client_factory=made) as streams:
            self._has_events = True
            yield streams

    async def _read_stderr(self, pipe: int) -> None:
        """Keep the end of the standard error, which lasts as long as the server's processes; then end."""
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(pipe, "rb", buffering=0)
        )
        try:
            while part := await reader.read(2**16):
                self._stderr = (self._stderr + part)[-KEPT_STDERR:]
                self._wait_for_start()
                self._changed()
            self._end()
        finally:
            transport.close()

    async def _list(self) -> None:
        """Read the list of tools, as far as it can be used."""
        assert self._client is not None
        listed: list[types.Tool] = []
        self._odd.clear()
        # Where each page began; None is the beginning of the list.
        cursors: list[str | None] = [None]
        fresh_s = math.inf
        for _ in range(_MOST_PAGES):
            page = await self._client.list_tools(cursor=cursors[-1])
            # Servers with sessions do not say it; they announce changes, or have none.
            if "ttl_ms" in page.model_fields_set:
                fresh_s = min(fresh_s, page.ttl_ms / 1000)
            listed += [tool for tool in page.tools if tool not in listed]
            # A server that does not know its own cursors would begin again with the first page.
            if page.next_cursor in (*cursors, "") or len(listed) + len(self._odd) > MOST_TOOLS:
                break
            cursors.append(page.next_cursor)
        usable = tools_of(self.server, listed)
        instructions = (self._client.instructions or "").strip()[:LONGEST_INSTRUCTIONS]
        self.tools = tuple(replace(tool, instructions=instructions) for tool in usable.tools)
        self.unusable = tuple(dict.fromkeys([*self._odd, *usable.left_out]))
        self.only_as_tasks = usable.only_as_tasks
        self._fresh_until = anyio.current_time() + max(fresh_s, LEAST_FRESH_S)

    async def _follow(self) -> None:
        """Read the list of tools again whenever the server has changed it."""
        while not self._ending.is_set():
            await self._has_work.wait()
            self._has_work.clear()
            if not self._ending.is_set():
                with anyio.fail_after(self._start_s):
                    await self._list()
                self._is_read.set()
                self._changed()
                # A server that announces changes without end must not keep this thread busy.
                with anyio.move_on_after(RELIST_S):
                    await self._ending.wait()

    async def _subscribe(self) -> None:
        """Ask a server of the protocol without sessions to announce changes of its tools; others do so anyway."""
        assert self._client is not None
        with suppress(ListenNotSupportedError, MCPError, SubscriptionLost):
            async with self._client.listen(tools_list_changed=True) as changes:
                self._is_announced = bool(changes.honored.tools_list_changed)
                async for _ in changes:
                    self._has_work.set()
        self._is_announced = False

    async def _hear(self, message: IncomingMessage) -> None:
        """Handle a message that the server sends without being asked."""
        self._wait_for_start()
        if isinstance(message, types.ToolListChangedNotification):
            self._has_work.set()
        elif isinstance(message, types.ElicitCompleteNotification):
            for running in self._running:
                running.finish(message.params.elicitation_id)
        elif isinstance(message, Exception):
            self._fail(self._reason(message))

    def _fail(self, failure: ToolFailed) -> None:
        """End the server because of a failure that the package passes over."""
        self.failure = failure
        self._scope.cancel()

    def _end(self) -> None:
        """Ask the server to end in an orderly way."""
        self._ending.set()
        self._has_work.set()

    def _reason(self, error: Exception) -> ToolFailed:
        """Return why the server has ended by itself."""
        name = self.server.name
        leaf = _leaf(error)
        if isinstance(leaf, ToolFailed):
            return leaf
        words, _, report = self.status.stderr.rpartition("\n")
        if self._scope.cancelled_caught:
            said = reason_in(words if report.startswith(REPORT) else self.status.stderr)[:_LONGEST_DETAIL]
            return ToolFailed("slow-start", server=name, seconds=round(self._start_s), detail=said)
        if report == TOO_LARGE:
            return too_large(name)
        if self.server.command and _message_of(leaf) == _CLOSED:
            detail = ": ".join(filter(None, [report.removeprefix(REPORT), reason_in(words)]))[:_LONGEST_DETAIL]
            return ToolFailed("ended", server=name, detail=detail)
        if self._settled.is_set() and _message_of(leaf) == _CLOSED:
            return ToolFailed("lost-session", server=name, detail=_CLOSED)
        self.unsent = isinstance(leaf, httpx2.ConnectError | httpx2.ConnectTimeout)
        is_no_answer = isinstance(leaf, httpx2.RequestError | httpx2.InvalidURL) and not isinstance(
            leaf, httpx2.SSEError
        )
        code = "unreachable" if is_no_answer else "not-usable"
        return ToolFailed(code, server=name, detail=_message_of(leaf))


def _pages_wanted(error: MCPError) -> list[types.ElicitRequestURLParams]:
    """Return the pages without which a server refuses a call; none if it refuses it for another reason."""
    if error.code != types.URL_ELICITATION_REQUIRED:
        return []
    try:
        return UrlElicitationRequiredError.from_error(error.error).elicitations
    except (ValidationError, AttributeError, TypeError):
        # The data that the server sent with the error have another form.
        return []


def _leaf(error: BaseException) -> BaseException:
    """Return the first error of a group, or of groups in it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _message_of(error: BaseException, longest: int = _LONGEST_DETAIL) -> str:
    """Return the message of an error in one line, short enough for a sentence."""
    leaf = _leaf(error)
    if isinstance(leaf, ValidationError):
        first = leaf.errors(include_url=False, include_context=False, include_input=False)[0]
        return ": ".join([*map(str, first["loc"][-1:]), first["msg"]])[:longest]
    # A message may be of megabytes.
    return " ".join(str(leaf)[: 10 * longest].split())[:longest] or type(leaf).__name__
