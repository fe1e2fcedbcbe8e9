"""Reading pages of the web, on a site of loopback."""

from __future__ import annotations

import asyncio
import gzip
import random
import threading
import zlib
from collections.abc import Iterator

import pytest

from app.tools.tool import ToolFailed
from app.tools.web_addresses import WebAddresses
from app.tools.web_pages import MOST_MEGABYTES, MOST_REDIRECTS, PART, WebFile, fetched, read_page
from engine.errors import EngineClosed
from engine.files.reading_time import ReadingTime
from tests.app.tools.web_site import NameAnswers, SitePage, WebSite, on_loopback, served


@pytest.fixture(scope="module")
def running() -> Iterator[WebSite]:
    with served() as site:
        yield site


@pytest.fixture
def site(running: WebSite) -> WebSite:
    running.pages.clear()
    running.asked.clear()
    running.paths.clear()
    return running


def fetch(address: str, addresses: WebAddresses | None = None, most_s: float = 60) -> WebFile:
    return asyncio.run(fetched(address, addresses or on_loopback(), most_s))


def failure(address: str, addresses: WebAddresses | None = None, most_s: float = 60) -> ToolFailed:
    with pytest.raises(ToolFailed) as error:
        fetch(address, addresses, most_s)
    return error.value


@pytest.mark.full
def test_a_page_is_read_as_an_attachment_is(site: WebSite) -> None:
    site.pages["/story"] = SitePage(b"<title>News</title><h1>Tides</h1><script>x()</script><p>High at noon.</p>")
    result = asyncio.run(read_page(site.address("/story#top"), 0, on_loopback()))
    address, _, text = result.text.partition("\n")
    assert address == f"Address: {site.address('/story#top')}"
    assert "# Tides\n\nHigh at noon." in text
    assert "x()" not in text
    assert site.asked[0]["host"] == f"news.test:{site.port}"
    assert site.asked[0]["user-agent"].startswith("Tandem/")
    assert "cookie" not in site.asked[0]


