"""Which site an address of the web belongs to: a permission to read pages is for one site. No Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2


def site_of(url: httpx2.URL) -> str:
    """Return the site of an address of the web, such as "https://news.test" or "http://news.test:8080".

    It is the origin, as browsers have it, without a "www.". With its scheme, what was allowed for an encrypted
    connection is not sent over another one. Whoever has a name has it with "www." too, and sites lead from one to the
    other. The host is in ASCII: other letters, of which many look like these, are encoded (IDNA).
    """
    host = url.netloc.decode("ascii")
    bare = host.removeprefix("www.")
    return f"{url.scheme}://{bare if '.' in bare else host}"


def stays_within(site: str, target: str) -> bool:
    """Return whether the site to which a redirect leads is the same, or the same over an encrypted connection."""
    return target in (site, site.replace("http://", "https://", 1))
