"""What the styles and the runs of DOCX files say about letters."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from engine.documents.text.code_blocks import is_code_font
from engine.documents.text.letters import Letters
from engine.documents.text.looks import NO_FORMAT, UNKNOWN, WHITE, LetterFormat, Look, colour_of
from engine.documents.text.xml_values import value

# The size of letters to which nothing gives a size, in points.
_USUAL_SIZE = 10
# Properties that draw letters in more colours than their own, or in others.
_EFFECTS = ("emboss", "glow", "imprint", "outline", "textFill", "textOutline")
_HEIGHTS = {"superscript": 1, "subscript": -1}
_HIGHLIGHTS = {
    "black": "000000",
    "blue": "0000ff",
    "cyan": "00ffff",
    "darkBlue": "00008b",
    "darkCyan": "008b8b",
    "darkGray": "a9a9a9",
    "darkGreen": "006400",
    "darkMagenta": "800080",
    "darkRed": "8b0000",
    "darkYellow": "808000",
    "green": "00ff00",
    "lightGray": "d3d3d3",
    "magenta": "ff00ff",
    "red": "ff0000",
    "white": WHITE,
    "yellow": "ffff00",
}


# The properties of runs that are read here.
_ASKED = {"color", "dstrike", "highlight", "position", "shd", "strike", "sz", "szCs", "vanish", "vertAlign", *_EFFECTS}


class WordLetters:
    """The formats of letters that the styles of a document define. A style may be based on itself."""

    def __init__(self, styles: Element, theme: Element) -> None:
        self._elements = {style.get("styleId", ""): style for style in styles.iter("style")}
        self._formats = dict[str, LetterFormat]()
        defaults = styles.find("docDefaults/rPrDefault")
        # The format of letters to which no style gives another, and the style of paragraphs that name no style.
        self._usual = LetterFormat() if defaults is None else format_of(defaults)
        usual_styles = (name for name, style in self._elements.items() if _is_usual(style))
        self._usual_style = next(usual_styles, "")
        # The fonts of the theme, by the beginnings of the names that styles and runs have for them.
        self._theme_fonts = {
            kind: value(theme, f"themeElements/fontScheme/{kind}Font/latin", "typeface") for kind in ("major", "minor")
        }
        # The fonts of the styles that were asked for, "" for one that has none.
        self._fonts = dict[str, str]()
        self._usual_font = "" if defaults is None else self._font_in(defaults)
        # Whether letters are in a font for code where nothing says otherwise, as in the manuscript of a play.
        self._is_usually_code = is_code_font(self._font_of_style(self._usual_style) or self._usual_font)

    def of_style(self, name: str) -> LetterFormat:
        """Return the format of a style. The styles that it is based on give what it does not say itself."""
        if name not in self._formats:
            # This ends the recursion for a style that is based on itself.
            self._formats[name] = LetterFormat()
            if (style := self._elements.get(name)) is not None:
                self._formats[name] = format_of(style).over(self.of_style(value(style, "basedOn")))
        return self._formats[name]

    def is_code(self, run: Element, paragraph: Element) -> bool:
        """Return whether a run of a paragraph is in a font for code, and most of the document is not."""
        if self._is_usually_code:
            return False
        style = value(paragraph, "pPr/pStyle") or self._usual_style
        font = self._font_in(run) or self._font_of_style(value(run, "rPr/rStyle")) or self._font_of_style(style)
        return is_code_font(font or self._usual_font)

    def _font_of_style(self, name: str) -> str:
        """Return the font that a style gives, or the nearest that it is based on; "" if none does."""
        if name not in self._fonts:
            # For a style that is based on itself.
            self._fonts[name] = ""
            if (style := self._elements.get(name)) is not None:
                self._fonts[name] = self._font_in(style) or self._font_of_style(value(style, "basedOn"))
        return self._fonts[name]

    def _font_in(self, source: Element) -> str:
        """Return the font of Latin letters that a style or a run gives itself; "" if it gives none."""
        fonts = source.find("rPr/rFonts")
        if fonts is None:
            return ""
        of_theme = fonts.get("asciiTheme") or ""
        return self._theme_fonts.get(of_theme[:5]) or fonts.get("ascii") or fonts.get("hAnsi") or ""

    def shades_tables(self, name: str) -> bool:
        """Return whether a style of tables, or a style that it is based on, may colour cells."""
        asked = set[str]()
        while name not in asked and (style := self._elements.get(name)) is not None:
            asked.add(name)
            if any(map(_has_colour, style.iter("shd"))):
                return True
            name = value(style, "basedOn")
        return False

    def of_paragraph(self, paragraph: Element) -> LetterFormat:
        """Return the format of those letters of a paragraph whose run gives them no format."""
        style = self.of_style(value(paragraph, "pPr/pStyle") or self._usual_style).over(self._usual)
        return format_of(paragraph).over(style)

    def of_run(self, run: Element, paragraph: LetterFormat) -> LetterFormat:
        """Return the format of a run; `paragraph` is the format of its paragraph's letters (`of_paragraph`).

        As in Word, a style of letters that strikes or hides them undoes what the paragraph's style does: letters that
        both styles strike are not struck. Letters that the document's defaults strike or hide stay so (ECMA-376, part
        1, 17.7.3). The run's own settings override all styles.
        """
        given = format_of(run)
        name = value(run, "rPr/rStyle")
        if not name:
            return paragraph if given is NO_FORMAT else given.over(paragraph)
        style = self.of_style(name)
        merged = style.over(paragraph)._replace(
            struck=_toggled(style.struck, paragraph.struck, self._usual.struck),
            hidden=_toggled(style.hidden, paragraph.hidden, self._usual.hidden),
        )
        return given.over(merged)


def _toggled(style: bool | None, paragraph: bool | None, usual: bool | None) -> bool:
    """Return whether letters are struck or hidden, by their style, their paragraph and the document's defaults."""
    return bool(usual and paragraph) or bool(style) != bool(paragraph)


