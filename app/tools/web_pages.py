"""Reads a page of the web as a person's browser would: one page at a time, for a call that the person agreed to. No Qt.

It says who it is, and asks for a page once. The file robots.txt is for programs that collect pages by themselves, so
it is not read, as no browser reads it.
"""

from __future__ import annotations

import asyncio
import codecs
import re
import zlib
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx2

from app.system.versions import installed_version
from app.tools.tool import ToolFailed, ToolResult
from app.tools.web_addresses import WebAddresses, shown_address, web_url
from app.tools.web_results import page_text
from app.tools.web_sites import site_of, stays_within
from engine.documents.formats import begins_page
from engine.documents.pages.web_page import decoded_as
from engine.documents.reading import read_document
from engine.documents.text.parts import counted_words, left_out_line
from engine.files.reading_time import ReadingTime

# Nobody reads a longer page, and a larger file is a download.
MOST_MEGABYTES = 10
# Seconds for the whole of a page, with its redirects and until its text is read: a person waits for it.
PAGE_S = 30.0
# Seconds to connect to one address of a host, before another is tried.
PAGE_CONNECT_S = 10.0
# As many as browsers follow in practice; a sign-in or a shortened address takes two or three.
MOST_REDIRECTS = 8
# Characters of an address to which a redirect leads: few servers take more, and the model may get it as a text.
_LONGEST_TARGET = 4096
# Characters of a page that a call returns: 5,000 to 10,000 tokens, a part of the context of any model that uses tools.
PART = 20_000
# Characters that the text of a page may have at all.
_LONGEST_PAGE_TEXT = 4 * 2**20
_ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf;q=0.9, */*;q=0.5"
_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
# The end of a file's name by the media type of its answer, where the name in the address may say otherwise.
_ENDS = {
    "text/html": ".html",
    "application/xhtml+xml": ".xhtml",
    "application/pdf": ".pdf",
    "application/epub+zip": ".epub",
    "message/rfc822": ".eml",
    "text/rtf": ".rtf",
}
# What zlib reads by these numbers: gzip's form or its own, and data without either's head, as some servers send them.
_GZIP_OR_ZLIB = 47
_WITHOUT_HEAD = -15
# The beginning of each member of a gzip file. Without a limit, millions of empty ones would take minutes; those of
# bgzip, which makes the most, have 64 KB each.
_GZIP = b"\x1f\x8b"
_MOST_MEMBERS = 200
# Packings of one answer. Without a limit, a body that unpacks to itself is unpacked as often as its header says.
_MOST_PACKINGS = 3
# What servers say of a file whose type they do not know (MIME Sniffing Standard, section 5), and of any file.
_UNKNOWN_TYPES = ("", "unknown/unknown", "application/unknown", "*/*", "application/octet-stream")


@dataclass(frozen=True, slots=True)
class WebFile:
    """A file of the web: the address at which the redirects ended, the content, and the header with its type.

    It is not `is_whole` if its packing breaks off. As browsers do, what arrived is read.
    """

    address: str
    content: bytes
    content_type: str = ""
    is_whole: bool = True

    @property
    def name(self) -> str:
        """The name of a file of this kind, for those who know formats by names."""
        media_type = self.content_type.partition(";")[0].strip().lower()
        name = httpx2.URL(self.address).path.rpartition("/")[2]
        if media_type == "text/plain":
            # A page that is shown as source stays source.
            return "page.txt"
        if media_type in _UNKNOWN_TYPES and begins_page(self.content):
            return "page.html"
        return f"page{_ENDS[media_type]}" if media_type in _ENDS else name or "page.html"


def user_agent() -> str:
    """Return the user agent that sites see when Tandem reads their pages."""
    return f"Tandem/{installed_version('tandem-chat') or '0'} (a chat app; reads this for a person)"


