"""The text of HTML pages, and of EPUB books, whose pages are such. Nothing that a page names is loaded."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, SubElement

import webencodings

from engine.documents.encodings import decode
from engine.documents.marked_text import CODE, EXPONENT, LIST_ITEM, PARAGRAPH, ROW, TABLE, MarkedText, Role
from engine.documents.mathml import latex_of
from engine.documents.zipped_parts import Encrypted, ZippedParts, addressed, skipping_damage


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LEFT_OUT = _names("script style title template noscript head svg math object iframe rt rp option datalist")
_BLOCKS = _names(
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer form "
    "header legend main nav p section summary tbody tfoot thead"
)
_ROLES = dict.fromkeys(_BLOCKS, PARAGRAPH) | {"pre": CODE, "li": LIST_ITEM, "table": TABLE, "tr": ROW}
_ROLES |= {f"h{level}": Role("heading", level) for level in range(1, 7)}
_VOID = _names("area base br col embed hr img input link meta param source track wbr")
_STRUCK = _names("del s strike")
_IN_HEAD = _names("base basefont bgsound link meta noscript script style template title")
# The elements that an end tag does not leave.
_CELLS, _TABLE = _names("td th caption table"), _names("table")
_WITHIN_TABLE = dict.fromkeys(_names("caption colgroup tbody td tfoot th thead tr"), _TABLE) | {"table": frozenset()}
# What ends where an element starts, as the standard has it, and the elements that are never left for that.
_ENDED = {
    "a": (_names("a"), _CELLS),
    "li": (_names("li p a"), _names("ul ol menu")),
    "tr": (_names("tr caption"), _TABLE),
    **dict.fromkeys(_names("dt dd"), (_names("dt dd p a"), _names("dl"))),
    **dict.fromkeys(_names("option optgroup"), (_names("option"), _names("select"))),
    **dict.fromkeys(_names("rt rp"), (_names("rt rp"), _names("ruby"))),
    **dict.fromkeys(_names("td th"), (_names("td th"), _TABLE)),
    **dict.fromkeys(_names("tbody thead tfoot"), (_names("tr tbody thead tfoot caption"), _TABLE)),
    # A link around a whole part of the page was left open.
    **dict.fromkeys(_names("article main ol section table ul"), (_names("p svg math option a"), _CELLS)),
}
_BLOCK_ENDS = (_names("p svg math option"), _CELLS)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
# Addresses within a site lead nowhere from a file.
_ADDRESS = re.compile(r"(?:https?|ftp)://|mailto:|tel:", re.I)
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
    label = (found[1] or found[2]).decode() if found is not None else ""
    if (declared := webencodings.lookup(label)) is not None and declared.name == "replacement":
        return None
    read = decoded_as(content, label)
    return decode(content, language) if read is None else (read, "")


def decoded_as(content: bytes, label: str) -> str | None:
    """Decode text in an old encoding that the Encoding Standard has under a label; None for all others."""
    declared = webencodings.lookup(label)
    if declared is None or declared.name.startswith("utf-") or declared.name == "replacement":
        return None
    decoder = webencodings.lookup(_DECODED_AS.get(declared.name, declared.name))
    text: str = decoder.codec_info.decode(content, "replace")[0]
    return text


def read_book(parts: ZippedParts, text: MarkedText) -> None:
    """Add the pages of a book in the order in which they are read; one that is missing or damaged is counted."""
    main = next(parts.xml("META-INF/container.xml").iter("rootfile")).get("full-path", "")
    package = parts.xml(main)
    names = {one.get("id"): addressed(main, one.get("href", ""), parts.names) for one in package.iter("item")}
    pages = [names.get(one.get("idref"), "") for one in package.iter("itemref")]
    # Fonts may be encrypted in a book that anyone can read.
    if {one.get("URI", "") for one in parts.xml("META-INF/encryption.xml").iter("CipherReference")} & {*pages}:
        raise Encrypted
    for name in pages:
        with skipping_damage(text):
            content = parts.read(name)
            page, _ = decoded_page(content) or (content.decode("utf-8", "replace"), "")
            read_page(page.encode("utf-8", "replace"), text)
        text.finish()


def read_page(page: bytes, text: MarkedText) -> None:
    """Add the blocks of a page in UTF-8."""
    reader = _PageReader(text)
    reader.feed(page.decode())
    reader.close()
    text.finish()


@dataclass(slots=True)
class _Open:
    """An element that has not ended. `math` is its MathML, if it is a part of a formula."""

    tag: str
    role: Role | None
    is_left_out: bool
    math: Element | None


class _PageReader(HTMLParser):
    """Follows the tags of a page; those that are not closed end where a browser would end them."""

    def __init__(self, text: MarkedText) -> None:
        super().__init__()
        self._text = text
        # The elements around, without those that only change letters, and how many of a kind these are.
        self._around: list[_Open] = []
        self._count = Counter[str]()
        # How many of them are left out, and whether words that follow are the first of hidden ones, or an exponent.
        self._left_out, self._unseen, self._raised = 0, False, False

    def close(self) -> None:
        super().close()
        self._end_from(0)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        tag, given = _plain(tag), {name: value or "" for name, value in attrs}
        role = _role(tag, given)
        if tag == "body":
            self._end(("head",), ())
        elif tag not in _IN_HEAD:
            self._end_head()
        if tag in _ENDED or (role is not None and role.name != "link"):
            self._end(*_ENDED.get(tag, _BLOCK_ENDS))
        self._raised = tag == "sup"
        if tag in _VOID:
            if not self._left_out:
                self._add_void(tag, given)
        elif tag not in ("html", "body"):
            self._start(tag, given, role)

    def handle_endtag(self, tag: str) -> None:
        tag, self._raised = _plain(tag), False
        if tag in _STRUCK and not self._left_out:
            self._text.add("~~")
        self._end((tag,), _WITHIN_TABLE.get(tag, _CELLS), nearest=True)

    def handle_data(self, data: str) -> None:
        if has_words := bool(data.strip()):
            self._end_head()
        if self._left_out:
            inner = self._around[-1]
            if inner.math is not None:
                inner.math.text = (inner.math.text or "") + data
            elif has_words and self._unseen and self._left_out == 1:
                self._text.left_out["hidden-text"] += 1
                self._unseen = False
            return
        if self._raised and EXPONENT.match(data):
            self._text.add("^")
        self._raised = False
        if self._text.block is CODE:
            self._text.add(data)
        else:
            self._text.add_of_page(data)

    def _start(self, tag: str, given: dict[str, str], role: Role | None) -> None:
        if not self._left_out:
            self._unseen = "hidden" in given or _HIDDEN.search(given.get("style", "")) is not None
        is_left_out = (self._unseen and not self._left_out) or (tag in _LEFT_OUT and "selected" not in given)
        formula = self._around[-1].math if self._around else None
        math = formula
        if formula is not None:
            math = SubElement(formula, tag, given)
        elif tag == "math":
            math = Element(tag, given)
        if self._left_out or is_left_out:
            role = None
        elif role is not None:
            self._text.start(role)
        elif tag in _STRUCK:
            self._text.add("~~")
        if role is not None or self._left_out or is_left_out or tag in ("ruby", "select"):
            self._around.append(_Open(tag, role, is_left_out, math))
            self._count[tag] += 1
            self._left_out += is_left_out

    def _add_void(self, tag: str, given: dict[str, str]) -> None:
        kind = given.get("type", "text").lower()
        if tag == "br":
            self._text.add("\n")
        elif tag == "hr":
            self._text.end_block()
        elif tag == "img" and (alt := given.get("alt")):
            self._text.add(f"[{alt}]")
        elif tag == "input" and kind in ("checkbox", "radio"):
            self._text.add("☒ " if "checked" in given else "☐ ")
        elif tag == "input" and kind in ("text", "email", "tel", "url", "number", "date", "search"):
            self._text.add_of_page(given.get("value", ""))

    def _end_head(self) -> None:
        if self._around and self._around[-1].tag == "head":
            self._end_from(len(self._around) - 1)

    def _end(self, tags: Collection[str], around: Collection[str], *, nearest: bool = False) -> None:
        """End the outermost element of some, or the nearest, with all in it, up to the first of those around."""
        if not any(self._count[tag] for tag in tags):
            return
        found = -1
        for index in range(len(self._around) - 1, -1, -1):
            tag = self._around[index].tag
            if tag in tags:
                found = index
            if tag in around or (nearest and found >= 0):
                break
        if found >= 0:
            self._end_from(found)

    def _end_from(self, index: int) -> None:
        while len(self._around) > index:
            one = self._around.pop()
            self._count[one.tag] -= 1
            self._left_out -= one.is_left_out
            if one.role is not None:
                self._text.end(one.role)
            elif one.tag == "math" and one.math is not None and not self._left_out:
                self._text.add(latex_of(one.math))


def _plain(tag: str) -> str:
    """Return the name of an element, which has a prefix in formulas of books."""
    return tag.removeprefix("m:").removeprefix("mml:")


def _role(tag: str, given: dict[str, str]) -> Role | None:
    if tag in ("ul", "ol"):
        return Role("list", _number(given.get("start", "")) - 1 if tag == "ol" else -1)
    if tag == "a":
        address = given.get("href", "").strip()
        return Role("link", mark=address) if _ADDRESS.match(address) else None
    if tag in ("td", "th"):
        return Role("cell", _number(given.get("colspan", "")), rows=_number(given.get("rowspan", "")))
    return _ROLES.get(tag)


def _number(text: str) -> int:
    return max(1, int(text[:6])) if text.isdecimal() else 1
