"""Which site an address of the web belongs to."""

from __future__ import annotations

import pytest

from app.tools.web_addresses import web_url
from app.tools.web_sites import site_of, stays_within


@pytest.mark.parametrize(
    ("address", "site"),
    [
        ("https://news.test", "https://news.test"),
        ("https://News.Test:443/a?b#c", "https://news.test"),
        ("https://www.news.test/", "https://news.test"),
        ("https://en.news.test/", "https://en.news.test"),
        ("https://news.test:8443/", "https://news.test:8443"),
        ("http://news.test/", "http://news.test"),
        ("http://news.test:443/", "http://news.test:443"),
        # A name with one part has no other owner than "www".
        ("https://www.test/", "https://www.test"),
        ("https://1.1.1.1/", "https://1.1.1.1"),
        ("https://[2606:4700::1111]:8443/", "https://[2606:4700::1111]:8443"),
        # Letters of other scripts are encoded: the first one looks like "a".
        ("https://\u0430pple.test/", "https://xn--pple-43d.test"),
        ("https://bücher.test/", "https://xn--bcher-kva.test"),
    ],
)
def test_a_site_is_an_origin_without_www(address: str, site: str) -> None:
    assert site_of(web_url(address)) == site


def test_a_redirect_may_lead_to_an_encrypted_connection_and_not_back() -> None:
    assert stays_within("https://news.test", "https://news.test")
    assert stays_within("http://news.test", "https://news.test")
    assert not stays_within("https://news.test", "http://news.test")
    assert not stays_within("https://news.test", "https://news.test.evil.test")
