"""How servers of tools are reached: a process of this computer, or HTTP."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TextIO, cast

import anyio
import httpx2
from mcp.client.stdio import StdioServerParameters, get_default_environment, stdio_client

from app.tools.guardian import LONGEST_LINE
from app.tools.servers import Server
from app.tools.tool import SILENCE_S, ToolFailed
from app.tools.variables import program_of, search_path
from engine.wire.child import own_program

# Variables that a program needs, in addition to the package mcp's, to show text and to reach the network.
# Secrets that the shell may have stay out.
INHERITED = (
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TMPDIR",
    "TZ",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "XDG_RUNTIME_DIR",
)
# Seconds to reach a server, and between two parts of what it sends: a silent call ends before its connection does.
CONNECT_S = 30.0
READ_S = 2 * SILENCE_S
# What servers say that have lost the session of a client, or were started again.
NO_SESSION = re.compile(
    r"\b(?:no|invalid|unknown|missing|expired)\b[\w -]{0,24}\bsession"
    r"|\bsession\b.{0,64}\b(?:not|no|expired|invalid|unknown|terminated|closed|missing|required)\b"
    r"|\b(?:not|before|expect(?:ed)?|be) (?:yet )?(?:been )?initiali[sz]",
    re.IGNORECASE,
)


def process_of(server: Server) -> StdioServerParameters:
    """Return how to start a server here, below its guardian. Raises `ToolFailed` if there is no such command."""
    variables = get_default_environment() | {name: os.environ[name] for name in INHERITED if name in os.environ}
    if server.package:
        # npm shows no other sign of life without a terminal.
        variables["npm_config_loglevel"] = "http"
    program_path = program_of(server.command, server.values)
    if program_path is None:
        raise ToolFailed("no-command", server=server.name, command=server.command)
    variables |= server.values | {"PATH": search_path(server.values, program_path)}
    # Python's own variables are for the server, not for its guardian.
    program, *arguments = own_program("app.tools.guardian", "--tool-server", "-I")
    arguments += [str(os.getpid()), program_path, *server.args]
    # What is no text becomes broken JSON, which is reported.
    return StdioServerParameters(command=program, args=arguments, env=variables, encoding_error_handler="replace")


@asynccontextmanager
async def spawned(process: StdioServerParameters, errors: TextIO) -> AsyncGenerator[Any]:
    """Start a process in a group of its own, which ends with the context, also if that is cancelled meanwhile."""
    # Cancelled while it starts a process, asyncio would kill that one alone, and leave those that it has begun already.
    with anyio.CancelScope(shield=True) as whole:
        async with stdio_client(process, errlog=errors) as streams:
            # Only the server's processes have it from now on, so that their end is seen.
            errors.close()
            whole.shield = False
            yield streams


async def expects_answer(request: httpx2.Request) -> bool:
    """Whether a request is a call of the protocol. An exception after a notification would end it without a reason."""
    return request.method == "POST" and b'"id"' in await request.aread()


def wants_sign_in(response: httpx2.Response) -> bool:
    """Whether the server wants a sign-in, or one with more rights."""
    return response.status_code == 401 or "insufficient_scope" in response.headers.get("www-authenticate", "")


def http_client(
    server: Server, auth: httpx2.Auth | None = None, failed: Callable[[ToolFailed], object] | None = None
) -> httpx2.AsyncClient:
    """Return a client that sends the server's values as headers and refuses answers that are of no use.

    A request raises `ToolFailed`, as `_AnswerCheck.check` says. `auth` gets the answers that want a sign-in. `failed`
    is given with the older transport SSE only, whose part of the package passes over errors: it gets the error first.
    """
    check = _AnswerCheck(server.name, handles_sign_in=auth is not None, failed=failed)
    return httpx2.AsyncClient(
        headers={**server.headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(CONNECT_S, read=READ_S),
        auth=auth,
        event_hooks={"response": [check.report]},
    )


@dataclass(frozen=True)
class _AnswerCheck:
    """Bounds the answers of a server over HTTP, and refuses answers of no use.

    server: its name
    handles_sign_in: whether somebody else handles the answers that want a sign-in
    failed: gets every error; None if the package passes errors on
    """

    server: str
    handles_sign_in: bool
    failed: Callable[[ToolFailed], object] | None

    async def report(self, response: httpx2.Response) -> None:
        """Check an answer, and pass an error to `failed` before it is raised. Raises `ToolFailed`."""
        try:
            await self.check(response)
        except ToolFailed as error:
            if self.failed is not None:
                self.failed(error)
            raise

    async def check(self, response: httpx2.Response) -> None:
        """Bound the body of an answer, and raise `ToolFailed` for one of no use.

        Codes: (not-usable) for a compressed answer, (redirected) for a redirect to another server, (lost-session),
        (http-status) for a refusal that is not written in the protocol. Answers to notifications are only bounded.
        """
        self._bound(response)
        if not await expects_answer(response.request):
            return
        if response.has_redirect_location:
            self._check_redirect(response)
        if response.status_code >= 400:
            await self._check_session(response)
        if self.handles_sign_in and wants_sign_in(response):
            return
        if await self._is_refusal(response):
            raise ToolFailed("http-status", server=self.server, status=response.status_code)

    def _bound(self, response: httpx2.Response) -> None:
        # A compressed answer of a few bytes could fill the memory; `accept-encoding` asks for none.
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ToolFailed("not-usable", server=self.server, detail="a compressed answer")
        # All of this protocol is UTF-8. The header may name any codec of Python, also one that takes quadratic time.
        response.encoding = "utf-8"
        # An endless stream of events is allowed; the package bounds each event.
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _Bounded(cast(httpx2.AsyncByteStream, response.stream), self.server)

    def _check_redirect(self, response: httpx2.Response) -> None:
        url = response.url
        target = response.url.join(response.headers["location"])
        # The package follows a redirect within a server. A query may carry what is not for the eyes of others.
        if (target.host, target.port) != (url.host, url.port):
            raise ToolFailed("redirected", server=self.server, address=str(target).partition("?")[0])

    async def _check_session(self, response: httpx2.Response) -> None:
        """Raise `ToolFailed` (lost-session) if an answer of status 400 or more says that there is no session.

        The protocol says so by 404, whatever the body is, unless the method is not known (-32601); some servers say it
        by another status.
        """
        has_session = self.failed is not None or "mcp-session-id" in response.request.headers
        if not has_session:
            return
        text = (await response.aread()).decode(errors="replace")
        is_about_session = "session" in text.lower() or NO_SESSION.search(text)
        if (response.status_code in (404, 410) and "-32601" not in text) or is_about_session:
            raise ToolFailed("lost-session", server=self.server, detail=response.status_code)

    async def _is_refusal(self, response: httpx2.Response) -> bool:
        """Whether the status refuses the request and the body is no message of the protocol that says why."""
        if response.status_code in (401, 403):
            return True
        # Older servers refuse this question in many ways; the package then asks in their way.
        is_probe = response.request.headers.get("mcp-method") == "server/discover"
        return response.status_code >= 400 and not is_probe and b'"jsonrpc"' not in await response.aread()


def too_large(server: str) -> ToolFailed:
    return ToolFailed("too-large", server=server, megabytes=LONGEST_LINE // 2**20)


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer. Raises `ToolFailed` beyond `LONGEST_LINE` bytes."""

    def __init__(self, body: httpx2.AsyncByteStream, server: str) -> None:
        self._body = body
        self._server = server

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._body:
            size += len(part)
            if size > LONGEST_LINE:
                raise too_large(self._server)
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()
