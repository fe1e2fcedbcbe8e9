"""The text of EPUB books, in the order in which they are read."""

from __future__ import annotations

from engine.documents.marked_text import MarkedText
from engine.documents.web_page import declared_encoding, read_page
from engine.documents.zipped_parts import Encrypted, ZippedParts, resolved

_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


def read_book(parts: ZippedParts, text: MarkedText) -> None:
    main = next(parts.xml("META-INF/container.xml").iter("rootfile")).get("full-path", "")
    package = parts.xml(main)
    pages = {
        one.get("id"): resolved(main, one.get("href", ""))
        for one in package.iter("item")
        if one.get("media-type") in _PAGES
    }
    # Fonts may be encrypted in a book that anyone can read.
    hidden = {one.get("URI", "") for one in parts.xml_or_none("META-INF/encryption.xml").iter("CipherReference")}
    if hidden.intersection(pages.values()):
        raise Encrypted
    for entry in package.iter("itemref"):
        if (name := pages.get(entry.get("idref"))) in parts.names and name is not None:
            content = parts.read(name)
            read_page(content.decode(declared_encoding(content) or "utf-8-sig", "replace"), text)
