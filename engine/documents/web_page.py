"""The text of HTML pages, and of EPUB books, whose pages are such. Nothing that a page names is loaded."""

from __future__ import annotations

import codecs
import re
from html.parser import HTMLParser

import webencodings

from engine.documents.encodings import decode
from engine.documents.marked_text import CODE, LIST_ITEM, PARAGRAPH, ROW, TABLE, MarkedText, Role
from engine.documents.zipped_parts import Encrypted, ZippedParts, resolved

_LEFT_OUT = "script style title template noscript head svg math select object iframe rt rp"
_BLOCKS = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "header hr html legend main nav p section summary tbody tfoot thead"
)
_ROLES = dict.fromkeys(_BLOCKS.split(), PARAGRAPH) | {"pre": CODE, "li": LIST_ITEM, "table": TABLE, "tr": ROW}
_ROLES |= {f"h{level}": Role("heading", level) for level in range(1, 7)}
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}encoding=["']([\w.:-]+)""", re.I
)
# What browsers decode as another encoding, beside the labels of the Encoding Standard.
_DECODED_AS = {"gbk": "gb18030", "x-user-defined": "windows-1252"}
# How far into a page its encoding is searched for.
_BEGINNING = 4096


def decoded_page(content: bytes, language: str = "") -> tuple[str, str] | None:
    """Decode a page as browsers do: by its byte-order mark, else as it says, if the Encoding Standard has that name.

    A page that names no encoding, or a Unicode one, is decoded as `decode` does; returns what that returns. None also
    for an encoding that the standard forbids.
    """
    is_marked = content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    found = None if is_marked else _CHARSET.search(content[:_BEGINNING])
    declared = webencodings.lookup((found[1] or found[2]).decode()) if found is not None else None
    if declared is None or declared.name.startswith("utf-"):
        return decode(content, language)
    if declared.name == "replacement":
        return None
    decoder = webencodings.lookup(_DECODED_AS.get(declared.name, declared.name))
    return decoder.codec_info.decode(content, "replace")[0], ""


def read_book(parts: ZippedParts, text: MarkedText) -> None:
    """Add the pages of a book in the order in which they are read."""
    main = next(parts.xml("META-INF/container.xml").iter("rootfile")).get("full-path", "")
    package = parts.xml(main)
    names = {one.get("id"): resolved(main, one.get("href", "")) for one in package.iter("item")}
    pages = [name for one in package.iter("itemref") if (name := names.get(one.get("idref"))) in parts.names and name]
    # Fonts may be encrypted in a book that anyone can read.
    if {one.get("URI", "") for one in parts.xml("META-INF/encryption.xml").iter("CipherReference")} & {*pages}:
        raise Encrypted
    for content in map(parts.read, pages):
        page, _ = decoded_page(content) or (content.decode("utf-8", "replace"), "")
        read_page(page.encode(), text)


def read_page(page: bytes, text: MarkedText) -> None:
    """Add the blocks of a page in UTF-8."""
    reader = _PageReader(text)
    reader.feed(page.decode())
    reader.close()
    text.finish()


class _PageReader(HTMLParser):
    """Follows the tags of a page; those that are not closed end where a browser would end them, roughly."""

    def __init__(self, text: MarkedText) -> None:
        super().__init__()
        self._text = text
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # A page may leave out the end of its head.
        if tag == "body":
            self._hidden.clear()
        elif tag in _LEFT_OUT.split():
            self._hidden.append(tag)
        if self._hidden:
            return
        given = dict(attrs)
        if tag == "br":
            self._text.add("\n")
        elif tag == "img" and (alt := given.get("alt")):
            self._text.add(f"[{alt}]")
        elif (role := _role(tag, given)) is not None:
            self._text.start(role)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            if tag == self._hidden[-1]:
                self._hidden.pop()
        elif (role := _role(tag, {})) is not None:
            self._text.end(role)

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._text.block is CODE:
            self._text.add(data)
        else:
            self._text.add_of_page(data)


def _role(tag: str, given: dict[str, str | None]) -> Role | None:
    if tag in ("ul", "ol"):
        return Role("list", _number(given.get("start")) - 1 if tag == "ol" else -1)
    return Role("cell", _number(given.get("colspan"))) if tag in ("td", "th") else _ROLES.get(tag)


def _number(text: str | None) -> int:
    return max(1, int(text[:6])) if text and text.isdecimal() else 1
