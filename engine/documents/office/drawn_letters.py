"""How the texts of slides and drawings of Office set their letters, and in which colours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.archives.office import lines
from engine.documents.text.letters import PLAIN, Run
from engine.documents.text.looks import BLACK, NO_FORMAT, UNKNOWN, WHITE, LetterFormat, colour_of
from engine.documents.text.xml_values import integer, value

# Fills of which the colour of a point is not known here.
_OTHER_FILLS = ("gradFill", "blipFill", "pattFill", "grpFill")
# What shows letters other than their own colour: lines around them, effects, and what gives them another colour.
_MORE = ("ln/solidFill", "effectLst/*", "highlight", "hlinkClick")
_NAMED = {"white": WHITE, "black": BLACK}
# The names of a theme's colours, by those that texts use where a master says nothing else.
_USUAL_NAMES = {"bg1": "lt1", "tx1": "dk1", "bg2": "lt2", "tx2": "dk2"}


class Palette(NamedTuple):
    """The colours of a theme by their names, and the names that a master has for some; without a theme, none."""

    theme: Mapping[str, str] = {}
    names: Mapping[str, str] = _USUAL_NAMES

    def colour(self, fill: Element) -> str:
        """Return the colour of a fill as "rrggbb"; `UNKNOWN` for all others.

        Others are those that something changes, such as a tint, and names that are not known here.
        """
        colour = next(iter(fill), None)
        if colour is None or len(colour):
            return UNKNOWN
        said = colour.get("val", "")
        match colour.tag:
            case "srgbClr":
                return colour_of(said)
            case "schemeClr":
                return self.theme.get(self.names.get(said, said), UNKNOWN)
            case "sysClr":
                return colour_of(colour.get("lastClr"))
            case "prstClr":
                return _NAMED.get(said, UNKNOWN)
        return UNKNOWN


class ShapeStyles(NamedTuple):
    """What a shape says about its letters. What stands first here wins."""

    # Lists of styles by levels, which the shape has itself.
    of_shape: tuple[Element, ...] = ()
    # The colour by the look that the shape has.
    reference: LetterFormat = NO_FORMAT
    # Lists of styles by levels, from what the shape fills on the layout and the master.
    inherited: tuple[Element, ...] = ()
    # What the colours are that the styles name.
    colours: Palette = Palette()

    def of_level(self, level: int) -> LetterFormat:
        """Return what holds for the letters of a level that say nothing themselves."""
        formats = [format_of(style.find(f"lvl{level + 1}pPr/defRPr"), self.colours) for style in self.of_shape]
        formats.append(self.reference)
        formats += [format_of(style.find(f"lvl{level + 1}pPr/defRPr"), self.colours) for style in self.inherited]
        return reduce(LetterFormat.over, formats)


def palette(theme: Element, master: Element) -> Palette:
    """Return the colours of a theme, by the names that a master gives them."""
    schemes = theme.iter("clrScheme")
    colours = {colour.tag: Palette().colour(colour) for scheme in schemes for colour in scheme}
    mapping = master.find("clrMap")
    names = _USUAL_NAMES if mapping is None else dict(mapping.attrib)
    return Palette(colours, names)


def format_of(properties: Element | None, colours: Palette) -> LetterFormat:
    """Return what the properties of a run say."""
    if properties is None:
        return NO_FORMAT
    strike = properties.get("strike")
    # In hundredths of a point.
    size = integer(properties.get("sz"))
    fills = [child for child in properties if child.tag in ("solidFill", "noFill", *_OTHER_FILLS)]
    has_more = any(properties.find(path) is not None for path in _MORE)
    colour = None
    is_transparent = None
    if has_more:
        colour = UNKNOWN
        is_transparent = False
    elif fills:
        is_transparent = _is_transparent(fills[0])
        colour = colours.colour(fills[0]) if fills[0].tag == "solidFill" else UNKNOWN
    return LetterFormat(
        height=_percent(properties.get("baseline")),
        struck=None if strike is None else strike != "noStrike",
        hidden=is_transparent,
        colour=colour,
        points=size / 100 if size else None,
    )


def fill_colour(properties: Element | None, colours: Palette) -> str | None:
    """Return the colour that a shape, a cell or a page is filled with; None if it has no fill."""
    for child in () if properties is None else properties:
        if child.tag == "solidFill":
            return colours.colour(child)
        if child.tag in _OTHER_FILLS:
            return UNKNOWN
    return None


def drawn_lines(element: Element) -> str:
    """Return the paragraphs of a drawing that say something; breaks and tabs are spaces."""
    return lines(element, _runs)


def _runs(paragraph: Element) -> Iterator[Run]:
    """Yield the runs of a paragraph, as they themselves set their letters; breaks and tabs are spaces."""
    letters = PLAIN
    for child in paragraph.iter():
        if child.tag in ("r", "fld"):
            letters = format_of(child.find("rPr"), Palette()).look(UNKNOWN).letters
        elif child.tag in ("br", "tab"):
            yield Run(" ", letters)
        elif child.text:
            yield Run(child.text, letters)


def shape_styles(shape: Element, inherited: Iterable[Element], colours: Palette) -> ShapeStyles:
    """Return the styles of a shape's text, which has its own, a colour by its look, and what it inherits."""
    look = shape.find("style/fontRef")
    reference = NO_FORMAT
    if look is not None and len(look):
        reference = LetterFormat(colour=colours.colour(look))
    return ShapeStyles(tuple(shape.iterfind("txBody/lstStyle")), reference, tuple(inherited), colours)


def description(about: Element) -> str:
    """Return what the properties of a drawing say for those who do not see it; "" for a decoration."""
    is_decoration = value(about, "extLst/ext/decorative") in ("1", "true")
    words = about.get("descr") or about.get("title") or ""
    return "" if is_decoration else " ".join(words.split())


def _is_transparent(fill: Element) -> bool:
    return fill.tag == "noFill" or value(fill, "*/alpha") in ("0", "0%")


def _percent(text: str | None) -> float | None:
    """Return a share in thousandths of a percent, or in percent, as newer files have it."""
    try:
        return None if text is None else float(text.removesuffix("%"))
    except ValueError:
        return None
