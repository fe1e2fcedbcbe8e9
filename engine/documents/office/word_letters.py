"""What the styles and the runs of DOCX files say about letters."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from engine.documents.text.letters import Letters
from engine.documents.text.looks import NO_FORMAT, UNKNOWN, WHITE, LetterFormat, Look, colour_of
from engine.documents.text.xml_values import value

# In points, what letters have that nothing says a size of.
_USUAL_SIZE = 10
# What shows letters in addition to their own colour, or instead of it.
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

    def __init__(self, styles: Element) -> None:
        self._elements = {style.get("styleId", ""): style for style in styles.iter("style")}
        self._formats = dict[str, LetterFormat]()
        defaults = styles.find("docDefaults/rPrDefault")
        # What holds where no style says it, and the style of paragraphs that name none.
        self._usual = LetterFormat() if defaults is None else format_of(defaults)
        usual_styles = (name for name, style in self._elements.items() if _is_usual(style))
        self._usual_style = next(usual_styles, "")

    def of_style(self, name: str) -> LetterFormat:
        """Return what a style says, or the nearest that it is based on."""
        if name not in self._formats:
            # For a style that is based on itself.
            self._formats[name] = LetterFormat()
            if (style := self._elements.get(name)) is not None:
                self._formats[name] = format_of(style).over(self.of_style(value(style, "basedOn")))
        return self._formats[name]

    def shades_tables(self, name: str) -> bool:
        """Return whether a style of tables, or one that it is based on, may colour cells."""
        asked = set[str]()
        while name not in asked and (style := self._elements.get(name)) is not None:
            asked.add(name)
            if any(map(_has_colour, style.iter("shd"))):
                return True
            name = value(style, "basedOn")
        return False

    def of_paragraph(self, paragraph: Element) -> LetterFormat:
        """Return the format of letters in a paragraph that have none of their own."""
        style = self.of_style(value(paragraph, "pPr/pStyle") or self._usual_style).over(self._usual)
        return format_of(paragraph).over(style)

    def of_run(self, run: Element, paragraph: LetterFormat) -> LetterFormat:
        """Return the format of a run; `paragraph` is the format of its paragraph's letters (`of_paragraph`).

        As in Word, a style of letters that strikes or hides them undoes what the paragraph's style does: letters that
        both strike are not struck. What the document's defaults strike or hide, such a style does not undo (ECMA-376,
        part 1, 17.7.3). Only the run's own settings are final.
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
    """Return what a style, a run or a paragraph itself says."""
    element = source.find("rPr")
    properties = {} if element is None else {child.tag: child for child in element}
    behind_paragraph = shading(source, "pPr/shd")
    # Most runs say nothing of this.
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
    """Return the colour of a shading; None if there is none."""
    if (element := source.find(path)) is None:
        return None
    kind = element.get("val", "clear")
    fill = element.get("fill", "auto")
    if kind == "solid":
        return colour_of(element.get("color"))
    if kind not in ("clear", "nil"):
        return UNKNOWN
    is_plain = kind == "nil" or (fill == "auto" and element.get("themeFill") is None)
    return None if is_plain else colour_of(fill)


def _has_colour(shade: Element) -> bool:
    return shade.get("fill", "auto") != "auto" or shade.get("val", "clear") != "clear"


def look_of(run: LetterFormat, paragraph: LetterFormat, page: str) -> Look:
    """Return how the letters of a run look in a paragraph, on a page or in a cell of a colour.

    They are not raised if all of the paragraph is.
    """
    points = run.points or _USUAL_SIZE
    usual = paragraph.points or _USUAL_SIZE
    lift = (run.lift or 0) - (paragraph.lift or 0)
    look = run.look(page)
    is_raised = look.letters.raised and (paragraph.height or 0) <= 0
    # Others raise and shrink letters by themselves. A little more height alone is a matter of looks.
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
    anchors = any(anchor.get("behindDoc") in ("1", "true", "on") for anchor in part.iter("anchor"))
    return anchors or any("z-index:-" in element.get("style", "") for element in part.iter())


def _is_usual(style: Element) -> bool:
    return style.get("type") == "paragraph" and style.get("default") in ("1", "true", "on")


def _value_of(properties: dict[str, Element], name: str) -> str | None:
    """Return the value of a property; None if it is not among these."""
    return properties[name].get("val", "") if name in properties else None


def _is_on(properties: dict[str, Element], name: str) -> bool | None:
    setting = _value_of(properties, name)
    return None if setting is None else setting not in ("0", "false", "off")


def _half_points(text: str | None) -> float | None:
    """Return a number of half points in points; sizes may also have a unit, which nobody writes."""
    try:
        return None if text is None else int(float(text)) / 2
    except (OverflowError, ValueError):
        return None


def _colour(colour: Element) -> str:
    said = colour.get("val", "auto")
    is_changed = any(name in colour.attrib for name in ("themeShade", "themeTint"))
    if said == "auto" and colour.get("themeColor") in ("background1", "light1") and not is_changed:
        return WHITE
    return colour_of(said)
