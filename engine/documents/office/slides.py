"""The text of PPTX files: what each slide shows, from top to bottom, with charts and diagrams."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.archives.attached_files import AttachedFiles, ReadInner
from engine.documents.archives.office import OfficeReader, link_role
from engine.documents.archives.zipped_parts import ZippedParts
from engine.documents.office.charts import add_drawing
from engine.documents.office.drawn_letters import (
    Palette,
    ShapeStyles,
    description,
    drawn_lines,
    fill_colour,
    format_of,
    shape_styles,
)
from engine.documents.office.slide_layout import SlideLayout, kind_of
from engine.documents.office.slide_places import area_of, placed
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.equations import latex
from engine.documents.text.looks import UNKNOWN
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.number_forms import written
from engine.documents.text.parts import SLIDE
from engine.documents.text.places import Area, backgrounds
from engine.documents.text.roles import (
    MergedDown,
    NumberedParagraph,
    ParagraphBlock,
    Role,
    Table,
    TableCell,
    TableRow,
    Through,
)
from engine.documents.text.xml_values import integer, value

_TITLES = ("title", "ctrTitle")
# What has a place of its own, and what a master repeats on every slide.
_APART = (*_TITLES, "sldNum", "dt", "ftr", "hdr", "sldImg")
# The forms of numbers, by the beginnings of their names on slides; others are decimals.
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_TRUE = ("1", "true")
# A tenth of an inch, in the units of slides: shapes that begin so near are in one row.
_ROW_HEIGHT = 91_440


class _ShapePlace(NamedTuple):
    """Where a shape begins: its row, counted in `_ROW_HEIGHT`, and how far it is from the left."""

    row: int
    left: int


class SlidesReader(OfficeReader):
    """Reads PPTX files: each slide that is shown, with its notes and comments.

    `read_inner` adds a file that slides have in them.
    """

    def __init__(self, parts: ZippedParts, text: MarkedText, read_inner: ReadInner) -> None:
        super().__init__(parts, text)
        self._attached = AttachedFiles(text, read_inner)
        # The layouts that were read, by the names of their parts.
        self._layouts = dict[str, SlideLayout]()
        self._usual_styles = [style for style in self._main if style.tag == "defaultTextStyle"]
        # What slides show; None if the file does not say their size.
        width = integer(value(self._main, "sldSz", "cx"))
        height = integer(value(self._main, "sldSz", "cy"))
        self._slide_area = Area(0, 0, width, height) if width and height else None
        # Of the slide that is read: its layout, the colours of its theme, and those behind the text of its shapes.
        self._layout: SlideLayout
        self._colours = Palette()
        self._behind_shapes = dict[Element, str]()
        # Of the shape that is read: the colour behind its text, and the styles of its letters.
        self._behind = UNKNOWN
        self._styles = ShapeStyles()
        # Whether it has several paragraphs, and the latest number of each level of its lists.
        self._is_list = False
        self._counts = dict[int, int]()
        # The level of the paragraph that is read, from 0.
        self._level = 0
        self._meanings = {
            **dict.fromkeys(("spTree", "grpSp"), self._sort_group),
            "sp": self._add_shape,
            "pic": self._add_picture,
            "blip": self._show_picture,
            # The same behind many slides.
            "bg": None,
            "p": self._paragraph,
            **dict.fromkeys(("r", "fld"), self._add_letters),
            "br": "\n",
            "tbl": Table(),
            "tr": TableRow(),
            "tc": self._add_cell,
            "oMath": lambda equation: f"${latex(equation)}$",
            **dict.fromkeys(("chart", "relIds"), self._add_drawing),
            "oleObj": self._add_object,
            "Fallback": None,
        }

    def read(self) -> None:
        """Add all slides that are shown; one that is damaged is counted."""
        names = [self._related.get(slide.get("id", ""), "") for slide in self._main.iter("sldId")]
        for number in self._text.wanted_parts(SLIDE, [""] * len(names)):
            with skipping_damage(self._text):
                self._add_slide(number, names[number - 1])
            self._text.finish()

    def _add_slide(self, number: int, name: str) -> None:
        """Add the slide of the part `name`: its number and title as a heading, its shapes and its notes.

        One that is hidden is counted.
        """
        slide = self._parts.xml(name)
        self._related = self._parts.related(name)
        if slide.get("show") in ("0", "false"):
            self._text.left_out["hidden-slide"] += 1
            return
        titles = (drawn_lines(shape) for shape in slide.iter("sp") if kind_of(shape) in _TITLES)
        self._text.add_heading(2, f"{number}. {next(titles, '')}")
        self._layout = self._layout_of(self._related.get("slideLayout", ""))
        self._behind = UNKNOWN
        self._styles = ShapeStyles()
        self._level = 0
        self._look_at(slide)
        self._walk(slide)
        self._add_notes()

    def _add_notes(self) -> None:
        """Add the notes of the slide, and the comments on it."""
        notes = self._parts.sound_xml(self._related.get("notesSlide", ""), self._text)
        comments = self._parts.sound_xml(self._related.get("comments", ""), self._text)
        note = "\n".join(drawn_lines(shape) for shape in notes.iter("sp") if kind_of(shape) == "body")
        texts = [f"Comment: {comment.findtext('text') or drawn_lines(comment)}" for comment in comments.iter("cm")]
        self._text.add_blocks(f"Notes: {note}" if note else "", *texts)

    # What slides look like.

    def _layout_of(self, name: str) -> SlideLayout:
        """Return the layout of a name, with its master and theme."""
        if name not in self._layouts:
            master_name = self._parts.related(name).get("slideMaster", "")
            theme_name = self._parts.related(master_name).get("theme", "")
            master = self._parts.sound_xml(master_name, self._text)
            layout = self._parts.sound_xml(name, self._text)
            theme = self._parts.sound_xml(theme_name, self._text)
            self._layouts[name] = SlideLayout(master, layout, theme)
        return self._layouts[name]

    def _look_at(self, slide: Element) -> None:
        """Find what is behind the text of each shape, and leave out the shapes that are beside the slide."""
        layout = self._layout
        page = layout.page_colour(slide)
        self._colours = layout.colours
        if slide.find("clrMapOvr/overrideClrMapping") is not None:
            self._colours = Palette()
            page = UNKNOWN
        self._behind_shapes = {}
        for tree in slide.iter("spTree"):
            shapes = (placed(shape, layout.models(shape), self._colours) for shape in tree)
            self._behind_shapes |= backgrounds(shapes, page, layout.drawn)
            beside = [shape for shape in tree if self._is_beside(shape)]
            self._text.left_out["hidden-text"] += sum(map(_has_content, beside))
            tree[:] = [shape for shape in tree if shape not in beside]

    def _is_beside(self, shape: Element) -> bool:
        """Return whether a shape is beside the slide, so that nobody sees it."""
        if self._slide_area is None or kind_of(shape) in _APART:
            return False
        area = area_of((shape, *self._layout.models(shape)))
        return area is not None and area.is_beside(self._slide_area)

    def _place(self, shape: Element) -> _ShapePlace:
        """Return where a shape begins; at 0 if neither it nor its layout says that."""
        inherited = (model.find("spPr/xfrm/off") for model in self._layout.models(shape))
        offsets = chain(shape.iter("off"), (offset for offset in inherited if offset is not None))
        offset = next(offsets, Element("off"))
        return _ShapePlace(round(int(offset.get("y", "0")) / _ROW_HEIGHT), int(offset.get("x", "0")))

    # Shapes.

    def _sort_group(self, group: Element) -> Role:
        """Remove hidden shapes from a group, and sort the others from top to bottom."""
        seen = [shape for shape in group if value(shape, "*/cNvPr", "hidden") not in _TRUE]
        self._text.left_out["hidden-text"] += len(group) - len(seen)
        group[:] = sorted(seen, key=self._place)
        return Through()

    def _add_shape(self, shape: Element) -> None:
        """Add the text of a shape; titles, which are headings, and what a master repeats are passed over."""
        # Several paragraphs are a list.
        self._is_list = "\n" in drawn_lines(shape)
        self._counts.clear()
        if kind_of(shape) in _APART:
            return
        behind_around = self._behind
        styles_around = self._styles
        self._behind = self._behind_shapes.get(shape, UNKNOWN)
        inherited = [*self._layout.styles(shape), *self._usual_styles]
        self._styles = shape_styles(shape, inherited, self._colours)
        self._add(shape, self._link(shape, "nvSpPr/cNvPr/hlinkClick"))
        self._behind = behind_around
        self._styles = styles_around

    def _add_picture(self, picture: Element) -> None:
        """Add the description of a picture."""
        if described := " ".join(map(description, picture.iterfind("nvPicPr/cNvPr"))):
            self._text.add_blocks(f"[{described}]")
        for shown in picture.iter("blip"):
            self._show_picture(shown)

    def _show_picture(self, picture: Element) -> None:
        self._parts.show_picture(self._related.get(picture.get("embed", ""), ""), self._text.pictures)

    def _add_cell(self, cell: Element) -> None:
        # The style of a table may colour cells.
        self._behind = fill_colour(cell.find("tcPr"), self._colours) or UNKNOWN
        self._add(cell, TableCell(merged=_merged_down(cell)))
        self._behind = UNKNOWN

    def _add_drawing(self, reference: Element) -> None:
        add_drawing(self._parts, self._related, reference, self._text)

    def _add_object(self, reference: Element) -> None:
        """Add a file that is embedded, such as a table of Excel."""
        self._attached.add_part(self._parts, self._related.get(reference.get("id", ""), ""))

    # Paragraphs and their letters.

    def _paragraph(self, paragraph: Element) -> Role:
        """Return the role of a paragraph, and count it if it has a number."""
        level = integer(value(paragraph, "pPr", "lvl"))
        number = paragraph.find("pPr/buAutoNum")
        self._level = level
        # Deeper levels begin again.
        self._counts = {deep: count for deep, count in self._counts.items() if deep <= level}
        if number is None:
            self._counts.pop(level, None)
            is_plain = not self._is_list or paragraph.find("pPr/buNone") is not None
            return ParagraphBlock() if is_plain else NumberedParagraph(level, "-")
        count = self._counts.get(level, integer(number.get("startAt"), 1) - 1) + 1
        self._counts[level] = count
        return NumberedParagraph(level, _mark(count, number.get("type", "")))

    def _add_letters(self, run: Element) -> None:
        given = format_of(run.find("rPr"), self._colours)
        look = given.over(self._styles.of_level(self._level)).look(self._behind)
        with self._text.shown_as(look):
            self._add(run, self._link(run, "rPr/hlinkClick"))

    def _link(self, element: Element, path: str) -> Role:
        """Return the role of an element that leads where what is at a path in it says, if anywhere."""
        return link_role(self._related.get(value(element, path, "id"), ""))


def _merged_down(cell: Element) -> MergedDown:
    """Return whether a cell is merged with others of its column. Those beside its first column are empty."""
    if cell.get("vMerge") in _TRUE and cell.get("hMerge") not in _TRUE:
        return MergedDown.GOES_ON
    return MergedDown.BEGINS if integer(cell.get("rowSpan"), 1) > 1 else MergedDown.NO


def _mark(number: int, kind: str) -> str:
    """Return a number as a kind of numbering shows it, such as "alphaLcParenR" and "arabicPeriod": "b)" and "2."."""
    digits = written(number, _FORMS.get(kind[:7], "decimal"))
    if kind.endswith("Both"):
        return f"({digits})"
    return f"{digits})" if kind.endswith("ParenR") else f"{digits}."


def _has_content(shape: Element) -> bool:
    """Return whether an element has text, a described picture, or a table or chart."""
    is_text = any(text.text and text.text.strip() for text in shape.iter("t"))
    return is_text or shape.tag == "graphicFrame" or any(about.get("descr") for about in shape.iter("cNvPr"))
