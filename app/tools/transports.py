"""How servers of tools are reached: a process of this computer, or HTTP; and why that fails, as `ToolFailed`."""

from __future__ import annotations

import os
import shutil
import ssl
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import httpx2
import mcp_types as types
from mcp import MCPError
from mcp.client.stdio import StdioServerParameters, get_default_environment
from pydantic import ValidationError

from app.tools import guardian
from app.tools.errors import ToolFailed
from app.tools.guardian import LONGEST_LINE
from app.tools.servers import Server
from engine.wire.child import own_program

# Variables that a program needs, beside those of the package `mcp`, to show text and to reach the network. Secrets that
# the shell may have stay out.
INHERITED = (
    "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy",
    "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "XDG_RUNTIME_DIR",
)  # fmt: skip
# Where npx and uvx are: a program that was not started in a terminal has only the system's folders in PATH.
PROGRAM_FOLDERS = ("/opt/homebrew/bin", "/usr/local/bin", "~/.local/bin")
# Seconds to reach a server, and between two parts of what it sends.
CONNECT_S, READ_S = 30.0, 300.0
# What the package `mcp` says where an answer over HTTP is a status, or no message of the protocol.
_STATUS_ONLY = ("Not Found", "Session terminated", "Server returned an error response")
_NO_MESSAGE = ("SSE stream", "Failed to parse", "server answered a request with", "Unexpected content type")
CLOSED = "Connection closed"
_LONGEST_DETAIL = 300


def environment(given: dict[str, str]) -> dict[str, str]:
    """Return the variables of a server's process: a few of this process, and those `given` for it."""
    found = get_default_environment() | {name: os.environ[name] for name in INHERITED if name in os.environ}
    folders = [found.get("PATH", os.defpath), *map(os.path.expanduser, PROGRAM_FOLDERS)]
    return found | {"PATH": os.pathsep.join(folders)} | given


def process_of(server: Server) -> StdioServerParameters:
    """Return how to start a server here, below its guardian. Raises `ToolFailed` if there is no such command."""
    variables = environment(server.env)
    # A path is relative to the home folder, where servers run.
    wanted = str(Path.home() / server.command) if os.sep in server.command else server.command
    found = shutil.which(wanted, path=variables["PATH"])
    if found is None:
        raise ToolFailed("no-command", server=server.name, command=server.command)
    # Python's own variables are for the server, not for its guardian.
    program, *arguments = own_program("app.tools.guardian", "--tool-server", "-I")
    arguments = [*arguments, found, *server.args]
    # What is no text becomes broken JSON, which is reported.
    return StdioServerParameters(command=program, args=arguments, env=variables, encoding_error_handler="replace")


@dataclass(slots=True)
class HttpAnswer:
    """The last answer to a message: its status, and where it redirects to."""

    status: int = 200
    location: str = ""

    def failure(self, server: str, error: MCPError) -> ToolFailed | None:
        """Return what went wrong below the protocol, None if `error` is the server's answer in terms of it."""
        if self.location:
            return ToolFailed("redirected", server=server, address=self.location)
        if self.status in (401, 403):
            return ToolFailed("not-signed-in", server=server, status=self.status)
        if self.status >= 400 and error.message in _STATUS_ONLY:
            return ToolFailed("http-status", server=server, status=self.status)
        if error.message.startswith(_NO_MESSAGE):
            return ToolFailed("not-mcp", server=server, detail=first_line(error))
        return None


