"""The text of HTML pages. Nothing that a page names is loaded."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import webencodings
from selectolax.lexbor import LexborHTMLParser, LexborNode

from engine.documents.pages.forms import meaning_of_field
from engine.documents.pages.formulas import formula_of_math, formula_of_script, has_formula, is_drawn_formula
from engine.documents.pages.letters import PageLetters, is_for_listeners, is_left_out
from engine.documents.pages.links import PageLinks
from engine.documents.pages.lists import list_item, numbered_items
from engine.documents.pages.styles import OF_SCRIPTS, Declarations, LinkedSheets, PageStyles
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.encodings import DecodedText, decode
from engine.documents.text.looks import UNKNOWN, WHITE, Look
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.roles import (
    FencedCode,
    HeadingBlock,
    ItemList,
    ParagraphBlock,
    Role,
    Table,
    TableCell,
    TableRow,
    Through,
)
from engine.documents.text.table_rows import only_places
from engine.documents.text.xml_values import integer

# Elements whose content is no text of the page.
_LEFT_OUT = {
    "-comment",
    "audio",
    "canvas",
    "datalist",
    "head",
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "rp",
    "rt",
    "style",
    "svg",
    "template",
    "title",
    "video",
}
# Elements that are shown as paragraphs, or around them.
_BLOCKS = (
    "address",
    "article",
    "aside",
    "blockquote",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "legend",
    "main",
    "nav",
    "p",
    "section",
    "summary",
    "tbody",
    "tfoot",
    "thead",
)
# Roles, or the words that stand for an element, by its tag; `_meaning` finds those that its attributes tell.
_MEANINGS: dict[str, Role | str] = {
    **dict.fromkeys(_BLOCKS, ParagraphBlock()),
    **{f"h{level}": HeadingBlock(level) for level in range(1, 7)},
    "pre": FencedCode(),
    "table": Table(),
    "tr": TableRow(),
    "br": "\n",
}
# The tag that the parser gives to text between elements.
_TEXT = "-text"
# A list to choose from whose end was forgotten, up to a block: parsers take the rest of the page for a choice.
_OPEN_SELECT = re.compile(
    r"(<select\b(?:(?!</?(?:select|{0})\b)[\s\S])*+)(?=<(?:{0})\b)".format("|".join([*_MEANINGS, "li"])), re.IGNORECASE
)
# What XHTML closes at once, and HTML would leave open.
_CLOSED = re.compile(r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b)([\w:]+)([^<>]*)/>")
# Formulas of books have prefixes.
_PREFIX = re.compile(r"(</?)(?:m|mml):")
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|<\?xml[^>]{0,100}encoding=["']([\w.:-]+)""", re.I
)
# What browsers decode as another encoding, in addition to the labels of the Encoding Standard.
_DECODED_AS = {"gbk": "gb18030", "x-user-defined": "windows-1252"}
# Pages whose tables nest deeper than any browser shows would take long to look through.
_MOST_FRAMES = 200
# The attributes that have the address of a picture, by elements; the second draws one in a drawing.
_PICTURE_ADDRESSES = {"img": ("src",), "image": ("xlink:href", "href")}
# How far into a page its encoding is searched for.
_BEGINNING = 4096


def decoded_page(content: bytes, language: str = "") -> DecodedText | None:
    """Decode a page as browsers do, or as `decode` does if it names no encoding.

    Returns None if it is no text, and for encodings that browsers refuse.
    """
    label = _declared_label(content)
    declared = webencodings.lookup(label)
    if declared is not None and declared.name == "replacement":
        return None
    text = decoded_as(content, label)
    return decode(content, language) if text is None else DecodedText(text)


def _declared_label(content: bytes) -> str:
    """Return the label of the encoding that a page says it has; "" if it says none, or begins with a mark of UTF-8."""
    if content.startswith(codecs.BOM_UTF8):
        return ""
    declaration = _CHARSET.search(content[:_BEGINNING])
    return (declaration[1] or declaration[2]).decode() if declaration is not None else ""


def decoded_as(content: bytes, label: str) -> str | None:
    """Decode text in an old encoding that the Encoding Standard has under a label; None for all others."""
    declared = webencodings.lookup(label)
    if declared is None or declared.name.startswith("utf-") or declared.name == "replacement":
        return None
    decoder = webencodings.lookup(_DECODED_AS.get(declared.name, declared.name))
    text: str = decoder.codec_info.decode(content, "replace")[0]
    return text


