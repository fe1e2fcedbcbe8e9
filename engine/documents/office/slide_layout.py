"""What a slide takes from its layout and its master: places, styles of letters, colours and what these draw."""

from __future__ import annotations

from itertools import chain
from xml.etree.ElementTree import Element

from engine.documents.office.drawn_letters import Palette, fill_colour, palette
from engine.documents.office.slide_places import drawn_areas
from engine.documents.text.looks import UNKNOWN, WHITE
from engine.documents.text.places import Area
from engine.documents.text.xml_values import value

# The kind of the master's place that a slide's place takes its look from, where it has another name.
_KINDS = {"": "body", "obj": "body", "subTitle": "body", "ctrTitle": "title"}
# The number by which a page refers to the first of the theme's fills for pages.
_PLAIN_FILL = "1001"


class SlideLayout:
    """A layout with its master and theme, whose XML has names without namespaces."""

    def __init__(self, master: Element, layout: Element, theme: Element) -> None:
        self._master = master
        self._layout = layout
        self.colours = palette(theme, master)
        if layout.find("clrMapOvr/overrideClrMapping") is not None:
            # The layout gives the theme's colours other names, which are not read: they count as unknown.
            self.colours = Palette()
        fills = next(iter(theme.iter("bgFillStyleLst")), Element("none"))
        first_fill = next(iter(fills), None)
        # Whether the fill _PLAIN_FILL has one colour.
        self._has_plain_fill = first_fill is not None and first_fill.tag == "solidFill"
        # The areas that the layout and the master paint behind a slide's own shapes; None for one that is not known.
        self.drawn: list[Area | None] = []
        # The places of the layout by their numbers and their kinds, and the places of the master by their kinds.
        self._by_number = dict[str, Element]()
        self._by_kind = dict[str, Element]()
        self._of_master = dict[str, Element]()
        for shape in _places(layout):
            self._by_number.setdefault(value(shape, "nvSpPr/nvPr/ph", "idx"), shape)
            self._by_kind.setdefault(_kind_of_master(shape), shape)
        for shape in _places(master):
            self._of_master.setdefault(_kind_of_master(shape), shape)
        for tree in chain(layout.iter("spTree"), master.iter("spTree")):
            self.drawn += drawn_areas(tree, self.colours)

    def models(self, shape: Element) -> list[Element]:
        """Return the places that a slide's shape fills: the layout's place, if any, then the master's."""
        place = shape.find("nvSpPr/nvPr/ph")
        if place is None:
            return []
        kind = _kind_of_master(shape)
        # Without a number its kind alone counts: no place has the number "-".
        on_layout = self._by_number.get(place.get("idx") or "-", self._by_kind.get(kind))
        on_master = self._of_master.get(kind if on_layout is None else _kind_of_master(on_layout))
        return [model for model in (on_layout, on_master) if model is not None]

    def styles(self, shape: Element) -> list[Element]:
        """Return the styles of text that a shape takes, the one above all first."""
        styles = [style for model in self.models(shape) for style in model.iterfind("txBody/lstStyle")]
        is_place = shape.find("nvSpPr/nvPr/ph") is not None
        return [*styles, *self._master.iterfind(f"txStyles/{'body' if is_place else 'other'}Style")]

    def page_colour(self, slide: Element) -> str:
        """Return the colour of a slide's page; `UNKNOWN` if it has a picture or more than one colour."""
        pages = (part.find("cSld/bg") for part in (slide, self._layout, self._master))
        page = next((background for background in pages if background is not None), None)
        if page is None:
            return WHITE
        if (reference := page.find("bgRef")) is not None:
            is_plain = reference.get("idx") == _PLAIN_FILL and self._has_plain_fill
            return self.colours.colour(reference) if is_plain else UNKNOWN
        return fill_colour(page.find("bgPr"), self.colours) or UNKNOWN


def kind_of(shape: Element) -> str:
    """Return the kind of the place on the master that a shape fills; "" for a free one."""
    return value(shape, "nvSpPr/nvPr/ph", "type")


def _kind_of_master(shape: Element) -> str:
    """Return the kind that the master has for a shape."""
    return _KINDS.get(kind_of(shape), kind_of(shape))


def _places(part: Element) -> list[Element]:
    """Return the shapes of a layout or a master that shapes of slides fill."""
    return [shape for shape in part.iter("sp") if shape.find("nvSpPr/nvPr/ph") is not None]
