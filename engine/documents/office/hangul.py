"""The text of HWPX files, the documents of Hancom Office: KS X 6101 (OWPML), an archive of XML.

They are read here because the libraries for them give the deleted words of tracked changes as if they stood
("100원80원" for a price of 80), and do not say what they leave out. On a file with one of each kind of content,
python-hwpx 6.9 (Apache-2.0, 9 MB and lxml) also loses headers, comments, equations and boxes that are ticked, hwpforge
0.18 (MIT, 16 MB) headers, the addresses of links, such boxes and the numbers of headings. dochan 1.15 (MIT, 7 MB, of
one author) loses least: the numbers of headings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.archives.office import Handler, Meaning, OfficeReader, link_role
from engine.documents.archives.zipped_parts import ZippedParts, addressed
from engine.documents.office.charts import add_drawing
from engine.documents.text.letters import PLAIN, Letters
from engine.documents.text.looks import PLAIN_LOOK, UNKNOWN, WHITE, Look, colour_of
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.number_forms import HANGUL_FORMS
from engine.documents.text.numbering import LEVELS, ListLevel, NumberedList
from engine.documents.text.roles import (
    Footnote,
    HeadingBlock,
    Link,
    NumberedParagraph,
    ParagraphBlock,
    Role,
    Table,
    TableCell,
    TableRow,
    Through,
)
from engine.documents.text.table_rows import only_places
from engine.documents.text.xml_values import integer, value

_PACKAGE = "application/hwpml-package+xml"
# What elements within a text stand for.
_SIGNS = {"tab": "\t", "lineBreak": "\n", "hyphen": "-", "nbSpace": "\u00a0", "fwSpace": "\u3000"}
# The shapes of a line through letters that Hancom Office does not draw.
_NO_LINE = ("", "NONE", "3D", "3D_REVERS", "THICK_3D", "THICK_3D_REVERS")
# What is numbered where it stands; pages are not, and notes have marks.
_NUMBERED = ("EQUATION", "PICTURE", "TABLE")
# What Hancom Office itself writes as the description of a picture.
_NO_DESCRIPTION = "그림입니다."
# The beginnings of the namespaces for which a newer form of an element is read.
_KNOWN_FORMS = ("http://www.hancom.co.kr/hwpml/", "http://www.owpml.org/owpml/")
# Sizes of letters are in hundredths of a point.
_POINT = 100
_MOST_COLUMNS = 63


class _CharacterShape(NamedTuple):
    """How letters are set, their colour and size, and the colour behind them; None if that is the paragraph's."""

    letters: Letters = PLAIN
    colour: str = UNKNOWN
    points: float | None = None
    behind: str | None = None


class _ParagraphShape(NamedTuple):
    """How a paragraph is numbered: NONE, OUTLINE, NUMBER or BULLET, by which list, and its level from 0."""

    kind: str = "NONE"
    list_id: str = ""
    level: int = 0
    # Whether there may be another colour behind it than behind what is around.
    is_filled: bool = False


@dataclass(slots=True)
class _HangulParagraph:
    """What is known while a paragraph is read. A note or a cell in it has paragraphs of its own."""

    # The fields that are open, by their ids: links, and the fields of comments.
    fields: dict[str, Link | Element] = field(default_factory=dict)
    # What adds the text boxes that follow the paragraph.
    boxes: list[Callable[[], None]] = field(default_factory=list)


