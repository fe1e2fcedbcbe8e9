"""Signing in to servers of tools over HTTP by OAuth. No secret of it gets into a log or the text of an error."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, closing, suppress
from html import escape
from urllib.parse import parse_qsl, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError
from mcp.shared import auth
from pydantic import AnyUrl, BaseModel, ValidationError

from app.tools.servers import CLIENT_ID, CLIENT_SECRET, Server, ToolSettings
from app.tools.service_metadata import Issuer, readable_metadata, same_issuer
from app.tools.tool import ToolFailed
from app.tools.transports import expects_answer, http_client, wants_sign_in

# Seconds for a person to sign in.
SIGN_IN_S = 300.0
# Seconds for a browser to send the head of its request.
MESSAGE_S = 10.0
# The address of packaging/oauth_client.json once it is published: services that register no apps read it to know this
# one (a client id metadata document). Without an address, they want a client id of the person's own.
CLIENT_DOCUMENT = ""
# Where the browser comes back to, but for the port, which services have to ignore on this computer (RFC 8252).
CALLBACK = "http://127.0.0.1/callback"
_HERE = ("127.0.0.1", "::1", "localhost")
_HEAD = "HTTP/1.1 {}\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n<!doctype html>"


class _Kept(BaseModel):
    """The fields of the package's `OAuthContext` that the keychain has."""

    server_url: str
    current_tokens: auth.OAuthToken
    client_info: auth.OAuthClientInformationFull
    token_expiry_time: float | None = None
    oauth_metadata: auth.OAuthMetadata | None = None
    protected_resource_metadata: auth.ProtectedResourceMetadata | None = None


