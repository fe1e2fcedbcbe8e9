"""The text of PPTX files: what each slide shows, from top to bottom, with charts and diagrams."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from itertools import chain
from xml.etree.ElementTree import Element

from engine.documents.equations import latex
from engine.documents.marked_text import CELL, PARAGRAPH, ROW, TABLE, THROUGH, MarkedText, Role
from engine.documents.number_formats import shown
from engine.documents.numbering import written
from engine.documents.office import OfficeReader, lines, linked
from engine.documents.zipped_parts import ZippedParts, integer, skipping_damage, value

# What has a place of its own, and what a master repeats on every slide.
_APART = ("title", "ctrTitle", "sldNum", "dt", "ftr", "hdr", "sldImg")
# Places of a master by the kinds that slides name; the others have the same name.
_KINDS = {"": "body", "obj": "body", "subTitle": "body"}
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


class SlidesReader(OfficeReader):
    """Reads PPTX files: each slide that is shown, with its notes and comments."""

    def read(self) -> None:
        self._listed, self._counts = False, dict[int, int]()
        self._layouts = dict[str, dict[str, Element]]()
        self._meanings = {"sp": self._shape, "pic": self._picture, "spTree": self._group, "grpSp": self._group}
        self._meanings |= {"p": self._paragraph, "r": self._linked, "br": "\n", "tbl": TABLE, "tr": ROW, "tc": CELL}
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
        slide, self._related = self._parts.xml(name), self._parts.related(name)
        if slide.get("show") in ("0", "false"):
            self._text.left_out["hidden-slide"] += 1
            return
        title = next((lines(one) for one in slide.iter("sp") if _kind(one) in _APART[:2]), "")
        self._text.add_heading(2, f"{number}. {title}")
        self._places = self._layout(self._related.get("slideLayout", ""))
        self._walk(slide)
        notes, comments = (
            self._parts.sound_xml(self._related.get(one, ""), self._text) for one in ("notesSlide", "comments")
        )
        said = "\n".join(lines(one) for one in notes.iter("sp") if _kind(one) == "body")
        found = [f"Comment: {one.findtext('text') or lines(one)}" for one in comments.iter("cm")]
        self._text.add_blocks(f"Notes: {said}" if said else "", *found)

    def _layout(self, name: str) -> dict[str, Element]:
        """Return where a layout and its master have the places that shapes fill, by their numbers and kinds."""
        if name not in self._layouts:
            found = self._layouts[name] = {}
            for part in (self._parts.related(name).get("slideMaster", ""), name):
                for shape in self._parts.sound_xml(part, self._text).iter("sp"):
                    for place in shape.iterfind("spPr/xfrm/off"):
                        found |= dict.fromkeys(_names(shape), place)
        return self._layouts[name]

    def _place(self, shape: Element) -> tuple[int, int]:
        """Return the row and the column in which a shape begins."""
        inherited = (self._places[one] for one in _names(shape) if one in self._places)
        place = next(chain(shape.iter("off"), inherited), Element("off"))
        # A tenth of an inch is no row of its own.
        return round(int(place.get("y", "0")) / 91_440), int(place.get("x", "0"))

    def _group(self, group: Element) -> Role:
        seen = [one for one in group if value(one, "*/cNvPr", "hidden") not in ("1", "true")]
        self._text.left_out["hidden-text"] += len(group) - len(seen)
        group[:] = sorted(seen, key=self._place)
        return THROUGH

    def _shape(self, shape: Element) -> Role | None:
        # Several paragraphs are a list.
        self._listed = "\n" in lines(shape)
        self._counts.clear()
        return None if _kind(shape) in _APART else self._linked(shape, "nvSpPr/cNvPr/hlinkClick")

    def _linked(self, element: Element, path: str = "rPr/hlinkClick") -> Role:
        return linked(self._related.get(value(element, path, "id"), ""))

    def _paragraph(self, paragraph: Element) -> Role:
        level, number = integer(value(paragraph, "pPr", "lvl")), paragraph.find("pPr/buAutoNum")
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


def _kind(shape: Element) -> str:
    """Return the kind of the place on the master that a shape fills; "" for a free one."""
    return value(shape, "nvSpPr/nvPr/ph", "type")


def _names(shape: Element) -> tuple[str, str]:
    """Return the number and the kind of the place on the layout or the master that a shape fills."""
    return f"#{value(shape, 'nvSpPr/nvPr/ph', 'idx')}", _KINDS.get(_kind(shape), _kind(shape))


def add_drawing(parts: ZippedParts, related: dict[str, str], reference: Element, text: MarkedText) -> None:
    """Add a chart or a diagram that an element of a part refers to."""
    add, name = (_add_chart, "id") if reference.tag == "chart" else (_add_diagram, "dm")
    text.end_block()
    with skipping_damage(text):
        add(parts.xml(related.get(reference.get(name, ""), "")), text)


def _add_chart(chart: Element, text: MarkedText) -> None:
    """Add the titles of a chart and its axes, and a table with a column for each of its series."""
    text.add_blocks(*map(lines, chart.iter("title")))
    names, rows = [""], dict[tuple[str, str], list[str]]()
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
            text, index = point.findtext("v", ""), point.get("idx", "")
            # Texts have no format.
            with suppress(ValueError):
                text = shown(float(text), code) if code else text
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
        text.add(lines(points[name]))
        text.end(role)
        waiting += [(one, depth + 1) for one in reversed(below.pop(name, []))]
