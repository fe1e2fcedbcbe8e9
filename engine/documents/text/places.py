"""Where shapes are on a slide, and what is behind the text of each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.text.looks import UNKNOWN


class Area(NamedTuple):
    """A part of a slide, from its left and its top edge to its right and its bottom one, in any unit."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Area) -> bool:
        """Return whether the areas have a part in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def is_beside(self, other: Area) -> bool:
        """Return whether the areas have no point in common."""
        across = self.right < other.left or self.left > other.right
        return across or self.bottom < other.top or self.top > other.bottom


class Shape(NamedTuple):
    """A shape on a slide."""

    element: Element
    # None if it is not known.
    area: Area | None
    # The colour of its fill, as in `looks.Look`; None without one.
    fill: str | None
    # Whether it paints over what is behind it, even without a fill.
    is_drawn: bool


def backgrounds(shapes: Iterable[Shape], page: str, painted: Iterable[Area | None]) -> dict[Element, str]:
    """Return the colour behind the text of each shape of a slide.

    `page` is the colour of the slide's own background, as in `looks.Look`. `painted` are the areas that its layout and
    master draw on; None is one that is not known, which may be anywhere. The shapes are in the order in which they are
    drawn; text over what another one may draw has an unknown background.
    """
    covered = list(painted)
    colours: dict[Element, str] = {}
    for shape in shapes:
        if shape.fill is not None:
            colours[shape.element] = shape.fill
        elif any(area is None or shape.area is None or area.meets(shape.area) for area in covered):
            colours[shape.element] = UNKNOWN
        else:
            colours[shape.element] = page
        if shape.fill is not None or shape.is_drawn:
            covered.append(shape.area)
    return colours
