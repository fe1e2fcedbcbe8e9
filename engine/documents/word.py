"""The text of DOCX files."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree.ElementTree import Element

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import ZippedParts, below, child, value

_HEADING = re.compile(r"heading (\d)")
# Word's own styles for lists in lists are lists of their own.
_DEEPER = re.compile(r"list (?:bullet|number) ([2-5])")
# What was deleted, and the second form of what newer programs show.
_LEFT_OUT = frozenset(("del", "moveFrom", "Fallback", "rPr", "pPr", "instrText", "delText"))
_BLOCKS, _ROWS, _CELLS = frozenset(("p", "tbl")), frozenset(("tr",)), frozenset(("tc",))
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NO_LIST = "0"


class WordReader:
    """Adds the blocks of a DOCX file to `text`, with its notes at the end."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        self._text = text
        related = parts.related(parts.main)

        def part(kind: str) -> Element:
            return parts.xml_or_none(related.get(kind, ""))

        self._body = parts.xml(parts.main)
        self._styles = {style.get("styleId", ""): style for style in part("styles").iter("style")}
        numbering = part("numbering")
        lists = {one.get("abstractNumId", ""): one for one in numbering.iter("abstractNum")}
        self._lists = {
            one.get("numId", ""): {
                level.get("ilvl", ""): value(level, "numFmt")
                for level in lists.get(value(one, "abstractNumId"), Element("none")).iter("lvl")
            }
            for one in numbering.iter("num")
        }
        self._counts: Counter[tuple[str, int]] = Counter()
        self._notes: list[str] = []
        self._kept_notes = {
            (kind, note.get("id", "")): note for kind in ("footnote", "endnote") for note in part(f"{kind}s").iter(kind)
        }

    def read(self) -> None:
        for block in below(self._body, _BLOCKS, _LEFT_OUT):
            if block.tag == "tbl":
                self._text.table([self._row(row) for row in below(block, _ROWS, _LEFT_OUT)])
            else:
                self._paragraph(block)
        for number, note in enumerate(self._notes, 1):
            self._text.item(0, f"[^{number}]:", note)

    def _paragraph(self, paragraph: Element) -> None:
        text, chain = self._words(paragraph), self._style_chain(value(paragraph, "pPr", "pStyle"))
        if heading := self._level(paragraph, chain):
            self._text.heading(heading, text)
            return
        numbered = [one for source in (paragraph, *chain) if (one := child(source, "pPr", "numPr")) is not None]
        list_id = next((found for one in numbered if (found := value(one, "numId"))), _NO_LIST)
        if list_id == _NO_LIST:
            self._text.paragraph(text)
            return
        level = next((found for one in numbered if (found := value(one, "ilvl"))), "")
        named = next(filter(None, (_DEEPER.fullmatch(value(style, "name").lower()) for style in chain)), None)
        depth = int(level) if level.isdecimal() else int(named[1]) - 1 if named else 0
        self._counts[list_id, depth] += 1
        for other in [one for one in self._counts if one[0] == list_id and one[1] > depth]:
            del self._counts[other]
        bullet = self._lists.get(list_id, {}).get(str(depth), "bullet") in ("bullet", "none")
        self._text.item(depth, "-" if bullet else f"{self._counts[list_id, depth]}.", text)

    def _level(self, paragraph: Element, chain: list[Element]) -> int:
        """Return the level of a heading; 0 for another paragraph."""
        for source in (paragraph, *chain):
            if (outline := value(source, "pPr", "outlineLvl")).isdecimal():
                return int(outline) + 1 if int(outline) < 9 else 0
            name = value(source, "name").lower()
            if found := _HEADING.fullmatch(name):
                return int(found[1])
            if name == "title":
                return 1
        return 0

    def _style_chain(self, style_id: str) -> list[Element]:
        """Return a style with those that it is based on."""
        chain: list[Element] = []
        while (style := self._styles.get(style_id)) is not None and style not in chain:
            chain.append(style)
            style_id = value(style, "basedOn")
        return chain

    def _row(self, row: Element) -> list[str]:
        """Return the texts of a row; of merged cells, the first has the text."""
        cells: list[str] = []
        for cell in below(row, _CELLS, _LEFT_OUT):
            merged = child(cell, "tcPr", "vMerge")
            goes_on = merged is not None and merged.get("val", "continue") == "continue"
            cells.append("" if goes_on else self._words(cell))
            span = value(cell, "tcPr", "gridSpan")
            cells += [""] * (min(int(span), 100) - 1 if span.isdecimal() else 0)
        return cells

    def _words(self, element: Element) -> str:
        """Return the text of a paragraph, or of all of a cell or note."""
        found: list[str] = []
        for one in element:
            if one.tag == "t":
                found.append(one.text or "")
            elif one.tag in _SIGNS:
                found.append(_SIGNS[one.tag])
            elif one.tag in ("footnoteReference", "endnoteReference"):
                note = self._kept_notes.get((one.tag.removesuffix("Reference"), one.get("id", "")))
                if note is not None:
                    self._notes.append(self._words(note).strip())
                    found.append(f"[^{len(self._notes)}]")
            elif one.tag not in _LEFT_OUT:
                found.append(self._words(one))
                if one.tag == "p" and element.tag != "p":
                    found.append("\n")
        return "".join(found)
