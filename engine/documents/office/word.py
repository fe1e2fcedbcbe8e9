"""The text of DOCX files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.archives.attached_files import AttachedFiles, ReadInner
from engine.documents.archives.office import Handler, Meaning, OfficeReader, link_role
from engine.documents.archives.office_names import FOREIGN
from engine.documents.archives.zipped_parts import ZippedParts
from engine.documents.office.charts import add_drawing
from engine.documents.office.drawn_letters import description
from engine.documents.office.word_fields import chosen_in, result_role, sign_of
from engine.documents.office.word_letters import WordLetters, look_of, page_colour, shading
from engine.documents.office.word_paragraphs import ParagraphFormat, ParagraphStyles
from engine.documents.office.word_tables import (
    DRAWN,
    TRANSPARENT,
    children_of,
    merged_down,
    places_things,
    row_omission,
    without_words,
)
from engine.documents.text.chapters import PieceHeading, chapters_of, titles_of
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.equations import latex
from engine.documents.text.looks import NO_FORMAT, PLAIN_LOOK, UNKNOWN, LetterFormat
from engine.documents.text.marked_text import LeftOut, MarkedText
from engine.documents.text.numbering import NumberedList, word_lists
from engine.documents.text.parts import CHAPTER
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
from engine.documents.text.xml_values import integer, is_on, value

# The parts that have notes, by the names of the elements in them.
_NOTES = {"footnote": "footnotes", "endnote": "endnotes", "comment": "comments"}
# What is read of these.
_READ = ("p", *TRANSPARENT)
# What is not read, or read elsewhere.
_NOT_READ = ("del", "moveFrom", "Fallback")
# The columns that tables of Word may have.
_MOST_COLUMNS = 63
# What holds the code of a field.
_CODES = ("fldSimple", "instrText")


class _NoteOfPart(NamedTuple):
    """A note, and what the part that it is in refers to, as in `ZippedParts.related`."""

    element: Element
    related: dict[str, str]


@dataclass(slots=True)
class _OpenParagraph:
    """What is known while a paragraph is read. A text box in it has paragraphs of its own."""

    # How letters are set that have no format of their own.
    format: LetterFormat
    # The role of the result of each field that is open; None until the code of the field has ended.
    fields: list[Role | None] = field(default_factory=list)
    # What adds the text boxes and charts that follow the paragraph.
    floating: list[Callable[[], None]] = field(default_factory=list)


class WordReader(OfficeReader):
    """Reads DOCX files as Word shows them, with all revisions accepted. `read` is called once.

    `parts` is the opened file, `text` gets what is read, also what is damaged, and `read_inner` adds a file that the
    document has in it. `OfficeReader` has the main part (`_main`) and the parts that it refers to (`_related`).
    """

    def __init__(self, parts: ZippedParts, text: MarkedText, read_inner: ReadInner) -> None:
        super().__init__(parts, text)
        self._read_inner = read_inner
        self._attached = AttachedFiles(text, read_inner)
        # Notes that have not been shown yet, by kind (as in _NOTES) and id.
        self._notes = dict[tuple[str, str | None], _NoteOfPart]()
        for kind, part_name in _NOTES.items():
            related = parts.related(self._related.get(part_name, ""))
            for note in self._related_part(part_name):
                self._notes[kind, note.get("id")] = _NoteOfPart(note, related)
        styles = self._related_part("styles")
        elements = {style.get("styleId", ""): style for style in styles.iter("style")}
        self._lists = word_lists(self._related_part("numbering"), elements)
        self._paragraphs = ParagraphStyles(elements)
        self._formats = WordLetters(styles, self._related_part("theme"))
        # Headers and footers, by the names of their parts. A reference without a part has the name "" and an empty one.
        references = chain(self._main.iter("headerReference"), self._main.iter("footerReference"))
        names = {self._related.get(reference.get("id", ""), "") for reference in references}
        self._headers_and_footers = {name: parts.sound_xml(name, text) for name in sorted(names)}
        # The colour of the pages, as in `looks.Look`. Shapes in headers and footers may lie behind the text.
        self._page = page_colour(self._main, self._headers_and_footers.values())
        # The colour behind the text that is being read.
        self._behind = self._page
        self._open_paragraph = _OpenParagraph(NO_FORMAT)
        # The code of the field that was begun last, as far as it has been read.
        self._code = ""
        # The font of the run, such as "Symbol"; "" if it names none.
        self._font = ""
        self._meanings = self._all_meanings()

    def _all_meanings(self) -> dict[str, Meaning | Handler]:
        """Return what the elements mean, by their names (see `Meaning`); others are walked through."""
        return {
            "p": self._add_paragraph,
            "r": self._add_run,
            **dict.fromkeys(("t", "sym"), self._words_of),
            "tab": "\t",
            "ptab": "\t",
            "br": "\n",
            "cr": "\n",
            "noBreakHyphen": "-",
            "tbl": self._add_table,
            "tr": self._add_row,
            "tc": self._add_cell,
            "hyperlink": self._link,
            **dict.fromkeys(("fldChar", "instrText"), self._follow_field),
            "fldSimple": lambda field: result_role(field.get("instr", "")),
            **dict.fromkeys(("footnoteReference", "endnoteReference", "commentReference"), self._add_note),
            **dict.fromkeys(("oMath", "oMathPara"), self._equation),
            "textpath": self._add_word_art,
            "drawing": self._drawing,
            **dict.fromkeys(("group", "rect", "shape"), self._older_shape),
            FOREIGN: self._count_foreign,
            **dict.fromkeys(("blip", "imagedata"), self._show_picture),
            "txbxContent": self._put_off_box,
            **dict.fromkeys(("chart", "relIds"), self._put_off_drawing),
            "altChunk": self._add_chunk,
            "OLEObject": self._put_off_object,
            "sdt": self._control,
            "del": partial(self._leave_out, "deleted-text"),
            # What is read where it was moved to, the second form of what newer programs show, properties and reading
            # aids.
            **dict.fromkeys(("moveFrom", "Fallback", "rPr", "pPr", "rt")),
        }

    def _related_part(self, name: str) -> Element:
        """Return the root of a part that the main part refers to, by its kind."""
        return self._parts.sound_xml(self._related.get(name, ""), self._text)

    def read(self) -> None:
        """Add the whole document, or the chapters that are wanted, each with its notes."""
        self._add_edges("header")
        pieces = list(self._main.iterfind("body/*"))
        chapters = chapters_of(titles_of(list(map(self._heading, pieces))))
        if not chapters:
            self._walk(self._main)
        self._add_edges("footer")
        done = 0
        for number in self._text.wanted_parts(CHAPTER, [chapter.name for chapter in chapters]) if chapters else ():
            chapter = chapters[number - 1]
            for piece in pieces[done : chapter.first]:
                self._pass_over(piece)
            part = Element("body")
            part.extend(pieces[chapter.first : chapter.end])
            self._walk(part)
            self._text.finish()
            done = chapter.end
        self._text.finish()

    def _heading(self, piece: Element) -> PieceHeading:
        """Return the heading that a piece of the body is, or begins with in a content control."""
        while piece.tag in TRANSPARENT:
            piece = next((part for part in piece if part.tag in _READ), Element("none"))
        level = self._paragraphs.of_paragraph(piece).heading if piece.tag == "p" else 0
        if not level:
            return PieceHeading()
        around = self._formats.of_paragraph(piece)
        formats = ((run, self._formats.of_run(run, around)) for run in _read_in(piece) if run.tag == "r")
        runs = (run for run, given in formats if look_of(given, around, self._page).is_seen)
        words = (element.text or " " for run in runs for element in run if element.tag in ("t", "tab", "br"))
        return PieceHeading(level, " ".join("".join(words).split()))

    def _pass_over(self, piece: Element) -> None:
        """Count the paragraphs of lists in a piece of the body that is not wanted."""
        for element in _read_in(piece):
            if element.tag == "p":
                self._open_paragraph = _OpenParagraph(self._formats.of_paragraph(element))
                if self._has_end(element):
                    self._role(self._paragraphs.of_paragraph(element))

    def _add_edges(self, kind: str) -> None:
        """Add what is above ("header") or below ("footer") the pages: each text once, and no page numbers alone."""
        self._text.end_code()
        names = (self._related.get(reference.get("id", ""), "") for reference in self._main.iter(f"{kind}Reference"))
        texts = {""}
        for name in dict.fromkeys(names):
            part = self._headers_and_footers[name]
            shown = (element for element in part.iter() if element.tag in ("t", "textpath"))
            text = "".join(element.get("string") or element.text or "" for element in shown)
            fields = (element for element in part.iter() if element.tag in _CODES)
            codes = "".join(element.get("instr") or element.text or "" for element in fields)
            is_number = "PAGE" in codes and not any(map(str.isalpha, text))
            if text not in texts and not is_number:
                texts.add(text)
                self._add_of_part(part, Through(), self._parts.related(name))

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
        colour_around = self._behind
        self._behind = colour
        self._add(element, role)
        self._behind = colour_around

    # Tables.

    def _add_table(self, table: Element) -> None:
        """Add a table on its colour, which is unknown if its style or its rows may have others.

        A table that only places things on a page is added as if it were none.
        """
        self._text.end_code()
        colour = shading(table, "tblPr/shd")
        if colour is None:
            colour = self._behind
        # A row may have a shading of its own instead of the table's.
        has_shaded_rows = any(row.find("tblPrEx/shd") is not None for row in children_of(table, "tr"))
        if has_shaded_rows or self._formats.shades_tables(value(table, "tblPr/tblStyle")):
            colour = UNKNOWN
        # A table in a table becomes words of a cell.
        is_frame = not self._text.is_in_table and places_things(table)
        self._add_on(colour, table, ParagraphBlock() if is_frame else Table())

    def _add_row(self, row: Element) -> None:
        """Add a row; one that is deleted or hidden has empty cells, so that cells below are not merged past it."""
        if omission := row_omission(row):
            self._leave_out(omission, row)
            row = without_words(row)
        self._text.start(TableRow())
        columns_before = min(integer(value(row, "trPr/gridBefore")), _MOST_COLUMNS)
        if columns_before:
            empty = TableCell(columns_before)
            self._text.start(empty)
            self._text.end(empty)
        self._walk(row)
        self._text.end(TableRow())

    def _add_cell(self, cell: Element) -> None:
        colour = shading(cell, "tcPr/shd")
        columns = min(max(1, integer(value(cell, "tcPr/gridSpan"))), _MOST_COLUMNS)
        role = TableCell(columns, merged=merged_down(cell))
        self._add_on(self._behind if colour is None else colour, cell, role)

    # Paragraphs and runs.

    def _add_paragraph(self, paragraph: Element) -> None:
        """Add a paragraph, and after it the text boxes and charts in it."""
        around = self._open_paragraph
        self._open_paragraph = _OpenParagraph(self._formats.of_paragraph(paragraph))
        given = self._paragraphs.of_paragraph(paragraph)
        role = self._role(given) if self._has_end(paragraph) else ParagraphBlock()
        is_code = role == ParagraphBlock() and not self._text.is_in_frame and self._is_code(paragraph, given)
        if is_code:
            self._text.start_line_of_code()
        else:
            self._text.start(role)
        self._walk(paragraph)
        for result in reversed(self._open_paragraph.fields):
            self._text.end(result or Through())
        if not is_code or self._open_paragraph.floating:
            self._text.end(role)
        for add in self._open_paragraph.floating:
            add()
            self._text.end_code()
        self._open_paragraph = around

    def _is_code(self, paragraph: Element, given: ParagraphFormat) -> bool:
        """Return whether a paragraph is a line of code: by its style, or because all its words are in a font for code.

        A blank one below code belongs to that, too.
        """
        runs = (run for run in _runs_of(paragraph) if any(map(_has_words, run.iterfind("t"))))
        first = next(runs, None)
        if first is None:
            return self._text.is_in_code and not any(element.tag in DRAWN for element in paragraph.iter())
        return bool(given.is_code) or all(self._formats.is_code(run, paragraph) for run in chain((first,), runs))

    def _has_end(self, paragraph: Element) -> bool:
        """Return whether the end of a paragraph is shown, and with it the paragraph's number.

        One whose end was deleted or is hidden has no number, unless Word shows the next one in its line.
        """
        if is_on(paragraph, "pPr/rPr/specVanish"):
            return True
        is_hidden = is_on(paragraph, "pPr/rPr/vanish", usual=bool(self._open_paragraph.format.hidden))
        is_deleted = any(paragraph.find(f"pPr/rPr/{mark}") is not None for mark in ("del", "moveFrom"))
        return not is_hidden and not is_deleted

    def _role(self, given: ParagraphFormat) -> Role:
        """Return the role of a paragraph of a format, and count it if it is in a list."""
        mark = ""
        if given.is_in_list:
            numbered = self._lists.get(given.list_id or "", NumberedList())
            mark = numbered.next(given.depth or 0)
        if given.heading:
            return HeadingBlock(given.heading, mark.strip("-"))
        return NumberedParagraph(given.list_level, mark) if mark else ParagraphBlock()

    def _add_run(self, run: Element) -> None:
        """Add a run; one that is hidden shows nothing, also of what is drawn in it."""
        self._font = value(run, "rPr/rFonts", "ascii")
        look = look_of(
            self._formats.of_run(run, self._open_paragraph.format), self._open_paragraph.format, self._behind
        )
        if look.is_hidden:
            self._leave_out("hidden-text", run)
            return
        with self._text.shown_as(look):
            self._walk(run)

    def _words_of(self, element: Element) -> str:
        """Return the words of a text or a sign as its font shows them; "" in the code of a field."""
        if None in self._open_paragraph.fields:
            return ""
        code = element.get("char")
        text = sign_of(code) if code else element.text or ""
        font = element.get("font", self._font)
        return signs_in(font, text)

    def _leave_out(self, kind: LeftOut, element: Element) -> None:
        """Count the words of an element as left out, and follow the fields in it."""
        for step in element.iter():
            if step.tag in ("fldChar", "instrText"):
                self._follow_field(step)
        texts = (text.text or "" for text in element.iter() if text.tag in ("t", "delText"))
        self._text.leave_out(kind, "".join(texts))

    def _equation(self, element: Element) -> str | None:
        """Return an equation, or the equations of a block, in LaTeX."""
        if self._open_paragraph.format.hidden:
            self._leave_out("hidden-text", element)
            return None
        for deletion in element.iter("del"):
            self._leave_out("deleted-text", deletion)
        for run in element.iter("r"):
            if is_on(run, "rPr/vanish"):
                self._leave_out("hidden-text", run)
        sign = "$" if element.tag == "oMath" else "$$"
        return " ".join(f"{sign}{latex(equation).strip()}{sign}" for equation in element.iter("oMath"))

    # Notes and drawings.

    def _add_note(self, reference: Element) -> None:
        """Add the note that a reference leads to, at its first reference only."""
        # Taken out, so that a note that refers to itself does not recurse for ever.
        note = self._notes.pop((reference.tag.removesuffix("Reference"), reference.get("id")), None)
        if note is None:
            return
        if note.element.tag == "comment":
            author = Element("t")
            author.text = f"Comment by {note.element.get('author', '?')}: "
            first_paragraph = next(note.element.iter("p"), note.element)
            first_paragraph.insert(0, author)
        self._add_of_part(note.element, Footnote(), note.related)

    def _drawing(self, drawing: Element) -> Role | None:
        if value(drawing, "*/docPr", "hidden") in ("1", "true"):
            self._leave_out("hidden-text", drawing)
            return None
        # Some programs describe only the picture in it.
        abouts = (*drawing.iterfind("*/docPr"), *drawing.iterfind("*/graphic/graphicData/pic/nvPicPr/cNvPr"))
        self._add_description(next(filter(None, map(description, abouts)), ""))
        return Through()

    def _older_shape(self, shape: Element) -> Role:
        self._add_description(" ".join(shape.get("alt", "").split()))
        return Through()

    def _add_word_art(self, path: Element) -> None:
        """Add words that are drawn as a picture, whatever the letters around are like."""
        with self._text.shown_as(PLAIN_LOOK):
            self._text.add(path.get("string", ""))

    def _add_description(self, words: str) -> None:
        """Add what a person wrote about a drawing for those who do not see it."""
        if words:
            with self._text.shown_as(PLAIN_LOOK):
                self._text.add(f"[{words}]")

    def _count_foreign(self, element: Element) -> None:
        """Count what Word does not show because it does not know it."""
        if "".join(element.itertext()).strip():
            self._text.left_out["hidden-text"] += 1

    def _show_picture(self, picture: Element) -> None:
        """Add a picture. Older programs name its part by "id"."""
        name = self._related.get(picture.get("embed", picture.get("id", "")), "")
        self._parts.show_picture(name, self._text.pictures)

    def _add_chunk(self, chunk: Element) -> None:
        """Add a file in the document that Word reads as a part of it, such as the page that it was made from."""
        self._text.end_code()
        name = self._related.get(chunk.get("id", ""), "")
        with skipping_damage(self._text):
            self._read_inner(name, self._parts.read(name), self._text)

    def _control(self, control: Element) -> Role:
        """Set the prompt of a content control that nobody has filled in between brackets."""
        texts = [text for text in control.iter("t") if text.text and text.text.strip()]
        is_prompt = is_on(control, "sdtPr/showingPlcHdr")
        if texts and is_prompt and not (texts[0].text or "").startswith("["):
            texts[0].text = f"[{texts[0].text}"
            texts[-1].text = f"{texts[-1].text}]"
        return Through()

    def _put_off_box(self, box: Element) -> None:
        """Add the text of a box after the paragraph; a box may have any colour."""
        self._open_paragraph.floating.append(partial(self._add_on, UNKNOWN, box, Through()))

    def _put_off_drawing(self, reference: Element) -> None:
        """Add a chart or a diagram after the paragraph."""
        self._open_paragraph.floating.append(partial(add_drawing, self._parts, self._related, reference, self._text))

    def _put_off_object(self, reference: Element) -> None:
        """Add an embedded file, such as a table of Excel, after the paragraph."""
        name = self._related.get(reference.get("id", ""), "")
        self._open_paragraph.floating.append(partial(self._attached.add_part, self._parts, name))

    # Links and fields.

    def _link(self, element: Element) -> Role:
        address = self._related.get(element.get("id", ""), "")
        place = element.get("anchor")
        return link_role(f"{address}#{place}" if place else address)

    def _follow_field(self, element: Element) -> str:
        """Read the beginning, the code, the result or the end of a field; return the text that a form's field shows."""
        fields = self._open_paragraph.fields
        step = element.get("fldCharType")
        if step == "begin":
            fields.append(None)
            self._code = ""
            return chosen_in(element)
        self._code = f"{self._code}{element.text or ''}"
        if fields and step == "separate":
            role = result_role(self._code)
            fields[-1] = role
            self._text.start(role)
        elif fields and step == "end":
            self._text.end(fields.pop() or Through())
        return ""


def _read_in(element: Element) -> Iterator[Element]:
    """Yield an element and what is in it, without what is not read, or read elsewhere."""
    if element.tag not in _NOT_READ and not (element.tag == "tr" and row_omission(element)):
        yield element
        for child in element:
            yield from _read_in(child)


def _runs_of(element: Element) -> Iterator[Element]:
    """Yield the runs of a paragraph, also those in links, fields and content controls, but not those of text boxes."""
    for child in element:
        if child.tag == "r":
            yield child
        elif child.tag not in _NOT_READ:
            yield from _runs_of(child)


def _has_words(text: Element) -> bool:
    return bool(text.text and text.text.strip())
