"""The charts and diagrams of Office files: a table of a chart's numbers, and a list of a diagram's texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from itertools import chain
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.archives.zipped_parts import ZippedParts
from engine.documents.office.drawn_letters import drawn_lines
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.number_formats import DAY_0, DAY_0_OF_1904, shown
from engine.documents.text.roles import NumberedParagraph
from engine.documents.text.xml_values import integer, value

# The elements that are axes of charts; Office 2016 added the last ones.
_AXES = ("catAx", "dateAx", "serAx", "valAx", "axis")


def add_drawing(parts: ZippedParts, related: Mapping[str, str], reference: Element, text: MarkedText) -> None:
    """Add the chart or the diagram that an element refers to; one that is damaged is counted.

    `related` is what the part with the element refers to.
    """
    text.end_block()
    with skipping_damage(text):
        if reference.tag == "chart":
            _add_chart(parts.xml(related.get(reference.get("id", ""), "")), text)
        else:
            _add_diagram(parts.xml(related.get(reference.get("dm", ""), "")), text)


def add_chart_titles(parts: ZippedParts, related: Mapping[str, str], reference: Element, text: MarkedText) -> None:
    """Add only the titles of a chart that an element refers to and of its axes: its numbers are in cells."""
    with skipping_damage(text):
        chart = parts.xml(related.get(reference.get("id", ""), ""))
        of_axes = [title for axis in chart.iter() if axis.tag in _AXES for title in axis.iterfind("title")]
        titles = [title for title in chart.iter("title") if title not in of_axes]
        words = [*filter(None, map(drawn_lines, titles))]
        if axes := ", ".join(filter(None, map(drawn_lines, of_axes))):
            words.append(f"axes: {axes}" if ", " in axes else f"axis: {axes}")
        if words:
            text.add_blocks(f"[Chart: {'; '.join(words)}]")


class _Category(NamedTuple):
    """A row of a chart's table: the number of its point in the file, and its label."""

    number: str
    label: str


def _add_chart(chart: Element, text: MarkedText) -> None:
    """Add the titles of a chart and its axes, and a table with a column for each of its series."""
    text.add_blocks(*map(drawn_lines, chart.iter("title")))
    first_day = DAY_0_OF_1904 if value(chart, "date1904") in ("1", "true") else DAY_0
    names = [""]
    # The values of rows by their columns.
    rows = defaultdict[_Category, dict[int, str]](dict)
    for column, series in enumerate(chart.iter("ser"), 1):
        # The name is in a cell, or written in the series.
        names.append(" ".join(_values(series, "tx", first_day).values()) or series.findtext("tx/v", ""))
        labels = _values(series, "cat", first_day) or _values(series, "xVal", first_day)
        numbers = _values(series, "val", first_day) or _values(series, "yVal", first_day)
        for index, shown_value in numbers.items():
            label = labels.get(index, "")
            rows[_Category(index, label)][column] = shown_value
    text.add_table(chain([names], (_row(category.label, texts) for category, texts in rows.items())))


def _row(label: str, values: dict[int, str]) -> list[str]:
    """Return a row of a chart's table with the texts in some of its columns, from 1 on."""
    return [label, *(values.get(column, "") for column in range(1, max(values) + 1))]


def _values(series: Element, name: str, first_day: datetime) -> dict[str, str]:
    """Return the texts of a series' points under `name`, as the chart keeps them, by the points' indexes in the file.

    `first_day` is the day 0 of dates. A point may have a format of its own.
    Categories may have levels, the innermost first: a point's text begins with the text of its outermost level.
    """
    values: dict[str, str] = {}
    for source in series.iterfind(name):
        usual_code = source.findtext(".//formatCode")
        for point in source.iter("pt"):
            code = point.get("formatCode", usual_code)
            text = point.findtext("v", "")
            index = point.get("idx", "")
            # Texts are no numbers, and stay as they are. A chart draws a number even if its format hides it: then it is
            # shown without the format.
            with suppress(ValueError):
                text = (shown(float(text), code, first_day) if code else "") or text
            values[index] = f"{text} {values[index]}" if index in values else text
    return values


def _add_diagram(data: Element, text: MarkedText) -> None:
    """Add the texts of a diagram as a list, in which each is below the one that it belongs to.

    A connection to a point that is missing leaves nothing.
    """
    points = {point.get("modelId"): point for point in data.iter("pt")}
    below = defaultdict[str | None, list[str | None]](list)
    for connection in sorted(data.iter("cxn"), key=lambda connection: integer(connection.get("srcOrd"))):
        if connection.get("type", "parOf") == "parOf":
            below[connection.get("srcId")].append(connection.get("destId"))
    # Points with their levels, the next one last. The document is above the first level; like all points without
    # text, it adds nothing.
    waiting = [(name, -1) for name, point in points.items() if point.get("type") == "doc"]
    while waiting:
        name, level = waiting.pop()
        if name in points:
            item = NumberedParagraph(max(level, 0), "-")
            text.start(item)
            text.add(drawn_lines(points[name]))
            text.end(item)
        # Taken out, so that points that are below each other end.
        waiting += [(inner, level + 1) for inner in reversed(below.pop(name, []))]
