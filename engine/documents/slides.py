"""The text of PPTX files: what each slide shows, from top to bottom, with charts and diagrams."""

from __future__ import annotations

from contextlib import suppress
from itertools import zip_longest
from xml.etree.ElementTree import Element

from engine.documents.equations import latex
from engine.documents.marked_text import CELL, PARAGRAPH, ROW, TABLE, THROUGH, MarkedText, Role
from engine.documents.number_formats import shown
from engine.documents.numbering import written
from engine.documents.office import OfficeReader, linked
from engine.documents.zipped_parts import ZippedParts, skipping_damage, value

# What has a place of its own, and what a master repeats on every slide.
_APART = ("title", "ctrTitle", "sldNum", "dt", "ftr", "hdr", "sldImg")
# Places of a master by the kinds that slides name; the others have the same name.
_KINDS = {"": "body", "obj": "body", "subTitle": "body"}
_FORMS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}
_DEEPEST = 20
# A tenth of an inch, in the unit of places: less is no row of its own.
_SAME_ROW = 91_440


class SlidesReader(OfficeReader):
    """Reads PPTX files: each slide that is shown, with its notes and comments."""

    def read(self) -> None:
        self._listed, self._counts = False, dict[int, int]()
        self._layouts: dict[str, dict[str, Element]] = {}
        self._meanings = {"sp": self._shape, "pic": self._picture, "spTree": self._group, "grpSp": self._group}
        self._meanings |= {"p": self._paragraph, "r": self._linked, "br": "\n", "tr": ROW, "tc": CELL}
        self._meanings |= {"tbl": TABLE, "chart": self._drawing, "relIds": self._drawing, "Fallback": None}
        self._meanings["oMath"] = lambda one: f"${latex(one)}$"
        for number, entry in enumerate(self._main.iter("sldId"), 1):
            with skipping_damage(self._text):
                self._add_slide(number, self._related.get(entry.get("id", ""), ""))
            self._text.finish()

    def _add_slide(self, number: int, name: str) -> None:
        slide, self._here = self._parts.xml(name), self._parts.related(name)
        if slide.get("show") in ("0", "false"):
            self._text.left_out["hidden-slide"] += 1
            return
        title = next((_shape_text(one) for one in slide.iter("sp") if _kind(one) in _APART[:2]), "")
        self._text.add_heading(2, f"{number}. {title}")
        self._places = self._layout(self._here.get("slideLayout", ""))
        self._walk(slide)
        self._text.end_block()
        notes = "\n".join(_shape_text(one) for one in self._part("notesSlide").iter("sp") if _kind(one) == "body")
        if notes.strip():
            self._text.add_blocks(f"Notes: {notes}")
        for one in self._part("comments").iter("cm"):
            self._text.add_blocks(f"Comment: {one.findtext('text') or _shape_text(one)}")

    def _part(self, reference: str) -> Element:
        """Return the root of a part that the slide refers to."""
        return self._parts.sound_xml(self._here.get(reference, ""), self._text)

    def _layout(self, name: str) -> dict[str, Element]:
        """Return where a layout and its master have the places that shapes fill, by their numbers and kinds."""
        if name not in self._layouts:
            master = self._parts.related(name).get("slideMaster", "")
            found = self._layouts[name] = {}
            for part in (master, name):
                for shape in self._parts.sound_xml(part, self._text).iter("sp"):
                    if (place := shape.find("spPr/xfrm/off")) is not None:
                        found[_kind(shape)] = found[_number(shape)] = place
        return self._layouts[name]

    def _place(self, shape: Element) -> tuple[int, int]:
        """Return the row and the column in which a shape begins."""
        if (place := next(shape.iter("off"), None)) is None:
            kind = _kind(shape)
            place = self._places.get(_number(shape), self._places.get(_KINDS.get(kind, kind)))
        return (0, 0) if place is None else (round(_length(place.get("y")) / _SAME_ROW), _length(place.get("x")))

    def _group(self, group: Element) -> Role:
        seen = [one for one in group if value(one, "*/cNvPr", "hidden") not in ("1", "true")]
        self._text.left_out["hidden-text"] += len(group) - len(seen)
        group[:] = sorted(seen, key=self._place)
        return THROUGH

    def _shape(self, shape: Element) -> Role | None:
        # Several paragraphs are a list.
        self._listed = len(_shape_text(shape).split("\n")) > 1
        self._counts.clear()
        return None if _kind(shape) in _APART else self._linked(shape, "nvSpPr/cNvPr/hlinkClick")

    def _linked(self, element: Element, path: str = "rPr/hlinkClick") -> Role:
        return linked(self._here.get(value(element, path, "id"), ""))

    def _paragraph(self, paragraph: Element) -> Role:
        level = int(value(paragraph, "pPr", "lvl") or 0)
        self._counts = {deep: count for deep, count in self._counts.items() if deep <= level}
        if (number := paragraph.find("pPr/buAutoNum")) is None:
            self._counts.pop(level, None)
            is_plain = not self._listed or paragraph.find("pPr/buNone") is not None
            return PARAGRAPH if is_plain else Role("numbered paragraph", level, "-")
        if not _line(paragraph):
            return PARAGRAPH
        self._counts[level] = self._counts.get(level, int(number.get("startAt", "1")) - 1) + 1
        kind = number.get("type", "")
        mark = written(self._counts[level], _FORMS.get(kind[:7], "decimal"))
        mark = f"({mark})" if kind.endswith("Both") else f"{mark})" if kind.endswith("ParenR") else f"{mark}."
        return Role("numbered paragraph", level, mark)

    def _picture(self, picture: Element) -> None:
        if described := " ".join(value(picture, "nvPicPr/cNvPr", "descr").split()):
            self._text.add_blocks(f"[{described}]")

    def _drawing(self, reference: Element) -> None:
        add_drawing(self._parts, self._here, reference, self._text)