def format_of(source: Element) -> LetterFormat:
    """Return the format that a style, a run or a paragraph gives itself, without the styles behind it."""
    element = source.find("rPr")
    properties = {} if element is None else {child.tag: child for child in element}
    behind_paragraph = shading(source, "pPr/shd")
    # Most runs have none of these properties.
    if behind_paragraph is None and properties.keys().isdisjoint(_ASKED):
        return NO_FORMAT
    behind = shading(source, "rPr/shd")
    if "highlight" in properties:
        behind = _HIGHLIGHTS.get(properties["highlight"].get("val", ""), behind)
    colour = None
    if not properties.keys().isdisjoint(_EFFECTS):
        colour = UNKNOWN
    elif "color" in properties:
        colour = _colour(properties["color"])
    align = _value_of(properties, "vertAlign")
    return LetterFormat(
        height=None if align is None else _HEIGHTS.get(align, 0),
        lift=_half_points(_value_of(properties, "position")),
        points=_half_points(_value_of(properties, "szCs" if properties.keys() & {"cs", "rtl"} else "sz")),
        struck=_is_on(properties, "strike"),
        struck_twice=_is_on(properties, "dstrike"),
        hidden=_is_on(properties, "vanish"),
        colour=colour,
        behind=behind,
        behind_paragraph=behind_paragraph,
    )


def shading(source: Element, path: str) -> str | None:
    """Return the colour that the shading at `path` gives to the ground of `source`; None if it gives none.

    It is `UNKNOWN` for a pattern of two colours.
    """
    if (element := source.find(path)) is None:
        return None
    kind = element.get("val", "clear")
    fill = element.get("fill", "auto")
    if kind == "solid":
        return colour_of(element.get("color"))
    if kind not in ("clear", "nil"):
        return UNKNOWN
    if kind == "nil":
        return None
    if fill == "auto" and element.get("themeFill") is None:
        return None
    return colour_of(fill)


def _has_colour(shade: Element) -> bool:
    """Return whether a shading may have another colour than the page."""
    return shade.get("fill", "auto") != "auto" or shade.get("val", "clear") != "clear"


def look_of(run: LetterFormat, paragraph: LetterFormat, page: str) -> Look:
    """Return how the letters of a run look in `paragraph`, on a page or in a cell with the colour `page`.

    Letters are not raised if the whole paragraph is raised.
    """
    points = run.points or _USUAL_SIZE
    usual = paragraph.points or _USUAL_SIZE
    lift = (run.lift or 0) - (paragraph.lift or 0)
    look = run.look(page)
    is_raised = look.letters.raised and (paragraph.height or 0) <= 0
    # Some documents raise and shrink letters instead. Letters raised a little in full size are no superscript.
    is_lifted = run.height is None and lift > 0 and (points < usual or lift * 4 >= points)
    is_lowered = look.letters.lowered or (run.height is None and lift < 0 and points < usual)
    is_struck = look.letters.struck or bool(run.struck_twice)
    return look._replace(letters=Letters(is_raised or is_lifted, is_struck, is_lowered))


def page_colour(document: Element, edges: Iterable[Element]) -> str:
    """Return the colour of the pages; `UNKNOWN` if it, or something else, is drawn behind their text."""
    said = value(document, "background", "color") or "auto"
    if said.lower() not in ("auto", WHITE) or any(map(_draws_behind, (document, *edges))):
        return UNKNOWN
    return WHITE


def _draws_behind(part: Element) -> bool:
    """Return whether something is drawn behind the text of a part of the document."""
    anchors = any(anchor.get("behindDoc") in ("1", "true", "on") for anchor in part.iter("anchor"))
    return anchors or any("z-index:-" in element.get("style", "") for element in part.iter())


def _is_usual(style: Element) -> bool:
    """Return whether this is the style of paragraphs that name no style."""
    return style.get("type") == "paragraph" and style.get("default") in ("1", "true", "on")


def _value_of(properties: dict[str, Element], name: str) -> str | None:
    """Return the value of the property called `name`, "" if it has none; None without that property."""
    return properties[name].get("val", "") if name in properties else None


def _is_on(properties: dict[str, Element], name: str) -> bool | None:
    """Return whether a property that is on or off is on; None without that property."""
    setting = _value_of(properties, name)
    return None if setting is None else setting not in ("0", "false", "off")


def _half_points(text: str | None) -> float | None:
    """Return in points a size that is written in half points; None if it is no such number.

    The format also allows sizes with a unit, but nobody writes them.
    """
    if text is None:
        return None
    try:
        return int(float(text)) / 2
    except (OverflowError, ValueError):
        return None


def _colour(colour: Element) -> str:
    """Return the colour of letters; `WHITE` for an unchanged light colour of the theme."""
    said = colour.get("val", "auto")
    is_changed = any(name in colour.attrib for name in ("themeShade", "themeTint"))
    if said == "auto" and colour.get("themeColor") in ("background1", "light1") and not is_changed:
        return WHITE
    return colour_of(said)
