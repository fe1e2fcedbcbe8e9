"""Many servers of tools at once: how their starts and calls end."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from app.tools.host import ToolHost
from app.tools.servers import Server
from app.tools.tool import Tool, ToolFailed
from tests.app.tools.conftest import WAIT_S

# What a start or a call may end with: a result, or codes of errors.
ENDS = {"result", "slow-start", "slow-call", "not-usable", "unreachable", "ended", "keeps-ending", "refused"}


class ManyConnections(ThreadingHTTPServer):
    """Takes all connections at once."""

    request_queue_size = 200


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], **attributes: object) -> Iterator[str]:
    """Serve over HTTP, and give the address. The handlers get `attributes`, and `released`, an event set at the end."""
    released = threading.Event()
    released_handler = type("Handler", (handler,), {**attributes, "released": released})
    http = ManyConnections(("127.0.0.1", 0), released_handler)
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        released.set()
        http.shutdown()
        http.server_close()


def end_of(error: BaseException | None) -> str:
    """Return the code of an error, or "result" without one."""
    return error.code if isinstance(error, ToolFailed) else repr(error) if error is not None else "result"


def ends(host: ToolHost, servers: list[Server], silence_s: float) -> Iterator[tuple[str, str]]:
    """Start servers, call their tools, and yield how each ended, by its name without a number."""
    tools: list[Tool] = host.tools([server.name for server in servers]).result(WAIT_S)
    calls = {tool.server: host.call(tool, {}, silence_s=silence_s) for tool in tools}
    for server in servers:
        call = calls.get(server.name)
        error = host.status(server.name).error if call is None else call.exception(WAIT_S)
        assert call is not None or error is not None, server.name
        yield server.name.rpartition(",")[0], end_of(error)
