"""The text of DOCX files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from engine.documents.equations import latex
from engine.documents.marked_text import NOTE, PARAGRAPH, ROW, TABLE, THROUGH, LeftOut, MarkedText, Role
from engine.documents.numbering import LEVELS, Numbering
from engine.documents.office import OfficeReader
from engine.documents.zipped_parts import ZippedParts, value

_NOTES = ("footnotes", "endnotes", "comments")
_ADDRESS = re.compile(r'\s*HYPERLINK\s+"?([^\s"\\][^\s"]*)')
_PAGE_NUMBER = re.compile(r"\s*(NUM|SECTION)?PAGES?\b")
_BOXES = {True: "☒", False: "☐"}
# What fonts show for the codes of letters.
_FONTS = {
    "symbol": str.maketrans(
        "ABCDEFGHIKLMNOPQRSTUWXYZabcdefghiklmnopqrstuwxyz£³´±°·¸¹®¥",
        "ΑΒΧΔΕΦΓΗΙΚΛΜΝΟΠΘΡΣΤΥΩΞΨΖαβχδεφγηικλμνοπθρστυωξψζ≤≥×±°•÷≠→∞",
    ),
    "wingdings": str.maketrans("þýx¨oqrüûàln§", "☑☒☒☐☐☐☐✔✘→●■▪"),
    "wingdings 2": str.maketrans("RTQ£PO", "☑☒☒☐✓✗"),
}


@dataclass(slots=True)
class _Field:
    """An open field: its code, whether its result has begun, and the address if that is a link."""

    code: str = ""
    is_shown: bool = False
    address: str = ""


@dataclass(slots=True)
class _Place:
    """Where a part is read: what it refers to, and the state of its latest paragraph."""

    related: dict[str, str]
    fields: list[_Field] = field(default_factory=list)
    # Paragraphs that belong to the next one, and text boxes that are read after it.
    joined: list[Element] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    # Whether the paragraph's style hides its text.
    is_hidden: bool = False
    # Whether there was more than numbers of pages.
    has_words: bool = False


class WordReader(OfficeReader):
    """Reads DOCX files as Word shows and numbers them, with all revisions accepted."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        super().__init__(parts, text)
        part = {name: parts.xml(self._related.get(name, "")) for name in ("styles", "numbering", *_NOTES)}
        self._styles = {style.get("styleId", ""): style for style in part["styles"].iter("style")}
        kinds = {(one.get("type"), one.get("default")): name for name, one in self._styles.items()}
        self._default_style = kinds.get(("paragraph", "1"), "")
        self._hides_all = bool(_switch(part["styles"], "docDefaults/rPrDefault/rPr/vanish"))
        self._numbering = Numbering(part["numbering"], self._styles)
        self._notes = {(name, note.get("id")): note for name in _NOTES for note in part[name]}
        self._place = _Place(self._related)
        # What the latest text was left out for.
        self._omission: LeftOut | None = None
        self._font = ""
        self._meanings = {"p": self._paragraph, "tbl": TABLE, "tr": self._row}
        self._meanings["tc"] = self._cell
        self._meanings |= {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
        self._meanings |= {"r": self._one_run, "t": self._words, "sym": self._symbol, "oMath": self._equation}
        self._meanings |= {"oMathPara": self._equation, "txbxContent": lambda box: self._place.boxes.append(box)}
        self._meanings |= {"hyperlink": self._link, "fldSimple": self._simple_field}
        self._meanings |= dict.fromkeys(("fldChar", "instrText"), self._field)
        self._meanings |= dict.fromkeys((f"{name[:-1]}Reference" for name in _NOTES), self._note)
        self._meanings["del"] = lambda one: self._leave_out("deleted-text", one)
        # What is read where it was moved to, the second form of what newer programs show, and reading aids.
        self._meanings |= dict.fromkeys(("moveFrom", "Fallback", "rPr", "pPr", "rt"))

    def read(self) -> None:
        self._add_edges("header")
        self._walk_part(self._main)
        self._add_edges("footer")
        self._text.finish()

    def _walk_part(self, part: Element) -> None:
        self._walk(part)
        self._add_joined(PARAGRAPH)

    def _add_edges(self, kind: str) -> None:
        """Add what stands above or below all pages, once."""
        names = [self._related.get(one.get("id", ""), "") for one in self._main.iter(f"{kind}Reference")]
        texts: list[str] = []
        for name in dict.fromkeys(names):
            place = _Place(self._parts.related(name))
            text = self._apart(self._parts.xml(name), place)
            if place.has_words and text not in texts:
                texts.append(text)
                self._text.add(f"{kind.title()}: {text}")
                self._text.end_block()

    def _apart(self, element: Element, place: _Place) -> str:
        """Return the text of what has a place of its own."""
        around = self._text, self._place
        self._text, self._place = MarkedText(sys.maxsize), place
        self._walk_part(element)
        self._text.finish()
        around[0].left_out += self._text.left_out
        self._text.left_out.clear()
        text = str(self._text)
        self._text, self._place = around
        return text

    def _paragraph(self, paragraph: Element) -> None:
        self._place.joined.append(paragraph)
        self._place.is_hidden = self._hides(paragraph)
        hidden = self._is_hidden(paragraph, "pPr/rPr") and paragraph.find("pPr/rPr/specVanish") is None
        # Without its end, a paragraph goes on with the next.
        if not hidden and all(paragraph.find(f"pPr/rPr/{name}") is None for name in ("del", "moveFrom")):
            self._add_joined(self._role(paragraph))

    def _add_joined(self, role: Role) -> None:
        """Add the latest paragraphs as one, and what floats beside them."""
        place = self._place
        self._text.start(role)
        for paragraph in place.joined:
            place.is_hidden, self._omission = self._hides(paragraph), None
            self._walk(paragraph)
        for one in reversed(place.fields):
            self._end_link(one)
        self._text.end(role)
        boxes, place.joined, place.boxes = place.boxes, [], []
        for box in boxes:
            self._walk(box)

    def _role(self, paragraph: Element) -> Role:
        # The paragraph, its style, and those that this is based on; the nearest that says something counts.
        styles = list(self._based(value(paragraph, "pPr/pStyle") or self._default_style))
        found: dict[str, str] = {}
        for source in (*reversed(styles), paragraph):
            name = value(source, "name").lower()
            kind, _, level = ("heading 1" if name == "title" else name).rpartition(" ")
            # Word's own styles for lists in lists are lists of their own.
            if level.isdecimal() and kind in ("heading", "list bullet", "list number"):
                found[kind[:4]] = level
            if outline := value(source, "pPr/outlineLvl"):
                # The tenth level is that of other text.
                found["head"] = str((int(outline) + 1) % 10)
            found |= {key: number for key in ("numId", "ilvl") if (number := value(source, f"pPr/numPr/{key}"))}
        mark, level, heading = "", 0, int(found.get("head", "0"))
        if (list_id := found.get("numId", "0")) != "0":
            names = (style.get("styleId", "") for style in styles)
            level = min(int(found.get("ilvl") or self._numbering.level_of(list_id, names)), LEVELS - 1)
            mark = self._numbering.next(list_id, level)
        if heading:
            return Role("heading", heading, mark.strip("-"))
        return Role("numbered paragraph", level or int(found.get("list", "1")) - 1, mark) if mark else PARAGRAPH

    def _based(self, name: str) -> Iterator[Element]:
        """Yield a style of paragraphs or letters, and those that it is based on."""
        done = set[str]()
        while name in self._styles and name not in done:
            done.add(name)
            yield self._styles[name]
            name = value(self._styles[name], "basedOn")

    def _hides(self, paragraph: Element) -> bool:
        return self._vanishes(value(paragraph, "pPr/pStyle") or self._default_style) or self._hides_all

    def _vanishes(self, style: str) -> bool:
        return next((on for one in self._based(style) if (on := _switch(one, "rPr/vanish")) is not None), False)

    def _is_hidden(self, element: Element, path: str) -> bool:
        """Whether the properties at a path hide an element of the latest paragraph."""
        hidden = _switch(element, f"{path}/vanish")
        if hidden is None:
            # What a style of paragraphs hides, one of letters shows.
            hidden = self._vanishes(value(element, f"{path}/rStyle")) != self._place.is_hidden
        return hidden or bool(_switch(element, f"{path}/webHidden"))

    def _one_run(self, run: Element) -> Role | None:
        self._font = value(run, "rPr/rFonts", "ascii")
        return self._leave_out("hidden-text", run) if self._is_hidden(run, "rPr") else THROUGH

    def _row(self, row: Element) -> Role | None:
        if row.find("trPr/del") is not None:
            return self._leave_out("deleted-text", row)
        return self._leave_out("hidden-text", row) if _switch(row, "trPr/hidden") else ROW

    def _cell(self, cell: Element) -> Role | None:
        if cell.find("tcPr/cellDel") is not None:
            return self._leave_out("deleted-text", cell)
        return Role("cell", max(1, int(value(cell, "tcPr/gridSpan") or 1)))

    def _leave_out(self, kind: LeftOut, element: Element) -> None:
        """Count a passage that is left out, and follow the fields in it."""
        for one in element.iter():
            if one.tag in ("fldChar", "instrText"):
                self._field(one)
        text = "".join(one.text or "" for one in element.iter() if one.tag in ("t", "delText")).strip()
        # In a table of contents, the numbers of pages are hidden on web pages.
        if text and self._omission != kind and not (text.isdecimal() and element.find("rPr/webHidden") is not None):
            self._omission = kind
            self._text.left_out[kind] += 1

    def _words(self, element: Element) -> str:
        fields = self._place.fields
        if not all(one.is_shown for one in fields):
            return ""
        self._omission = None
        if not any(_PAGE_NUMBER.match(one.code) for one in fields):
            self._place.has_words |= any(map(str.isalnum, element.text or ""))
        return _shown_as(element.text or "", self._font)

    def _symbol(self, symbol: Element) -> str:
        return _shown_as(chr(int(symbol.get("char", "0"), 16)), symbol.get("font", ""))

    def _equation(self, element: Element) -> str:
        if any(True for _ in element.iter("vanish")):
            self._text.left_out["hidden-text"] += 1
        sign = "$" if element.tag == "oMath" else "$$"
        return " ".join(f"{sign}{latex(one)}{sign}" for one in element.iter("oMath"))

    def _note(self, reference: Element) -> None:
        name = reference.tag.replace("Reference", "s")
        # A note may name itself.
        if (note := self._notes.pop((name, reference.get("id")), None)) is not None:
            text = self._apart(note, _Place(self._parts.related(self._related[name])))
            self._text.start(NOTE)
            self._text.add(f"Comment by {note.get('author')}: {text}" if name == "comments" else text)
            self._text.end(NOTE)

    def _link(self, element: Element) -> Role:
        address = self._place.related.get(element.get("id", ""), "")
        return Role("link", mark=address) if address else THROUGH

    def _simple_field(self, element: Element) -> None:
        self._place.fields.append(one := _Field(element.get("instr", "")))
        self._start_result(one)
        self._walk(element)
        self._end_link(self._place.fields.pop())

    def _field(self, element: Element) -> str:
        """Follow the beginning, the code, the result and the end of a field; return what a field of a form shows."""
        fields, step = self._place.fields, element.get("fldCharType")
        if step == "begin":
            fields.append(_Field())
            return _choice(element)
        if fields:
            match step:
                case "separate":
                    self._start_result(fields[-1])
                case "end":
                    self._end_link(fields.pop())
                case None:
                    fields[-1].code += element.text or ""
        return ""

    def _start_result(self, one: _Field) -> None:
        one.is_shown = True
        if (found := _ADDRESS.match(one.code)) and all(field.is_shown for field in self._place.fields):
            one.address = found[1]
            self._text.start(Role("link"))

    def _end_link(self, one: _Field) -> None:
        if one.address:
            self._text.end(Role("link", mark=one.address))
            one.address = ""


def _switch(element: Element, path: str) -> bool | None:
    """Return whether a property is on; None if it is missing."""
    found = element.find(path)
    return None if found is None else found.get("val") not in ("0", "false", "off")


def _shown_as(text: str, font: str) -> str:
    """Return what letters show in a font."""
    if (table := _FONTS.get(font.lower())) is None:
        return text
    # Their codes may be in a range for private use.
    return "".join(chr(ord(letter) & 0xFF) if "\uf000" <= letter <= "\uf0ff" else letter for letter in text).translate(
        table
    )


def _choice(begin: Element) -> str:
    """Return what is ticked or chosen in a form; "" for another field."""
    if (box := begin.find("ffData/checkBox")) is not None:
        ticked = _switch(box, "checked")
        return _BOXES[bool(_switch(box, "default") if ticked is None else ticked)]
    if (choices := begin.find("ffData/ddList")) is not None:
        names = [one.get("val", "") for one in choices.iter("listEntry")]
        return "".join(names[int(value(choices, "result") or 0) :][:1])
    return ""
