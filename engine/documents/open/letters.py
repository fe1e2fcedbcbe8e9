"""What the styles of OpenDocument files say about letters."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from engine.documents.text.code_blocks import is_code_style
from engine.documents.text.looks import CLEAR, NO_FORMAT, UNKNOWN, WHITE, LetterFormat, colour_of

_LENGTH = re.compile(r"(-?\d*\.?\d+)(pt|cm|mm|in|pc|px)")
# Points for each unit.
_POINTS = {"pt": 1.0, "cm": 72 / 2.54, "mm": 7.2 / 2.54, "in": 72.0, "pc": 12.0, "px": 0.75}
_HEIGHTS = {"super": 33, "sub": -33}
_OF_LETTERS = ("text-properties", "properties")
# The family of styles that say what is behind the cells of a table.
_OF_TABLES = ("table", "table-row", "table-column")


class OpenStyles:
    """The styles of a document, by their families and names."""

    def __init__(self, *parts: Element) -> None:
        # By family and name; what all styles of a family are based on has the name "".
        self._elements = dict[tuple[str, str], Element]()
        # The formats that were asked for.
        self._formats = dict[tuple[str, str], LetterFormat]()
        # The names of fonts, by those that the document gives them.
        self._fonts = dict[str, str]()
        self._pages: list[Element] = []
        for part in parts:
            for element in part.iter():
                if element.tag in ("style", "default-style"):
                    self._elements[element.get("family", ""), element.get("name", "")] = element
                elif element.tag == "font-face":
                    self._fonts[element.get("name", "")] = element.get("font-family", "").strip("'\"")
                elif element.tag == "page-layout":
                    self._pages.append(element)

    def said(self, family: str, name: str, attribute: str) -> str | None:
        """Return an attribute of a style, or of the nearest that this is based on; None if none has it."""
        for style in self._with_bases(family, name):
            given = next((properties.get(attribute) for properties in style if attribute in properties.attrib), None)
            if given is not None:
                return given
        return None

    def format(self, family: str, name: str) -> LetterFormat:
        """Return what a style says about letters; with the name "", what all of a family have."""
        key = family, name
        if key not in self._formats:
            merged = NO_FORMAT
            for style in self._with_bases(family, name):
                merged = merged.over(_format_of(style, self._fonts))
            self._formats[key] = merged
        return self._formats[key]

    def is_code(self, name: str) -> bool:
        """Return whether a style of paragraphs, or one that it is based on, is one for code."""
        names = (style.get("name", "").replace("_20_", " ") for style in self._with_bases("paragraph", name))
        return any(map(is_code_style, names))

    @property
    def page(self) -> str:
        """The colour of the pages of a text; `UNKNOWN` if it, or something else, is drawn behind their text."""
        return UNKNOWN if any(map(_draws_behind, (*self._elements.values(), *self._pages))) else WHITE

    @property
    def in_tables(self) -> str | None:
        """The colour behind cells that have none, if it is not the page's colour."""
        families = (style for (family, _), style in self._elements.items() if family in _OF_TABLES)
        return UNKNOWN if any(_background(style, "") not in (None, CLEAR) for style in families) else None

    def _with_bases(self, family: str, name: str) -> Iterator[Element]:
        """Yield a style and those that it is based on, the nearest first. A style may be based on itself."""
        asked = set[str]()
        while name not in asked and (style := self._elements.get((family, name))) is not None:
            asked.add(name)
            yield style
            name = style.get("parent-style-name", "")


def length(text: str | None) -> float | None:
    """Return a length in points; None for one that is not known, such as a share of another."""
    measure = _LENGTH.fullmatch(text or "")
    return float(measure[1]) * _POINTS[measure[2]] if measure else None


def _format_of(style: Element, fonts: Mapping[str, str]) -> LetterFormat:
    """Return what a style itself says. `fonts` are the names of fonts, by those that the document gives them."""
    text: dict[str, str] = {}
    for properties in style:
        if properties.tag in _OF_LETTERS:
            text |= properties.attrib
    cell = _background(style, "table-cell-properties")
    # Conditions may colour a cell.
    if style.find("map") is not None:
        cell = UNKNOWN
    return LetterFormat(
        height=_height(text.get("text-position")),
        struck=_is_struck(text),
        hidden=_is_transparent(text),
        colour=_colour(text),
        points=_points(text),
        behind=_background(style, "text-properties"),
        behind_paragraph=_background(style, "paragraph-properties"),
        behind_cell=cell,
        font=fonts.get(text["font-name"], text["font-name"]) if "font-name" in text else text.get("font-family"),
    )


def _points(text: Mapping[str, str]) -> float | None:
    """Return the size of letters: the largest of the sizes for different scripts, which are not told apart."""
    usual = length(text.get("font-size"))
    others = (length(text.get(f"font-size-{scripts}")) for scripts in ("asian", "complex"))
    return None if usual is None else max(usual, *(size for size in others if size is not None), usual)


def _height(position: str | None) -> int | None:
    """Return how far letters are above the line, as in "33% 58%" and "super 58%", in percent of their size."""
    if not position:
        return None
    height = position.split()[0]
    try:
        return _HEIGHTS.get(height) or int(float(height.removesuffix("%")))
    except (OverflowError, ValueError):
        return None


def _is_struck(text: Mapping[str, str]) -> bool | None:
    """Return whether letters are struck; None if nothing says it."""
    lines = [text[name] for name in ("text-line-through-style", "text-line-through-type") if name in text]
    return all(line != "none" for line in lines) if lines else None


def _is_transparent(text: Mapping[str, str]) -> bool | None:
    # LibreOffice writes an opacity of 0 also for letters whose colour it chooses.
    if text.get("use-window-font-color") == "true":
        return False
    return text.get("opacity") == "0%" if "color" in text else None


def _colour(text: Mapping[str, str]) -> str | None:
    has_effects = text.get("text-shadow", "none") != "none" or text.get("text-outline") == "true"
    if has_effects or text.get("use-window-font-color") == "true":
        return UNKNOWN
    return colour_of(text["color"]) if "color" in text else None


def _background(style: Element, tag: str) -> str | None:
    """Return the background colour in those of a style's properties that have a tag; in all of them for the tag "".

    Returns `UNKNOWN` for a picture, `CLEAR` for one that is transparent, and None if nothing is said.
    """
    background: str | None = None
    for properties in style:
        if tag in ("", properties.tag):
            if properties.find("background-image[@href]") is not None:
                return UNKNOWN
            background = properties.get("background-color", background)
            if background not in (None, CLEAR):
                return colour_of(background)
    return background


# The properties of areas whose place on a page is not followed.
_AREAS = ("section-properties", "header-footer-properties")


def _draws_behind(style: Element) -> bool:
    """Return whether a style draws something behind text, or, for a page layout, makes its pages other than white.

    Areas whose place is not followed, such as sections, headers and footers, count if they are not white.
    """
    for properties in style.iter():
        if properties.get("run-through") == "background" or properties.find("background-image[@href]") is not None:
            return True
        background = properties.get("background-color", CLEAR)
        is_coloured = background != CLEAR and colour_of(background) != WHITE
        if properties.tag in _AREAS and is_coloured:
            return True
        if properties.tag == "paragraph-properties" and properties.get("fill", "none") not in ("none", "solid"):
            return True
        if properties.tag == "page-layout-properties":
            fill = properties.get("fill", "none")
            colour = properties.get("fill-color", "")
            is_plain = fill == "none" or (fill == "solid" and colour_of(colour) == WHITE)
            if not is_plain or _background(style, "") not in (None, CLEAR, WHITE):
                return True
    return False
