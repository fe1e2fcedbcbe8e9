"""The text of ODT, ODS and ODP files, as LibreOffice writes them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from xml.etree.ElementTree import Element

from engine.documents.equations import latex_of
from engine.documents.hidden_columns import HiddenColumns
from engine.documents.letters import Run
from engine.documents.marked_text import CELL, NOTE, PARAGRAPH, ROW, TABLE, THROUGH, MarkedText, Role
from engine.documents.numbering import ListLevel, NumberedList
from engine.documents.office import OfficeReader, lines, linked
from engine.documents.open_letters import OpenFormat, OpenStyles
from engine.documents.open_pages import OpenPages
from engine.documents.unseen import UNKNOWN
from engine.documents.zipped_parts import Encrypted, ZippedParts, integer, resolved

_LEFT_OUT = "automatic-styles binary-data content-validations date-string desc footer-decl forms header-decl "
_LEFT_OUT += "index-title-template note-citation ruby-text"
_NUMBERS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_VALUES = ("string-value", "date-value", "time-value", "boolean-value", "value", "formula")
# What formulas begin with, and the brackets and points around the addresses in them.
_NOTATION = re.compile(r"^\w+:(?==)|\[\.?|(?<=:)\.|\]")
_SHAPES = ["caption", "circle", "connector", "custom-shape", "ellipse", "g", "line", "measure", "path", "polygon"]
_SHAPES += ["polyline", "rect", "regular-polygon"]
_UNSEEN = ("collapse", "filter")
_HIDING = "hidden-paragraph[@is-hidden='true']"
# What is repeated more often only fills the sheet, and is there once.
_MOST_REPEATED = 1000


class OpenDocumentReader(OfficeReader):
    """Reads ODT files, with all revisions accepted, and the sheets and slides that are shown of ODS and ODP files."""

    _run = ""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        super().__init__(parts, text)
        if next(parts.xml("META-INF/manifest.xml").iter("encryption-data"), None) is not None:
            raise Encrypted
        common = parts.sound_xml("styles.xml", text)
        for body in self._main.iterfind("body/text"):
            for tag, at in (("footer", len(body)), ("header", 0)):
                body[at:at] = {"".join(one.itertext()): one for one in common.iter(tag)}.values()
        self._styles = OpenStyles(common, self._main)
        # What is behind the text here, and in the cells of tables; the format of letters, and whether the latest words
        # were left out.
        self._behind = self._styles.page
        self._in_tables = UNKNOWN if _has_table_styles(self._main) else self._styles.in_tables
        self._format = OpenFormat()
        self._omitted = False
        # The format of the cell or shape around.
        self._around = OpenFormat()
        # The lists by their styles; that of the headings has the name "".
        self._numbered = defaultdict[str, NumberedList](NumberedList)
        for one in (*common.iter(), *self._main.iter()):
            if one.tag in ("list-style", "outline-style"):
                self._numbered[one.get("name", "") if one.tag == "list-style" else ""] = _numbered(one)
        # The styles of the lists around, and whether an item has begun and says nothing so far.
        self._lists = [""]
        self._begun = False
        self._slides = 0
        self._pages = OpenPages(common, self._styles)
        # What is behind the text of the shapes of a slide.
        self._behind_shapes = dict[Element, str]()
        # Of the sheet that is read; the styles of cells that name none are by their columns.
        self._hidden = HiddenColumns()
        self._column_styles = list[str]()
        self._meanings = dict.fromkeys(_LEFT_OUT.split())
        self._meanings |= dict.fromkeys(("p", "h"), self._paragraph)
        self._meanings |= dict.fromkeys(("section", "hidden-text"), self._visible)
        self._meanings |= {"span": self._span}
        self._meanings |= dict.fromkeys(("table-cell", "covered-table-cell"), self._cell)
        self._meanings |= {"note": NOTE, "annotation": self._annotation, "tracked-changes": self._changes}
        self._meanings |= {"list": self._list, "list-item": self._item}
        self._meanings |= {
            "table": TABLE,
            "table-row": self._row,
            "table-row-group": self._row_group,
            "tab": "\t",
            "line-break": "\n",
        }
        self._meanings |= {"frame": self._frame, "object": self._object}
        self._meanings |= dict.fromkeys(_SHAPES, self._shape)
        self._meanings |= {"math": latex_of, "spreadsheet": self._book}
        self._meanings |= {"sheet": self._sheet, "page": self._page, "notes": self._notes}
        # That of a picture is no text, that of a chart has paragraphs.
        self._meanings["title"] = lambda one: THROUGH if len(one) else None
        self._meanings["a"] = lambda one: linked(one.get("href", ""))
        self._meanings["s"] = lambda one: " " * integer(one.get("c"), 1)

    def _style(self, family: str, element: Element, attribute: str) -> str:
        """Return an attribute of an element, its style or the nearest that this is based on; "" if none has it."""
        found = element.get(attribute)
        return found or self._styles.said(family, element.get("style-name", ""), attribute) or ""

    def _add_words(self, words: str) -> None:
        if not self._format.is_unseen(self._behind):
            self._omitted = self._omitted and not words.strip()
            self._text.add(words)
        elif words.strip() and not self._omitted:
            self._omitted = True
            self._text.left_out["hidden-text"] += 1

    def _add_lettered(self, element: Element, role: Role, letters: OpenFormat, behind: str) -> None:
        """Add an element whose letters have a format, on a colour."""
        around = self._format, self._behind
        self._format, self._behind = letters, behind
        with self._text.lettered(letters.letters):
            self._add(element, role)
        self._format, self._behind = around

    def _span(self, span: Element) -> None:
        if self._visible(span) is not None:
            own = self._styles.format("text", span.get("style-name", ""))
            self._add_lettered(span, THROUGH, own.over(self._format), self._behind)

    def _visible(self, element: Element) -> Role | None:
        shown = self._style("text" if element.tag == "span" else "paragraph", element, "display") != "none"
        if shown and element.get("is-hidden") != "true" and element.find(_HIDING) is None:
            return THROUGH
        if "".join(element.itertext()).strip():
            self._text.left_out["hidden-text"] += 1
        return None

    def _changes(self, changes: Element) -> None:
        self._text.left_out["deleted-text"] += sum(one.tag in ("deletion", "previous") for one in changes.iter())

    def _annotation(self, annotation: Element) -> Role:
        annotation[:] = [one for one in annotation if one.tag != "date"]
        return NOTE

    def _paragraph(self, paragraph: Element) -> None:
        if self._visible(paragraph) is not None:
            role = self._role(paragraph)
            self._omitted = False
            self._add_lettered(paragraph, role, self._paragraph_format(paragraph), self._behind)

    def _paragraph_format(self, paragraph: Element) -> OpenFormat:
        """Return the format of letters in a paragraph that have none of their own; it is over that of its cell."""
        style = self._styles.format("paragraph", paragraph.get("style-name", ""))
        return style.over(self._around).over(self._styles.format("paragraph", ""))

    def _role(self, paragraph: Element) -> Role:
        level = integer(paragraph.get("outline-level"), 1)
        mark = ""
        if self._begun:
            self._begun = False
            mark = self._numbered[self._lists[-1]].next(len(self._lists) - 2)
        elif paragraph.tag == "h" and paragraph.get("is-list-header") != "true":
            mark = self._numbered[""].next(level - 1)
        if paragraph.tag == "h":
            return Role("heading", level, mark.removeprefix("-"))
        return Role("numbered paragraph", len(self._lists) - 2, mark) if mark else PARAGRAPH

    def _list(self, element: Element) -> None:
        self._lists.append(style := element.get("style-name") or self._lists[-1])
        if len(self._lists) == 2 and element.get("continue-numbering") != "true" and not element.get("continue-list"):
            self._numbered[style].counts.clear()
        self._walk(element)
        self._text.end_block()
        self._lists.pop()
        self._begun = False

    def _item(self, item: Element) -> Role:
        self._begun = True
        if start := item.get("start-value"):
            self._numbered[self._lists[-1]].starts[len(self._lists) - 2] = int(start)
        return THROUGH

    def _row(self, row: Element) -> None:
        repeated = integer(row.get("number-rows-repeated"), 1)
        if not any(map(_says, row)):
            return
        if row.get("visibility") in _UNSEEN:
            self._text.left_out["hidden-row"] += repeated
            return
        _name_styles(row, self._column_styles)
        if self._hidden:
            _remove_hidden(row, self._hidden)
        for _ in range(repeated if repeated <= _MOST_REPEATED else 1):
            self._add(row, ROW)

    def _row_group(self, group: Element) -> Role | None:
        if group.get("display") != "false":
            return THROUGH
        for row in group.iter("table-row"):
            if any(map(_says, row)):
                self._text.left_out["hidden-row"] += integer(row.get("number-rows-repeated"), 1)
        return None

    def _cell(self, cell: Element) -> Role | None:
        repeated = integer(cell.get("number-columns-repeated"), 1)
        if not _says(cell):
            return Role("cell", repeated)
        if cell.find("p") is None:
            cell.text = _NOTATION.sub("", next(filter(None, map(cell.get, _VALUES)), ""))
        elif cell.get("value", "0") != "0" and not "".join(cell.itertext()):
            # Its format shows nothing.
            self._text.left_out["hidden-text"] += min(repeated, _MOST_REPEATED)
        style = self._styles.format("table-cell", cell.get("style-name", ""))
        behind = next((one for one in (style.behind_cell, self._in_tables) if one is not None), self._behind)
        around, self._around = self._around, style
        for _ in range(min(repeated, _MOST_REPEATED)):
            self._add_lettered(cell, CELL, style, behind)
        self._around = around
        return None

    def _frame(self, frame: Element) -> None:
        described = frame.findtext("desc") or frame.findtext("title")
        if described and frame.find("image") is not None and frame.find("object") is None:
            self._text.add(f"[{' '.join(described.split())}]")
        self._shape(frame)

    def _shape(self, shape: Element) -> None:
        """Add the text of a shape, behind which there may be any colour unless a slide says it."""
        if self._visible(shape) is None:
            return
        around = self._around
        self._around = self._shape_format(shape)
        self._add_lettered(shape, THROUGH, self._around, self._behind_shapes.get(shape, UNKNOWN))
        self._around = around

    def _shape_format(self, shape: Element) -> OpenFormat:
        name = shape.get("style-name", "")
        return self._styles.format("presentation", name).over(self._styles.format("graphic", name))

    def _object(self, reference: Element) -> str | None:
        root = self._parts.sound_xml(resolved("", f"{reference.get('href', '')}/content.xml"), self._text)
        if root.tag == "math":
            return latex_of(root)
        self._text.end_block()
        self._walk(root)
        return None

    def _book(self, book: Element) -> Role:
        for sheet in book.findall("table"):
            sheet.tag = "sheet"
        # Those of charts have what is in cells.
        self._meanings["table"] = None
        return THROUGH

    def _sheet(self, sheet: Element) -> Role | None:
        if self._style("table", sheet, "display") == "false":
            self._text.left_out["hidden-sheet"] += 1
            return None
        self._text.add_heading(2, sheet.get("name", ""))
        self._hidden = self._hidden_columns(sheet)
        self._column_styles = _column_styles(sheet)
        self._add(sheet, TABLE)
        if self._hidden.left_out:
            self._text.left_out["hidden-column"] += len(self._hidden.left_out)
        return None

    def _hidden_columns(self, sheet: Element) -> HiddenColumns:
        found = HiddenColumns()
        groups = (one for one in sheet.iter("table-column-group") if one.get("display") == "false")
        in_groups = {column for group in groups for column in group.iter("table-column")}
        first = 0
        for column in sheet.iter("table-column"):
            end = first + integer(column.get("number-columns-repeated"), 1)
            is_hidden = column.get("visibility") in _UNSEEN or column in in_groups
            if is_hidden or _is_nothing(self._style("table-column", column, "column-width")):
                found.add(first, end)
            first = end
        return found

    def _page(self, page: Element) -> Role | None:
        self._slides += 1
        if self._style("drawing-page", page, "visibility") == "hidden":
            self._text.left_out["hidden-slide"] += 1
            return None
        self._behind_shapes = self._pages.backgrounds(page)
        titles = page.findall("frame[@class='title']")
        self._text.add_heading(2, f"{self._slides}. {' '.join(map(self._lines, titles))}")
        # From top to bottom; a document has centimetres or inches, and groups have no place.
        beside = [one for one in self._pages.beside(page) if one not in titles]
        self._text.left_out["hidden-text"] += sum(bool("".join(one.itertext()).strip()) for one in beside)
        shapes = (one for one in page if one not in titles and one not in beside)
        page[:] = sorted(shapes, key=lambda one: [float(one.get(at, "inf").rstrip("cmin")) for at in ("y", "x")])
        return THROUGH

    def _notes(self, notes: Element) -> None:
        for frame in notes.iterfind("frame[@class='notes']"):
            self._text.add_blocks(f"Notes: {self._lines(frame)}")

    def _lines(self, frame: Element) -> str:
        return lines(frame, partial(self._runs, around=self._shape_format(frame)))

    def _runs(self, element: Element, around: OpenFormat) -> Iterator[Run]:
        """Yield the words of a paragraph, or of what is in it; breaks and tabs are spaces."""
        own = self._styles.format("text" if element.tag == "span" else "paragraph", element.get("style-name", ""))
        found = own.over(around)
        if element.tag in ("line-break", "tab", "s"):
            yield Run(" ", around.letters)
        yield Run(element.text or "", found.letters)
        for one in element:
            yield from self._runs(one, found)
            yield Run(one.tail or "", found.letters)


def _numbered(style: Element) -> NumberedList:
    found = NumberedList()
    for level in style:
        at = integer(level.get("level"), 1)
        form = level.get("num-format")
        if form:
            shown = range(at + 1 - integer(level.get("display-levels"), 1), at + 1)
            numbers = ".".join(f"%{one}" for one in shown if one == at or one - 1 in found.levels)
            text = f"{level.get('num-prefix', '')}{numbers}{level.get('num-suffix', '')}"
            found.levels[at - 1] = ListLevel(_NUMBERS.get(form, ""), text, integer(level.get("start-value"), 1))
    return found


def _has_table_styles(content: Element) -> bool:
    """Return whether tables may have colours that their cells do not name."""
    has_slides = content.find("body/presentation") is not None
    return has_slides or any(one.get("template-name") for one in content.iter("table"))


def _column_styles(sheet: Element) -> list[str]:
    """Return the usual style of cells in each column, as far as one has any."""
    found: list[str] = []
    for column in sheet.iter("table-column"):
        repeated = min(integer(column.get("number-columns-repeated"), 1), _MOST_REPEATED)
        found += [column.get("default-cell-style-name", "")] * repeated
    return found if any(found) else []


def _name_styles(row: Element, of_columns: list[str]) -> None:
    """Give the cells that name no style that of their row, or else of their column."""
    usual = row.get("default-cell-style-name", "")
    column = 0
    for cell in row if usual or of_columns else ():
        of_column = of_columns[column] if column < len(of_columns) else ""
        cell.attrib.setdefault("style-name", usual or of_column)
        column += integer(cell.get("number-columns-repeated"), 1)


def _remove_hidden(row: Element, hidden: HiddenColumns) -> None:
    """Take the cells of hidden columns out of a row; what one shows in columns beside them is there."""
    kept: list[Element] = []
    # A cell whose columns are hidden so far, and which takes more of them; the first of these.
    covering: Element | None = None
    first = covered = 0
    for cell in row:
        end = first + integer(cell.get("number-columns-repeated"), 1)
        seen = hidden.seen_between(first, end)
        if cell.tag == "table-cell" and covering is not None:
            hidden.left_out.add(covered)
            covering = None
        if seen and covering is not None:
            kept.append(covering)
            covering = None
            seen = seen - 1
        if seen:
            cell.set("number-columns-repeated", str(seen))
            kept.append(cell)
        elif cell.tag == "table-cell" and _says(cell):
            if integer(cell.get("number-columns-spanned"), 1) > 1:
                covering, covered = cell, first
            else:
                hidden.left_out.update(range(first, min(end, first + _MOST_REPEATED)))
        first = end
    if covering is not None:
        hidden.left_out.add(covered)
    row[:] = kept


def _is_nothing(width: str) -> bool:
    number = width.rstrip("abcdefghijklmnopqrstuvwxyz%")
    return bool(number) and not number.strip("0.")


def _says(cell: Element) -> bool:
    return len(cell) > 0 or any(map(cell.get, _VALUES))