async def read_page(
    address: str, start: int, addresses: WebAddresses, language: str = "", most_s: float = PAGE_S
) -> ToolResult:
    """Return the text of the page at `address` from character `start` on, at most `PART` characters of it.

    The text begins with the address at which the redirects ended. Encodings are guessed for the window's `language`,
    such as "ko". All of it has `most_s` seconds, which the result has. Raises `ToolFailed`, as `fetched` does, and
    (web-unreadable) if the page has no text, or if its text takes too long.
    """
    loop = asyncio.get_running_loop()
    begun_at = loop.time()
    file = await fetched(address, addresses, most_s)
    reading = ReadingTime()
    try:
        async with asyncio.timeout_at(begun_at + most_s):
            text = await asyncio.to_thread(_text_of, file, language, reading)
    except TimeoutError as error:
        raise _unreadable(file, "too-slow") from error
    finally:
        # If nobody waits for the text any more, this ends the thread.
        reading.abandoned.set()
    part = text[start : start + PART]
    if not part and start:
        part = f"[The page ends before character {start}. It has {len(text)}.]"
    elif start + PART < len(text):
        end = start + PART
        part += f"\n[These are characters {start} to {end} of {len(text)}. For more, call again with start {end}.]"
    return ToolResult(page_text(file.address, part), seconds=loop.time() - begun_at)


async def fetched(address: str, addresses: WebAddresses, most_s: float = PAGE_S) -> WebFile:
    """Return the file at an address of the web, after redirects, each of which is checked as the first address is.

    Raises `ToolFailed`: the errors of `WebAddresses.of`, (web-unreachable), (web-status), (web-redirects), (web-slow)
    after `most_s` seconds, (web-too-large) beyond `MOST_MEGABYTES`, packed or unpacked, and (web-other-site) with the
    address of a redirect to a site that the person was not asked about: on a site that they trust, anybody may be able
    to write addresses that redirect elsewhere.
    """
    url = web_url(address)
    try:
        async with asyncio.timeout(most_s):
            # A request goes to a number, which many hosts share: cookies by number would go from one to another.
            no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=()))
            timeout = httpx2.Timeout(None, connect=PAGE_CONNECT_S)
            # No proxy: it would resolve the name again, where nobody checks the address.
            async with httpx2.AsyncClient(trust_env=False, timeout=timeout, cookies=no_cookies) as client:
                return await _followed(client, url, addresses)
    except TimeoutError as error:
        raise ToolFailed("web-slow", host=url.host, seconds=round(most_s)) from error


async def _followed(client: httpx2.AsyncClient, url: httpx2.URL, addresses: WebAddresses) -> WebFile:
    """Return the file at the end of the redirects that begin at `url`."""
    for _ in range(MOST_REDIRECTS + 1):
        response = await _answer(client, url, addresses)
        try:
            if not response.has_redirect_location:
                return await received(response, url)
            target = _target(url, response.headers["location"])
        finally:
            await response.aclose()
        if not stays_within(site_of(url), site_of(target)):
            raise ToolFailed("web-other-site", host=url.host, site=site_of(target), address=str(target))
        url = target
    raise ToolFailed("web-redirects", host=url.host)


def _target(url: httpx2.URL, location: str) -> httpx2.URL:
    """Return the address to which a redirect leads. Raises `ToolFailed` (web-address) if it is none, or too long."""
    try:
        target = str(url.join(location))
    except (httpx2.InvalidURL, ValueError) as error:
        raise ToolFailed("web-address", address=location[:200]) from error
    if len(target) > _LONGEST_TARGET:
        raise ToolFailed("web-address", address=location[:200])
    return web_url(target)


async def _answer(client: httpx2.AsyncClient, url: httpx2.URL, addresses: WebAddresses) -> httpx2.Response:
    """Ask for an address at one of its checked addresses, and return the answer without its body.

    The connection is made to the number that was checked; the name is in the header and in the certificate.
    """
    headers = {
        "host": url.netloc.decode("ascii"),
        "user-agent": user_agent(),
        "accept": _ACCEPT,
        "accept-encoding": "gzip, deflate",
    }
    name = {"sni_hostname": url.raw_host.decode("ascii")}
    failure: Exception | None = None
    for checked in await addresses.of(url):
        request = client.build_request("GET", url.copy_with(host=str(checked)), headers=headers, extensions=name)
        try:
            return await client.send(request, stream=True, follow_redirects=False)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            failure = error
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            raise unreachable(url.host, error) from error
    raise unreachable(url.host, failure) from failure


def unreachable(host: str, error: Exception | None) -> ToolFailed:
    """Return the failure that says why a host cannot be reached."""
    detail = " ".join(str(error).split())[:200] or type(error).__name__
    return ToolFailed("web-unreachable", host=host, detail=detail)


