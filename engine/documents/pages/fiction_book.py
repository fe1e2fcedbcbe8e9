"""The text of FictionBook (.fb2), books in one XML file: https://github.com/gribuser/fb2, schema 2.1."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, tostring

from engine.documents.pages.web_page import read_page
from engine.documents.text.marked_text import MarkedText
from engine.files.safe_xml import safe_xml

# Elements that HTML has under another name. Those of the same name, such as "p", "table" and "strong", stay, and those
# that only hold others, such as "poem" and "cite", are of no account.
_IN_HTML = {
    "emphasis": "em",
    "image": "img",
    "strikethrough": "s",
    "style": "span",
    "subtitle": "h6",
    "text-author": "p",
    "v": "p",
}
_DEEPEST_HEADING = 6


def read_fiction_book(data: bytes, text: MarkedText) -> None:
    """Add the bodies of a book, the last of which may hold its notes, as a page of HTML.

    Raises as `safe_xml`.
    """
    for body in safe_xml(data).findall("body"):
        _make_html(body, 1)
        read_page(tostring(body, "utf-8", method="html"), text)
        text.finish()


def _make_html(parent: Element, depth: int) -> None:
    """Give the elements within `parent` the names of HTML; `depth` is that of the headings of its sections."""
    for element in parent:
        if element.tag == "title":
            _make_heading(element, depth)
        elif element.tag == "section":
            _make_html(element, depth + 1)
        else:
            _make_html(element, depth)
        element.tag = _IN_HTML.get(element.tag, element.tag)


def _make_heading(title: Element, depth: int) -> None:
    """Make a heading of a title, in whose paragraphs its lines are."""
    title.tag = f"h{min(depth, _DEEPEST_HEADING)}"
    _make_html(title, depth)
    for line in title.findall("p"):
        line.tag = "span"
        SubElement(line, "br")
