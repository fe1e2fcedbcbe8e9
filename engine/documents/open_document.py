"""The text of OpenDocument files, as LibreOffice writes them: ODT, and the tables and slides of ODS and ODP."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.marked_text import MarkedText
from engine.documents.zipped_parts import Encrypted, ZippedParts, value

_LEFT_OUT = ("tracked-changes", "annotation", "forms", "settings", "title", "desc", "ruby-text")
# The most repetitions of a cell or a row; a sheet ends with a million empty ones.
_MOST_REPEATED = 100


class OpenDocumentReader:
    """Adds the blocks of an OpenDocument file to `text`, with its notes at the end."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        if next(parts.xml_or_none("META-INF/manifest.xml").iter("encryption-data"), None) is not None:
            raise Encrypted
        self._text = text
        self._root = parts.xml("content.xml")
        self._notes: list[str] = []
        # The levels of each style of lists that have numbers.
        self._numbered = {
            (style.get("name", ""), level.get("level", ""))
            for source in (parts.xml_or_none("styles.xml"), self._root)
            for style in source.iter("list-style")
            for level in style.iter("list-level-style-number")
            if level.get("num-format")
        }

    def read(self) -> None:
        for body in self._root.iter("body"):
            self._blocks(body)
        for number, note in enumerate(self._notes, 1):
            self._text.item(0, f"[^{number}]:", note)

    def _blocks(self, element: Element) -> None:
        for block in element:
            match block.tag:
                case "h":
                    self._text.heading(int(block.get("outline-level", "1")), self._words(block))
                case "p":
                    self._text.paragraph(self._words(block))
                case "list":
                    self._list(block, block.get("style-name", ""), 0)
                case "table":
                    # The name of a table in a text is no more than "Table1".
                    self._text.heading(2, block.get("name", "") if element.tag == "spreadsheet" else "")
                    self._text.table(self._rows(block))
                case _ if block.tag not in _LEFT_OUT:
                    self._blocks(block)

    def _list(self, element: Element, style: str, depth: int) -> None:
        count = int(element.get("start-value", "1")) - 1
        for item in element:
            said = [self._words(one) for one in item if one.tag in ("p", "h")]
            count += item.tag == "list-item" and any(said)
            mark = f"{count}." if (style, str(depth + 1)) in self._numbered and item.tag == "list-item" else "-"
            self._text.item(depth, mark, "\n".join(said))
            for inner in item.findall("list"):
                self._list(inner, inner.get("style-name") or style, depth + 1)

    def _rows(self, table: Element) -> list[list[str]]:
        rows = []
        for row in table.iter("table-row"):
            cells: list[str] = []
            for cell in row:
                if cell.tag in ("table-cell", "covered-table-cell"):
                    text = self._words(cell) if cell.tag == "table-cell" else ""
                    cells += [text] * min(int(value(cell, name="number-columns-repeated") or 1), _MOST_REPEATED)
            rows += [cells] * (min(int(row.get("number-rows-repeated", "1")), _MOST_REPEATED) if any(cells) else 1)
        return rows

    def _words(self, element: Element) -> str:
        """Return the text of a paragraph, or of all of a cell or note, with the signs of notes."""
        found = [element.text or ""]
        for one in element:
            match one.tag:
                case "s":
                    found.append(" " * min(int(one.get("c", "1")), _MOST_REPEATED))
                case "tab":
                    found.append("\t")
                case "line-break":
                    found.append("\n")
                case "note":
                    self._notes.append("".join(map(self._words, one.findall("note-body"))).strip())
                    found.append(f"[^{len(self._notes)}]")
                case _ if one.tag not in _LEFT_OUT:
                    found += [self._words(one), "\n" if one.tag in ("p", "h") else ""]
            found.append(one.tail or "")
        return "".join(found)