class SignIn(OAuthClientProvider):
    """Adds the token of a sign-in to requests, and renews it. It is its own `TokenStorage`, in the keychain.

    A request for which a person has to sign in raises `ToolFailed`: (sign-in-needed), or (key-refused) if the server
    has values of the person's; (unreachable) or (sign-in-unsafe) if the service that signs in cannot be asked. `failed`
    gets that error first; see `http_client`.
    """

    def __init__(
        self, server: Server, settings: ToolSettings, failed: Callable[[ToolFailed], object] = lambda _: None
    ) -> None:
        urls = [AnyUrl("http://127.0.0.1")]
        client = auth.OAuthClientMetadata(client_name="Tandem", redirect_uris=urls, token_endpoint_auth_method="none")
        super().__init__(server.url, client, self, client_metadata_url=CLIENT_DOCUMENT or None)
        self._server = server
        self._settings = settings
        self._failed = failed
        # How the service that signs in names itself, once it has been asked.
        self.issuer: Issuer | None = None

    async def load(self) -> SignIn:
        """Read the keychain's entry for the server's address, and return `self`."""
        text = await asyncio.to_thread(self._settings.kept_sign_in, self._server)
        with suppress(ValidationError):
            stored = _Kept.model_validate_json(text)
            if stored.server_url == self._server.url:
                for name, value in stored:
                    setattr(self.context, name, value)
        return self

    async def get_tokens(self) -> auth.OAuthToken | None:
        return self.context.current_tokens

    async def get_client_info(self) -> auth.OAuthClientInformationFull | None:
        return self.context.client_info

    async def set_client_info(self, client_info: auth.OAuthClientInformationFull) -> None:
        """Wait for the tokens: without them, the next sign-in registers again, because its port is another one."""

    async def set_tokens(self, tokens: auth.OAuthToken) -> None:
        self.context.current_tokens = tokens
        stored = _Kept.model_validate(self.context, from_attributes=True).model_dump_json(exclude_none=True)
        issuer = self.issuer.named if self.issuer is not None else ""
        await asyncio.to_thread(self._settings.keep_sign_in, self._server, stored, issuer)

    async def async_auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send a request with the token, which the package's flow renews if it is too old or the server refuses it."""
        context = self.context
        name = self._server.name
        # The package's flow would hold its lock until the answer begins, so that one long call would delay all others.
        if (sent := context.current_tokens) is not None and context.is_token_valid():
            request.headers["Authorization"] = f"Bearer {sent.access_token}"
            if not wants_sign_in((yield request)):
                return
            # Another request may have renewed it meanwhile.
            if context.current_tokens is sent:
                context.token_expiry_time = 1.0
        async with aclosing(super().async_auth_flow(request)) as flow:
            outgoing = await anext(flow)
            while outgoing is not request:
                response = yield self.checked(outgoing)
                if response.status_code >= 500:
                    raise self._told(ToolFailed("unreachable", server=name, detail=response.status_code))
                outgoing = await flow.asend(response)
        if wants_sign_in((yield request)) and await expects_answer(request):
            has_key = self._server.headers and not self._server.signed_in
            raise self._told(ToolFailed("key-refused" if has_key else "sign-in-needed", server=name))

    def _told(self, error: ToolFailed) -> ToolFailed:
        """Pass an error to `failed`, and return it to be raised."""
        self._failed(error)
        return error

    async def obtain(self, client: httpx2.AsyncClient) -> None:
        """Ask the person to sign in, and keep the tokens.

        Raises `ToolFailed` (sign-in-unsafe) for a service at an unsafe address, and what the package and `client`
        raise.
        """
        message = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        accepts = {"accept": "application/json, text/event-stream"}
        request = client.build_request("POST", self._server.url, json=message, headers=accepts)
        answer = await client.send(request)
        if answer.status_code != 401:
            # Some refuse calls only.
            answer = httpx2.Response(401, request=request)
        async with aclosing(super().async_auth_flow(request)) as flow:
            await anext(flow)
            while (outgoing := await flow.asend(answer)) is not request:
                answer = await client.send(self.checked(outgoing))
                if self.issuer is None:
                    answer, self.issuer = readable_metadata(answer, self._expected_name())

    def _expected_name(self) -> str:
        """Return the name of the service that signs in: the server says it, or else it is the server's own address."""
        parts = urlsplit(self._server.url)
        return self.context.auth_server_url or str(AnyUrl(f"{parts.scheme}://{parts.netloc}"))

    def use_client_of_person(self) -> None:
        """Use the client id of the server's values, if it has one, so that none is registered."""
        client_id = self._server.values.get(CLIENT_ID)
        if client_id:
            secret = self._server.values.get(CLIENT_SECRET)
            method = "client_secret_post" if secret else "none"
            self.context.client_info = auth.OAuthClientInformationFull(
                client_id=client_id,
                client_secret=secret,
                redirect_uris=self.context.client_metadata.redirect_uris,
                token_endpoint_auth_method=method,
            )

    def checked(self, request: httpx2.Request) -> httpx2.Request:
        """Return a request to the service that signs in, changed to ask for an uncompressed answer.

        Raises `ToolFailed` (sign-in-unsafe) if others can listen at its address.
        """
        check_address(self._server, str(request.url))
        request.headers["accept-encoding"] = "identity"
        return request


def check_address(server: Server, address: str) -> None:
    """Raise `ToolFailed` for an address that others can listen to. Only a server of this computer may name another."""
    parts = urlsplit(address)
    here = parts.hostname in _HERE and urlsplit(server.url).hostname in _HERE
    if parts.scheme != "https" and not (parts.scheme == "http" and here):
        raise ToolFailed("sign-in-unsafe", server=server.name, address=f"{parts.scheme}://{parts.hostname}")


