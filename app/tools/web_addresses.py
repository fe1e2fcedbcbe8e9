"""Which addresses of the web Tandem's own tools may reach: addresses of the public internet. No Qt.

A model, or a page that it read, names the addresses. Without these checks, either could have Tandem ask the router, a
program of this computer or the metadata service of a cloud.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.tools.tool import ToolFailed

if TYPE_CHECKING:
    import httpx2

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address
# Networks of IPv6 that lead to an address of IPv4 in their last 32 bits (RFC 6052).
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
# Addresses of a host that are tried, one after the other.
_MOST_TRIED = 4
# A name or a number. Others cannot be resolved, and might look like something else where a person reads them.
_HOST = re.compile(r"[a-z0-9._-]+|[0-9a-f:.]+")
_HIGHEST_PORT = 65535
# Characters of a text that is no address, in a sentence that says so.
_LONGEST_SHOWN = 200


def is_public(address: IpAddress) -> bool:
    """Whether an address belongs to a computer of the public internet.

    It does not if it is private, of this computer, of one link, reserved, for several computers, or an address of IPv6
    that stands for one of IPv4: such a form has no use but to pass a check. Only NAT64, by which some networks reach
    all of IPv4, counts as the address of IPv4 in it.
    """
    if isinstance(address, ipaddress.IPv6Address):
        if address in _TRANSLATED:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
        if address.ipv4_mapped or address.sixtofour or address.teredo or address.is_site_local:
            return False
        # The old form "::127.0.0.1".
        if int(address) >> 32 == 0:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


async def resolved(host: str, port: int) -> list[IpAddress]:
    """Return the addresses of a host, as the system has them, each once. Raises `OSError` if there are none."""
    # Imported by the first call, because it would delay the window.
    import asyncio

    loop = asyncio.get_running_loop()
    entries = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # The address of one link has the name of an interface behind a percent sign, which is no part of it.
    texts = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in entries)
    return [ipaddress.ip_address(text) for text in texts]


@dataclass(frozen=True)
class WebAddresses:
    """The rule by which an address may be reached, and what finds the addresses of a host.

    `allows` decides about each address, and `resolve(host, port)` finds them; it raises `OSError` for an unknown host.
    """

    allows: Callable[[IpAddress], bool] = is_public
    resolve: Callable[[str, int], Awaitable[list[IpAddress]]] = resolved

    async def of(self, url: httpx2.URL) -> list[IpAddress]:
        """Return the checked addresses of the host in `url`, of which one has to be connected to.

        Whoever resolves the name again may get another address. Raises `ToolFailed`: (web-address) if the url is not
        one of the web or has a password, (web-unreachable) for an unknown host, (web-private) if any of its addresses
        may not be reached, because a host on both sides is on neither by accident.
        """
        _check(url)
        host = url.raw_host.decode("ascii")
        port = url.port or {"http": 80, "https": 443}[url.scheme]
        try:
            addresses = await self.resolve(host, port)
        except (OSError, UnicodeError) as error:
            raise ToolFailed("web-unreachable", host=url.host, detail="unknown host") from error
        if not addresses:
            raise ToolFailed("web-unreachable", host=url.host, detail="unknown host")
        if not all(map(self.allows, addresses)):
            raise ToolFailed("web-private", host=url.host)
        return addresses[:_MOST_TRIED]


def web_url(address: str) -> httpx2.URL:
    """Return the address of a page as it is asked for. Raises `ToolFailed` (web-address) as `WebAddresses.of` does."""
    # Not at the top, because it would delay the window: see `ToolHost.prepare_web`.
    import httpx2

    try:
        url = httpx2.URL(address.strip())
    except httpx2.InvalidURL as error:
        raise ToolFailed("web-address", address=address[:_LONGEST_SHOWN]) from error
    _check(url)
    return url


def _check(url: httpx2.URL) -> None:
    """Raise `ToolFailed` (web-address) if this is not an address of the web, or has a password."""
    has_host = _HOST.fullmatch(url.raw_host.decode("ascii")) is not None and (url.port or 0) <= _HIGHEST_PORT
    if url.scheme not in ("http", "https") or not has_host or url.userinfo:
        raise ToolFailed("web-address", address=shown_address(url)[:_LONGEST_SHOWN])


def shown_address(url: httpx2.URL) -> str:
    """Return an address without what may be a password."""
    return str(url.copy_with(username=None, password=None)) if url.userinfo else str(url)