class HangulReader(OfficeReader):
    """Reads HWPX files, with all revisions accepted. Raises `ValueError` for one without sections, and `Encrypted`."""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        parts.require_no_password()
        super().__init__(parts, text)
        rootfiles = parts.xml("META-INF/container.xml").iter("rootfile")
        names = (file.get("full-path", "") for file in rootfiles if file.get("media-type") == _PACKAGE)
        package_name = next(names, "Contents/content.hpf")
        package = parts.xml(package_name)
        # The parts by their ids in the package, whose addresses begin at the archive or beside it.
        self._items = dict[str, str]()
        for item in package.iter("item"):
            address = item.get("href", "")
            self._items[item.get("id", "")] = parts.find(address) or addressed(package_name, address, parts)
        read_ids = dict.fromkeys(["header", *(reference.get("idref", "") for reference in package.iter("itemref"))])
        roots = [self._part(name) for name in read_ids if name in self._items]
        self._sections = [root for root in roots if root.tag == "sec"]
        if not self._sections:
            raise ValueError("no sections")
        header = next((root for root in roots if root.tag == "head"), Element("head"))
        filled = {fill.get("id", "") for fill in header.iter("borderFill") if _has_brush(fill)}
        self._filled = filled
        self._formats = {shape.get("id", ""): _character_shape(shape, filled) for shape in header.iter("charPr")}
        self._paragraphs = {shape.get("id", ""): _paragraph_shape(shape, filled) for shape in header.iter("paraPr")}
        self._lists = {element.get("id", ""): _numbered_list(element) for element in header.iter("numbering")}
        # The list of the headings of the section that is read, and the colour behind its text, as in `Look`.
        self._outline = ""
        self._behind = WHITE
        self._is_filled = False
        self._open_paragraph = _HangulParagraph()
        # How the letters of the run look that is read.
        self._look = PLAIN_LOOK
        # The deletions that are open, and those that end.
        self._deletions = set[str]()
        self._ended_deletions = set[str]()
        self._meanings = self._all_meanings()

    def _all_meanings(self) -> dict[str, Meaning | Handler]:
        """Return what the elements mean, by their names (see `Meaning`); others are walked through."""
        return {
            "p": self._add_paragraph,
            "run": self._add_run,
            "t": self._add_text,
            "tbl": self._add_table,
            "tr": TableRow(),
            "tc": self._add_cell,
            **dict.fromkeys(("footNote", "endNote"), lambda _: self._unless_deleted(Footnote())),
            "hiddenComment": lambda comment: self._comment(comment, ""),
            "fieldBegin": self._begin_field,
            "fieldEnd": self._end_field,
            "autoNum": lambda number: number.get("num", "") if number.get("numType") in _NUMBERED else "",
            "equation": lambda equation: self._words(
                f"[Equation: {' '.join(equation.findtext('script', '').split())}]"
            ),
            "pic": self._add_picture,
            "chart": self._add_chart,
            "ole": self._count_object,
            "drawText": self._put_off_box,
            "textart": lambda art: self._words(art.get("text", "")),
            "compose": lambda letters: self._words(letters.get("composeText", "")),
            # The words, without the reading aid beside them.
            "dutmal": lambda words: self._words(words.findtext("mainText", "")),
            **dict.fromkeys(("checkBtn", "radioBtn"), self._button),
            "btn": lambda button: self._words(button.get("caption", "")),
            "comboBox": lambda box: self._words(box.get("selectedValue", "")),
            "edit": lambda box: self._words(box.findtext("text", "")),
            "switch": self._choose,
            # Read before and after the section, or by what has them.
            **dict.fromkeys(("header", "footer", "secPr", "parameters", "memogroup")),
        }

    def _part(self, name: str) -> Element:
        """Return the root of a part by its id; one that is missing or damaged is counted."""
        if not self._items[name]:
            self._text.left_out["damaged-part"] += 1
        return self._parts.sound_xml(self._items[name], self._text)

    def read(self) -> None:
        """Add the sections, each between what is above and below its pages; the same words are there once."""
        edges = {""}
        for section in self._sections:
            self._begin_section(section)
            above = [*self._master_pages(section), *section.iter("header")]
            self._add_edges(above, edges)
            self._walk(section)
            self._add_edges([*section.iter("footer")], edges)
        self._text.finish()

    def _begin_section(self, section: Element) -> None:
        self._outline = next((shape.get("outlineShapeIDRef", "") for shape in section.iter("secPr")), "")
        # What is behind the text may have any colour.
        has_pictures_behind = any(shape.get("textWrap") == "BEHIND_TEXT" for shape in section.iter())
        fills = {page.get("borderFillIDRef") for page in section.iter("pageBorderFill")}
        has_master = section.find(".//masterPage") is not None
        self._behind = UNKNOWN if has_pictures_behind or has_master or fills & self._filled else WHITE
        self._deletions.clear()
        self._ended_deletions = {end.get("Id", "") for end in section.iter("deleteEnd")}

    def _master_pages(self, section: Element) -> list[Element]:
        """Return what is on all pages of a section."""
        names = (page.get("idRef", "") for page in section.iter("masterPage"))
        return [self._part(name) for name in names if name in self._items]

    def _add_edges(self, edges: list[Element], known: set[str]) -> None:
        """Add texts above or below pages that are not `known`, and are more than the number of a page."""
        for edge in edges:
            words = _words_in(edge)
            if words not in known and any(map(str.isalnum, words)):
                known.add(words)
                self._walk(edge)

    # Paragraphs.

    def _add_paragraph(self, paragraph: Element) -> None:
        """Add a paragraph, and after it the text boxes in it."""
        around = self._open_paragraph
        filled_around = self._is_filled
        self._open_paragraph = _HangulParagraph()
        given = self._paragraphs.get(paragraph.get("paraPrIDRef", ""), _ParagraphShape())
        self._is_filled = given.is_filled
        role = self._role(given)
        self._text.start(role)
        self._walk(paragraph)
        for begun in reversed(self._open_paragraph.fields.values()):
            self._add_end(begun)
        self._text.end(role)
        self._is_filled = filled_around
        for add in self._open_paragraph.boxes:
            add()
        self._open_paragraph = around

    def _role(self, given: _ParagraphShape) -> Role:
        """Return the role of a paragraph of a format, and count it if it is numbered."""
        if given.kind == "BULLET":
            return NumberedParagraph(given.level, "-")
        is_heading = given.kind == "OUTLINE"
        numbered = self._lists.get(self._outline if is_heading else given.list_id)
        mark = numbered.next(given.level) if numbered is not None and given.kind != "NONE" else ""
        if is_heading:
            return HeadingBlock(given.level + 1, mark.removeprefix("-"))
        return NumberedParagraph(given.level, mark) if mark else ParagraphBlock()

    def _add_run(self, run: Element) -> None:
        """Add the letters of a run that are seen, and what else is in it."""
        given = self._formats.get(run.get("charPrIDRef", ""), _CharacterShape())
        behind = UNKNOWN if self._is_filled else self._behind
        look = Look(given.letters, given.colour, behind if given.behind is None else given.behind, given.points)
        around = self._look
        self._look = look
        # Drawings and notes are seen whatever the letters beside them are like.
        with self._text.shown_as(Look(letters=given.letters)):
            self._walk(run)
        self._look = around

    def _add_words(self, words: str) -> None:
        """Add words unless they are deleted."""
        if self._deletions:
            self._text.leave_out("deleted-text", words)
        elif words:
            with self._text.shown_as(self._look):
                self._text.add(words)

    def _words(self, words: str) -> str:
        """Return what an element stands for; nothing if it is deleted, which is counted."""
        if not self._deletions:
            return words
        self._text.leave_out("deleted-text", words)
        return ""

    def _unless_deleted(self, role: Role) -> Role | None:
        return None if self._deletions else role

    def _add_text(self, text: Element) -> None:
        """Add a text, in which signs stand for characters, and others where deleted words begin and end."""
        self._add_words(text.text or "")
        for child in text:
            change = child.get("Id", "")
            if child.tag == "deleteBegin" and change in self._ended_deletions:
                self._deletions.add(change)
            elif child.tag == "deleteEnd":
                self._deletions.discard(change)
            self._add_words(_SIGNS.get(child.tag, ""))
            self._add_words(child.tail or "")

    # Notes and fields.

    def _comment(self, comment: Element, author: str) -> Role | None:
        """Return the role of a comment, which begins with what it is, and who wrote it if that is known."""
        first_paragraph = next(comment.iter("p"), comment)
        name = Element("t")
        name.text = f"Comment by {author}: " if author else "Comment: "
        first_paragraph.insert(0, name)
        return self._unless_deleted(Footnote())

    def _begin_field(self, begin: Element) -> None:
        """Begin a link or a comment; other fields are the words in them."""
        begun: Link | Element | None = None
        if begin.get("type") == "MEMO":
            begun = begin
        elif begin.get("type") == "HYPERLINK" and not self._deletions:
            role = link_role(_address(begin))
            if isinstance(role, Link):
                begun = role
                self._text.start(role)
        if begun is not None:
            self._open_paragraph.fields[begin.get("id", "")] = begun

    def _end_field(self, end: Element) -> None:
        begun = self._open_paragraph.fields.pop(end.get("beginIDRef", ""), None)
        if begun is not None:
            self._add_end(begun)

    def _add_end(self, begun: Link | Element) -> None:
        """End a link, or add the comment of a field."""
        if isinstance(begun, Link):
            self._text.end(begun)
        elif (role := self._comment(begun, _settings(begun).get("Author", ""))) is not None:
            self._add(begun, role)

    # Tables and drawings.

    def _add_table(self, table: Element) -> None:
        """Add a table between its captions; one that only places things on a page as if it were none."""
        if self._deletions:
            self._text.leave_out("deleted-text", _words_in(table))
            return
        captions = table.findall("caption")
        for caption in captions:
            table.remove(caption)
        behind_around = self._behind
        if self._filled & {
            part.get("borderFillIDRef", "") for part in (table, *table.iterfind("cellzoneList/cellzone"))
        }:
            self._behind = UNKNOWN
        for caption in captions:
            if caption.get("side") == "TOP":
                self._walk(caption)
        is_frame = not self._text.is_in_table and _is_frame(table)
        self._add(table, ParagraphBlock() if is_frame else Table())
        for caption in captions:
            if caption.get("side") != "TOP":
                self._walk(caption)
        self._behind = behind_around

    def _add_cell(self, cell: Element) -> None:
        columns = min(max(1, integer(value(cell, "cellSpan", "colSpan"))), _MOST_COLUMNS)
        rows = max(1, integer(value(cell, "cellSpan", "rowSpan")))
        behind_around = self._behind
        if cell.get("borderFillIDRef") in self._filled:
            self._behind = UNKNOWN
        self._add(cell, TableCell(columns, rows))
        self._behind = behind_around

    def _put_off_box(self, box: Element) -> None:
        """Add the text of a box after the paragraph, unless it is deleted; a box may have any colour."""
        if self._deletions:
            self._text.leave_out("deleted-text", _words_in(box))
            return
        self._open_paragraph.boxes.append(partial(self._add_box, box))

    def _add_box(self, box: Element) -> None:
        behind_around = self._behind
        self._behind = UNKNOWN
        self._walk(box)
        self._behind = behind_around

    def _add_picture(self, picture: Element) -> Role | None:
        """Add the description of a picture, and note its file; its caption is read."""
        if self._deletions:
            return None
        described = " ".join(picture.findtext("shapeComment", "").split())
        if described and not described.startswith(_NO_DESCRIPTION):
            self._text.add(f"[{described}]")
        for image in picture.iterfind("img"):
            name = self._items.get(image.get("binaryItemIDRef", ""), "")
            self._parts.show_picture(name, self._text.pictures)
        return Through()

    def _add_chart(self, chart: Element) -> None:
        if not self._deletions:
            related = {chart.get("id", ""): chart.get("chartIDRef", "")}
            self._open_paragraph.boxes.append(partial(add_drawing, self._parts, related, chart, self._text))

    def _count_object(self, _: Element) -> None:
        """Count an object of another program, which is not read."""
        if not self._deletions:
            self._text.left_out["attached-file"] += 1

    def _button(self, button: Element) -> str:
        mark = "☒" if button.get("value") == "CHECKED" else "☐"
        return self._words(f"{mark} {button.get('caption', '')}")

    def _choose(self, switch: Element) -> None:
        """Add the first form of an element that is known here, or else its usual one."""
        forms = (
            case for case in switch.iterfind("case") if case.get("required-namespace", "").startswith(_KNOWN_FORMS)
        )
        chosen = next(forms, switch.find("default"))
        if chosen is not None:
            self._walk(chosen)


