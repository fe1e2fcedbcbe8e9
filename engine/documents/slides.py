"""The text of PPTX files: what each slide shows, from top to bottom, with charts and diagrams."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import chain
from xml.etree.ElementTree import Element

from engine.documents.drawn_letters import Palette, ShapeStyles, drawn_lines, fill_colour, format_of, shape_styles
from engine.documents.equations import latex
from engine.documents.marked_text import CELL, PARAGRAPH, ROW, TABLE, THROUGH, MarkedText, Role
from engine.documents.number_formats import shown
from engine.documents.numbering import written
from engine.documents.office import OfficeReader, linked
from engine.documents.places import Area, backgrounds
from engine.documents.slide_layout import SlideLayout, kind_of
from engine.documents.slide_places import area_of, placed
from engine.documents.unseen import UNKNOWN
from engine.documents.zipped_parts import ZippedParts, integer, skipping_damage, value

# What has a place of its own, and what a master repeats on every slide.
_APART = ("title", "ctrTitle", "sldNum", "dt", "ftr", "hdr", "sldImg")
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


class SlidesReader(OfficeReader):
    """Reads PPTX files: each slide that is shown, with its notes and comments."""

    def read(self) -> None:
        self._listed = False
        self._counts = dict[int, int]()
        self._layouts = dict[str, SlideLayout]()
        self._usual_styles = [one for one in self._main if one.tag == "defaultTextStyle"]
        width, height = (integer(value(self._main, "sldSz", name)) for name in ("cx", "cy"))
        self._slide_area = Area(0, 0, width, height) if width and height else None
        self._meanings = {"sp": self._shape, "pic": self._picture, "spTree": self._group, "grpSp": self._group}
        self._meanings |= {"p": self._paragraph, "r": self._letters, "fld": self._letters, "br": "\n"}
        self._meanings |= {"tbl": TABLE, "tr": ROW, "tc": self._cell}
        self._meanings |= {"oMath": lambda one: f"${latex(one)}$", "Fallback": None}
        self._meanings |= dict.fromkeys(
            ("chart", "relIds"), lambda one: add_drawing(self._parts, self._related, one, self._text)
        )
        names = [self._related.get(one.get("id", ""), "") for one in self._main.iter("sldId")]
        for number, name in enumerate(names, 1):
            with skipping_damage(self._text):
                self._add_slide(number, name)
            self._text.finish()

    def _add_slide(self, number: int, name: str) -> None:
        slide = self._parts.xml(name)
        self._related = self._parts.related(name)
        if slide.get("show") in ("0", "false"):
            self._text.left_out["hidden-slide"] += 1
            return
        title = next((drawn_lines(one) for one in slide.iter("sp") if kind_of(one) in _APART[:2]), "")
        self._text.add_heading(2, f"{number}. {title}")
        self._layout = self._layout_of(self._related.get("slideLayout", ""))
        self._behind = UNKNOWN
        self._styles = ShapeStyles()
        self._level = 0
        self._omitted = False
        self._look_at(slide)
        self._walk(slide)
        notes, comments = (
            self._parts.sound_xml(self._related.get(one, ""), self._text) for one in ("notesSlide", "comments")
        )
        said = "\n".join(drawn_lines(one) for one in notes.iter("sp") if kind_of(one) == "body")
        found = [f"Comment: {one.findtext('text') or drawn_lines(one)}" for one in comments.iter("cm")]
        self._text.add_blocks(f"Notes: {said}" if said else "", *found)

    def _layout_of(self, name: str) -> SlideLayout:
        if name not in self._layouts:
            related = self._parts.related(name)
            master_name = related.get("slideMaster", "")
            theme_name = self._parts.related(master_name).get("theme", "")
            parts = [self._parts.sound_xml(one, self._text) for one in (master_name, name, theme_name)]
            self._layouts[name] = SlideLayout(*parts)
        return self._layouts[name]

    def _look_at(self, slide: Element) -> None:
        """Find what is behind the text of each shape, and leave out the shapes that are beside the slide."""
        layout = self._layout
        page = self._layout.page_colour(slide)
        self._colours = layout.colours
        if slide.find("clrMapOvr/overrideClrMapping") is not None:
            self._colours = Palette()
            page = UNKNOWN
        self._behind_shapes = dict[Element, str]()
        for tree in slide.iter("spTree"):
            shapes = (placed(one, layout.models(one), self._colours) for one in tree)
            self._behind_shapes |= backgrounds(shapes, page, layout.drawn)
            beside = [one for one in tree if self._is_beside(one)]
            self._text.left_out["hidden-text"] += sum(map(_says, beside))
            tree[:] = [one for one in tree if one not in beside]

    def _is_beside(self, shape: Element) -> bool:
        if self._slide_area is None or kind_of(shape) in _APART:
            return False
        area = area_of((shape, *self._layout.models(shape)))
        return area is not None and area.is_beside(self._slide_area)

    def _place(self, shape: Element) -> tuple[int, int]:
        """Return the row and the column in which a shape begins."""
        inherited = (one.find("spPr/xfrm/off") for one in self._layout.models(shape))
        places = chain(shape.iter("off"), (one for one in inherited if one is not None))
        place = next(places, Element("off"))
        # A tenth of an inch is no row of its own.
        return round(int(place.get("y", "0")) / 91_440), int(place.get("x", "0"))

    def _group(self, group: Element) -> Role:
        seen = [one for one in group if value(one, "*/cNvPr", "hidden") not in ("1", "true")]
        self._text.left_out["hidden-text"] += len(group) - len(seen)
        group[:] = sorted(seen, key=self._place)
        return THROUGH

    def _shape(self, shape: Element) -> None:
        # Several paragraphs are a list.
        self._listed = "\n" in drawn_lines(shape)
        self._counts.clear()
        if kind_of(shape) in _APART:
            return
        around = self._behind, self._styles
        self._behind = self._behind_shapes.get(shape, UNKNOWN)
        inherited = [*self._layout.styles(shape), *self._usual_styles]
        self._styles = shape_styles(shape, inherited, self._colours)
        self._add(shape, self._linked(shape, "nvSpPr/cNvPr/hlinkClick"))
        self._behind, self._styles = around

    def _cell(self, cell: Element) -> None:
        # The style of a table may colour cells.
        self._behind = fill_colour(cell.find("tcPr"), self._colours) or UNKNOWN
        self._add(cell, CELL)
        self._behind = UNKNOWN

    def _letters(self, run: Element) -> None:
        own = format_of(run.find("rPr"), self._colours)
        found = own.over(self._styles.of_level(self._level))
        if found.is_unseen(self._behind):
            if _says(run) and not self._omitted:
                self._text.left_out["hidden-text"] += 1
                self._omitted = True
            return
        self._omitted = False
        with self._text.lettered(found.letters):
            self._add(run, self._linked(run))

    def _linked(self, element: Element, path: str = "rPr/hlinkClick") -> Role:
        return linked(self._related.get(value(element, path, "id"), ""))

    def _paragraph(self, paragraph: Element) -> Role:
        level = integer(value(paragraph, "pPr", "lvl"))
        number = paragraph.find("pPr/buAutoNum")
        self._level, self._omitted = level, False
        counts = self._counts = {deep: count for deep, count in self._counts.items() if deep <= level}
        if number is None:
            counts.pop(level, None)
            is_plain = not self._listed or paragraph.find("pPr/buNone") is not None
            return PARAGRAPH if is_plain else Role("numbered paragraph", level, "-")
        counts[level] = counts.get(level, integer(number.get("startAt"), 1) - 1) + 1
        kind = number.get("type", "")
        mark = written(counts[level], _FORMS.get(kind[:7], "decimal"))
        mark = f"({mark})" if kind.endswith("Both") else f"{mark})" if kind.endswith("ParenR") else f"{mark}."
        return Role("numbered paragraph", level, mark)

    def _picture(self, picture: Element) -> None:
        if described := " ".join(value(picture, "nvPicPr/cNvPr", "descr").split()):
            self._text.add_blocks(f"[{described}]")


def _says(shape: Element) -> bool:
    """Return whether an element has text, a described picture, or a table or chart."""
    is_text = any(one.text and one.text.strip() for one in shape.iter("t"))
    return is_text or shape.tag == "graphicFrame" or any(one.get("descr") for one in shape.iter("cNvPr"))


def add_drawing(parts: ZippedParts, related: dict[str, str], reference: Element, text: MarkedText) -> None:
    """Add a chart or a diagram that an element of a part refers to."""
    add, name = (_add_chart, "id") if reference.tag == "chart" else (_add_diagram, "dm")
    text.end_block()
    with skipping_damage(text):
        add(parts.xml(related.get(reference.get(name, ""), "")), text)


def _add_chart(chart: Element, text: MarkedText) -> None:
    """Add the titles of a chart and its axes, and a table with a column for each of its series."""
    text.add_blocks(*map(drawn_lines, chart.iter("title")))
    names = [""]
    rows = dict[tuple[str, str], list[str]]()
    for column, one in enumerate(chart.iter("ser"), 1):
        names.append(" ".join(_values(one, "tx").values()))
        labels = _values(one, "cat") or _values(one, "xVal")
        for index, found in (_values(one, "val") or _values(one, "yVal")).items():
            row = rows.setdefault((index, labels.get(index, "")), [labels.get(index, "")])
            row += [""] * (column - len(row)) + [found]
    text.add_table([names, *rows.values()])


def _values(series: Element, name: str) -> dict[str, str]:
    """Return what a chart keeps of the values of cells, by their numbers; groups of categories are before them."""
    found: dict[str, str] = {}
    for source in series.iterfind(name):
        code = source.findtext(".//formatCode")
        for point in source.iter("pt"):
            text = point.findtext("v", "")
            index = point.get("idx", "")
            # Texts have no format. Bars of numbers that a format hides are seen.
            with suppress(ValueError):
                text = (shown(float(text), code) if code else "") or text
            found[index] = f"{text} {found[index]}" if index in found else text
    return found


def _add_diagram(data: Element, text: MarkedText) -> None:
    """Add the texts of a diagram as a list, in which each is below the one that it belongs to."""
    points = {one.get("modelId"): one for one in data.iter("pt")}
    below = defaultdict[str | None, list[str | None]](list)
    for one in sorted(data.iter("cxn"), key=lambda one: integer(one.get("srcOrd"))):
        if one.get("type", "parOf") == "parOf":
            below[one.get("srcId")].append(one.get("destId"))
    waiting = [(name, -1) for name, point in points.items() if point.get("type") == "doc"]
    while waiting:
        name, depth = waiting.pop()
        text.start(role := Role("numbered paragraph", max(depth, 0), "-"))
        text.add(drawn_lines(points[name]))
        text.end(role)
        waiting += [(one, depth + 1) for one in reversed(below.pop(name, []))]
