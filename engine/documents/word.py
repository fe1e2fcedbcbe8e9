"""The text of DOCX files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from xml.etree.ElementTree import Element

from engine.documents.equations import latex
from engine.documents.marked_text import NOTE, PARAGRAPH, ROW, TABLE, THROUGH, LeftOut, MarkedText, Role
from engine.documents.numbering import LEVELS, Numbering
from engine.documents.office import OfficeReader, linked
from engine.documents.slides import add_drawing
from engine.documents.zipped_parts import ZippedParts, integer, value

_NOTES = ("footnotes", "endnotes", "comments")
_UNSEEN: dict[LeftOut, str] = {"hidden-text": "vanish", "deleted-text": "del"}
_CODES = ("fldSimple", "instrText")
_CODE = re.compile("[0-9A-Fa-f]{1,4}")
_ADDRESS = re.compile(r'\s*HYPERLINK\s+"?([^\s"\\][^\s"]*)')
# What fonts show for letters.
_FONTS = {
    "symbol": str.maketrans(
        "ABCDEFGHIKLMNOPQRSTUWXYZabcdefghiklmnopqrstuwxyz£³´±°·¸¹®¥",
        "ΑΒΧΔΕΦΓΗΙΚΛΜΝΟΠΘΡΣΤΥΩΞΨΖαβχδεφγηικλμνοπθρστυωξψζ≤≥×±°•÷≠→∞",
    ),
    "wingdings": str.maketrans("þýx¨oqrüûàln§JL", "☑☒☒☐☐☐☐✔✘→●■▪☺☹"),
    "wingdings 2": str.maketrans("RTQ£PO", "☑☒☒☐✓✗"),
}


@dataclass(slots=True)
class _Field:
    """An open field: its code, whether its result has begun, and the address if that is a link."""

    code: str = ""
    is_shown: bool = False
    address: str = ""


class WordReader(OfficeReader):
    """Reads DOCX files as Word shows them, with all revisions accepted."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        super().__init__(parts, text)
        part = {name: parts.sound_xml(self._related.get(name, ""), text) for name in ("styles", "numbering", *_NOTES)}
        self._styles = {style.get("styleId", ""): style for style in part["styles"].iter("style")}
        kinds = {(one.get("type"), one.get("default")): name for name, one in self._styles.items()}
        self._default_style = kinds.get(("paragraph", "1"), "")
        # What the styles say that were asked for.
        self._said: dict[str, dict[str, str]] = {}
        self._numbering = Numbering(part["numbering"], self._styles)
        related = {name: parts.related(self._related.get(name, "")) for name in _NOTES}
        self._notes = {(name[:-1], note.get("id")): (note, related[name]) for name in _NOTES for note in part[name]}
        self._fields: list[_Field] = []
        # Paragraphs that the next one goes on, with whether their style hides text, and what is added after it.
        self._joined: list[tuple[Element, bool]] = []
        self._floating: list[Callable[[], None]] = []
        # Whether the paragraph's style hides text, the font of the run, and what the latest text was left out for.
        self._hides, self._font = False, ""
        self._omission: LeftOut | None = None
        self._meanings = {"p": self._paragraph, "tbl": self._table, "tr": self._row}
        self._meanings["tc"] = lambda cell: Role("cell", max(1, integer(value(cell, "tcPr/gridSpan"))))
        self._meanings |= {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
        self._meanings |= {"r": self._letters, "t": self._words, "sym": self._symbol, "hyperlink": self._link}
        self._meanings |= {"fldChar": self._field, "instrText": self._field, "fldSimple": self._simple_field}
        self._meanings |= dict.fromkeys(("oMath", "oMathPara"), self._equation)
        self._meanings |= dict.fromkeys(("footnoteReference", "endnoteReference", "commentReference"), self._note)
        self._meanings |= {"textpath": lambda one: one.get("string"), "del": partial(self._leave_out, "deleted-text")}
        self._meanings["txbxContent"] = lambda box: self._floating.append(partial(self._walk, box))
        self._meanings |= dict.fromkeys(("chart", "relIds"), self._drawing)
        self._meanings["drawing"] = lambda one: (
            self._leave_out("hidden-text", one) if _switch(one, "*/docPr[@hidden]", "hidden") else THROUGH
        )
        # What is read where it was moved to, the second form of what newer programs show, and reading aids.
        self._meanings |= dict.fromkeys(("moveFrom", "Fallback", "rPr", "pPr", "rt"))

    def read(self) -> None:
        self._add_edges("header")
        self._walk(self._main)
        self._add_joined(PARAGRAPH)
        self._add_edges("footer")
        self._text.finish()

    def _add_edges(self, kind: str) -> None:
        """Add the text above or below the pages, once, unless it is only their number."""
        names = (self._related.get(one.get("id", ""), "") for one in self._main.iter(f"{kind}Reference"))
        texts = [""]
        for name in dict.fromkeys(names):
            part = self._parts.sound_xml(name, self._text)
            text = self._apart(part, self._parts.related(name))
            codes = "".join(one.get("instr", "") or one.text or "" for one in part.iter() if one.tag in _CODES)
            if text not in texts and ("PAGE" not in codes or any(map(str.isalpha, text))):
                texts.append(text)
                self._text.add_blocks(f"{kind.title()}: {text}")

    def _apart(self, element: Element, related: dict[str, str]) -> str:
        """Return the text of an element of a part that refers to others."""
        around = self._text, self._related, self._fields, self._joined, self._floating, self._hides
        self._text, self._related = MarkedText(sys.maxsize), related
        self._fields, self._joined, self._floating = [], [], []
        self._walk(element)
        self._add_joined(PARAGRAPH)
        self._text.finish()
        around[0].left_out += self._text.left_out
        self._text.left_out.clear()
        text = str(self._text)
        self._text, self._related, self._fields, self._joined, self._floating, self._hides = around
        return text

    def _paragraph(self, paragraph: Element) -> None:
        found = self._style(value(paragraph, "pPr/pStyle") or self._default_style) | _properties(paragraph)
        self._hides = bool(found.get("hidden"))
        self._joined.append((paragraph, self._hides))
        mark = paragraph.find("pPr/rPr")
        # A paragraph whose end was deleted or is hidden goes on in the next.
        goes_on = self._is_hidden(mark)
        if mark is not None:
            goes_on = goes_on and mark.find("specVanish") is None
            goes_on = goes_on or mark.find("del") is not None or mark.find("moveFrom") is not None
        if not goes_on:
            self._add_joined(self._role(found))

    def _add_joined(self, role: Role) -> None:
        joined, self._joined = self._joined, []
        self._text.start(role)
        for paragraph, hides in joined:
            self._hides, self._omission = hides, None
            self._walk(paragraph)
        for one in reversed(self._fields):
            self._end_link(one)
        self._text.end(role)
        # A code does not go on in the next paragraph.
        self._fields = [one for one in self._fields if one.is_shown]
        floating, self._floating = self._floating, []
        for add in floating:
            add()

    def _style(self, name: str) -> dict[str, str]:
        """Return what a style of paragraphs or letters says, or the nearest that it is based on."""
        if name not in self._said:
            self._said[name] = {}
            style = self._styles.get(name, Element("none"))
            self._said[name] = self._style(value(style, "basedOn")) | _properties(style)
        return self._said[name]

    def _role(self, found: dict[str, str]) -> Role:
        mark, depth, heading = "", 0, int(found.get("head", "0"))
        if (list_id := found.get("numId", "0")) != "0":
            depth = min(
                integer(found.get("ilvl"), self._numbering.level_of(list_id, found.get("style", ""))), LEVELS - 1
            )
            mark = self._numbering.next(list_id, depth)
        if heading:
            return Role("heading", heading, mark.strip("-"))
        return Role("numbered paragraph", depth or int(found.get("list", "1")) - 1, mark) if mark else PARAGRAPH

    def _is_hidden(self, properties: Element | None) -> bool:
        """Whether properties hide letters, or the end, of the latest paragraph."""
        if properties is None:
            return self._hides
        hidden = _switch(properties, "vanish")
        if hidden is None:
            # What a style of paragraphs hides, one of letters shows.
            hidden = self._hides != bool(self._style(value(properties, "rStyle")).get("hidden"))
        return hidden or _switch(properties, "webHidden") or False

    def _letters(self, run: Element) -> Role | str:
        self._font = value(run, "rPr/rFonts", "ascii")
        return self._leave_out("hidden-text", run) if self._is_hidden(run.find("rPr")) else THROUGH

    def _table(self, _table: Element) -> Role:
        # No paragraph goes on in a table.
        self._add_joined(PARAGRAPH)
        return TABLE

    def _row(self, row: Element) -> Role | str:
        if row.find("trPr/del") is not None:
            return self._leave_out("deleted-text", row)
        return self._leave_out("hidden-text", row) if _switch(row, "trPr/hidden") else ROW

    def _leave_out(self, kind: LeftOut, element: Element) -> str:
        """Count a passage that is left out, and follow the fields in it."""
        text = ""
        for one in element.iter():
            if one.tag in ("fldChar", "instrText"):
                self._field(one)
            elif one.tag in ("t", "delText"):
                text += one.text or ""
        # The numbers of pages in a table of contents are only hidden on web pages.
        is_number = text.strip().isdecimal() and element.find("rPr/webHidden") is not None
        if text.strip() and self._omission != kind and not is_number:
            self._omission = kind
            self._text.left_out[kind] += 1
        return ""

    def _words(self, element: Element) -> str:
        if not all(one.is_shown for one in self._fields):
            return ""
        self._omission = None
        return _shown_as(element.text or "", self._font)

    def _symbol(self, symbol: Element) -> str:
        code = symbol.get("char", "")
        return _shown_as(chr(int(code, 16)), symbol.get("font", "")) if _CODE.fullmatch(code) else ""

    def _equation(self, element: Element) -> str:
        if self._hides:
            return self._leave_out("hidden-text", element)
        for kind, tag in _UNSEEN.items():
            if next(element.iter(tag), None) is not None:
                self._text.left_out[kind] += 1
        sign = "$" if element.tag == "oMath" else "$$"
        return " ".join(f"{sign}{latex(one).strip()}{sign}" for one in element.iter("oMath"))

    def _note(self, reference: Element) -> None:
        kind = reference.tag.removesuffix("Reference")
        # A note may name itself.
        note, related = self._notes.pop((kind, reference.get("id")), (None, {}))
        if note is not None:
            text = self._apart(note, related)
            self._text.start(NOTE)
            self._text.add(f"Comment by {note.get('author', '?')}: {text}" if kind == "comment" else text)
            self._text.end(NOTE)

    def _drawing(self, reference: Element) -> None:
        self._floating.append(partial(add_drawing, self._parts, self._related, reference, self._text))

    def _link(self, element: Element) -> Role:
        address, place = self._related.get(element.get("id", ""), ""), element.get("anchor")
        return linked(f"{address}#{place}" if place else address)

    def _simple_field(self, element: Element) -> Role:
        found = _ADDRESS.match(element.get("instr", ""))
        return Role("link", mark=found[1]) if found else THROUGH

    def _field(self, element: Element) -> str:
        """Follow the beginning, the code, the result and the end of a field; return what a field of a form shows."""
        fields, step = self._fields, element.get("fldCharType")
        if step == "begin":
            fields.append(_Field())
            return _chosen(element)
        if fields and step == "end":
            self._end_link(fields.pop())
        elif fields and step == "separate":
            self._start_result(fields[-1])
        elif fields:
            fields[-1].code += element.text or ""
        return ""

    def _start_result(self, one: _Field) -> None:
        one.is_shown = True
        if (found := _ADDRESS.match(one.code)) and all(field.is_shown for field in self._fields):
            one.address = found[1]
            self._text.start(Role("link"))

    def _end_link(self, one: _Field) -> None:
        if one.address:
            self._text.end(Role("link", mark=one.address))
            one.address = ""


def _properties(source: Element) -> dict[str, str]:
    """Return what a style or a paragraph itself says about its level, its list, and whether it is hidden."""
    found: dict[str, str] = {}
    name = value(source, "name").lower()
    kind, _, level = ("heading 1" if name == "title" else name).rpartition(" ")
    # Word's own styles for lists in lists are lists of their own.
    if level.isdecimal() and kind in ("heading", "list bullet", "list number"):
        found[kind[:4]] = level
    if outline := value(source, "pPr/outlineLvl"):
        # The tenth level is that of other text.
        found["head"] = str((integer(outline) + 1) % 10)
    found |= {key: one for key in ("numId", "ilvl") if (one := value(source, f"pPr/numPr/{key}"))}
    if "numId" in found:
        found["style"] = source.get("styleId", "")
    if (vanishes := _switch(source, "rPr/vanish")) is not None:
        found["hidden"] = "yes" if vanishes else ""
    return found


def _switch(element: Element, path: str, name: str = "val") -> bool | None:
    """Return whether a property is on; None if it is missing."""
    found = element.find(path)
    return None if found is None else found.get(name) not in ("0", "false", "off")


def _shown_as(text: str, font: str) -> str:
    """Return what letters show in a font."""
    if (table := _FONTS.get(font.lower())) is None:
        return text
    # Their codes may be in a range for private use.
    codes = (ord(letter) & 0xFF if "\uf000" <= letter <= "\uf0ff" else ord(letter) for letter in text)
    return "".join(map(chr, codes)).translate(table)


def _chosen(begin: Element) -> str:
    """Return what is ticked or chosen in a form; "" for another field."""
    if (box := begin.find("ffData/checkBox")) is not None:
        ticked = _switch(box, "checked")
        return "☒" if (_switch(box, "default") if ticked is None else ticked) else "☐"
    choices = [one.get("val", "") for one in begin.iter("listEntry")]
    return "".join(choices[integer(value(begin, "ffData/ddList/result")) :][:1])
