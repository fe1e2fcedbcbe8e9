"""The text of HTML pages, and of EPUB books, whose pages are such. Nothing that a page names is loaded."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from typing import NamedTuple

import webencodings
from selectolax.lexbor import LexborHTMLParser, LexborNode

from engine.documents.encodings import decode
from engine.documents.equations import latex_of
from engine.documents.marked_text import CODE, LIST_ITEM, PARAGRAPH, ROW, TABLE, THROUGH, MarkedText, Role
from engine.documents.page_letters import PageLetters, is_for_listeners, is_left_out
from engine.documents.page_styles import PageStyles
from engine.documents.unseen import UNKNOWN, WHITE
from engine.documents.zipped_parts import Encrypted, ZippedParts, addressed, integer, skipping_damage
from engine.files.safe_xml import safe_xml

_LEFT_OUT = "script style title template noscript head svg object iframe rt rp datalist -comment"
_BLOCKS = (
    "address article aside blockquote caption center dd details div dl dt fieldset figcaption figure footer form "
    "header hr legend main nav p section summary tbody tfoot thead"
)
_MEANINGS: dict[str, Role | str] = {"pre": CODE, "li": LIST_ITEM, "table": TABLE, "tr": ROW, "br": "\n"}
_MEANINGS |= dict.fromkeys(_BLOCKS.split(), PARAGRAPH) | {f"h{level}": Role("heading", level) for level in range(1, 7)}
_TEXT = "-text"
# What hides a page until scripts have run.
_OF_SCRIPTS = ("display", "visibility", "opacity")
# Addresses within a site lead nowhere from a file.
_ADDRESS = re.compile(r"(?:https?|ftp)://|mailto:|tel:", re.I)
# A list to choose from whose end was forgotten, up to a block: parsers take the rest of the page for a choice.
_OPEN_SELECT = re.compile(
    r"(<select\b(?:(?!</?(?:select|{0})\b)[\s\S])*+)(?=<(?:{0})\b)".format("|".join(_MEANINGS)), re.IGNORECASE
)
# What XHTML closes at once, and HTML would leave open.
_CLOSED = re.compile(r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([\w:]+)([^<>]*)/>")
# Formulas of books have prefixes.
_PREFIX = re.compile(r"(</?)(?:m|mml):")
# What XML has to declare.
_NO_XML = re.compile(r"""&nbsp;|\s(?!xml)\w+:[\w-]+="[^"]*\"""")
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}encoding=["']([\w.:-]+)""", re.I
)
# What browsers decode as another encoding, beside the labels of the Encoding Standard.
_DECODED_AS = {"gbk": "gb18030", "x-user-defined": "windows-1252"}
# How far into a page its encoding is searched for.
_BEGINNING = 4096


def decoded_page(content: bytes, language: str = "") -> tuple[str, str] | None:
    """Decode a page as browsers do, and as `decode` does if it names no encoding; None also for forbidden ones."""
    found = None if content.startswith(codecs.BOM_UTF8) else _CHARSET.search(content[:_BEGINNING])
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
    return decoder.codec_info.decode(content, "replace")[0]


def read_book(data: bytes, text: MarkedText) -> None:
    """Add the pages of a book in the order in which they are read; one that is missing or damaged is counted."""
    parts = ZippedParts(data)
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
    content = _OPEN_SELECT.sub(r"\1</select>", _PREFIX.sub(r"\1", page.decode()))
    if "http://www.w3.org/1999/xhtml" in content[:_BEGINNING]:
        content = _CLOSED.sub(r"<\1\2></\1>", content)
    _PageReader(LexborHTMLParser(content), text).read()


class _Visit(NamedTuple):
    """A node that is to be read, and how the letters around it are shown."""

    node: LexborNode | None
    letters: PageLetters


