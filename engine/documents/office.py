"""The text of Office and ODT files: one walk over their elements, by the roles of their names."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from engine.documents.marked_text import CELL, LIST_ITEM, NOTE, PARAGRAPH, ROW, TABLE, THROUGH, MarkedText, Role
from engine.documents.zipped_parts import Encrypted, ZippedParts

# A role, what an element stands for, or what finds its role; None for what is left out or is done.
_Meaning = Role | str | Callable[[Element], Role | str | None] | None
_LEFT_OUT = "tracked-changes annotation forms title desc ruby-text note-citation automatic-styles"


class OfficeReader:
    """Adds the blocks of a document to `text`."""

    # Text is only in elements with this name; "" is anywhere.
    _run = "t"

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        self._parts, self._text = parts, text
        self._related = parts.related(parts.main)
        self._main = parts.xml(parts.main or "content.xml")
        self._meanings: dict[str, _Meaning] = {}

    def read(self) -> None:
        self._walk(self._main)
        self._text.finish()

    def _walk(self, element: Element) -> None:
        if element.text and self._run in ("", element.tag):
            self._text.add(element.text)
        for one in element:
            meaning = self._meanings.get(one.tag, THROUGH)
            role = meaning(one) if callable(meaning) else meaning
            if isinstance(role, str):
                self._text.add(role)
            elif role is not None:
                self._add(one, role)
            if one.tail and not self._run:
                self._text.add(one.tail)

    def _add(self, element: Element, role: Role) -> None:
        self._text.start(role)
        self._walk(element)
        self._text.end(role)


class OpenTextReader(OfficeReader):
    """Reads ODT files, as LibreOffice writes them."""

    _run = ""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        super().__init__(parts, text)
        if next(parts.xml("META-INF/manifest.xml").iter("encryption-data"), None) is not None:
            raise Encrypted
        # The levels of each style of lists that have numbers.
        self._numbered = {
            (style.get("name", ""), level.get("level"))
            for source in (parts.xml("styles.xml"), self._main)
            for style in source.iter("list-style")
            for level in style.iter("list-level-style-number")
            if level.get("num-format")
        }
        self._list_styles = [""]
        self._meanings = dict.fromkeys(_LEFT_OUT.split())
        self._meanings |= {"p": PARAGRAPH, "list": self._list, "list-item": LIST_ITEM, "note": NOTE}
        self._meanings["h"] = lambda one: Role("heading", int(one.get("outline-level", "1")))
        self._meanings |= {"table": TABLE, "table-row": ROW, "table-cell": CELL, "covered-table-cell": CELL}
        self._meanings |= {"tab": "\t", "line-break": "\n", "s": " "}

    def _list(self, element: Element) -> None:
        self._list_styles.append(style := element.get("style-name") or self._list_styles[-1])
        numbered = (style, str(len(self._list_styles) - 1)) in self._numbered
        self._add(element, Role("list", int(element.get("start-value", "1")) - 1 if numbered else -1))
        self._list_styles.pop()


def linked(address: str) -> Role:
    """Return the role of what leads to an address; places in the document itself and other files are none."""
    return Role("link", mark=address) if ":" in address and not address.startswith("#") else THROUGH