def _words_in(element: Element) -> str:
    """Return the letters of all texts in an element."""
    return "".join(letters for text in element.iter("t") for letters in text.itertext())


def _settings(begin: Element) -> dict[str, str]:
    """Return the texts that say what a field is."""
    return {param.get("name", ""): param.text or "" for param in begin.iterfind("parameters/stringParam")}


def _address(begin: Element) -> str:
    """Return the address of a link. In the command of its field, backslashes stand before signs."""
    settings = _settings(begin)
    return settings.get("Path") or re.sub(r"\\(.)", r"\1", settings.get("Command", "").partition(";")[0])


def _has_brush(fill: Element) -> bool:
    """Return whether a border may have something within it, such as a colour or a picture."""
    brushes = [brush for brush in fill.iterfind("fillBrush/*") if brush.get("faceColor", "") != "none"]
    return bool(brushes) or fill.find("fillBrush/*[@hatchStyle]") is not None


def _character_shape(shape: Element, filled: set[str]) -> _CharacterShape:
    letters = Letters(
        raised=shape.find("supscript") is not None,
        struck=value(shape, "strikeout", "shape") not in _NO_LINE,
        lowered=shape.find("subscript") is not None,
    )
    height = integer(shape.get("height"))
    shade = shape.get("shadeColor", "none")
    behind = None if shade == "none" else colour_of(shade)
    if shape.get("borderFillIDRef") in filled:
        behind = UNKNOWN
    return _CharacterShape(letters, colour_of(shape.get("textColor")), height / _POINT if height else None, behind)


