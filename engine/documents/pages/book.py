"""The text of EPUB books, which are archives of pages."""

from __future__ import annotations

import zlib
from contextlib import suppress
from functools import partial
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError
from zipfile import BadZipFile

from selectolax.lexbor import LexborHTMLParser

from engine.documents.archives.zipped_parts import ZippedParts, addressed
from engine.documents.pages.styles import LinkedSheets
from engine.documents.pages.web_page import decoded_page, read_page
from engine.documents.text.chapters import chapters_of
from engine.documents.text.damaged_parts import Encrypted, skipping_damage
from engine.documents.text.marked_text import MarkedText, TextTooLong
from engine.documents.text.parts import CHAPTER
from engine.documents.text.soft_hyphens import without_soft_hyphens
from engine.documents.text.xml_values import value

# The type of the older kind of contents.
_OLDER_CONTENTS = "application/x-dtbncx+xml"
# The headings that a chapter begins with in a book whose contents do not say where chapters are.
_HEADINGS = "h1, h2, h3"
# Contents that lead to fewer pages do not say where chapters are.
_FEWEST_TITLES = 2


def read_book(data: bytes, text: MarkedText) -> None:
    """Add the pages of a book in the order in which they are read; one that is missing or damaged is counted.

    Only the chapters that are wanted are added. Raises `Encrypted` if a page is encrypted.
    """
    parts = ZippedParts(data)
    main = next(parts.xml("META-INF/container.xml").iter("rootfile")).get("full-path", "")
    package = parts.xml(main)
    names = {item.get("id"): addressed(main, item.get("href", ""), parts) for item in package.iter("item")}
    pages = [names.get(reference.get("idref"), "") for reference in package.iter("itemref")]
    # Fonts may be encrypted in a book that anyone can read.
    references = parts.xml("META-INF/encryption.xml").iter("CipherReference")
    encrypted = {parts.find(part.get("URI", "")) for part in references} - {""}
    if not encrypted.isdisjoint(pages):
        raise Encrypted
    # The sheets that were read, by the names of their parts.
    sheets: dict[str, str] = {}
    chapters = chapters_of(_titles(parts, main, package, pages))
    if not chapters:
        _read_pages(pages, parts, text, sheets)
    for number in text.wanted_parts(CHAPTER, [chapter.name for chapter in chapters]) if chapters else ():
        chapter = chapters[number - 1]
        _read_pages(pages[chapter.first : chapter.end], parts, text, sheets)


def _read_pages(pages: list[str], parts: ZippedParts, text: MarkedText, sheets: dict[str, str]) -> None:
    """Add pages by the names of their parts."""
    for name in pages:
        with skipping_damage(text):
            page = _page_at(name, parts)
            shown = partial(_show_picture, name, parts, text)
            read_page(page.encode("utf-8", "replace"), text, _sheets_beside(name, parts, sheets), shown)
        text.finish()


def _page_at(name: str, parts: ZippedParts) -> str:
    """Return the source of a page. Raises as `ZippedParts.read`."""
    content = parts.read(name)
    decoded = decoded_page(content)
    return decoded.text if decoded is not None else content.decode("utf-8", "replace")


class _ContentsEntry(NamedTuple):
    """An entry of the contents of a book."""

    address: str
    title: str


def _titles(parts: ZippedParts, main: str, package: Element, pages: list[str]) -> list[str]:
    """Return the title that the contents of a book give each page, or else each page's first heading; "" for none."""
    titles: dict[str, str] = {}
    # Contents that are missing or damaged hold nothing of the text.
    with suppress(BadZipFile, ParseError, TextTooLong, ValueError, zlib.error):
        titles = _titles_of_contents(parts, main, package)
    if len(titles.keys() & set(pages)) < _FEWEST_TITLES:
        titles = {page: _first_heading(page, parts) for page in set(pages) if page}
    # A page that comes again begins no other chapter.
    return [titles.pop(page, "") for page in pages]


def _titles_of_contents(parts: ZippedParts, main: str, package: Element) -> dict[str, str]:
    """Return the titles in the contents of a book by the pages that they lead to, of several the first.

    Raises as `ZippedParts.xml`.
    """
    titles: dict[str, str] = {}
    for item in package.iter("item"):
        name = addressed(main, item.get("href", ""), parts)
        for entry in _entries(name, item, parts) if name else ():
            page = addressed(name, entry.address, parts)
            if page and entry.title.strip():
                titles.setdefault(page, _in_line(entry.title))
    return titles


def _entries(name: str, item: Element, parts: ZippedParts) -> list[_ContentsEntry]:
    """Return the entries of the part `name` if it has the contents of a book, as the package's `item` says."""
    if item.get("media-type") == _OLDER_CONTENTS:
        points = parts.xml(name).iter("navPoint")
        return [_ContentsEntry(value(point, "content", "src"), point.findtext("navLabel/text", "")) for point in points]
    if "nav" not in item.get("properties", "").split():
        return []
    # There may be others, of its figures for instance.
    tables = (
        contents
        for contents in LexborHTMLParser(_page_at(name, parts)).css("nav")
        if "toc" in (contents.attributes.get("epub:type") or "")
    )
    links = (link for contents in tables for link in contents.css("a"))
    return [_ContentsEntry(link.attributes.get("href") or "", link.text()) for link in links]


def _first_heading(page: str, parts: ZippedParts) -> str:
    """Return the words of the first heading of a page; "" for a page without one, or that is damaged."""
    with suppress(BadZipFile, TextTooLong, zlib.error):
        heading = LexborHTMLParser(_page_at(page, parts)).css_first(_HEADINGS)
        return _in_line(heading.text()) if heading is not None else ""
    return ""


def _in_line(title: str) -> str:
    return " ".join(without_soft_hyphens(title).split())


def _show_picture(name: str, parts: ZippedParts, text: MarkedText, address: str) -> None:
    """Add the picture of a book that a page shows, if it is a part of the book."""
    parts.show_picture(addressed(name, address, parts), text.pictures)


def _sheets_beside(name: str, parts: ZippedParts, sheets: dict[str, str]) -> LinkedSheets:
    """Return what finds the sheets that a page of a book links, which are other parts of it, and keeps their texts."""

    def sheet_at(address: str) -> str | None:
        part = addressed(name, address, parts)
        if part and part not in sheets:
            sheets[part] = parts.read(part).decode("utf-8-sig", "replace")
        return sheets.get(part)

    return sheet_at