def http_client(server: Server, last: HttpAnswer) -> httpx2.AsyncClient:
    """Return a client that sends the server's headers, notes each answer in `last`, and bounds what it reads."""

    async def take(response: httpx2.Response) -> None:
        if response.request.method == "POST":
            last.status = response.status_code
            # A query may carry what is not for the eyes of others.
            location = response.headers.get("location", "") if response.has_redirect_location else ""
            last.location = location.partition("?")[0][:_LONGEST_DETAIL]
        # A compressed answer of a few bytes could fill the memory; `accept-encoding` asks for none.
        if response.headers.get("content-encoding", "identity") != "identity":
            raise ToolFailed("not-mcp", server=server.name, detail="a compressed answer")
        # An endless stream of events is allowed; the size of each is bounded elsewhere.
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _Bounded(cast(httpx2.AsyncByteStream, response.stream), server.name)

    return httpx2.AsyncClient(
        headers={**server.headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(CONNECT_S, read=READ_S),
        event_hooks={"response": [take]},
    )


class _Bounded(httpx2.AsyncByteStream):
    """The body of an answer. Raises `ToolFailed` beyond `LONGEST_LINE` bytes."""

    def __init__(self, body: httpx2.AsyncByteStream, server: str) -> None:
        self._body, self._server = body, server

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._body:
            size += len(part)
            if size > LONGEST_LINE:
                raise too_large(self._server)
            yield part

    async def aclose(self) -> None:
        await self._body.aclose()


def too_large(server: str) -> ToolFailed:
    return ToolFailed("too-large", server=server, megabytes=LONGEST_LINE // 2**20)


def is_closed(error: Exception | None) -> bool:
    """Whether the server has closed the connection, as an error of the package `mcp` says it."""
    return error is not None and str(next(_causes(error))) == CLOSED


def process_failure(server: str, error: Exception | None, stderr: str, started: bool) -> ToolFailed | None:
    """Return why a process has ended by itself, by its last words and by its guardian's, which are the last line.

    None if it was ended because of `error`.
    """
    *words, report = stderr.splitlines() or [""]
    if report == guardian.TOO_LARGE:
        return too_large(server)
    if report.startswith(guardian.NOT_STARTED):
        return ToolFailed("not-startable", server=server, detail=report.removeprefix(guardian.NOT_STARTED))
    if error is not None and not is_closed(error):
        return None
    said = next((line.strip() for line in reversed(words) if line.strip()), "")
    detail = ": ".join(filter(None, [report.removeprefix("tandem: "), said]))[:_LONGEST_DETAIL]
    return ToolFailed("ended" if started else "ended-at-start", server=server, detail=detail)


def failure_of(server: str, error: Exception, last: HttpAnswer) -> ToolFailed:
    """Return an error of the package `mcp`, or of what it uses, in our terms."""
    leaf, *causes = _causes(error)
    detail = first_line(leaf)
    match leaf:
        case ToolFailed():
            return leaf
        case MCPError(code=types.UNSUPPORTED_PROTOCOL_VERSION):
            return ToolFailed("wrong-version", server=server, detail=detail)
        case MCPError():
            return last.failure(server, leaf) or ToolFailed("refused-start", server=server, detail=detail)
        case httpx2.TimeoutException() | TimeoutError():
            return ToolFailed("slow-start", server=server, seconds=round(CONNECT_S))
        case httpx2.RequestError() | httpx2.InvalidURL():
            code = "not-trusted" if any(isinstance(cause, ssl.SSLError) for cause in causes) else "unreachable"
            return ToolFailed(code, server=server, detail=detail)
        case RuntimeError() if "protocol version" in detail:
            return ToolFailed("wrong-version", server=server, detail=detail)
        case ValidationError() | EOFError():
            return ToolFailed("not-mcp", server=server, detail=detail)
        case OSError() | ValueError():
            return ToolFailed("not-startable", server=server, detail=detail)
    return ToolFailed("not-mcp", server=server, detail=detail)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the first error of a group, or of groups in it, and its causes."""
    found: BaseException | None = error
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    while found is not None:
        yield found
        found = found.__cause__ or found.__context__


def first_line(error: BaseException) -> str:
    """Return what an error says, short enough for a sentence."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        return ": ".join([*map(str, first["loc"][-1:]), first["msg"]])[:_LONGEST_DETAIL]
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2])[:_LONGEST_DETAIL] or type(error).__name__