def _paragraph_shape(shape: Element, filled: set[str]) -> _ParagraphShape:
    heading = next(shape.iter("heading"), Element("heading"))
    return _ParagraphShape(
        heading.get("type", "NONE"),
        heading.get("idRef", ""),
        integer(heading.get("level")),
        value(shape, "border", "borderFillIDRef") in filled,
    )


def _numbered_list(numbering: Element) -> NumberedList:
    """Return a list. Its levels count from 1 in the file, and from 0 in the list."""
    numbered = NumberedList()
    for head in numbering.iterfind("paraHead"):
        level = integer(head.get("level"), 1)
        if 0 < level <= LEVELS:
            # "^N" stands for the numbers of all levels so far, in digits, and "^2" for the number of the second level.
            path = ".".join(f"%{at}" for at in range(1, level + 1))
            given = head.text or ""
            shown = given.replace("^N", f"{path}.").replace("^n", path).replace("^", "%")
            form = HANGUL_FORMS.get(head.get("numFormat", "DIGIT"), "")
            first = integer(head.get("start"), 1)
            is_legal = "^n" in given.lower()
            numbered.levels[level - 1] = ListLevel(form, shown, first, is_legal=is_legal)
    return numbered


def _is_frame(table: Element) -> bool:
    """Return whether a table only places things on a page."""
    rows = [[_says_something(cell) for cell in row.iterfind("tc")] for row in table.iterfind("tr")]
    return only_places(rows, has_tables=table.find(".//tc//tbl") is not None)


def _says_something(cell: Element) -> bool:
    """Return whether a cell has words or something drawn."""
    return bool(_words_in(cell).strip()) or any(
        cell.find(f".//{name}") is not None for name in ("pic", "equation", "tbl", "checkBtn")
    )
