"""The text of HTML pages, and of EPUB books, whose pages are such. Nothing that a page names is loaded."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import webencodings
from selectolax.lexbor import LexborHTMLParser, LexborNode

from engine.documents.encodings import decode
from engine.documents.marked_text import CODE, EXPONENT, LIST_ITEM, PARAGRAPH, ROW, TABLE, MarkedText, Role
from engine.documents.mathml import latex_of
from engine.documents.zipped_parts import Encrypted, ZippedParts, addressed, skipping_damage

_LEFT_OUT = "script style title template noscript head svg object iframe rt rp datalist -comment"
_BLOCKS = (
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer form "
    "header legend main nav p section summary tbody tfoot thead"
)
_ROLES = dict.fromkeys(_BLOCKS.split(), PARAGRAPH) | {"pre": CODE, "li": LIST_ITEM, "table": TABLE, "tr": ROW}
_ROLES |= {f"h{level}": Role("heading", level) for level in range(1, 7)}
_STRUCK, _TEXT = ("del", "s", "strike"), "-text"
_FIELDS = ("text", "email", "tel", "url", "number", "date", "search")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
# Addresses within a site lead nowhere from a file.
_ADDRESS = re.compile(r"(?:https?|ftp)://|mailto:|tel:", re.I)
# A list to choose from whose end was forgotten, up to a block: parsers take the rest of the page for a choice.
_OPEN_SELECT = re.compile(
    r"(<select\b(?:(?!</?(?:select|{0})\b)[\s\S])*+)(?=<(?:{0})\b)".format("|".join(_ROLES)), re.IGNORECASE
)
# What XHTML closes at once, and HTML would leave open.
_CLOSED = re.compile(r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([\w:]+)([^<>]*)/>")
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
    """Add the blocks of a page in UTF-8, as a browser lays its elements out."""
    content = _OPEN_SELECT.sub(r"\1</select>", page.decode())
    if "http://www.w3.org/1999/xhtml" in content[:_BEGINNING]:
        content = _CLOSED.sub(r"<\1\2></\1>", content)
    raised = False
    for node, begins in _visited(LexborHTMLParser(content).root, text):
        tag, role = _plain(node), _role(node)
        if tag == _TEXT:
            words = node.text_content or ""
            if raised and EXPONENT.match(words):
                text.add("^")
            if text.block is CODE:
                text.add(words)
            else:
                text.add_of_page(words)
        elif role is not None:
            (text.start if begins else text.end)(role)
        elif tag in _STRUCK:
            text.add("~~")
        elif begins:
            _add_single(tag, node, text)
        raised = begins and tag == "sup"
    text.finish()


def _visited(root: LexborNode | None, text: MarkedText) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the nodes that are shown, and whether they begin or end. Pages nest deeper than Python's stack."""
    node, begins = root, True
    while node is not None:
        shown = begins and _is_shown(node, text)
        if shown or not begins:
            yield node, begins
        if shown and _plain(node) != "math" and node.first_child is not None:
            node = node.first_child
            continue
        if shown and _plain(node) != _TEXT:
            yield node, False
        if node.next is not None:
            node, begins = node.next, True
        else:
            node, begins = node.parent, False


def _is_shown(node: LexborNode, text: MarkedText) -> bool:
    tag = node.tag
    if tag == _TEXT:
        return True
    given = node.attributes
    if tag in _LEFT_OUT.split() or (tag == "option" and "selected" not in given):
        return False
    is_hidden = "hidden" in given or _HIDDEN.search(given.get("style") or "") is not None
    # Scripts show a whole page when it is loaded.
    is_hidden &= tag not in ("html", "body")
    if is_hidden and node.text().strip():
        text.left_out["hidden-text"] += 1
    return not is_hidden


def _add_single(tag: str, node: LexborNode, text: MarkedText) -> None:
    """Add an element that is no part of the page's structure."""
    given = {name: found or "" for name, found in node.attributes.items()}
    kind = given.get("type", "text").lower()
    if tag == "br":
        text.add("\n")
    elif tag == "hr":
        text.end_block()
    elif tag == "math":
        # It may nest deeper than Python's stack.
        with skipping_damage(text):
            text.add(latex_of(_formula(node)))
    elif tag == "img" and (alt := given.get("alt")):
        text.add(f"[{alt}]")
    elif tag == "input" and kind in ("checkbox", "radio"):
        text.add("☒ " if "checked" in given else "☐ ")
    elif tag == "input" and kind in _FIELDS:
        text.add_of_page(given.get("value", ""))


def _formula(node: LexborNode) -> Element:
    element = Element(_plain(node), {name: found or "" for name, found in node.attributes.items()})
    element.extend(_formula(one) for one in node.iter())
    element.text = "" if len(element) else node.text()
    return element


def _plain(node: LexborNode) -> str:
    """Return the name of an element, which has a prefix in formulas of books."""
    return (node.tag or "").removeprefix("m:").removeprefix("mml:")


def _role(node: LexborNode) -> Role | None:
    tag, given = node.tag or "", node.attributes
    if tag in ("ul", "ol"):
        return Role("list", _number(given.get("start")) - 1 if tag == "ol" else -1)
    if tag == "a":
        address = (given.get("href") or "").strip()
        return Role("link", mark=address) if _ADDRESS.match(address) else None
    if tag in ("td", "th"):
        return Role("cell", _number(given.get("colspan")), rows=_number(given.get("rowspan")))
    return _ROLES.get(tag)


def _number(text: str | None) -> int:
    return max(1, int(text[:6])) if text and text.isdecimal() else 1