class _PageReader:
    """Adds the blocks of a page to `text`, without what nobody sees."""

    def __init__(self, page: LexborHTMLParser, text: MarkedText) -> None:
        self._page, self._text = page, text
        self._styles = PageStyles(page)
        # Whether the latest words were left out.
        self._omitted = False

    def read(self) -> None:
        # Sheets that are not loaded may colour everything.
        letters = PageLetters(background=WHITE if self._styles.is_whole else UNKNOWN)
        # What is to come, in reverse, and what is to be ended between: pages nest deeper than Python's stack.
        left: list[_Visit | Role] = [_Visit(self._page.root, letters)]
        while left:
            coming = left.pop()
            if isinstance(coming, Role):
                self._text.end(coming)
            elif coming.node is not None:
                left += reversed(self._visited(coming.node, coming.letters))
        self._text.finish()

    def _visited(self, node: LexborNode, letters: PageLetters) -> list[_Visit | Role]:
        """Add what a node itself says, and return what is in it, with its end."""
        if node.tag == _TEXT:
            self._add(str(node.text_content), letters)
            return []
        tag = node.tag or ""
        given = {name: found or "" for name, found in node.attributes.items()}
        styles = self._styles.of(tag, given)
        # Scripts show a whole page when it is loaded.
        if tag in ("html", "body"):
            styles = {name: said for name, said in styles.items() if name not in _OF_SCRIPTS}
        elif "hidden" in given or is_left_out(tag, styles) or (is_for_listeners(styles) and not _has_formula(node)):
            self._leave_out(node)
            return []
        if given.get("aria-hidden") == "true" and _is_double(node):
            return []
        inner = letters.within(tag, given, styles)
        meaning = _meaning(node, tag, given, self._text)
        if isinstance(meaning, str):
            # A picture has no letters.
            self._add_sign(meaning, is_unseen=inner.is_unseen if tag == "math" else not inner.is_visible)
        if not isinstance(meaning, Role):
            return []
        self._text.start(meaning)
        return [*(_Visit(one, inner) for one in node.iter(include_text=True)), meaning]

    def _add(self, words: str, letters: PageLetters) -> None:
        if letters.is_unseen:
            self._omit(words)
            return
        self._omitted = self._omitted and not words.strip()
        with self._text.lettered(letters.letters):
            if self._text.block is CODE:
                self._text.add(words)
            else:
                self._text.add_of_page(words)

    def _add_sign(self, sign: str, *, is_unseen: bool) -> None:
        if is_unseen:
            self._omit(sign)
        else:
            self._text.add(sign)

    def _omit(self, words: str) -> None:
        """Leave out words, which are one passage with those that were left out just before."""
        if words.strip() and not self._omitted:
            self._text.left_out["hidden-text"] += 1
            self._omitted = True

    def _leave_out(self, node: LexborNode) -> None:
        if node.tag not in _LEFT_OUT.split() and node.text().strip():
            self._text.left_out["hidden-text"] += 1


def _has_formula(node: LexborNode) -> bool:
    """Return whether an element has a formula in words, which is drawn beside it without any."""
    return node.tag == "math" or node.css_first("math") is not None


def _is_double(node: LexborNode) -> bool:
    """Return whether an element only draws the formula that is beside it, as KaTeX does."""
    beside = (one for one in (node.prev, node.next) if one is not None)
    return any(one.tag == "math" or (one.child is not None and one.child.tag == "math") for one in beside)


def _meaning(node: LexborNode, tag: str, given: Mapping[str, str], text: MarkedText) -> Role | str | None:
    """Return the role of an element, or the words that it stands for; None if it is not shown."""
    if tag in _LEFT_OUT.split() or (tag == "option" and "selected" not in given):
        return None
    address = given.get("href", "").strip()
    if tag == "math":
        # It may nest deeper than Python's stack.
        with skipping_damage(text):
            return latex_of(safe_xml(_NO_XML.sub(" ", str(node.html))))
    if tag in ("ul", "ol"):
        return Role("list", max(0, integer(given.get("start"), 1) - 1) if tag == "ol" else -1)
    if tag == "a" and _ADDRESS.match(address):
        return Role("link", mark=address)
    if tag in ("td", "th"):
        return Role("cell", integer(given.get("colspan"), 1), rows=integer(given.get("rowspan"), 1))
    if tag == "img" and given.get("alt"):
        return f"[{given['alt']}]"
    if tag == "input" and given.get("type", "").lower() in ("checkbox", "radio"):
        return "☒ " if "checked" in given else "☐ "
    return _MEANINGS.get(tag, THROUGH)