class _Callback:
    """The port of this computer to which the browser comes back once the person is done.

    page_text: the text that the browser shows then
    """

    def __init__(self, server: Server, open_page: Callable[[str], object], page_text: str) -> None:
        self._server = server
        self._page_opener = open_page
        self._page_text = page_text
        # How the service that signs in names itself.
        self.issuer: Issuer | None = None
        # The value that the browser has to send back, so that no other page can answer; b"" before it is opened.
        self._state = b""
        # The variables of the address with which the browser came back.
        self._query: asyncio.Future[dict[str, str]] = asyncio.get_running_loop().create_future()

    async def open(self, address: str) -> None:
        """Open the page at which the person signs in. Raises `ToolFailed` (sign-in-unsafe)."""
        check_address(self._server, address)
        self._state = dict(parse_qsl(urlsplit(address).query))["state"].encode()
        self._page_opener(address)

    async def returned(self) -> auth.AuthorizationCodeResult:
        """Wait for the browser. Raises `ToolFailed` (sign-in-unfinished) if the person has refused."""
        query = await self._query
        if "code" not in query:
            raise ToolFailed("sign-in-unfinished", server=self._server.name)
        service = query.get("iss")
        # The package knows the service by the server's name for it.
        if service is not None and self.issuer is not None and same_issuer(service, self.issuer.named):
            service = self.issuer.expected
        return auth.AuthorizationCodeResult(code=query["code"], state=query["state"], iss=service)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection to the port; a request with a wrong state changes nothing."""
        with closing(writer), suppress(OSError, EOFError, ValueError, IndexError, asyncio.LimitOverrunError):
            async with asyncio.timeout(MESSAGE_S):
                head = await reader.readuntil(b"\r\n\r\n")
            query = dict(parse_qsl(urlsplit(head.split(b" ")[1].decode("ascii")).query))
            if not self._state or not secrets.compare_digest(query.get("state", "").encode(), self._state):
                writer.write(_HEAD.format("404 Not Found").encode())
                return
            writer.write(f"{_HEAD.format('200 OK')}<title>Tandem</title><p>{escape(self._page_text)}</p>".encode())
            if not self._query.done():
                self._query.set_result(query)


async def sign_in(
    server: Server,
    settings: ToolSettings,
    open_page: Callable[[str], object],
    page_text: str,
    other_issuer: Callable[[Issuer], object] = lambda _: None,
) -> None:
    """Ask a person to sign in to a server, and keep the sign-in in `settings`.

    `open_page` gets the address for the browser, which it has to ask the person about. Before that, `other_issuer` gets
    the names of the service there if the server calls it otherwise than it calls itself, unless the person has signed
    in there before. When the person is done, the browser comes back to a port of this computer and shows `page_text`.
    Raises `ToolFailed`: (sign-in-unfinished) if the person gives up or takes longer than SIGN_IN_S, (sign-in-closed)
    if the service takes no new clients, (sign-in-unsafe), (sign-in-failed).
    """
    callback = _Callback(server, open_page, page_text)
    server = await asyncio.to_thread(settings.with_secrets, server)
    listener = await asyncio.start_server(callback.answer, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    flow = SignIn(server, settings)
    flow.context.client_metadata.redirect_uris = [AnyUrl(f"http://127.0.0.1:{port}/callback")]
    flow.use_client_of_person()

    async def open_at(address: str) -> None:
        callback.issuer = issuer = flow.issuer
        if issuer is not None and issuer.is_other and not same_issuer(issuer.named, server.issuer):
            other_issuer(issuer)
        await callback.open(address)

    flow.context.redirect_handler = open_at
    flow.context.callback_handler = callback.returned
    try:
        async with asyncio.timeout(SIGN_IN_S), http_client(server) as client:
            await flow.obtain(client)
    except TimeoutError as error:
        raise ToolFailed("sign-in-unfinished", server=server.name) from error
    except OAuthRegistrationError:
        values = {"id": CLIENT_ID, "secret": CLIENT_SECRET, "callback": CALLBACK}
        example = "Authorization: Bearer TOKEN"
        raise ToolFailed("sign-in-closed", server=server.name, example=example, **values) from None
    except (OAuthFlowError, httpx2.RequestError, httpx2.InvalidURL, ValueError, KeyError) as error:
        # The text after the first words may come from a service, with its secrets.
        raise ToolFailed("sign-in-failed", server=server.name, detail=re.split("[:\n]", str(error))[0]) from None
    finally:
        listener.close()
