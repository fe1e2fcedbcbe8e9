"""The pages of ODP files: their colours and sizes, where their shapes are, and how these are filled."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from engine.documents.open_letters import OpenStyles, length
from engine.documents.places import Area, Shape, backgrounds
from engine.documents.unseen import UNKNOWN, WHITE, colour_of

# What draws no more than a line.
_LINES = ("line", "connector", "measure")
# What a frame shows, beside text.
_PICTURES = ("applet", "floating-frame", "image", "object", "object-ole", "plugin", "table")
_NO_SHAPES = ("notes", "forms", "animation-group", "par")
_SIDES = ("x", "y", "width", "height")
_LOOK = ("fill", "fill-color", "opacity")
_TURNED = re.compile("rotate|skew|matrix")


class OpenPages:
    """What the masters of a document say about its slides."""

    def __init__(self, common: Element, styles: OpenStyles) -> None:
        self._styles = styles
        self._masters = {one.get("name", ""): one for one in common.iter("master-page")}
        self._layouts = {one.get("name", ""): one for one in common.iter("page-layout")}

    def backgrounds(self, page: Element) -> dict[Element, str]:
        """Return the colour behind the text of each shape of a slide, which are in the order of the file."""
        master = self._master(page)
        free = (shape for shape in self._shapes(master) if "class" not in shape.element.attrib)
        painted = [shape.area for shape in free if shape.is_drawn or shape.fill is not None]
        return backgrounds(self._shapes(page), self._colour(page, master), painted)

    def beside(self, page: Element) -> list[Element]:
        """Return the shapes that nobody sees because they are beside the slide."""
        layout = self._layouts.get(self._master(page).get("page-layout-name", ""))
        sizes = {name: found for one in layout or () for name, found in one.attrib.items()}
        width, height = (length(sizes.get(name)) for name in ("page-width", "page-height"))
        if not width or not height:
            return []
        area = Area(0, 0, width, height)
        return [shape.element for shape in self._shapes(page) if shape.area and shape.area.is_beside(area)]

    def _master(self, page: Element) -> Element:
        return self._masters.get(page.get("master-page-name", ""), Element("none"))

    def _colour(self, page: Element, master: Element) -> str:
        for one in (page, master):
            fill, colour, opacity = self._look(("drawing-page",), one)
            if fill == "solid" and opacity in ("", "100%"):
                return colour_of(colour)
            if fill not in ("", "none"):
                return UNKNOWN
        return WHITE

    def _shapes(self, page: Element) -> Iterable[Shape]:
        for one in page:
            if one.tag not in _NO_SHAPES and one.tag not in _LINES:
                is_drawn = one.tag == "g" or any(child.tag in _PICTURES for child in one)
                yield Shape(one, _area(one), self._fill(one), is_drawn)

    def _fill(self, shape: Element) -> str | None:
        fill, colour, opacity = self._look(("presentation", "graphic"), shape)
        if fill == "none" or (fill == "" and shape.tag in ("frame", "g")):
            return None
        return colour_of(colour) if fill == "solid" and opacity in ("", "100%") else UNKNOWN

    def _look(self, families: Iterable[str], element: Element) -> list[str]:
        name = element.get("style-name", "")
        found = ([self._styles.said(family, name, attribute) or "" for attribute in _LOOK] for family in families)
        return next((look for look in found if any(look)), [""] * len(_LOOK))


def _area(shape: Element) -> Area | None:
    """Return what a shape takes; None for one that is turned or does not say it."""
    left, top, width, height = (length(shape.get(side)) for side in _SIDES)
    if left is None or top is None or width is None or height is None or _TURNED.search(shape.get("transform", "")):
        return None
    return Area(left, top, left + width, top + height)
