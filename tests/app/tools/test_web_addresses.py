"""The addresses that Tandem's own tools may reach."""

from __future__ import annotations

import asyncio
import ipaddress

import httpx2
import pytest

from app.tools.tool import ToolFailed
from app.tools.web_addresses import WebAddresses, is_public, web_url
from tests.app.tools.web_site import NameAnswers


@pytest.mark.parametrize("text", ["1.1.1.1", "93.184.215.14", "2606:4700::1111", "64:ff9b::101:101"])
def test_an_address_of_the_internet_is_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "text",
    [
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "127.1.2.3",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.2.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::ffff:127.0.0.1",
        "::ffff:1.1.1.1",
        "64:ff9b::a00:1",
        "64:ff9b:1::1",
        "2001:0:53aa:64c:0:0:80ff:fffe",
        "2001:db8::1",
        "2002:7f00:1::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ],
)
def test_any_other_address_is_not(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("file:///etc/passwd", "web-address"),
        ("ftp://example.com/", "web-address"),
        ("http://", "web-address"),
        ("http://person:secret@news.test/", "web-address"),
        ("http://news.test:65536/", "web-address"),
        ("http://a&b.test/", "web-address"),
        ("http://news.test%20.other.test/", "web-address"),
        ("http://127.0.0.1/", "web-private"),
        ("http://2130706433/", "web-private"),
        ("http://0x7f.1/", "web-private"),
        ("http://[::1]:8080/", "web-private"),
        ("http://[::ffff:10.0.0.1]/", "web-private"),
        ("http://localhost/", "web-private"),
    ],
)
def test_what_is_no_public_address_of_the_web_is_refused(address: str, code: str) -> None:
    with pytest.raises(ToolFailed) as failure:
        asyncio.run(WebAddresses().of(httpx2.URL(address)))
    assert failure.value.code == code
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize(
    "address", ["", "news.test", "https:news.test", "javascript:0", "https://a\nb.test/", "http://x:y/"]
)
def test_other_texts_are_no_address_of_a_page(address: str) -> None:
    with pytest.raises(ToolFailed) as failure:
        web_url(address)
    assert failure.value.code == "web-address"


def test_a_host_with_one_private_address_is_refused() -> None:
    names = NameAnswers(news=[["1.1.1.1", "192.168.1.1"]])
    with pytest.raises(ToolFailed) as failure:
        asyncio.run(WebAddresses(resolve=names.resolve).of(httpx2.URL("https://news.test/")))
    assert failure.value.code == "web-private"
