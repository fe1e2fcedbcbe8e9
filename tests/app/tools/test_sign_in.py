"""Signing in to servers of tools over HTTP: the browser, the tokens and their renewal, and what goes wrong."""

from __future__ import annotations

import json
import logging
import socket
from contextlib import suppress
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from msgspec.structs import replace

from app.conversations.database.records import ToolUse
from app.session.calls import ToolRun
from app.tools.sign_in import CALLBACK, CLIENT_DOCUMENT
from app.wording.tools import call_sentence, tool_sentence
from tests.app.tools.conftest import WAIT_S, Hosts, each, wait_until
from tests.app.tools.sign_in_service import Home, Person, Service, ServicePage, browse
from tests.app.tools.sign_in_service import home as home
from tests.app.tools.sign_in_service import service as service


def port_of(address: str) -> int:
    """The port where the browser is to come back."""
    port = urlsplit(parse_qs(urlsplit(address).query)["redirect_uri"][0]).port
    assert port is not None
    return port


def is_open(port: int) -> bool:
    """Whether somebody listens there. Connecting to find out would be a connection that may be accepted at the end."""
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):
            found.bind(("127.0.0.1", port))
            return False
    return True


def test_after_a_sign_in_the_tools_are_there_and_secrets_only_in_the_keychain(
    home: Home, hosts: Hosts, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    assert home.tools() == []
    assert hosts.error("remote").code == "sign-in-needed"
    person = Person()
    home.sign_in(person)
    assert [tool.name for tool in home.tools()] == ["quick", "slow"]
    wait_until(lambda: bool(person.pages))
    assert "Continue in &lt;Tandem&gt;." in person.pages[0].text
    assert not is_open(port_of(person.opened[0]))
    assert service.given[0] in str(home.keychain.kept)
    assert {*home.keychain.kept} <= {*home.settings.entries}
    assert "SECRET" not in home.written + caplog.text


@pytest.mark.parametrize("expires_in", each((-10, 3600, None), {-10, None}))
def test_a_token_is_renewed_silently_also_after_a_restart(home: Home, service: Service, expires_in: int | None) -> None:
    service.expires_in = expires_in
    home.sign_in(Person())
    service.expires_in = 3600
    home.start()
    service.access.clear()
    [quick, _] = home.tools()
    home.host.call(quick, {}).result(WAIT_S)
    # The newest tokens are kept.
    home.start()
    service.access.clear()
    assert len(home.tools()) == 2


def test_a_call_whose_token_cannot_be_renewed_says_to_sign_in_and_opens_nothing(
    home: Home, hosts: Hosts, service: Service
) -> None:
    person = Person()
    home.sign_in(person)
    [quick, _] = home.tools()
    service.access.clear()
    service.refresh.clear()
    assert hosts.failure(quick).code == "sign-in-needed"
    call = ToolRun(ToolUse("remote", "quick", "quick", "call_1", "{}"))
    call.end(hosts.failure(quick))
    assert "the user has to sign in" in call.text
    assert call_sentence(call) == "Sign-in needed. In Settings > Tools, press “Sign in…” beside “remote”."
    home.sign_in(person)
    assert len(home.tools()) == 2
    assert len(person.opened) == 2


def test_a_service_that_is_down_costs_no_sign_in(home: Home, hosts: Hosts, service: Service) -> None:
    home.sign_in(Person())
    service.access.clear()
    service.fails["/service/issue"] = 503, b"SECRET"
    assert home.tools() == []
    assert hosts.error("remote").code == "unreachable"
    service.fails.clear()
    assert len(home.tools()) == 2


def test_a_long_call_delays_no_other(home: Home, service: Service) -> None:
    home.sign_in(Person())
    [quick, slow] = home.tools()
    waiting = home.host.call(slow, {})
    home.host.call(quick, {}).result(WAIT_S)
    assert not waiting.done()
    service.release.set()
    waiting.result(WAIT_S)


def forged(address: str) -> ServicePage:
    """Come back with another state, with none, and with what is no request, before the browser does."""
    back = dict(parse_qsl(urlsplit(address).query))["redirect_uri"]
    for state in ({"state": "other"}, {"state": "é"}, {}):
        assert browse(f"{back}?{urlencode({'code': 'forged', **state})}").status == 404
    with socket.create_connection(("127.0.0.1", port_of(address))) as other:
        other.sendall(b"\xff\r\n\r\n")
    return browse(address)


def test_who_does_not_know_the_state_cannot_sign_in(home: Home) -> None:
    person = Person(forged)
    home.sign_in(person)
    assert len(home.tools()) == 2


FAULTS = {
    "denied": "sign-in-unfinished", "closed": "sign-in-closed", "says secrets": "sign-in-failed",
    "odd tokens": "sign-in-failed", "odd letters": "sign-in-failed", "open page": "sign-in-unsafe",
    "odd page": "sign-in-failed", "open tokens": "sign-in-unsafe", "another page": "sign-in-closed",
}  # fmt: skip


@pytest.mark.parametrize("fault", each(FAULTS, {"denied", "closed", "odd tokens", "open page"}))
def test_a_sign_in_that_fails_says_why_without_secrets_and_leaves_nothing(
    home: Home, hosts: Hosts, service: Service, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    service.denies = fault == "denied"
    service.fails = {
        "closed": {"/service/register": (403, b"SECRET")},
        "says secrets": {"/service/issue": (400, b'{"error": "SECRET"}')},
        "odd tokens": {"/service/issue": (200, b'{"refresh_token": "SECRET"}')},
        "odd letters": {"/service/issue": (400, b"SECRET\xff")},
    }.get(fault, {})
    service.metadata = {
        "open page": {"authorization_endpoint": "http://example.org/login"},
        "odd page": {"authorization_endpoint": f"{service.url}/login#"},
        "open tokens": {"token_endpoint": "http://example.org/issue"},
        "another page": {"authorization_endpoint": "file:///etc/passwd"},
    }.get(fault, {})
    person, before = Person(), dict(home.keychain.kept)
    home.sign_in(person)
    error = hosts.error("remote")
    assert error.code == FAULTS[fault]
    assert home.host.status("remote").wants_sign_in
    assert "SECRET" not in f"{error} {error.__cause__} {caplog.text}"
    assert home.keychain.kept == before
    assert not any(is_open(port_of(address)) for address in person.opened)


def test_a_cancelled_sign_in_leaves_no_port_open(home: Home) -> None:
    person = Person(lambda _: ServicePage(200))
    home.tools()
    home.host.sign_in("remote", person.open, "Continue.")
    wait_until(lambda: bool(person.opened))
    assert is_open(port_of(person.opened[0]))
    assert home.host.status("remote").state == "signing-in"
    home.host.stop("remote")
    wait_until(lambda: not is_open(port_of(person.opened[0])))
    assert home.host.status("remote").wants_sign_in


def test_a_sign_in_ends_by_itself_after_some_minutes(home: Home, hosts: Hosts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.tools.sign_in.SIGN_IN_S", 0.2)
    home.sign_in(Person(lambda _: ServicePage(200)))
    assert hosts.error("remote").code == "sign-in-unfinished"


def test_who_signs_out_has_to_sign_in_again(home: Home, hosts: Hosts) -> None:
    before = dict(home.keychain.kept)
    home.sign_in(Person())
    assert len(home.tools()) == 2
    home.host.sign_out("remote").result(WAIT_S)
    assert home.keychain.kept == before
    assert home.tools() == []
    assert hosts.error("remote").code == "sign-in-needed"


@pytest.mark.parametrize("change", ["removed", "another address", "another name for the same"])
def test_a_sign_in_is_for_one_server_at_one_address(home: Home, service: Service, change: str) -> None:
    home.sign_in(Person())
    assert home.settings.servers[0].signed_in
    if change == "removed":
        home.settings.remove("remote")
    elif change == "another address":
        home.settings.put(replace(home.settings.servers[0], url=f"{service.url}/other"))
        assert not home.settings.servers[0].signed_in
    else:
        # Its switches and values change nothing.
        home.settings.put(replace(service.server, enabled=False))
        assert home.settings.servers[0].signed_in
        return
    assert "SECRET" not in str(home.keychain.kept)


def test_a_token_goes_to_its_server_only(home: Home, hosts: Hosts, service: Service) -> None:
    home.sign_in(Person())
    [quick, _] = home.tools()
    with socket.create_server(("localhost", 0)) as other:
        service.moves_to = f"http://localhost:{other.getsockname()[1]}/mcp"
        assert hosts.failure(quick).code == "redirected"
        other.settimeout(0)
        with pytest.raises(BlockingIOError):
            other.accept()


def test_a_key_that_is_refused_is_named_and_a_sign_in_takes_its_place(home: Home, hosts: Hosts) -> None:
    home.settings.put(replace(home.settings.servers[0], values={"Authorization": "Bearer old"}).as_approved())
    home.host.set_servers(home.settings.servers)
    assert home.tools() == []
    assert hosts.error("remote").code == "key-refused"
    home.sign_in(Person())
    assert len(home.tools()) == 2


class Registrar(Person):
    """Signs in with a client that nobody has registered, which the service is told of when the page opens."""

    def __init__(self, service: Service, client_id: str) -> None:
        super().__init__()
        self._service, self._client_id = service, client_id

    def open(self, address: str) -> None:
        query = parse_qs(urlsplit(address).query)
        assert query["client_id"] == [self._client_id]
        self._service.clients[self._client_id] = query["redirect_uri"]
        super().open(address)


class Witness(Person):
    """Sees what the status says when the page is to be opened."""

    def __init__(self, home: Home) -> None:
        super().__init__()
        self._home = home
        self.seen: list[tuple[str, str] | None] = []

    def open(self, address: str) -> None:
        self.seen.append(self._home.host.status("remote").issuers)
        super().open(address)


@pytest.mark.parametrize(
    "fields",
    [
        {"issuer": "SERVICE/"},
        {"issuer": "SERVICE", "scopes_supported": "a b", "code_challenge_methods_supported": None},
        {"issuer": "SERVICE", "jwks_uri": 7, "response_types_supported": ["code"]},
    ],
)
def test_a_service_that_takes_liberties_with_its_metadata_signs_in(
    home: Home, service: Service, fields: dict[str, object]
) -> None:
    named = str(fields["issuer"]).replace("SERVICE", f"{service.url}/service")
    service.metadata = {**fields, "issuer": named}
    person = Witness(home)
    home.sign_in(person)
    assert [tool.name for tool in home.tools()] == ["quick", "slow"]
    assert person.seen == [None]


def test_a_service_with_another_name_is_told_once(home: Home, service: Service) -> None:
    service.metadata = {"issuer": "https://auth.example.com"}
    person = Witness(home)
    home.sign_in(person)
    assert len(home.tools()) == 2
    home.host.sign_out("remote").result(WAIT_S)
    home.start()
    home.sign_in(person)
    assert len(home.tools()) == 2
    # One that the person has not agreed to is told again.
    service.metadata = {"issuer": "https://other.example.com"}
    home.host.sign_out("remote").result(WAIT_S)
    home.sign_in(person)
    expected = f"{service.url}/service"
    assert person.seen == [(expected, "https://auth.example.com"), None, (expected, "https://other.example.com")]


def test_a_client_id_of_the_person_is_used_and_not_sent_as_a_header(home: Home, service: Service) -> None:
    service.metadata = {"registration_endpoint": None}
    values = {"client_id": "mine", "client_secret": "SECRET1"}
    home.settings.put(replace(service.server, values=values).as_approved())
    home.start()
    home.sign_in(Registrar(service, "mine"))
    assert [tool.name for tool in home.tools()] == ["quick", "slow"]
    assert home.settings.with_secrets(home.settings.servers[0]).headers == {}
    assert "SECRET" not in home.written


def test_a_service_that_reads_client_documents_gets_the_address_of_ours(
    home: Home, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = "https://tandem.example/oauth_client.json"
    monkeypatch.setattr("app.tools.sign_in.CLIENT_DOCUMENT", document)
    service.metadata = {"registration_endpoint": None, "client_id_metadata_document_supported": True}
    home.sign_in(Registrar(service, document))
    assert [tool.name for tool in home.tools()] == ["quick", "slow"]


def test_a_service_that_registers_nobody_says_what_to_enter_where(home: Home, hosts: Hosts, service: Service) -> None:
    service.metadata = {"registration_endpoint": None}
    home.sign_in(Person())
    error = hosts.error("remote")
    said = tool_sentence(error.code, error.arguments)
    assert error.code == "sign-in-closed"
    assert all(part in said for part in ("client_id", "client_secret", "http://127.0.0.1/callback"))


def test_the_published_document_is_that_of_this_program() -> None:
    document = json.loads((Path(__file__).parents[3] / "packaging" / "oauth_client.json").read_text())
    assert (document["client_id"], document["redirect_uris"]) == (CLIENT_DOCUMENT, [CALLBACK])
