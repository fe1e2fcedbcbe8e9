"""The addresses of a page's links, as the URL standard (url.spec.whatwg.org) reads them.

Letters that are not ASCII stay as the page has them: whoever asks for the address encodes them, in UTF-8. A browser
would encode those after a question mark as the page is encoded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from engine.documents.text.roles import Link, Role, Through

_WEB = ("http", "https")
# Other addresses that say something outside of a browser.
_OTHER = re.compile(r"(?:ftp://|mailto:|tel:)", re.IGNORECASE)
# White space and control characters, which may stand around an address.
_AROUND = "".join(map(chr, range(0x21)))
# What is no part of an address, wherever it stands: pages wrap long ones.
_LINE_END = re.compile(r"[\t\n\r]")
_BEFORE_QUERY = re.compile(r"[^?#]*")
# The scheme of an address of the web, if it begins with one, and the slashes before a host or a path.
_BEGINNING = re.compile(r"(?:(https?):)?(/*)", re.IGNORECASE)
# What is no part of an address, or would end it in the text.
_TO_ENCODE = ' "<>`{}'


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where the links of a page lead.

    `address` is the page's address, "" for a file. Relative links are joined with `base`, the document base URL; if it
    is "", they lead nowhere.
    """

    address: str
    base: str

    @classmethod
    def of(cls, page: LexborHTMLParser, address: str) -> PageLinks:
        """Return the links of a page at an address. Its first element `base` with an address names another base."""
        element = page.css_first("base[href]")
        named = "" if element is None else _web_address(element.attributes.get("href") or "", address)
        return cls(address, named or address)

    def role_of(self, attributes: Mapping[str, str]) -> Role:
        """Return the role of an element <a>: `Link` if it leads to an address."""
        target = self.target(attributes["href"]) if "href" in attributes else ""
        return Link(target) if target else Through()

    def target(self, link: str) -> str:
        """Return the address to which a link leads, given as it is written in the page.

        It is "" for a link to another place of this page, for one that a browser does not follow, and for a relative
        one without a base.
        """
        other = _written(link)
        if _OTHER.match(other):
            return other
        target = _web_address(link, self.base)
        leads_here = urldefrag(target).url == urldefrag(self.address).url
        return "" if leads_here else target


def _web_address(link: str, base: str) -> str:
    """Return the address of the web that a link has in a page with this base; "" if it has none."""
    written = _written(link)
    before_query = _BEFORE_QUERY.match(written)
    assert before_query is not None
    written = before_query[0].replace("\\", "/") + written[before_query.end() :]
    try:
        parts = urlsplit(_joined(written, base))
        is_web = parts.scheme in _WEB and parts.hostname and parts.port != 0
    # The host is no address of IPv6, or the port no number.
    except ValueError:
        return ""
    return _encoded(parts.geturl()) if is_web else ""


def _joined(written: str, base: str) -> str:
    """Join a link with a base. A host follows two slashes or more, and any scheme other than the base's."""
    beginning = _BEGINNING.match(written)
    assert beginning is not None
    base_scheme = urlsplit(base).scheme
    scheme = (beginning[1] or base_scheme).lower()
    if len(beginning[2]) > 1 or scheme != base_scheme:
        return f"{scheme}://{written[beginning.end() :]}"
    return urljoin(base, written)


def _written(link: str) -> str:
    """Return a link without what is around it and without line ends."""
    return _LINE_END.sub("", link.strip(_AROUND))


def _encoded(address: str) -> str:
    """Return an address in which all that nobody sees, or that would end it in a text, is encoded."""
    return "".join(quote(letter) if letter in _TO_ENCODE or not letter.isprintable() else letter for letter in address)