def test_a_long_page_is_read_in_parts(site: WebSite) -> None:
    text = "".join(f"{number:07} " for number in range(PART // 8 + 2))
    site.pages["/long"] = SitePage(text.encode(), "text/plain")
    address = site.address("/long")
    first = asyncio.run(read_page(address, 0, on_loopback())).text
    assert f"call again with start {PART}.]" in first
    second = asyncio.run(read_page(address, PART, on_loopback())).text
    assert second.endswith(text[PART:])


def test_the_encoding_that_the_server_names_goes_first(site: WebSite) -> None:
    content = '<meta charset="utf-8"><p>Ж</p>'.encode("koi8-r")
    site.pages["/old"] = SitePage(content, "text/html; charset=koi8-r")
    assert asyncio.run(read_page(site.address("/old"), 0, on_loopback())).text.endswith("Ж")


@pytest.mark.parametrize("content_type", ["text/html", "text/plain"])
def test_a_page_says_what_is_left_out_of_it(site: WebSite, content_type: str) -> None:
    site.pages["/hides"] = SitePage("Tides\U000e0048\U000e0069.".encode(), f"{content_type}; charset=utf-8")
    text = asyncio.run(read_page(site.address("/hides"), 0, on_loopback())).text
    assert text.endswith("Tides.\n\n[Left out: 2 invisible characters]")


def test_what_is_no_text_is_not_read(site: WebSite) -> None:
    site.pages["/picture"] = SitePage(b"\x89PNG\r\n\x1a\n\0\0", "image/png")
    with pytest.raises(ToolFailed) as error:
        asyncio.run(read_page(site.address("/picture"), 0, on_loopback()))
    assert (error.value.code, error.value.arguments["detail"]) == ("web-unreadable", "not-text")


def test_a_private_page_is_never_asked_for(site: WebSite) -> None:
    names = NameAnswers(router=[["192.168.1.1"]])
    assert failure(site.address("/", "router.test"), on_loopback(names)).code == "web-private"
    assert failure(site.address("/", "127.0.0.1"), WebAddresses()).code == "web-private"
    assert site.asked == []


def test_a_redirect_is_checked_as_the_first_address_is(site: WebSite) -> None:
    names = NameAnswers(**{"news": [["127.0.0.1"]], "www.news": [["192.168.1.1"]]})
    site.pages["/moved"] = SitePage(status=302, headers={"location": site.address("/secret", "www.news.test")})
    error = failure(site.address("/moved"), on_loopback(names))
    assert (error.code, error.arguments) == ("web-private", {"host": "www.news.test"})
    site.pages["/moved"].headers["location"] = "file:///etc/passwd"
    assert failure(site.address("/moved"), on_loopback(names)).code == "web-address"
    assert site.paths == ["/moved", "/moved"]


def test_a_name_is_resolved_once_for_a_request(site: WebSite) -> None:
    """A name whose address changes after the check is reached at the address that was checked."""
    names = NameAnswers(news=[["127.0.0.1"], ["192.168.1.1"]])
    site.pages["/story"] = SitePage(b"read")
    assert fetch(site.address("/story"), on_loopback(names)).content == b"read"
    assert names.asked == ["news.test"]
    assert failure(site.address("/story"), on_loopback(names)).code == "web-private"


def test_redirects_are_followed_to_the_page(site: WebSite) -> None:
    site.pages["/a"] = SitePage(status=301, headers={"location": "/b?x=1"})
    site.pages["/b"] = SitePage(b"there", "text/plain")
    assert fetch(site.address("/a")) == WebFile(site.address("/b?x=1"), b"there", "text/plain")


@pytest.mark.parametrize("target", ["http://other.test/?q=the+chat", "http://news.test:1/", "http://a.news.test/"])
def test_a_redirect_to_another_site_is_not_followed(site: WebSite, target: str) -> None:
    """Not even its name is looked up, which can say as much as an address."""
    names = NameAnswers(news=[["127.0.0.1"]])
    site.pages["/out"] = SitePage(status=302, headers={"location": target})
    error = failure(site.address("/out"), on_loopback(names))
    assert (error.code, error.arguments["address"]) == ("web-other-site", target)
    assert (names.asked, site.paths) == (["news.test"], ["/out"])


def test_a_redirect_to_the_same_site_with_www_is_followed(site: WebSite) -> None:
    names = NameAnswers(**{"news": [["127.0.0.1"]], "www.news": [["127.0.0.1"]]})
    target = site.address("/b", "www.news.test")
    site.pages["/a"] = SitePage(status=301, headers={"location": target})
    site.pages["/b"] = SitePage(b"there", "text/plain")
    assert fetch(site.address("/a"), on_loopback(names)).address == target


def test_a_redirect_to_an_endless_address_is_refused(site: WebSite) -> None:
    site.pages["/out"] = SitePage(status=302, headers={"location": f"http://other.test/{'a' * 5000}"})
    assert failure(site.address("/out")).code == "web-address"


def test_links_are_joined_with_the_address_to_which_redirects_led(site: WebSite) -> None:
    site.pages["/manual"] = SitePage(status=301, headers={"location": "/docs/v2/index.html"})
    site.pages["/docs/v2/index.html"] = SitePage(b'<a href="install.html">Install</a>')
    text = asyncio.run(read_page(site.address("/manual"), 0, on_loopback())).text
    assert f"[Install]({site.address('/docs/v2/install.html')})" in text


def test_no_cookie_is_sent_also_not_over_a_redirect(site: WebSite) -> None:
    """A request goes to the number of a host, which may be that of many other hosts."""
    headers = {"location": "/b", "set-cookie": "session=of-this-host; Path=/"}
    site.pages["/a"] = SitePage(status=302, headers=headers)
    site.pages["/b"] = SitePage(b"there", "text/plain", headers={"set-cookie": "seen=1"})
    assert fetch(site.address("/a")).content == b"there"
    assert site.paths == ["/a", "/b"]
    assert all("cookie" not in asked for asked in site.asked)


def test_redirects_without_end_are_left(site: WebSite) -> None:
    site.pages["/a"] = SitePage(status=301, headers={"location": "/a"})
    assert failure(site.address("/a")).code == "web-redirects"
    assert len(site.paths) == MOST_REDIRECTS + 1


def test_a_page_is_bounded_in_size(site: WebSite) -> None:
    site.pages["/large"] = SitePage(bytes(MOST_MEGABYTES * 2**20 + 1))
    assert failure(site.address("/large")).code == "web-too-large"
    packed = {"content-encoding": "gzip"}
    site.pages["/bomb"] = SitePage(gzip.compress(bytes(4 * MOST_MEGABYTES * 2**20)), headers=packed)
    assert failure(site.address("/bomb")).code == "web-too-large"
    site.pages["/packed"] = SitePage(gzip.compress(b"small"), headers=packed)
    assert fetch(site.address("/packed")).content == b"small"


RAW = zlib.compressobj(wbits=-15)
PACKED = {
    "zlib": ("deflate", zlib.compress(b"whole")),
    "deflate without a head": ("deflate", RAW.compress(b"whole") + RAW.flush()),
    "members": ("x-gzip", gzip.compress(b"wh") + gzip.compress(b"") + gzip.compress(b"ole")),
    "something behind it": ("gzip", gzip.compress(b"whole") + bytes(8)),
    "twice": ("Deflate, GZIP", gzip.compress(zlib.compress(b"whole"))),
    "not at all": (" identity,", b"whole"),
}


@pytest.mark.parametrize(("packing", "body"), PACKED.values(), ids=PACKED)
def test_a_packed_page_is_whole(site: WebSite, packing: str, body: bytes) -> None:
    site.pages["/packed"] = SitePage(body, headers={"content-encoding": packing})
    file = fetch(site.address("/packed"))
    assert (file.content, file.is_whole) == (b"whole", True)


def test_a_packed_page_that_breaks_off_says_so(site: WebSite) -> None:
    whole = gzip.compress(random.Random(1).randbytes(4000).hex().encode())
    site.pages["/cut"] = SitePage(whole[:3000], headers={"content-encoding": "gzip"})
    text = asyncio.run(read_page(site.address("/cut"), 0, on_loopback())).text
    assert text.endswith("\n\n[The page breaks off here: its server sent no more of it.]")
    assert len(text) > 3000


@pytest.mark.parametrize("packing", ["br", "gzip, br", "gzip, gzip, gzip, gzip", "gzip"])
def test_a_page_packed_in_another_way_is_refused(site: WebSite, packing: str) -> None:
    site.pages["/packed"] = SitePage(b"<p>no gzip", headers={"content-encoding": packing})
    assert failure(site.address("/packed")).code == "web-unreachable"


@pytest.mark.full
def test_many_empty_parts_of_a_packed_page_take_no_time(site: WebSite) -> None:
    empty = gzip.compress(b"")
    body = empty * (MOST_MEGABYTES * 2**20 // len(empty))
    site.pages["/parts"] = SitePage(body, headers={"content-encoding": "gzip"})
    assert not fetch(site.address("/parts")).is_whole


def test_a_page_is_bounded_in_time(site: WebSite) -> None:
    """The site never answers before the call has ended."""
    page = site.pages["/slow"] = SitePage()
    page.waits = threading.Event()
    error = failure(site.address("/slow"), most_s=0.2)
    assert error.code == "web-slow"
    page.waits.set()


def test_the_text_of_a_page_is_bounded_by_the_same_time(site: WebSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading it never ends before the call has."""
    abandoned = threading.Event()

    def read(_name: str, _data: bytes, _most: int, _language: str, reading: ReadingTime, **_: str) -> None:
        reading.abandoned.wait(60)
        abandoned.set()
        raise EngineClosed

    monkeypatch.setattr("app.tools.web_pages.read_document", read)
    site.pages["/deep"] = SitePage(b"<div>" * 9)
    with pytest.raises(ToolFailed) as error:
        asyncio.run(read_page(site.address("/deep"), 0, on_loopback(), most_s=0.5))
    assert (error.value.code, error.value.arguments["detail"]) == ("web-unreadable", "too-slow")
    assert abandoned.is_set()


def test_a_refusal_has_its_status(site: WebSite) -> None:
    error = failure(site.address("/missing"))
    assert (error.code, error.arguments["status"]) == ("web-status", 404)


def test_a_host_that_cannot_be_reached_is_named() -> None:
    error = failure("http://news.test:1/")
    assert (error.code, error.arguments["host"]) == ("web-unreachable", "news.test")


@pytest.mark.parametrize(
    ("content_type", "path", "name"),
    [
        ("text/html; charset=utf-8", "/a.php", "page.html"),
        ("application/pdf", "/paper", "page.pdf"),
        ("text/plain", "/raw/page.html", "page.txt"),
        ("application/vnd.ms-excel", "/sheets/table.xlsx", "table.xlsx"),
        ("", "/", "page.html"),
        ("", "/story", "page.html"),
        ("unknown/unknown", "/story.php", "page.html"),
        ("application/octet-stream", "/story", "page.html"),
        ("text/plain", "/story", "page.txt"),
        ("text/css", "/story.css", "story.css"),
    ],
)
def test_a_file_is_named_by_what_it_is(content_type: str, path: str, name: str) -> None:
    page = b"\xef\xbb\xbf\n<!-- made by hand --><!DOCTYPE HTML><p>x"
    assert WebFile(f"https://news.test{path}", page, content_type).name == name


@pytest.mark.parametrize("content", [b"", b"a <p> is a paragraph", b"<pre>", b"<![CDATA[", b"%PDF-1.7"])
def test_what_does_not_begin_as_a_page_keeps_its_name(content: bytes) -> None:
    assert WebFile("https://news.test/story.xlsx", content, "application/octet-stream").name == "story.xlsx"
