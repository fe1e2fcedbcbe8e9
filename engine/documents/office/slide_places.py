"""Where slides of PowerPoint have their shapes, and how these are filled."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from engine.documents.office.drawn_letters import Palette, fill_colour
from engine.documents.text.looks import UNKNOWN
from engine.documents.text.places import Area, Shape
from engine.documents.text.xml_values import value

_FRAMES = ("spPr/xfrm", "grpSpPr/xfrm", "xfrm")
# What draws something wherever it is.
_DRAWN = ("pic", "graphicFrame", "grpSp", "cxnSp", "contentPart", "AlternateContent")


def area_of(models: Iterable[Element]) -> Area | None:
    """Return the area, in the slide's units, of the first of these shapes that has a frame; None if none has.

    `models` are a shape and those whose place it fills. None, too, if the frame is turned or has no usable numbers.
    """
    frames = (shape.find(path) for shape in models for path in _FRAMES)
    frame = next((candidate for candidate in frames if candidate is not None), None)
    if frame is None or frame.get("rot", "0") != "0":
        return None
    texts = [value(frame, "off", "x"), value(frame, "off", "y"), value(frame, "ext", "cx"), value(frame, "ext", "cy")]
    try:
        left, top, width, height = map(int, texts)
    except ValueError:
        return None
    return Area(left, top, left + width, top + height)


def placed(shape: Element, inherited: Iterable[Element], colours: Palette) -> Shape:
    """Return where a shape is, and its fill; those whose place it fills say what it does not."""
    models = [shape, *inherited]
    fill = None
    for model in models:
        properties = model.find("spPr")
        fill = fill_colour(properties, colours)
        if fill is None and value(model, "style/fillRef", "idx") not in ("", "0"):
            fill = UNKNOWN
        if properties is not None and properties.find("noFill") is not None:
            fill = None
            break
        if fill is not None:
            break
    return Shape(shape, area_of(models), fill, shape.tag in _DRAWN)


def drawn_areas(shapes: Iterable[Element], colours: Palette) -> list[Area | None]:
    """Return what shapes that are no places for others paint over; None for one whose place is not known."""
    free = (placed(shape, (), colours) for shape in shapes if shape.find("nvSpPr/nvPr/ph") is None)
    return [shape.area for shape in free if shape.is_drawn or shape.fill is not None]