def read_page(
    page: bytes,
    text: MarkedText,
    linked: LinkedSheets = lambda _address: None,
    show_picture: Callable[[str], object] = lambda _address: None,
    address: str = "",
) -> None:
    """Add the blocks of a page in UTF-8, as a browser lays its elements out.

    `linked` has the sheets that it links; `show_picture` gets the address of each picture that is seen. `address` is
    the page's address, to which its links are relative; "" for a file.
    """
    content = _OPEN_SELECT.sub(r"\1</select>", _PREFIX.sub(r"\1", page.decode()))
    if "http://www.w3.org/1999/xhtml" in content[:_BEGINNING]:
        content = _CLOSED.sub(r"<\1\2></\1>", content)
    parser = LexborHTMLParser(content)
    _PageReader(parser, text, linked, show_picture, PageLinks.of(parser, address)).read()


class _Visit(NamedTuple):
    """A node that is to be read, and how the letters around it are shown."""

    node: LexborNode | None
    letters: PageLetters


class _PageReader:
    """Adds the blocks of a page to `text`, without what nobody sees."""

    def __init__(
        self,
        page: LexborHTMLParser,
        text: MarkedText,
        linked: LinkedSheets,
        show_picture: Callable[[str], object],
        links: PageLinks,
    ) -> None:
        self._page = page
        self._links = links
        self._show_picture = show_picture
        self._text = text
        self._styles = PageStyles(page, linked)
        # How many more tables are looked at as to whether they only place things: in each, all within it is read.
        self._frames_left = _MOST_FRAMES

    def read(self) -> None:
        """Add the whole page."""
        # Style sheets that are not loaded may colour everything: then even the page's background is unknown.
        letters = PageLetters(background=WHITE if self._styles.is_whole else UNKNOWN)
        # Nodes to visit and roles to end, the next one last: pages nest deeper than Python's stack.
        waiting: list[_Visit | Role] = [_Visit(self._page.root, letters)]
        while waiting:
            step = waiting.pop()
            if not isinstance(step, _Visit):
                self._text.end(step)
            elif step.node is not None:
                waiting += reversed(self._visit(step.node, step.letters))
        self._text.finish()

    def _visit(self, node: LexborNode, letters: PageLetters) -> list[_Visit | Role]:
        """Add what a node itself says, and return what is in it, with its end."""
        if node.tag == _TEXT:
            self._add(str(node.text_content), letters.look)
            return []
        tag = node.tag or ""
        attributes = {name: given or "" for name, given in node.attributes.items()}
        styles = self._styles.of(node, attributes.get("style", ""))
        # Scripts show a whole page when it is loaded.
        if tag in ("html", "body"):
            styles = {name: said for name, said in styles.items() if name not in OF_SCRIPTS}
        elif _is_not_shown(node, tag, attributes, styles):
            self._leave_out(node)
            return []
        if is_drawn_formula(node, attributes):
            return []
        inner = letters.within(tag, attributes, styles)
        self._note_picture(tag, attributes, inner)
        meaning = _meaning(node, attributes, styles, self._text, self._links)
        if tag == "table" and self._only_places(node):
            meaning = ParagraphBlock()
        if meaning is None:
            return []
        if isinstance(meaning, str):
            self._add_sign(meaning, tag, inner)
            return []
        self._text.start(meaning)
        if tag == "sup" and letters.letters.raised and node.prev is not None:
            # "2" with the exponent "3^2".
            self._add("^", inner.look)
        return [*(_Visit(child, inner) for child in _shown_order(node)), meaning]

    def _note_picture(self, tag: str, attributes: Mapping[str, str], letters: PageLetters) -> None:
        """Add an element that is a picture, if it is seen."""
        addresses = [attributes[name] for name in _PICTURE_ADDRESSES.get(tag, ()) if name in attributes]
        if addresses and letters.is_visible:
            self._show_picture(addresses[0])

    def _only_places(self, table: LexborNode) -> bool:
        """Return whether a table only places things on the page."""
        if self._text.is_in_table or self._frames_left == 0:
            return False
        self._frames_left -= 1
        rows = [[_has_content(cell) for cell in row.iter() if cell.tag in ("td", "th")] for row in _own_rows(table)]
        return only_places(rows, has_tables=len(table.css("table")) > 1)

    def _add(self, words: str, look: Look) -> None:
        """Add words that have a look."""
        with self._text.shown_as(look):
            if isinstance(self._text.block, FencedCode):
                self._text.add(words)
            else:
                self._text.add_of_page(words)

    def _add_sign(self, sign: str, tag: str, letters: PageLetters) -> None:
        """Add the words that an element with a tag stands for, such as a picture's description.

        Only a formula is drawn in the letters around it, so that their colour and size may hide it.
        """
        look = letters.look if tag == "math" else Look(letters.letters, is_hidden=not letters.is_visible)
        with self._text.shown_as(look):
            if tag in ("input", "progress", "meter"):
                # There are spaces around what is in a field: of several in a row, one is shown.
                self._text.add_of_page(sign)
            else:
                self._text.add(sign)

    def _leave_out(self, node: LexborNode) -> None:
        """Count an element that is not shown, if it has text."""
        if node.tag not in _LEFT_OUT and node.text().strip():
            self._text.left_out["hidden-text"] += 1


