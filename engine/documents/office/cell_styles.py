"""How the cells of XLSX files show what is in them: number formats, fonts, and what is behind their letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from xml.etree.ElementTree import Element

from engine.documents.text.looks import BLACK, NO_FORMAT, UNKNOWN, WHITE, LetterFormat, LookedRun, colour_of
from engine.documents.text.number_formats import BUILT_IN, colour_name
from engine.documents.text.xml_values import integer, value

# Colours by their numbers, of themes and of older versions, that are white or black in nearly all files.
_THEME = {"0": WHITE, "1": BLACK}
_INDEXED = {"0": BLACK, "1": WHITE, "8": BLACK, "9": WHITE, "65": WHITE}
_NAMED = {"white": WHITE, "black": BLACK}
_HEIGHTS = {"superscript": 1, "subscript": -1}
_OFF = ("0", "false")


class CellRun(NamedTuple):
    """Words of a string, with their own font; None if they have their cell's font."""

    words: str
    font: LetterFormat | None = None


class CellStyle(NamedTuple):
    """How a cell shows what is in it."""

    # The code of the format for numbers, such as "0.00"; "" shows them as they are.
    number_format: str = ""
    font: LetterFormat = NO_FORMAT
    # The colour behind the letters, as in `looks.Look`.
    behind: str = WHITE

    def looks(self, texts: list[CellRun], *, has_plain_colours: bool) -> list[LookedRun]:
        """Return the runs in a cell with their looks.

        Without `has_plain_colours`, something other than their style may colour cells.
        """
        behind = self.behind if has_plain_colours else UNKNOWN
        return [LookedRun(text.words, (text.font or self.font).look(behind)) for text in texts]

    def for_number(self, number: float) -> CellStyle:
        """Return how a cell shows a number, which may have a colour by the format: "[White]0"."""
        name = colour_name(number, self.number_format)
        if not name:
            return self
        return self._replace(font=self.font._replace(colour=_NAMED.get(name, UNKNOWN)))


def cell_styles(styles: Element) -> list[CellStyle]:
    """Return the styles that cells name by their numbers."""
    # Formats of numbers by their numbers; fonts and fills by their places.
    codes = {form.get("numFmtId", ""): form.get("formatCode", "") for form in styles.iter("numFmt")}
    fonts = [cell_font(font) for font in styles.iterfind("fonts/font")]
    fills = [_fill(fill) for fill in styles.iterfind("fills/fill")]
    bases = styles.findall("cellStyleXfs/xf")
    found_styles: list[CellStyle] = []
    for form in styles.iterfind("cellXfs/xf"):
        # What a format of cells does not say is said by the named style that it is of.
        base = integer(form.get("xfId"))
        said = {**(bases[base].attrib if base < len(bases) else {}), **form.attrib}
        number = said.get("numFmtId", "0")
        code = codes.get(number) or BUILT_IN.get(integer(number), "")
        font = integer(said.get("fontId"))
        fill = integer(said.get("fillId"))
        style = CellStyle(code)
        if font < len(fonts):
            style = style._replace(font=fonts[font])
        if fill < len(fills):
            style = style._replace(behind=fills[fill])
        found_styles.append(style)
    return found_styles


def cell_font(font: Element) -> LetterFormat:
    """Return the font that a style or a run of a string has."""
    struck = font.find("strike")
    is_struck = struck is not None and struck.get("val", "1") not in _OFF
    align = value(font, "vertAlign")
    try:
        points = float(value(font, "sz"))
    except ValueError:
        points = None
    return LetterFormat(_HEIGHTS.get(align), struck=is_struck, colour=_colour(font.find("color")), points=points)


def string_runs(string: Element) -> list[CellRun]:
    """Return the runs of a string, which may have formats, without its reading aids."""
    return list(_runs(string))


def _runs(string: Element) -> Iterator[CellRun]:
    """Yield the runs of a string; those without properties have the font of their cell."""
    for part in string:
        if part.tag == "t":
            yield CellRun(part.text or "")
        elif part.tag != "rPh":
            properties = part.find("rPr")
            font = None if properties is None else cell_font(properties)
            yield CellRun("".join(text.text or "" for text in part.iter("t")), font)


def _fill(fill: Element) -> str:
    """Return the colour of a fill; one of several colours is not known."""
    pattern = fill.find("patternFill")
    if pattern is None:
        return UNKNOWN
    match pattern.get("patternType", "none"):
        case "none":
            return WHITE
        case "solid":
            return _colour(pattern.find("fgColor"))
    return UNKNOWN


def _colour(colour: Element | None) -> str:
    # One that is made lighter or darker is another one.
    if colour is None or colour.get("tint", "0").strip("-0."):
        return UNKNOWN
    if "rgb" in colour.attrib:
        return colour_of(colour.get("rgb", "")[-6:])
    return _THEME.get(colour.get("theme", ""), _INDEXED.get(colour.get("indexed", ""), UNKNOWN))
