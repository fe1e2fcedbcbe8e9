"""The text of ODT, ODS and ODP files, as LibreOffice writes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from xml.etree.ElementTree import Element

from engine.documents.archives.office import Handler, Meaning, OfficeReader, lines, link_role
from engine.documents.archives.zipped_parts import ZippedParts, resolved
from engine.documents.open.changes import remove_deleted
from engine.documents.open.letters import OpenStyles, length
from engine.documents.open.lists import numbered_lists
from engine.documents.open.pages import OpenPages
from engine.documents.open.sheets import (
    COLLAPSED,
    MOST_REPEATED,
    column_styles,
    has_content,
    hidden_columns,
    link_by_formula,
    mark_merged,
    merged_down,
    name_styles,
    remove_hidden,
    shown_value,
)
from engine.documents.text.code_blocks import is_code_font
from engine.documents.text.equations import latex_of
from engine.documents.text.hidden_columns import HiddenColumns
from engine.documents.text.letters import Run
from engine.documents.text.looks import NO_FORMAT, PLAIN_LOOK, UNKNOWN, LetterFormat, first_background
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.numbering import NumberedList
from engine.documents.text.parts import SHEET, SLIDE
from engine.documents.text.roles import (
    Footnote,
    HeadingBlock,
    NumberedParagraph,
    ParagraphBlock,
    Role,
    Table,
    TableCell,
    TableRow,
    Through,
)
from engine.documents.text.symbol_fonts import signs_in
from engine.documents.text.table_rows import only_places
from engine.documents.text.xml_values import integer

_LEFT_OUT = (
    "automatic-styles",
    "binary-data",
    "content-validations",
    "date-string",
    "desc",
    "footer-decl",
    "forms",
    "header-decl",
    "index-title-template",
    "note-citation",
    "ruby-text",
)
_SHAPES = (
    "caption",
    "circle",
    "connector",
    "custom-shape",
    "ellipse",
    "g",
    "line",
    "measure",
    "path",
    "polygon",
    "polyline",
    "rect",
    "regular-polygon",
)
# What is around rows of a table.
_ROW_GROUPS = ("table-header-rows", "table-row-group", "table-rows")
# Stands for the style of an outermost list that names none; the style of the headings is "".
_NO_STYLE = "-"
# What a comment has besides its text.
_ABOUT_COMMENT = ("creator", "creator-initials", "date")
# Rows with a fixed height below this many points show nothing of their text; others fit what is in them.
_FLAT_ROW = 2
_FITTED = "use-optimal-row-height"
# Nobody needs more spaces in a row.
_MOST_SPACES = 1000
# What a blank paragraph may have in it.
_BLANK = ("bookmark", "bookmark-end", "bookmark-start", "line-break", "s", "soft-page-break", "span", "tab")
# A field that hides the paragraph that it is in.
_HIDING = "hidden-paragraph[@is-hidden='true']"


class OpenDocumentReader(OfficeReader):
    """Reads ODT files, with all revisions accepted, and the sheets and slides that are shown of ODS and ODP files."""

    _text_element = ""

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        # Encrypted parts are no XML.
        parts.require_no_password()
        super().__init__(parts, text)
        remove_deleted(self._main)
        common = parts.sound_xml("styles.xml", text)
        self._insert_edges(common)
        self._styles = OpenStyles(common, self._main)
        self._pages = OpenPages(common, self._styles)
        # The lists by their styles; the list of the headings has the name "".
        self._numbered = defaultdict[str, NumberedList](NumberedList, numbered_lists(common, self._main))
        # The styles of the lists that are open, the innermost last; the list of the headings is around them.
        self._lists = [""]
        # Whether an item of a list has begun and has no words so far.
        self._item_begun = False
        # The colour behind the text that is read, as in `looks.Look`.
        self._behind = self._styles.page
        # The colour behind cells that have none; None if it is the one around the table.
        self._in_tables = UNKNOWN if _has_table_styles(self._main) else self._styles.in_tables
        # As in `mark_merged`, for the table that is read.
        self._rows_left = dict[int, int]()
        # The format of the letters that are read, and the format of the cell or shape around them.
        self._format = NO_FORMAT
        self._format_around = NO_FORMAT
        # Whether paragraphs may be code: those of a text whose usual font is none for code.
        usual = self._styles.format("paragraph", "Standard").over(self._styles.format("paragraph", ""))
        self._may_have_code = self._main.find("body/text") is not None and not is_code_font(usual.font)
        # How many slides there were so far.
        self._slides = 0
        # The colours behind the text of the shapes of the slide that is read.
        self._behind_shapes = dict[Element, str]()
        # Of the sheet that is read: its hidden columns, and the usual style of the cells in each column.
        self._hidden = HiddenColumns()
        self._column_styles = list[str]()
        self._meanings = self._all_meanings()

    def _all_meanings(self) -> dict[str, Meaning | Handler]:
        """Return what the elements mean, by their names (see `Meaning`); others are walked through."""
        return {
            **dict.fromkeys(_LEFT_OUT),
            # Text.
            **dict.fromkeys(("p", "h"), self._add_paragraph),
            **dict.fromkeys(("section", "hidden-text"), self._visible),
            "span": self._add_span,
            "a": lambda link: link_role(link.get("href", "")),
            "s": lambda spaces: " " * min(integer(spaces.get("c"), 1), _MOST_SPACES),
            "tab": "\t",
            "line-break": "\n",
            "note": Footnote(),
            "annotation": self._annotation,
            "tracked-changes": self._count_changes,
            "list": self._add_list,
            "list-item": self._begin_item,
            # Tables, and sheets: the tables of a spreadsheet.
            "table": self._add_table,
            "table-row": self._add_row,
            "table-row-group": self._row_group,
            **dict.fromkeys(("table-cell", "covered-table-cell"), self._add_cell),
            "spreadsheet": self._book,
            # Shapes and slides.
            "frame": self._add_frame,
            **dict.fromkeys(_SHAPES, self._add_shape),
            "object": self._object,
            "object-ole": self._count_object,
            "math": latex_of,
            "presentation": self._presentation,
            # The elements of a drawing; `_presentation` adds the elements of a presentation.
            "page": self._begin_slide,
            "notes": self._add_notes,
            # The title of a picture is no text, the title of a chart has paragraphs.
            "title": lambda title: Through() if len(title) else None,
        }

    def _insert_edges(self, common: Element) -> None:
        """Put what is above and below the pages before and after the text, each different text once."""
        for body in self._main.iterfind("body/text"):
            for tag, place in (("footer", len(body)), ("header", 0)):
                by_text = {"".join(edge.itertext()): edge for edge in common.iter(tag)}
                body[place:place] = by_text.values()

    def _style(self, family: str, element: Element, attribute: str) -> str:
        """Return an attribute of an element, its style or the nearest that this is based on; "" if none has it."""
        given = element.get(attribute)
        return given or self._styles.said(family, element.get("style-name", ""), attribute) or ""

    # Text.

    def _add_words(self, words: str) -> None:
        self._text.add(signs_in(self._format.font or "", words))

    def _add_lettered(self, element: Element, role: Role, letters: LetterFormat, behind: str) -> None:
        """Add an element whose letters have a format, on a colour."""
        format_around = self._format
        behind_around = self._behind
        self._format = letters
        self._behind = behind
        with self._text.shown_as(letters.look(behind)):
            self._add(element, role)
        self._format = format_around
        self._behind = behind_around

    def _add_span(self, span: Element) -> None:
        if self._visible(span) is not None:
            style = self._styles.format("text", span.get("style-name", ""))
            self._add_lettered(span, Through(), style.over(self._format), self._behind)

    def _visible(self, element: Element) -> Role | None:
        """Return None for an element that is hidden, and count it if it has text."""
        family = "text" if element.tag == "span" else "paragraph"
        is_displayed = self._style(family, element, "display") != "none"
        if is_displayed and element.get("is-hidden") != "true" and element.find(_HIDING) is None:
            return Through()
        if "".join(element.itertext()).strip():
            self._text.left_out["hidden-text"] += 1
        return None

    def _count_changes(self, changes: Element) -> None:
        """Count what was deleted."""
        self._text.left_out["deleted-text"] += sum(part.tag in ("deletion", "previous") for part in changes.iter())

    def _annotation(self, annotation: Element) -> Role:
        """Return the role of a comment, which begins with who wrote it if that is known."""
        author = " ".join(annotation.findtext("creator", "").split())
        annotation[:] = [part for part in annotation if part.tag not in _ABOUT_COMMENT]
        paragraph = next(annotation.iter("p"), None)
        if author and paragraph is not None:
            paragraph.text = f"Comment by {author}: {paragraph.text or ''}"
        return Footnote()

    def _add_paragraph(self, paragraph: Element) -> None:
        if self._visible(paragraph) is not None:
            role = self._role(paragraph)
            letters = self._paragraph_format(paragraph)
            if role == ParagraphBlock() and self._is_code(paragraph, letters):
                self._text.start_line_of_code()
                role = Through()
            self._add_lettered(paragraph, role, letters, self._behind)

    def _is_code(self, paragraph: Element, letters: LetterFormat) -> bool:
        """Return whether a paragraph is a line of code: by its style, or because all its words are in a font for code.

        A blank one below code belongs to that, too.
        """
        if not self._may_have_code or self._text.is_in_frame:
            return False
        fonts = list(self._fonts_in(paragraph, letters))
        if not fonts:
            return self._text.is_in_code and all(part.tag in _BLANK for part in paragraph.iter() if part != paragraph)
        return all(map(is_code_font, fonts)) or self._styles.is_code(paragraph.get("style-name", ""))

    def _fonts_in(self, element: Element, letters: LetterFormat) -> Iterator[str | None]:
        """Yield the fonts of the words in an element, whose own letters have a format."""
        if element.text and element.text.strip():
            yield letters.font
        for child in element:
            if child.tag in ("span", "a"):
                style = self._styles.format("text", child.get("style-name", "")) if child.tag == "span" else NO_FORMAT
                yield from self._fonts_in(child, style.over(letters))
            if child.tail and child.tail.strip():
                yield letters.font

    def _paragraph_format(self, paragraph: Element) -> LetterFormat:
        """Return the format of letters in a paragraph that have none of their own, over the format of its cell."""
        style = self._styles.format("paragraph", paragraph.get("style-name", ""))
        return style.over(self._format_around).over(self._styles.format("paragraph", ""))

    # Lists and headings.

    @property
    def _list_level(self) -> int:
        """The level of the innermost list that is open, from 0."""
        return len(self._lists) - 2

    def _role(self, paragraph: Element) -> Role:
        """Return the role of a paragraph. One that begins an item of a list, and a heading, take the next number."""
        is_heading = paragraph.tag == "h"
        level = integer(paragraph.get("outline-level"), 1)
        mark = ""
        if self._item_begun:
            self._item_begun = False
            mark = self._numbered[self._lists[-1]].next(self._list_level)
        elif is_heading and paragraph.get("is-list-header") != "true":
            mark = self._numbered[""].next(level - 1)
        if is_heading:
            return HeadingBlock(level, mark.removeprefix("-"))
        # "-" stands for no number.
        return NumberedParagraph(self._list_level, mark) if mark else ParagraphBlock()

    def _add_list(self, element: Element) -> None:
        """Add a list, numbered by its style or the style of the list around it.

        An outermost one that continues no other begins to count anew.
        """
        style = element.get("style-name") or self._lists[-1] or _NO_STYLE
        self._lists.append(style)
        is_continued = element.get("continue-numbering") == "true" or element.get("continue-list")
        if self._list_level == 0 and not is_continued:
            self._numbered[style].counts.clear()
        self._walk(element)
        self._text.end_block()
        self._lists.pop()
        self._item_begun = False

    def _begin_item(self, item: Element) -> Role:
        self._item_begun = True
        if start := item.get("start-value"):
            self._numbered[self._lists[-1]].starts[self._list_level] = integer(start, 1)
        return Through()

    # Tables and sheets.

    def _book(self, book: Element) -> Role:
        # Those of charts have what is in cells.
        self._meanings["table"] = None
        visible: list[Element] = []
        for sheet in book.findall("table"):
            book.remove(sheet)
            if self._style("table", sheet, "display") == "false":
                self._text.left_out["hidden-sheet"] += 1
            else:
                visible.append(sheet)
        for number in self._text.wanted_parts(SHEET, [sheet.get("name", "") for sheet in visible]):
            self._add_sheet(visible[number - 1])
        return Through()

    def _add_sheet(self, sheet: Element) -> None:
        """Add a sheet below its name as a heading; hidden columns with content are counted."""
        self._text.add_heading(2, sheet.get("name", ""))
        self._hidden = hidden_columns(sheet, self._styles)
        self._column_styles = column_styles(sheet)
        self._rows_left = {}
        self._add(sheet, Table())
        if self._hidden.left_out:
            self._text.left_out["hidden-column"] += len(self._hidden.left_out)

    def _add_table(self, table: Element) -> None:
        self._text.end_code()
        rows_left_around = self._rows_left
        self._rows_left = {}
        is_frame = not self._text.is_in_table and _is_frame(table)
        self._add(table, ParagraphBlock() if is_frame else Table())
        self._rows_left = rows_left_around

    def _add_row(self, row: Element) -> None:
        """Add a row as often as it is repeated; one that is hidden is counted."""
        repeated = integer(row.get("number-rows-repeated"), 1)
        merged_columns = set(self._rows_left)
        mark_merged(row, self._rows_left)
        is_empty = not any(map(has_content, row))
        if is_empty or row.get("visibility") in COLLAPSED or self._is_flat(row):
            # Nothing goes on below with a cell that is not shown.
            for column in self._rows_left.keys() - merged_columns:
                del self._rows_left[column]
            if not is_empty:
                self._text.left_out["hidden-row"] += repeated
            return
        name_styles(row, self._column_styles)
        if self._hidden:
            remove_hidden(row, self._hidden)
        for _ in range(repeated if repeated <= MOST_REPEATED else 1):
            self._add(row, TableRow())

    def _is_flat(self, row: Element) -> bool:
        """Return whether a row has a fixed height in which no text is seen."""
        height = length(self._style("table-row", row, "row-height"))
        return height is not None and height < _FLAT_ROW and self._style("table-row", row, _FITTED) != "true"

    def _row_group(self, group: Element) -> Role | None:
        """Return the role of a group of rows, or None, so that it is read no further, for a folded one.

        Then its rows with content are counted as hidden.
        """
        if group.get("display") != "false":
            return Through()
        # No merged cell goes on below a folded group.
        self._rows_left.clear()
        for row in group.iter("table-row"):
            if any(map(has_content, row)):
                self._text.left_out["hidden-row"] += integer(row.get("number-rows-repeated"), 1)
        return None

    def _add_empty_cell(self, role: TableCell) -> None:
        self._text.start(role)
        self._text.end(role)

    def _add_cell(self, cell: Element) -> None:
        """Add a cell as often as it is repeated. What is in a covered one, nobody sees."""
        repeated = integer(cell.get("number-columns-repeated"), 1)
        is_covered = cell.tag == "covered-table-cell"
        if is_covered and has_content(cell):
            self._text.left_out["hidden-text"] += 1
        # A chart has an empty cell of its table as this number.
        if is_covered or not has_content(cell) or cell.get("value") == "NaN":
            self._add_empty_cell(TableCell(repeated, merged=merged_down(cell)))
            return
        shown_times = min(repeated, MOST_REPEATED)
        link_by_formula(cell)
        if cell.find("p") is None:
            cell.text = shown_value(cell)
        elif cell.get("value", "0") != "0" and not "".join(cell.itertext()).strip():
            # Its format shows nothing.
            self._text.left_out["hidden-text"] += shown_times
        style = self._styles.format("table-cell", cell.get("style-name", ""))
        behind = first_background(style.behind_cell, self._in_tables, self._behind)
        format_around = self._format_around
        self._format_around = style
        for _ in range(shown_times):
            self._add_lettered(cell, TableCell(merged=merged_down(cell)), style, behind)
        self._format_around = format_around

    # Shapes and slides.

    def _add_frame(self, frame: Element) -> None:
        """Add the description of a picture, and the text of a frame."""
        described = frame.findtext("desc") or frame.findtext("title")
        is_picture = frame.find("image") is not None and frame.find("object") is None
        if described and is_picture:
            with self._text.shown_as(PLAIN_LOOK):
                self._text.add(f"[{' '.join(described.split())}]")
        if is_picture and self._visible(frame) is not None:
            for picture in frame.iterfind("image"):
                self._parts.show_picture(resolved("", picture.get("href", "")), self._text.pictures)
        self._add_shape(frame)

    def _add_shape(self, shape: Element) -> None:
        """Add the text of a shape, behind which there may be any colour unless a slide says it."""
        if self._visible(shape) is None:
            return
        format_around = self._format_around
        self._format_around = self._shape_format(shape)
        behind = self._behind_shapes.get(shape, UNKNOWN)
        self._add_lettered(shape, Through(), self._format_around, behind)
        self._format_around = format_around

    def _shape_format(self, shape: Element) -> LetterFormat:
        name = shape.get("style-name", "")
        return self._styles.format("presentation", name).over(self._styles.format("graphic", name))

    def _object(self, reference: Element) -> str | None:
        """Return a formula, or add another object, such as a chart.

        It is a file in the archive; in a document that is one XML file, it is within its reference.
        """
        if address := reference.get("href"):
            root = self._parts.sound_xml(resolved("", f"{address}/content.xml"), self._text)
        else:
            root = next((part for part in reference if part.tag in ("document", "math")), Element("none"))
        if root.tag == "math":
            return latex_of(root)
        self._text.end_code()
        self._text.end_block()
        # A whole document has its own styles, too.
        body = root.find("body")
        self._walk(root if body is None else body)
        return None

    def _count_object(self, _: Element) -> None:
        """Count an object of another program, which is not read."""
        self._text.left_out["attached-file"] += 1

    def _presentation(self, body: Element) -> Role:
        """Add the slides that are wanted, each under its number among all."""
        pages = body.findall("page")
        for page in pages:
            body.remove(page)
        for number in self._text.wanted_parts(SLIDE, [""] * len(pages)):
            self._slides = number - 1
            page = pages[number - 1]
            if (role := self._begin_slide(page)) is not None:
                self._add(page, role)
        return Through()

    def _begin_slide(self, page: Element) -> Role | None:
        """Add the title of a slide, and sort what is on it from top to bottom; count one that is hidden."""
        self._slides += 1
        if self._style("drawing-page", page, "visibility") == "hidden":
            self._text.left_out["hidden-slide"] += 1
            return None
        self._behind_shapes = self._pages.backgrounds(page)
        titles = page.findall("frame[@class='title']")
        self._text.add_heading(2, f"{self._slides}. {' '.join(map(self._lines, titles))}")
        beside = [shape for shape in self._pages.beside(page) if shape not in titles]
        self._text.left_out["hidden-text"] += sum(bool("".join(shape.itertext()).strip()) for shape in beside)
        shapes = (shape for shape in page if shape not in titles and shape not in beside)
        page[:] = sorted(shapes, key=_place)
        return Through()

    def _add_notes(self, notes: Element) -> None:
        for frame in notes.iterfind("frame[@class='notes']"):
            if said := self._lines(frame):
                self._text.add_blocks(f"Notes: {said}")

    def _lines(self, frame: Element) -> str:
        return lines(frame, partial(self._runs, around=self._shape_format(frame)))

    def _runs(self, element: Element, around: LetterFormat) -> Iterator[Run]:
        """Yield the words of a paragraph, or of what is in it; breaks and tabs are spaces."""
        family = "text" if element.tag == "span" else "paragraph"
        style = self._styles.format(family, element.get("style-name", ""))
        merged = style.over(around)
        if element.tag in ("line-break", "tab", "s"):
            yield Run(" ", around.look(UNKNOWN).letters)
        letters = merged.look(UNKNOWN).letters
        yield Run(element.text or "", letters)
        for child in element:
            yield from self._runs(child, merged)
            yield Run(child.tail or "", letters)


def _is_frame(table: Element) -> bool:
    """Return whether a table only places things on a page."""
    rows = [[_says_something(cell) for cell in row.iterfind("table-cell")] for row in _rows_of(table)]
    return only_places(rows, has_tables=table.find(".//table-cell//table") is not None)


def _rows_of(table: Element) -> Iterator[Element]:
    """Yield the rows of a table, also those in groups, such as the head."""
    for child in table:
        if child.tag == "table-row":
            yield child
        elif child.tag in _ROW_GROUPS:
            yield from _rows_of(child)


def _says_something(cell: Element) -> bool:
    """Return whether a cell has a text or something drawn."""
    has_text = any(text.strip() for text in cell.itertext())
    return has_text or bool(shown_value(cell)) or cell.find(".//frame") is not None


def _has_table_styles(content: Element) -> bool:
    """Return whether tables may have colours that their cells do not name."""
    has_slides = content.find("body/presentation") is not None
    return has_slides or any(table.get("template-name") for table in content.iter("table"))


def _place(shape: Element) -> list[float]:
    """Return how far down and across a shape is, in the one unit that its document has. Groups have no place."""
    return [float(shape.get(side, "inf").rstrip("cmin")) for side in ("y", "x")]
