"""The text of DOCX files."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import chain
from xml.etree.ElementTree import Element

from engine.documents.equations import latex
from engine.documents.marked_text import NOTE, PARAGRAPH, ROW, TABLE, THROUGH, LeftOut, MarkedText, Role
from engine.documents.numbering import NumberedList, word_lists
from engine.documents.office import OfficeReader, linked
from engine.documents.slides import add_drawing
from engine.documents.unseen import UNKNOWN
from engine.documents.word_letters import RunFormat, WordLetters, is_unseen, letters_of, page_colour, shading
from engine.documents.zipped_parts import ZippedParts, integer, value

_NOTES = ("footnotes", "endnotes", "comments")
_DRAWN = ("AlternateContent", "commentReference", "drawing", "endnoteReference", "footnoteReference", "object", "pict")
_CODES = ("fldSimple", "instrText")
_ADDRESS = re.compile(r'\s*HYPERLINK\s+"?([^\s"\\][^\s"]*)')
# What fonts show for letters, which may also be in a range for private use.
_FONTS = {
    "symbol": str.maketrans("DFGLPQSWXYabcdefghiklmnpqrstuwxyz£³´·¸¹®¥", "ΔΦΓΛΠΘΣΩΞΨαβχδεφγηικλμνπθρστυωξψζ≤≥×•÷≠→∞"),
    "wingdings": str.maketrans("þýx¨oqrüûàln§JL", "☑☒☒☐☐☐☐✔✘→●■▪☺☹"),
    "wingdings 2": str.maketrans("RTQ£PO", "☑☒☒☐✓✗"),
}
for _table in _FONTS.values():
    _table.update([(0xF000 + code, sign) for code, sign in _table.items()])


class WordReader(OfficeReader):
    """Reads DOCX files as Word shows them, with all revisions accepted."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        super().__init__(parts, text)
        part = {name: parts.sound_xml(self._related.get(name, ""), text) for name in ("styles", "numbering", *_NOTES)}
        self._styles = {style.get("styleId", ""): style for style in part["styles"].iter("style")}
        # What the styles say that were asked for.
        self._said: dict[str, dict[str, str]] = {}
        self._lists = word_lists(part["numbering"], self._styles)
        related = {name: parts.related(self._related.get(name, "")) for name in _NOTES}
        self._notes = {(name[:-1], note.get("id")): (note, related[name]) for name in _NOTES for note in part[name]}
        self._formats = WordLetters(part["styles"])
        # The parts with what is above and below the pages, by their names, and the colour behind the text.
        references = chain(self._main.iter("headerReference"), self._main.iter("footerReference"))
        names = {self._related.get(one.get("id", ""), "") for one in references}
        self._edges = {name: self._parts.sound_xml(name, self._text) for name in sorted(names)}
        self._page = self._behind = page_colour(self._main, self._edges.values())
        # Of the open paragraph: the format of its letters, its open fields (None until the code of one ends), what
        # follows it, and what the latest text was left out for.
        self._format = RunFormat()
        self._fields = list[Role | None]()
        self._floating: list[Callable[[], None]] = []
        self._omission: LeftOut | None = None
        # The code of the latest field, and the font of the run.
        self._code, self._font = "", ""
        self._meanings = {"p": self._paragraph, "r": self._letters, "t": self._words, "sym": self._words}
        self._meanings |= {"tbl": self._table, "tc": self._cell}
        self._meanings["tr"] = lambda row: ROW if row.find("trPr/del") is None else self._leave_out("deleted-text", row)
        self._meanings |= {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
        self._meanings |= {"hyperlink": self._link, "fldChar": self._field, "instrText": self._field}
        self._meanings["fldSimple"] = lambda one: _led_by(one.get("instr", ""))
        self._meanings |= dict.fromkeys(("footnoteReference", "endnoteReference", "commentReference"), self._note)
        self._meanings |= {"oMath": self._equation, "oMathPara": self._equation}
        self._meanings |= {"textpath": lambda one: one.get("string"), "del": partial(self._leave_out, "deleted-text")}
        self._meanings["txbxContent"] = lambda box: self._floating.append(partial(self._add_on, UNKNOWN, box, THROUGH))
        self._meanings |= {"drawing": self._drawing, "chart": self._reference, "relIds": self._reference}
        # What is read where it was moved to, the second form of what newer programs show, and reading aids.
        self._meanings |= dict.fromkeys(("moveFrom", "Fallback", "rPr", "pPr", "rt"))

    def read(self) -> None:
        self._add_edges("header")
        self._walk(self._main)
        self._add_edges("footer")
        self._text.finish()

    def _add_edges(self, kind: str) -> None:
        """Add the text above or below the pages, once, unless it is only their number."""
        names = (self._related.get(one.get("id", ""), "") for one in self._main.iter(f"{kind}Reference"))
        texts = {""}
        for name in dict.fromkeys(names):
            part = self._edges[name]
            text = "".join(one.get("string") or one.text or "" for one in part.iter() if one.tag in ("t", "textpath"))
            codes = "".join(one.get("instr") or one.text or "" for one in part.iter() if one.tag in _CODES)
            if text not in texts and ("PAGE" not in codes or any(map(str.isalpha, text))):
                texts.add(text)
                self._add_of_part(part, THROUGH, self._parts.related(name))

    def _add_of_part(self, element: Element, role: Role, related: dict[str, str]) -> None:
        """Add an element of another part. `related` is what that part refers to; it is in the font of no run."""
        related_around = self._related
        font_around = self._font
        self._related = related
        self._font = ""
        self._add_on(self._page, element, role)
        self._related = related_around
        self._font = font_around

    def _add_on(self, colour: str, element: Element, role: Role) -> None:
        """Add an element that has a colour behind its text."""
        around, self._behind = self._behind, colour
        self._add(element, role)
        self._behind = around

    def _table(self, table: Element) -> None:
        colour = shading(table, "tblPr/shd")
        if colour is None:
            colour = self._behind
        # Rows may have exceptions.
        has_shaded_rows = table.find("tr/tblPrEx/shd") is not None
        if has_shaded_rows or self._formats.shades_tables(value(table, "tblPr/tblStyle")):
            colour = UNKNOWN
        self._add_on(colour, table, TABLE)

    def _cell(self, cell: Element) -> None:
        colour = shading(cell, "tcPr/shd")
        columns = max(1, integer(value(cell, "tcPr/gridSpan")))
        self._add_on(self._behind if colour is None else colour, cell, Role("cell", columns))

    def _paragraph(self, paragraph: Element) -> None:
        found = self._style(value(paragraph, "pPr/pStyle")) | _properties(paragraph)
        around = self._format, self._fields, self._floating, self._omission
        self._format = self._formats.of_paragraph(paragraph)
        self._fields = []
        self._floating = []
        self._omission = None
        # One whose end was deleted or is hidden has no number, unless Word shows the next one in its line.
        marks = {one.tag for one in paragraph.iterfind("pPr/rPr/*")}
        has_end = "specVanish" in marks or not (self._format.hidden or marks & {"del", "moveFrom", "vanish"})
        self._text.start(role := self._role(found) if has_end else PARAGRAPH)
        self._walk(paragraph)
        for one in reversed(self._fields):
            self._text.end(one or THROUGH)
        self._text.end(role)
        for add in self._floating:
            add()
        self._format, self._fields, self._floating, self._omission = around

    def _style(self, name: str) -> dict[str, str]:
        """Return what a style of paragraphs or letters says, or the nearest that it is based on."""
        if name not in self._said:
            self._said[name] = {}
            style = self._styles.get(name, Element("none"))
            self._said[name] = self._style(value(style, "basedOn")) | _properties(style)
        return self._said[name]

    def _role(self, found: dict[str, str]) -> Role:
        mark = ""
        depth = integer(found.get("ilvl"))
        heading = int(found.get("head", "0"))
        if (list_id := found.get("numId", "0")) != "0":
            mark = self._lists.get(list_id, NumberedList()).next(depth)
        if heading:
            return Role("heading", heading, mark.strip("-"))
        return Role("numbered paragraph", depth or int(found.get("list", "1")) - 1, mark) if mark else PARAGRAPH

    def _letters(self, run: Element) -> None:
        self._font = value(run, "rPr/rFonts", "ascii")
        found = self._formats.of_run(run, self._format)
        if found.hidden:
            self._leave_out("hidden-text", run)
            return
        if is_unseen(found, self._behind):
            self._leave_out("hidden-text", _part_of(run, is_drawn=False))
            run = _part_of(run, is_drawn=True)
        with self._text.lettered(letters_of(found, self._format)):
            self._walk(run)

    def _leave_out(self, kind: LeftOut, element: Element) -> str:
        """Count a passage that is left out, and follow the fields in it."""
        for one in element.iter():
            if one.tag in ("fldChar", "instrText"):
                self._field(one)
        says = any(one.text and one.text.strip() for one in element.iter() if one.tag in ("t", "delText"))
        if says and self._omission != kind:
            self._omission = kind
            self._text.left_out[kind] += 1
        return ""

    def _words(self, element: Element) -> str:
        if None in self._fields:
            return ""
        self._omission = None
        code = element.get("char")
        font = element.get("font", self._font)
        text = chr(int(code, 16)) if code else element.text or ""
        return text.translate(_FONTS.get(font.lower(), {}))

    def _equation(self, element: Element) -> str:
        if self._format.hidden:
            return self._leave_out("hidden-text", element)
        for one in element.iter("del"):
            self._leave_out("deleted-text", one)
        for one in element.iterfind(".//rPr/vanish/../.."):
            self._leave_out("hidden-text", one)
        sign = "$" if element.tag == "oMath" else "$$"
        return " ".join(f"{sign}{latex(one).strip()}{sign}" for one in element.iter("oMath"))

    def _note(self, reference: Element) -> None:
        # A note may name itself.
        note, related = self._notes.pop((reference.tag.removesuffix("Reference"), reference.get("id")), (None, {}))
        if note is None:
            return
        if note.tag == "comment":
            author = Element("t")
            author.text = f"Comment by {note.get('author', '?')}: "
            next(note.iter("p"), note).insert(0, author)
        self._add_of_part(note, NOTE, related)

    def _drawing(self, drawing: Element) -> Role | str:
        is_shown = value(drawing, "*/docPr", "hidden") not in ("1", "true")
        return THROUGH if is_shown else self._leave_out("hidden-text", drawing)

    def _reference(self, chart: Element) -> None:
        self._floating.append(partial(add_drawing, self._parts, self._related, chart, self._text))

    def _link(self, element: Element) -> Role:
        address = self._related.get(element.get("id", ""), "")
        place = element.get("anchor")
        return linked(f"{address}#{place}" if place else address)

    def _field(self, element: Element) -> str:
        """Follow the beginning, the code, the result and the end of a field; return what a field of a form shows."""
        step = element.get("fldCharType")
        if step == "begin":
            self._fields.append(None)
            self._code = ""
            return _chosen(element)
        self._code = f"{self._code}{element.text or ''}"
        if self._fields and step == "separate":
            self._fields[-1] = role = _led_by(self._code)
            self._text.start(role)
        elif self._fields and step == "end":
            self._text.end(self._fields.pop() or THROUGH)
        return ""


def _part_of(run: Element, *, is_drawn: bool) -> Element:
    """Return only the letters of a run, or what is seen whatever these are like: drawings, and what notes say."""
    part = Element("r")
    part.extend(one for one in run if (one.tag in _DRAWN) == is_drawn)
    return part


def _led_by(code: str) -> Role:
    """Return the role of the result of a field."""
    found = _ADDRESS.match(code)
    return Role("link", mark=found[1]) if found else THROUGH


def _properties(source: Element) -> dict[str, str]:
    """Return what a style or a paragraph itself says about its level and its list."""
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
    return found


def _is_on(element: Element, path: str, usual: bool = False) -> bool:
    found = element.find(path)
    return usual if found is None else found.get("val") not in ("0", "false", "off")


def _chosen(begin: Element) -> str:
    """Return what is ticked or chosen in a form; "" for another field."""
    for box in begin.iterfind("ffData/checkBox"):
        return "☒" if _is_on(box, "checked", _is_on(box, "default")) else "☐"
    choices = [one.get("val", "") for one in begin.iter("listEntry")]
    return "".join(choices[integer(value(begin, "ffData/ddList/result")) :][:1])
