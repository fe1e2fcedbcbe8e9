"""The pages of ODP files: their colours and sizes, where their shapes are, and how these are filled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.open.letters import OpenStyles, length
from engine.documents.text.looks import UNKNOWN, WHITE, colour_of
from engine.documents.text.places import Area, Shape, backgrounds

# What draws no more than a line.
_LINES = ("line", "connector", "measure")
# What a frame shows, other than text.
_PICTURES = ("applet", "floating-frame", "image", "object", "object-ole", "plugin", "table")
_NO_SHAPES = ("notes", "forms", "animation-group", "par", "theme")
_SIDES = ("x", "y", "width", "height")
_TURNED = re.compile("rotate|skew|matrix")


class _Fill(NamedTuple):
    """How a page or a shape is filled, as its style says; "" for what that does not say."""

    # "none", "solid", or what has more than one colour.
    kind: str = ""
    colour: str = ""
    opacity: str = ""

    @property
    def is_solid(self) -> bool:
        """Whether one colour hides what is behind it."""
        return self.kind == "solid" and self.opacity in ("", "100%")


class OpenPages:
    """What the masters of a document say about its slides."""

    def __init__(self, common: Element, styles: OpenStyles) -> None:
        self._styles = styles
        self._masters = {master.get("name", ""): master for master in common.iter("master-page")}
        self._layouts = {layout.get("name", ""): layout for layout in common.iter("page-layout")}

    def backgrounds(self, page: Element) -> dict[Element, str]:
        """Return the colour behind the text of each shape of a slide, which are in the order of the file."""
        master = self._master(page)
        free = (shape for shape in self._shapes(master) if "class" not in shape.element.attrib)
        painted = [shape.area for shape in free if shape.is_drawn or shape.fill is not None]
        return backgrounds(self._shapes(page), self._colour(page, master), painted)

    def beside(self, page: Element) -> list[Element]:
        """Return the shapes that nobody sees because they are beside the slide."""
        layout = self._layouts.get(self._master(page).get("page-layout-name", ""))
        sizes = {name: given for properties in layout or () for name, given in properties.attrib.items()}
        width, height = (length(sizes.get(name)) for name in ("page-width", "page-height"))
        if not width or not height:
            return []
        area = Area(0, 0, width, height)
        return [shape.element for shape in self._shapes(page) if shape.area and shape.area.is_beside(area)]

    def _master(self, page: Element) -> Element:
        return self._masters.get(page.get("master-page-name", ""), Element("none"))

    def _colour(self, page: Element, master: Element) -> str:
        """Return the colour of a slide, as in `looks.Look`: its own fill, else its master's, else white.

        Returns `UNKNOWN` if that fill is not one colour, or lets something through. A fill "none" is no fill.
        """
        for element in (page, master):
            fill = self._fill_of(element, ("drawing-page",))
            if fill.is_solid:
                return colour_of(fill.colour)
            if fill.kind not in ("", "none"):
                return UNKNOWN
        return WHITE

    def _shapes(self, page: Element) -> Iterable[Shape]:
        for shape in page:
            if shape.tag not in _NO_SHAPES and shape.tag not in _LINES:
                is_drawn = shape.tag == "g" or any(child.tag in _PICTURES for child in shape)
                yield Shape(shape, _area(shape), self._fill(shape), is_drawn)

    def _fill(self, shape: Element) -> str | None:
        """Return the colour that a shape is filled with; None without a fill."""
        fill = self._fill_of(shape, ("presentation", "graphic"))
        if fill.kind == "none" or (fill.kind == "" and shape.tag in ("frame", "g")):
            return None
        return colour_of(fill.colour) if fill.is_solid else UNKNOWN

    def _fill_of(self, element: Element, families: Iterable[str]) -> _Fill:
        """Return the fill that the first of some families of styles says something about."""
        name = element.get("style-name", "")
        for family in families:
            fill = _Fill(
                kind=self._styles.said(family, name, "fill") or "",
                colour=self._styles.said(family, name, "fill-color") or "",
                opacity=self._styles.said(family, name, "opacity") or "",
            )
            if any(fill):
                return fill
        return _Fill()


def _area(shape: Element) -> Area | None:
    """Return what a shape takes; None for one that is turned or does not say it."""
    left, top, width, height = (length(shape.get(side)) for side in _SIDES)
    if left is None or top is None or width is None or height is None or _TURNED.search(shape.get("transform", "")):
        return None
    return Area(left, top, left + width, top + height)