def _shown_order(node: LexborNode) -> list[LexborNode]:
    """Return what is in an element in the order in which it is shown: the foot of a table may stand before its rows.

    Of several captions, heads and feet, only the first is moved, as browsers do.
    """
    children = list(node.iter(include_text=True))
    if node.tag != "table":
        return children
    foot = next((child for child in children if child.tag == "tfoot"), None)
    head = next((child for child in children if child.tag == "thead"), None)
    captions = [child for child in children if child.tag == "caption"][:1]
    first = captions if head is None else [*captions, head]
    last = [] if foot is None else [foot]
    # Nodes are equal if they say the same, wherever they are.
    moved = {child.mem_id for child in [*first, *last]}
    return [*first, *(child for child in children if child.mem_id not in moved), *last]


def _own_rows(table: LexborNode) -> Iterator[LexborNode]:
    """Yield the rows of a table, without the rows of tables in its cells."""
    for child in table.iter():
        if child.tag == "tr":
            yield child
        elif child.tag in ("tbody", "thead", "tfoot"):
            yield from (row for row in child.iter() if row.tag == "tr")


def _has_content(cell: LexborNode) -> bool:
    """Return whether a cell has words, or a picture or a field."""
    return bool(cell.text().strip()) or cell.css_first("img, input, math") is not None


def _is_not_shown(node: LexborNode, tag: str, attributes: Mapping[str, str], styles: Declarations) -> bool:
    """Return whether neither an element nor anything in it is shown."""
    is_closed = tag == "dialog" and "open" not in attributes and "display" not in styles
    is_closed = is_closed or ("popover" in attributes and "display" not in styles)
    if "hidden" in attributes or is_closed or is_left_out(styles):
        return True
    return is_for_listeners(tag, styles) and not has_formula(node)


def _meaning(
    node: LexborNode, attributes: Mapping[str, str], styles: Declarations, text: MarkedText, links: PageLinks
) -> Role | str | None:
    """Return the role of an element, or the words that it stands for; None if it is not shown.

    A formula that is damaged is counted in `text`, and read as its words. `links` says where links lead.
    """
    tag = node.tag or ""
    if tag in _LEFT_OUT:
        return None
    if tag == "math":
        # It may nest deeper than Python's stack.
        with skipping_damage(text):
            return formula_of_math(node)
    match tag:
        case "script":
            return formula_of_script(node, attributes.get("type", "")) or None
        case "ul":
            return ItemList()
        case "ol":
            return numbered_items(node, attributes, styles)
        case "li":
            return list_item(attributes)
        case "a":
            return links.role_of(attributes)
        case "td" | "th":
            return TableCell(integer(attributes.get("colspan"), 1), integer(attributes.get("rowspan"), 1))
        case "img":
            return f"[{attributes['alt']}]" if attributes.get("alt") else Through()
        case "input" | "option" | "progress" | "meter":
            return meaning_of_field(node, attributes)
    return _MEANINGS.get(tag, Through())
