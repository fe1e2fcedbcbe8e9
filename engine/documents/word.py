"""The text of DOCX files."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from engine.documents.marked_text import NOTE, PARAGRAPH, ROW, TABLE, MarkedText, Role
from engine.documents.office import OfficeReader
from engine.documents.zipped_parts import ZippedParts, value

_DEEPEST = 8
_NOTES = ("footnotes", "endnotes")


class WordReader(OfficeReader):
    """Reads DOCX files, with all revisions accepted."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        super().__init__(parts, text)
        part = {name: parts.xml(self._related.get(name, "")) for name in ("styles", "numbering", *_NOTES)}
        self._styles = {style.get("styleId", ""): style for style in part["styles"].iter("style")}
        kinds = {
            one.get("abstractNumId"): {level.get("ilvl"): value(level, "numFmt") for level in one.iter("lvl")}
            for one in part["numbering"].iter("abstractNum")
        }
        lists = part["numbering"].iter("num")
        self._lists = {one.get("numId", ""): kinds.get(value(one, "abstractNumId"), {}) for one in lists}
        self._counts: dict[str, list[int]] = {}
        self._notes = {(name, note.get("id")): note for name in _NOTES for note in part[name]}
        self._meanings = {"p": self._paragraph, "tbl": TABLE, "tr": ROW}
        self._meanings["tc"] = lambda cell: Role("cell", max(1, int(value(cell, "tcPr/gridSpan") or 1)))
        self._meanings |= {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
        # What was deleted, and the second form of what newer programs show.
        self._meanings |= dict.fromkeys(("del", "moveFrom", "Fallback", "rPr", "pPr"))
        self._meanings |= {"footnoteReference": self._note, "endnoteReference": self._note}

    def _paragraph(self, paragraph: Element) -> Role:
        # The paragraph, its style, and those that this is based on; the nearest that says something counts.
        chain, style = [paragraph], self._styles.get(value(paragraph, "pPr/pStyle"))
        while style is not None and style not in chain:
            chain.append(style)
            style = self._styles.get(value(style, "basedOn"))
        found: dict[str, str] = {}
        for source in reversed(chain):
            name = value(source, "name").lower()
            kind, _, level = ("heading 1" if name == "title" else name).rpartition(" ")
            # Word's own styles for lists in lists are lists of their own.
            if level.isdecimal() and kind in ("heading", "list bullet", "list number"):
                found[kind[:4]] = level
            if outline := value(source, "pPr/outlineLvl"):
                # The tenth level is that of other text.
                found["head"] = str((int(outline) + 1) % 10)
            found |= {key: number for key in ("numId", "ilvl") if (number := value(source, f"pPr/numPr/{key}"))}
        if (heading := found.get("head", "0")) != "0":
            return Role("heading", int(heading))
        if (list_id := found.get("numId", "0")) == "0":
            return PARAGRAPH
        depth = min(int(found.get("ilvl") or int(found.get("list", "1")) - 1), _DEEPEST)
        counts = self._counts.setdefault(list_id, [0] * (_DEEPEST + 1))
        counts[depth:] = [counts[depth] + 1, *[0] * (_DEEPEST - depth)]
        bullet = self._lists.get(list_id, {}).get(str(depth), "bullet") in ("bullet", "none")
        return Role("numbered paragraph", depth, "-" if bullet else f"{counts[depth]}.")

    def _note(self, reference: Element) -> None:
        if (note := self._notes.get((reference.tag.replace("Reference", "s"), reference.get("id")))) is not None:
            self._add(note, NOTE)
