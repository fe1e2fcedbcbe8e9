"""HTTP to one Hub: authentication, limits, and the translation of its answers into errors.

Nothing is read from the environment, so that an app started from the Finder behaves like one started from a shell.
The token is sent to the Hub's own address only (a redirect elsewhere drops it) and is in no `repr`, message or log.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote, urlsplit

import httpx2

from engine.files.bounded_json import JsonLimits, UntrustedJsonError, parse
from engine.hub.connections import Connections, HubRequest
from engine.hub.failures import HubError, InterruptedTransferError
from engine.hub.values import ACCEPTED, REFUSED, UNKNOWN, AccessReport

HUGGING_FACE = "https://huggingface.co"
# The Hub sends pages of a thousand files, but some mirrors send all files of a repository at once.
_ANSWER = JsonLimits(size=16 * 2**20, depth=64, containers=200_000, commas=2_000_000)
_CONNECT_S = 4.0
_RATE_LIMIT_RESET = re.compile(r";\s*t=(\d{1,6})")
_LONGEST_WAIT_S = 600.0
# The characters of tokens, all of which a header can hold.
_SENDABLE = re.compile(r"[!-~]+")
# A value of a query; for a list the name is repeated with each value.
QueryValue = str | int | list[str]


@dataclass
class HubAccess:
    """How to reach a Hub: its address and the proxy's are http(s), `token` and `proxy` may be None.

    A connection counts as dead after `stall_s` seconds without a byte. An answer of the API has `answer_s` seconds in
    all, and so has the response to a file's request until its body begins. With `offline` no connection is ever tried:
    every request raises `HubError` (kept-offline), and downloads wait.
    """

    endpoint: str = HUGGING_FACE
    token: str | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)
    stall_s: float = 20.0
    answer_s: float = 60.0
    offline: bool = False

    def __post_init__(self) -> None:
        self.endpoint = self.endpoint.strip().rstrip("/")
        self.token = (self.token or "").strip() or None
        try:
            parts = urlsplit(self.endpoint)
        except ValueError as error:
            raise self.wrong_mirror() from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise self.wrong_mirror()

    def wrong_mirror(self, repository: str = "") -> HubError:
        return HubError("wrong-mirror", repository, endpoint=self.endpoint)


class HubClient:
    """A client of one Hub. Thread-safe; `close` ends requests in flight, from any thread."""

    def __init__(self, access: HubAccess, connections: Connections | None = None) -> None:
        self.access = access
        self.connections = connections or Connections()
        try:
            self._http = httpx2.Client(
                trust_env=False,
                proxy=access.proxy,
                follow_redirects=True,
                timeout=httpx2.Timeout(access.stall_s, connect=min(access.stall_s, _CONNECT_S), pool=None),
                # No two requests share a connection, so that each can be ended alone.
                limits=httpx2.Limits(max_connections=64, max_keepalive_connections=0),
                headers={"User-Agent": "tandem-chat", "Accept-Encoding": "identity"},
            )
        # The proxy is no address, or of a kind that is not supported (SOCKS).
        except (ValueError, ImportError, httpx2.InvalidURL) as error:
            raise HubError("proxy") from error

    def __enter__(self) -> HubClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.connections.end()
        self._http.close()

    def get_json(self, path: str, repository: str = "", **query: QueryValue) -> tuple[Any, str | None]:
        """Return the Hub's answer at `path`, and the address of the next page if there is one.

        Raises `HubError`, as `InterruptedTransferError` if a retry may help.
        """
        address = path if "://" in path else self.access.endpoint + path
        try:
            content, following = self._answer(address, repository, _ANSWER.size, query)
            return parse(content, _ANSWER), self._own_address(following)
        except (UntrustedJsonError, ValueError) as error:
            raise self.access.wrong_mirror(repository) from error

    def get_bytes(self, address: str, repository: str, size: int) -> bytes:
        """Return the content at `address`, cut off beyond `size` bytes. Errors as `get_json`."""
        return self._answer(address, repository, size, None)[0]

    def _answer(
        self, address: str, repository: str, size: int, query: Mapping[str, QueryValue] | None
    ) -> tuple[bytes, str | None]:
        """Return at most `size` + 1 bytes of an answer, and the next page's address, within `answer_s` seconds."""
        content = bytearray()
        with self.stream(address, repository, query=query, whole=True) as response:
            if response.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
                # Unpacked, it could fill the memory.
                raise self.access.wrong_mirror(repository)
            for chunk in response.iter_raw():
                content += chunk[: size + 1 - len(content)]
                if len(content) > size:
                    break
            return bytes(content), response.links.get("next", {}).get("url")

    def file_address(self, repository: str, commit: str, name: str) -> str:
        return f"{self.access.endpoint}/{repository}/resolve/{commit}/{quote(name)}"

    @contextmanager
    def stream(
        self,
        address: str,
        repository: str = "",
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, QueryValue] | None = None,
        accept: tuple[int, ...] = (200,),
        whole: bool = False,
    ) -> Iterator[httpx2.Response]:
        """Open a response whose body has not been read; `accept` lists the good statuses.

        The response has `answer_s` seconds until its body begins, or with `whole` until the caller has read it. Raises
        `HubError` as `get_json` does: kept-offline and token-refused before anything is sent.
        """
        if self.access.offline:
            raise HubError("kept-offline", repository)
        sent = dict(headers or {})
        if self.access.token:
            if not _SENDABLE.fullmatch(self.access.token):
                raise HubError("token-refused", repository)
            sent["Authorization"] = f"Bearer {self.access.token}"
        with self.connections.request(self.access.answer_s) as request:
            self._check(request, repository)
            ours: dict[str, Any] = {"trace": request.trace}
            try:
                with self._http.stream("GET", address, headers=sent, params=query or None, extensions=ours) as response:
                    if response.status_code not in accept:
                        self._refuse(response, repository)
                    if not whole:
                        request.in_time()
                    yield response
                # A body without a declared length seems to end where its connection is shut down.
                self._check(request, repository)
            except httpx2.HTTPError as error:
                self._check(request, repository)
                raise self._translate(error, repository) from error
            except httpx2.InvalidURL as error:
                raise self.access.wrong_mirror(repository) from error
            except (OSError, RuntimeError, ValueError):
                # Reading from a connection that was shut down fails in many ways.
                self._check(request, repository)
                raise

    def _check(self, request: HubRequest, repository: str) -> None:
        """Raise `InterruptedTransferError` for a request that was ended from outside."""
        if self.connections.stop.is_set():
            raise InterruptedTransferError("offline", repository)
        if request.expired:
            raise InterruptedTransferError("too-slow", repository)

    def _own_address(self, address: str | None) -> str | None:
        """Return the address of the next page on this Hub, even if a mirror left another host in it."""
        if not address:
            return None
        parts = urlsplit(address)
        path = parts.path.removeprefix(urlsplit(self.access.endpoint).path).lstrip("/")
        # Without the slash, ".evil.com" or "@evil.com" would make another host of the endpoint.
        return f"{self.access.endpoint}/{path}?{parts.query}"

    def _refuse(self, response: httpx2.Response, repository: str) -> None:
        status = response.status_code
        code = response.headers.get("X-Error-Code", "")
        if status == 429:
            raise InterruptedTransferError("rate-limited", repository, _requested_wait(response.headers))
        if status == 408 or status >= 500:
            wait = _requested_wait(response.headers)
            raise InterruptedTransferError("server-error", repository, wait, status=status)
        by_code = {
            "GatedRepo": HubError("gated", repository),
            "RepoNotFound": HubError("missing", repository),
            "RevisionNotFound": HubError("revision-missing", repository, revision=_last_part(response.url)),
            "EntryNotFound": HubError("file-missing", repository, file=_last_part(response.url)),
        }
        if status == 401 and "invalid" in response.headers.get("X-Error-Message", "").lower():
            raise HubError("token-refused", repository)
        if code in by_code:
            raise by_code[code]
        if status == 401:
            raise HubError("token-refused" if self.access.token else "missing", repository)
        if status == 403:
            raise HubError("forbidden", repository)
        raise self.access.wrong_mirror(repository)

    def _translate(self, error: httpx2.HTTPError, repository: str) -> Exception:
        if isinstance(error, httpx2.ProxyError):
            return HubError("proxy", repository)
        if isinstance(error.__cause__, ssl.SSLCertVerificationError) or "CERTIFICATE" in str(error):
            return HubError("certificate", repository)
        if isinstance(error, httpx2.UnsupportedProtocol | httpx2.TooManyRedirects):
            return self.access.wrong_mirror(repository)
        return InterruptedTransferError("offline", repository)


