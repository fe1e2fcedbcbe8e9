"""The text of EPUB books, which are archives of pages."""

from __future__ import annotations

from functools import partial

from engine.documents.marked_text import MarkedText
from engine.documents.page_styles import LinkedSheets
from engine.documents.web_page import decoded_page, read_page
from engine.documents.zipped_parts import Encrypted, ZippedParts, addressed, skipping_damage


def read_book(data: bytes, text: MarkedText) -> None:
    """Add the pages of a book in the order in which they are read; one that is missing or damaged is counted.

    Raises `Encrypted` if a page is encrypted.
    """
    parts = ZippedParts(data)
    main = next(parts.xml("META-INF/container.xml").iter("rootfile")).get("full-path", "")
    package = parts.xml(main)
    names = {item.get("id"): addressed(main, item.get("href", ""), parts.names) for item in package.iter("item")}
    pages = [names.get(reference.get("idref"), "") for reference in package.iter("itemref")]
    # Fonts may be encrypted in a book that anyone can read.
    encrypted = {part.get("URI", "") for part in parts.xml("META-INF/encryption.xml").iter("CipherReference")}
    if not encrypted.isdisjoint(pages):
        raise Encrypted
    # The sheets that were read, by the names of their parts.
    sheets: dict[str, str] = {}
    for name in pages:
        with skipping_damage(text):
            content = parts.read(name)
            decoded = decoded_page(content)
            page = decoded.text if decoded is not None else content.decode("utf-8", "replace")
            shown = partial(_show_picture, name, parts, text)
            read_page(page.encode("utf-8", "replace"), text, _sheets_beside(name, parts, sheets), shown)
        text.finish()


def _show_picture(name: str, parts: ZippedParts, text: MarkedText, address: str) -> None:
    """Note the picture of a book that a page shows, if it is a part of it."""
    parts.show_picture(addressed(name, address, parts.names), text.pictures)


def _sheets_beside(name: str, parts: ZippedParts, sheets: dict[str, str]) -> LinkedSheets:
    """Return what finds the sheets that a page of a book links, which are other parts of it, and keeps their texts."""

    def sheet_at(address: str) -> str | None:
        part = addressed(name, address, parts.names)
        if part and part not in sheets:
            sheets[part] = parts.read(part).decode("utf-8-sig", "replace")
        return sheets.get(part)

    return sheet_at