def _kind(shape: Element) -> str:
    """Return the kind of the place on the master that a shape fills; "" for a free one."""
    return value(shape, "nvSpPr/nvPr/ph", "type")


def _number(shape: Element) -> str:
    """Return the number of the place on the layout that a shape fills."""
    return f"#{value(shape, 'nvSpPr/nvPr/ph', 'idx')}"


def _length(text: str | None) -> int:
    return int(text) if text and text.removeprefix("-").isdecimal() else 0


def _line(paragraph: Element) -> str:
    return "".join(" " if one.tag == "br" else one.text or "" for one in paragraph.iter() if one.tag in ("t", "br"))


def _shape_text(shape: Element) -> str:
    return "\n".join(line for line in map(_line, shape.iter("p")) if line.strip())


def _values(source: Element | None) -> dict[int, str]:
    """Return what a chart keeps of the values of cells, by their numbers; groups of categories are before them."""
    found: dict[int, str] = {}
    if source is not None:
        code = source.findtext(".//formatCode", "")
        for point in source.iter("pt"):
            text, index = point.findtext("v", ""), _length(point.get("idx"))
            # Texts have no format.
            if code:
                with suppress(ValueError):
                    text = shown(float(text), code)
            found[index] = f"{text} {found[index]}" if index in found else text
    return found


def add_drawing(parts: ZippedParts, related: dict[str, str], reference: Element, text: MarkedText) -> None:
    """Add a chart or a diagram that an element of a part refers to."""
    add, name = (_add_chart, "id") if reference.tag == "chart" else (_add_diagram, "dm")
    text.end_block()
    add(parts.sound_xml(related.get(reference.get(name, ""), ""), text), text)


def _add_chart(chart: Element, text: MarkedText) -> None:
    """Add the titles of a chart and its axes, and a table with a column for each of its series."""
    text.add_blocks(*map(_shape_text, chart.iter("title")))
    series = list(chart.iter("ser"))
    rows: dict[tuple[int, str], list[str]] = {}
    for column, one in enumerate(series, 1):
        labels = _values(one.find("cat")) or _values(one.find("xVal"))
        sizes = _values(one.find("bubbleSize"))
        for index, found in (_values(one.find("val")) or _values(one.find("yVal"))).items():
            label = labels.get(index, "")
            rows.setdefault((index, label), [label, *[""] * len(series)])[column] = found
            if index in sizes:
                rows[index, label][column] += f" ({sizes[index]})"
    text.add_table([["", *(" ".join(_values(one.find("tx")).values()) for one in series)], *rows.values()])
    # The kinds of Office 2016 and later have columns without series.
    for data in chart.iterfind("chartData/data"):
        columns = [[point.text or "" for point in column.iter("pt")] for column in data]
        text.add_table(list(zip_longest(*columns, fillvalue="")))


def _add_diagram(data: Element, text: MarkedText) -> None:
    """Add the texts of a diagram as a list, in which each is below the one that it belongs to."""
    links = {one.get("destId"): one for one in data.iter("cxn") if one.get("type", "parOf") == "parOf"}
    ways = [(_way(point.get("modelId"), links), point) for point in data.iter("pt")]
    for way, point in sorted(ways, key=lambda one: one[0]):
        text.start(role := Role("numbered paragraph", max(0, len(way) - 1), "-"))
        text.add(_shape_text(point))
        text.end(role)


def _way(name: str | None, links: dict[str | None, Element]) -> list[int]:
    """Return the places of a point of a diagram, and of those that it is below, among their neighbours."""
    way: list[int] = []
    while (link := links.get(name)) is not None and len(way) < _DEEPEST:
        way.insert(0, _length(link.get("srcOrd")))
        name = link.get("srcId")
    return way
