"""The HTTP server: uvicorn on a thread of its own, with sockets that are bound before it starts."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import threading
from collections.abc import Callable
from typing import ClassVar

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from app.api.guard import HAS_KEY
from app.api.requests.errors import ApiError, error_reply
from engine.errors import CodedError

log = logging.getLogger(__name__)

# Connections that are open at once, and bytes of a request's line and headers.
MOST_CONNECTIONS = 160
MOST_HEADER_BYTES = 32 * 2**10
# Seconds for the headers to arrive.
HEADERS_S = 10.0
# Seconds that a connection may be idle.
IDLE_S = 15
# Seconds for the client to read any of what was sent.
UNREAD_S = 30.0
# Seconds that running calls have when the server stops, before their connections are closed.
_STOP_S = 1
_BACKLOG = 128
# What the sender of a request is told that is no HTTP, or ends before its body does.
_NO_HTTP = "The request is no valid HTTP/1.1. Check `Content-Length` and the chunks of the body."
_CUT_OFF_BODY = "The body is cut off. Send as many bytes as `Content-Length` says, or the last chunk."


class NotServing(CodedError):
    """The server cannot listen at `host` and `port`: `reason` is "in-use", "not-allowed" or "no-address"."""

    code = "api-not-serving"

    REASONS: ClassVar[dict[str, str]] = {
        "in-use": "another program uses it: choose another port",
        "not-allowed": "the system does not allow it: choose a port above 1023",
        "no-address": "this computer has no such address",
    }

    def __init__(self, host: str, port: int, reason: str) -> None:
        self.reason = reason
        super().__init__(f"cannot serve at {host}, port {port}: {self.REASONS[reason]}", host=host, port=port)


class _Protocol(H11Protocol):
    """Closes connections that uvicorn would keep forever, each an open file of this process.

    These are connections beyond the limit, connections on which the headers of a first or later request do not arrive
    in time, and connections whose client does not read the rest of an answer. Requests that are no HTTP, or end within
    their bodies, are refused with a sentence.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._unread = 0
        self._headers_timer: asyncio.TimerHandle | None = self.loop.call_later(HEADERS_S, self._close_unless_asked)
        self._unread_timer = self.loop.call_later(UNREAD_S, self._close_unless_read)
        if len(self.connections) > MOST_CONNECTIONS:
            surplus = self._surplus()
            self.connections.discard(surplus)
            surplus.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._headers_timer is not None:
            self._headers_timer.cancel()
        self._unread_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._headers_timer is None and not self._asked:
            self._headers_timer = self.loop.call_later(HEADERS_S, self._close_unless_asked)
        elif self._headers_timer is not None and self._asked:
            self._headers_timer.cancel()
            self._headers_timer = None

    def eof_received(self) -> None:
        """Refuse a body that is cut off: its client has nothing more to send, but may still read the refusal."""
        if self.conn.their_state is h11.SEND_BODY:
            self._refuse(_CUT_OFF_BODY)

    def send_400_response(self, _msg: str) -> None:
        """Refuse what is no HTTP in the form of the endpoint, as all other requests are refused."""
        self._refuse(_NO_HTTP)

    def _refuse(self, sentence: str) -> None:
        """Answer a request that cannot be read with status 400, unless an answer has begun, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            error = ApiError(400, sentence, code="invalid_http", closes=True)
            reply = error_reply(error, self.scope["path"] if self.scope else "")
            head = h11.Response(status_code=400, headers=reply.raw_headers, reason=b"Bad Request")
            for event in (head, h11.Data(bytes(reply.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _surplus(self) -> _Protocol:
        """Return the connection that is one too many."""
        return self

    @property
    def _asked(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _close_unless_asked(self) -> None:
        self._headers_timer = None
        if not self._asked:
            self.transport.close()

    def _close_unless_read(self) -> None:
        unread = self.transport.get_write_buffer_size()
        if unread and unread == self._unread:
            self.transport.abort()
            return
        self._unread = unread
        self._unread_timer = self.loop.call_later(UNREAD_S, self._close_unless_read)


class _ProtocolWithKey(_Protocol):
    """Closes, beyond the limit, the oldest connection that has not sent the key, so that clients with it can connect.

    A client that has the key sends it at once.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._since = self.loop.time()
        super().connection_made(transport)

    def _surplus(self) -> _Protocol:
        guarded = [connection for connection in self.connections if isinstance(connection, _ProtocolWithKey)]
        # There is one at least: this one, which is the newest.
        strangers = [connection for connection in guarded if not connection._has_key]
        return min(strangers, key=lambda connection: connection._since)

    @property
    def _has_key(self) -> bool:
        return self.scope is not None and HAS_KEY in self.scope


class HttpServer:
    """Serves an app at `host` and `port` from `start` to `stop`. `port` 0 lets the system choose one.

    With `has_key`, the app demands a key of its callers. `on_end` is called on the server's thread when it has ended.
    """

    def __init__(
        self, make_app: Callable[[], ASGIApp], host: str, port: int, on_end: Callable[[], object], *, has_key: bool
    ) -> None:
        self._make_app = make_app
        self._host = host
        self._port = port
        self._has_key = has_key
        self._on_end = on_end
        self.running = False
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    def start(self) -> None:
        """Listen, and serve on a thread of its own. Raises `NotServing`."""
        sockets = _listening(self._host, self._port)
        self.port = sockets[0].getsockname()[1]
        config = uvicorn.Config(
            self._make_app(),
            http=_ProtocolWithKey if self._has_key else _Protocol,
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_S,
            timeout_graceful_shutdown=_STOP_S,
            h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        )
        # It logs broken requests, which are of no use here; our own failures are logged where they happen.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        self._server = uvicorn.Server(config)
        self.running = True
        self._thread = threading.Thread(target=self._serve, args=(sockets,), name="api", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 5.0) -> None:
        """End all calls and stop listening. Waits; may be called twice."""
        if self._server is not None and self._thread is not None:
            self._server.should_exit = True
            self._thread.join(timeout)
        self._server = self._thread = None

    def _serve(self, sockets: list[socket.socket]) -> None:
        assert self._server is not None
        try:
            self._server.run(sockets)
        except Exception:
            log.exception("the API server has ended")
        finally:
            for listening in sockets:
                listening.close()
            self.running = False
            self._on_end()


def _listening(host: str, port: int) -> list[socket.socket]:
    """Return sockets that listen at an address; for loopback, at the same port of IPv4 and IPv6."""
    hosts = ["127.0.0.1", "::1"] if host in ("localhost", "127.0.0.1") else [host]
    opened: list[socket.socket] = []
    for address in hosts:
        try:
            opened.append(_bound(address, opened[0].getsockname()[1] if opened else port))
        except OSError as error:
            if opened:
                # Without IPv6, or with its port taken, IPv4 is enough.
                log.info("not serving at %s: %s", address, error.strerror)
                continue
            raise NotServing(host, port, _reason(error)) from error
    return opened


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only with the protocol named does asyncio set TCP_NODELAY. Without it, the kernel holds the second small piece of
    # a reply back until the client has confirmed the first.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except BaseException:
        listening.close()
        raise
    return listening


def _reason(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "not-allowed"
    return "in-use" if error.errno == errno.EADDRINUSE else "no-address"
