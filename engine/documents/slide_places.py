"""Where slides have their shapes, and what is behind the text of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.drawn_letters import Palette, fill_colour
from engine.documents.unseen import UNKNOWN
from engine.documents.zipped_parts import value

_FRAMES = ("spPr/xfrm", "grpSpPr/xfrm", "xfrm")
# The fill of a shape that says that it has none.
_NO_FILL = "none"
# What draws something wherever it is.
_DRAWN = ("pic", "graphicFrame", "grpSp", "cxnSp", "contentPart", "AlternateContent")


class Area(NamedTuple):
    """A part of a slide, in the units of its file: from the left and the top edge to the right and the bottom one."""

    left: int
    top: int
    right: int
    bottom: int

    def meets(self, other: Area) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def is_beside(self, other: Area) -> bool:
        across = self.right < other.left or self.left > other.right
        return across or self.bottom < other.top or self.top > other.bottom


def frame_of(shape: Element) -> Element | None:
    """Return the element with the place of a shape; None if the shape has none of its own."""
    frames = (shape.find(path) for path in _FRAMES)
    return next((one for one in frames if one is not None), None)


def area_of(frame: Element | None) -> Area | None:
    """Return what a frame takes, at any angle; None if that is not said."""
    if frame is None:
        return None
    texts = [value(frame, "off", "x"), value(frame, "off", "y"), value(frame, "ext", "cx"), value(frame, "ext", "cy")]
    try:
        left, top, width, height = map(int, texts)
    except ValueError:
        return None
    if frame.get("rot", "0") == "0":
        return Area(left, top, left + width, top + height)
    # Turned around its middle, it is nowhere farther from that than half of both sides.
    reach = (width + height) // 2
    across, down = left + width // 2, top + height // 2
    return Area(across - reach, down - reach, across + reach, down + reach)


def drawn_areas(shapes: Iterable[Element], colours: Palette) -> list[Area | None]:
    """Return what shapes that are no places for others paint over; None for one whose place is not known."""
    painting = (one for one in shapes if one.find("nvSpPr/nvPr/ph") is None and _paints(one, colours))
    return [area_of(frame_of(one)) for one in painting]


def backgrounds(
    shapes: Iterable[Element],
    page: str,
    painted: Iterable[Area | None],
    inherited: Callable[[Element], Iterable[Element]],
    colours: Palette,
) -> dict[Element, str]:
    """Return the colour behind the text of each shape of a slide whose page has a colour.

    `painted` is what its layout draws, `inherited` gives the shapes whose place and fill one takes if it has none. The
    shapes are in the order in which they are drawn. Text on what another shape may draw has an unknown background.
    """
    covered = list(painted)
    found: dict[Element, str] = {}
    for shape in shapes:
        models = [shape, *inherited(shape)]
        area = next((one for one in map(area_of, map(frame_of, models)) if one is not None), None)
        fills = (_fill(one, colours) for one in models)
        fill = next((one for one in fills if one is not None), _NO_FILL)
        if fill != _NO_FILL:
            found[shape] = fill
        elif any(area is None or one is None or one.meets(area) for one in covered):
            found[shape] = UNKNOWN
        else:
            found[shape] = page
        if fill != _NO_FILL or _paints(shape, colours):
            covered.append(area)
    return found


def _paints(shape: Element, colours: Palette) -> bool:
    return shape.tag in _DRAWN or _fill(shape, colours) not in (None, _NO_FILL)


def _fill(shape: Element, colours: Palette) -> str | None:
    """Return the colour of a shape, or that it has none; None if it does not say."""
    properties = shape.find("spPr")
    if properties is not None and properties.find("noFill") is not None:
        return _NO_FILL
    own = fill_colour(properties, colours)
    if own is None and value(shape, "style/fillRef", "idx") not in ("", "0"):
        return UNKNOWN
    return own