def _requested_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks to wait, in Retry-After or in the Hub's own header."""
    asked = headers.get("Retry-After", "").strip()
    if not asked.isdecimal():
        match = _RATE_LIMIT_RESET.search(headers.get("RateLimit", ""))
        asked = match[1] if match else ""
    return min(float(asked), _LONGEST_WAIT_S) if asked else None


def _last_part(url: httpx2.URL) -> str:
    return url.path.rsplit("/", 1)[-1][:200]


def check_access(access: HubAccess) -> AccessReport:
    """Ask the Hub for one model and for the owner of the token. Raises `HubError`; offline, without connecting."""
    # Without the token, so that a wrong one does not look like a wrong address.
    with HubClient(replace(access, token=None)) as client:
        models, _ = client.get_json("/api/models", limit=1)
    if not isinstance(models, list):
        raise access.wrong_mirror()
    return _token_owner(access) if access.token else AccessReport()


def _token_owner(access: HubAccess) -> AccessReport:
    with HubClient(access) as client:
        try:
            answer, _ = client.get_json("/api/whoami-v2")
        except HubError as error:
            if error.reason == "token-refused":
                return AccessReport(REFUSED)
            if error.reason in ("wrong-mirror", "missing", "forbidden"):
                return AccessReport(UNKNOWN)
            raise
    name = answer.get("name") if isinstance(answer, dict) else None
    return AccessReport(ACCEPTED, name) if isinstance(name, str) else AccessReport(UNKNOWN)
