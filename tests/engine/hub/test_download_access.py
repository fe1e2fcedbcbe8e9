"""Gated and private repositories, tokens, addresses, and files that a download refuses."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from engine.hub.client import HubAccess, HubClient
from engine.hub.failures import HubError
from engine.hub.listing import describe
from tests.engine.hub.downloading import NAME, Site, download, failure, refused, sizeable
from tests.fakehub.server import Fault

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakehub.server import FakeHub


@pytest.mark.parametrize(
    ("settings", "token", "reason"),
    [
        ({"gated": True}, None, "gated"),
        ({"gated": True}, "revoked", "token-refused"),
        ({"private": True}, None, "missing"),
        (None, None, "missing"),
    ],
)
def test_a_repository_that_may_not_be_read_says_why(
    site: Site, settings: dict[str, bool] | None, token: str | None, reason: str
) -> None:
    if settings is None:
        site.hub.repositories.clear()
    else:
        site.serve(site.files, **settings)
    assert failure(site.queue(token=token)).reason == reason


def test_a_token_opens_a_gated_repository_and_does_not_follow_a_redirect_to_another_port(site: Site) -> None:
    site.serve(site.files, gated=True)
    site.hub.tokens.add("hf_secret")
    site.fault("*", to_other_port=True)
    # A token is often pasted with its line end.
    assert download(site.queue(token=" hf_secret\n")).state == "ready"
    assert site.hub.sent
    assert not any(sent.authorised for sent in site.hub.sent)
    site.assert_complete()


def test_the_token_is_in_no_log_file_or_repr(site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    site.serve(site.files, gated=True)
    site.hub.tokens.add("hf_secret")
    site.fault(status=500)
    queue = site.queue(token="hf_secret", state_path=tmp_path / "downloads.json")
    status = download(queue)
    assert status.state == "failed"
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    texts = (caplog.text, repr(status), str(status.error), repr(HubAccess(token="hf_secret")), repr(queue.__dict__))
    assert not any("hf_secret" in text for text in texts)
    assert b"hf_secret" not in written


@pytest.mark.parametrize("token", ["h\u00e4f_x", "hf_a\nb", "hf a"])
def test_a_token_that_no_header_can_hold_is_refused_before_it_is_sent(site: Site, token: str) -> None:
    assert failure(site.queue(token=token)).reason == "token-refused"
    assert site.hub.requests == []


def test_the_next_page_of_a_mirror_under_a_path_is_found(hub: FakeHub) -> None:
    with HubClient(HubAccess(f"{hub.endpoint}/mirror")) as client:
        for host in ("https://huggingface.co", f"{hub.endpoint}/mirror"):
            link = f'<{host}/api/models?cursor=x>; rel="next"'
            hub.api_faults["/mirror"] = Fault(status=200, headers={"Link": link})
            assert client.get_json("/api/models") == ({}, f"{hub.endpoint}/mirror/api/models?cursor=x")


@pytest.mark.parametrize("link", [".evil.test/x?", "@evil.test/x?", "1/x?", "/mirror.evil.test/x?"])
def test_the_next_page_is_never_on_another_host_or_port(hub: FakeHub, link: str) -> None:
    with HubClient(HubAccess(f"{hub.endpoint}/mirror")) as client:
        hub.api_faults["/mirror"] = Fault(status=200, headers={"Link": f'<{link}>; rel="next"'})
        following = client.get_json("/api/models")[1]
    assert following == f"{hub.endpoint}/mirror/{link.removeprefix('/mirror')}"


def test_a_revision_with_a_slash_is_one_part_of_the_address(hub: FakeHub) -> None:
    hub.add(NAME, sizeable())
    with HubClient(HubAccess(hub.endpoint)) as client, pytest.raises(HubError):
        describe(client, NAME, "refs/pr/1")
    assert hub.requests == [f"GET /api/models/{NAME}/revision/refs%2Fpr%2F1"]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "nonsense"])
def test_a_proxy_that_cannot_be_used_is_an_error_of_its_own(proxy: str) -> None:
    with refused("proxy"):
        HubClient(HubAccess(proxy=proxy))


@pytest.mark.parametrize("endpoint", ["http://[x", "", "ftp://x", "huggingface.co", "http://"])
def test_an_address_without_http_is_refused_at_once(endpoint: str) -> None:
    with refused("wrong-mirror"):
        HubAccess(endpoint)


def test_a_repository_that_names_files_outside_is_refused(site: Site) -> None:
    site.serve(site.files | {"../../evil.json": b"{}"})
    assert failure(site.queue()).reason == "unsafe-name"
    assert not site.cache.exists()