async def received(response: httpx2.Response, url: httpx2.URL) -> WebFile:
    """Return the body of an answer. Raises `ToolFailed` if it refuses, is too large or breaks off."""
    if not response.is_success:
        raise ToolFailed("web-status", host=url.host, status=response.status_code)
    packings = _packings(response, url)
    content = bytearray()
    try:
        async for part in response.aiter_raw():
            content += part
            _check_size(content, url)
    except httpx2.RequestError as error:
        raise unreachable(url.host, error) from error
    body = bytes(content)
    is_whole = True
    for packing in reversed(packings):
        try:
            body, is_end = _unpacked(body, packing)
        except zlib.error as error:
            raise unreachable(url.host, error) from error
        _check_size(body, url)
        is_whole = is_whole and is_end
    return WebFile(shown_address(url), body, response.headers.get("content-type", ""), is_whole)


def _check_size(content: bytes | bytearray, url: httpx2.URL) -> None:
    """Raise `ToolFailed` (web-too-large) for a content beyond `MOST_MEGABYTES`."""
    if len(content) > MOST_MEGABYTES * 2**20:
        raise ToolFailed("web-too-large", host=url.host, megabytes=MOST_MEGABYTES)


def _packings(response: httpx2.Response, url: httpx2.URL) -> list[str]:
    """Return how a body is packed (RFC 9110, section 8.4), the last one outermost. Raises `ToolFailed` for others."""
    named = response.headers.get("content-encoding", "").lower().split(",")
    packings = [packing for name in named if (packing := name.strip()) not in ("", "identity")]
    if len(packings) > _MOST_PACKINGS or not {"gzip", "x-gzip", "deflate"}.issuperset(packings):
        raise ToolFailed("web-unreachable", host=url.host, detail=f"an answer packed as {', '.join(packings)[:40]}")
    return packings


def _unpacked(content: bytes, packing: str) -> tuple[bytes, bool]:
    """Return what was packed, and whether all of it is there; at most a byte more than `MOST_MEGABYTES`.

    All members of a gzip file count (RFC 1952, section 2.2). What follows them is no part of it, as for browsers.
    Raises `zlib.error` for what is not packed so.
    """
    form = _WITHOUT_HEAD if packing == "deflate" and not _has_zlib_head(content) else _GZIP_OR_ZLIB
    most = MOST_MEGABYTES * 2**20 + 1
    unpacked = bytearray()
    for _ in range(_MOST_MEMBERS):
        unpacker = zlib.decompressobj(wbits=form)
        # A few bytes can be unpacked to gigabytes, so never more is unpacked than is allowed.
        unpacked += unpacker.decompress(content, most - len(unpacked))
        is_whole = unpacker.eof or not content
        content = unpacker.unused_data
        if len(unpacked) >= most or not content.startswith(_GZIP):
            return bytes(unpacked), is_whole
    return bytes(unpacked), False


def _has_zlib_head(content: bytes) -> bool:
    """Return whether data begins as zlib's own form does (RFC 1950, section 2.2)."""
    return content[:1] != b"" and content[0] % 16 == zlib.DEFLATED and int.from_bytes(content[:2]) % 31 == 0


def _text_of(file: WebFile, language: str, reading: ReadingTime) -> str:
    """Return the text of a file, with a last line that lists the parts that were left out; waits for its sandbox.

    Raises `ToolFailed` (web-unreadable).
    """
    content = file.content
    declared = _CHARSET.search(file.content_type)
    # As in browsers, the encoding that the server names goes before the encoding that the page names.
    text = decoded_as(content, declared[1]) if declared is not None else None
    if text is not None:
        content = codecs.BOM_UTF8 + text.encode("utf-8", "replace")
    document = read_document(file.name, content, _LONGEST_PAGE_TEXT, language, reading, address=file.address)
    if document.problem:
        raise _unreadable(file, document.problem)
    # The text of a document ends with this line already.
    line = left_out_line([counted_words(kind, count) for kind, count in document.left_out])
    text = document.text if document.text.endswith(line) else f"{document.text}\n\n{line}"
    return text if file.is_whole else f"{text}\n\n[The page breaks off here: its server sent no more of it.]"


def _unreadable(file: WebFile, problem: str) -> ToolFailed:
    """Return the failure of a file whose text cannot be read for a problem of documents."""
    return ToolFailed("web-unreadable", host=httpx2.URL(file.address).host, detail=problem)
