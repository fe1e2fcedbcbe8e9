"""How HTML pages show their letters: raised, struck, and in ways that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from tinycss2.color4 import parse_color

from engine.documents.pages.styles import UNCLEAR, Declarations
from engine.documents.text.letters import PLAIN, Letters
from engine.documents.text.looks import CLEAR, UNKNOWN, WHITE, Look, colour_of

_STRUCK = ("del", "s", "strike")
_USUAL_PIXELS = 16.0
_POINTS_OF_PIXEL = 0.75
_LENGTH = re.compile(r"([+-]?\d*\.?\d+)(px|pt|em|rem|%|vw|vh)?")
# Pixels, and shares of a font, for each unit. A window has about 1,000 pixels each way.
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3, "vw": 10.0, "vh": 10.0}
_SHARES = {"em": 1.0, "%": 0.01}
# The size in the property `font`, with the height of lines behind it.
_SIZE = re.compile(rf"(?:^|\s)({_LENGTH.pattern})(?=\s|/)")
_COLOURED = ("a", "button", "mark", "option", "select", "textarea")
_COLOUR_ATTRIBUTES = {"font": "color", "body": "text"}
# What may draw letters that have no colour.
_DRAWING = ("text-shadow", "background-clip", "-webkit-background-clip", "-webkit-text-stroke")
_PICTURE = re.compile(r"gradient\(|url\(|image")
# What leaves a background as it is around.
_NO_COLOUR = ("none", "inherit", "initial", "unset")
_PLACED = ("absolute", "fixed")
# What shows later what was clear before.
_MOVING = ("animation", "transition", "-webkit-animation", "-webkit-transition")
_SIDES = {
    "margin": ("margin-top", "margin-right", "margin-bottom", "margin-left"),
    "inset": ("top", "right", "bottom", "left"),
}
# So far to the left or above, nothing is on a page any more.
_BESIDE_PAGE = -900
# In boxes of so many pixels, and with so much opacity, letters are not seen.
_LEAST_PIXELS = 1
_LEAST_OPACITY = 0.02
# How much an item of a flexible box grows: not at all.
_NO_GROWTH = ("0", "initial", "none", "unset")
_OF_TABLES = ("table", "td", "th", "tr")
_AXES = (("height", "block-size"), ("width", "inline-size"))
_CUT_OFF = re.compile(r"hidden|clip|auto|scroll")
_FILTERED = re.compile(r"\bopacity\(([^()]*)\)")
_TRANSLATION = re.compile(r"\btranslate(?:[xy]|3d)?\(([^()]*)\)")
# Functions of transforms that leave no area: of a scale in two directions, either may be 0.
_NO_AREA = re.compile(
    r"\bscale(?:[xy]|3d)?\(\s*(?:[^\s,()]+[\s,]+)?0%?[\s,)]|\brotate[xy]\(-?90deg|\bmatrix\((?:\s*0\s*,){4}"
)
_CLIPPED = re.compile(r"rect\((\s*[01](px)?[\s,]*){4}\)")
_CUT = re.compile(r"inset\((50|100)%.*|(circle|ellipse)\(\s*0.*|polygon\([\s0,px%]*\)")


class PageLetters(NamedTuple):
    """How the letters in an element are shown. Without `pixels`, their size is not known."""

    letters: Letters = PLAIN
    # As in `Look`, or `CLEAR` for letters without any opacity, which look like what is behind them.
    colour: str = UNKNOWN
    # As in `Look`, and never `CLEAR`.
    background: str = WHITE
    pixels: float | None = _USUAL_PIXELS
    # Whether the CSS property `visibility` lets them be seen.
    is_visible: bool = True
    # Whether more than their colour may draw them: a shadow, an outline, or a picture behind them.
    is_drawn: bool = False

    @property
    def look(self) -> Look:
        points = None if self.pixels is None else self.pixels * _POINTS_OF_PIXEL
        is_clear = self.colour == CLEAR
        colour = UNKNOWN if is_clear else self.colour
        is_hidden = not self.is_visible or (is_clear and not self.is_drawn)
        return Look(self.letters, colour, self.background, points, is_hidden)

    def within(self, tag: str, attributes: Mapping[str, str], styles: Declarations) -> PageLetters:
        """Return how the letters of an element are shown whose parent's are shown so."""
        colour = styles.get("-webkit-text-fill-color") or styles.get("color", "")
        colour = colour or attributes.get(_COLOUR_ATTRIBUTES.get(tag, ""), "")
        # Links and fields have a colour of their own.
        if not colour and tag in _COLOURED:
            colour = UNCLEAR
        visibility = styles.get("visibility", "")
        size = _SIZE.search(styles.get("font", ""))
        return PageLetters(
            self._letters(tag, styles),
            _colour(colour, self.colour),
            self._background(attributes, styles),
            self._pixels(styles.get("font-size") or (size[1] if size else "")),
            self.is_visible if visibility in ("", "inherit") else visibility not in ("hidden", "collapse"),
            self.is_drawn or _is_drawn(styles),
        )

    def _letters(self, tag: str, styles: Declarations) -> Letters:
        """Return how an element sets its letters. A link that is raised leads to a note."""
        lines = styles.get("text-decoration", "") + styles.get("text-decoration-line", "")
        is_struck = self.letters.struck or tag in _STRUCK or "line-through" in lines
        align = styles.get("vertical-align", "")
        moved_down = _moved_down(styles)
        if tag == "sup" or align == "super" or moved_down < 0:
            return Letters(True, is_struck)
        if tag == "sub" or align == "sub" or moved_down > 0:
            return Letters(False, is_struck, True)
        return Letters(self.letters.raised and tag != "a", is_struck, self.letters.lowered)

    def _background(self, attributes: Mapping[str, str], styles: Declarations) -> str:
        """Return the colour behind an element's letters."""
        # Placed elements may lie over anything, so what is behind their letters is unknown.
        if styles.get("position") in (*_PLACED, UNCLEAR) or attributes.get("background"):
            return UNKNOWN
        if any(name in styles for name in ("background-image", "text-shadow", "filter")):
            return UNKNOWN
        said = {styles[name] for name in ("background", "background-color") if styles.get(name)}
        if len(said) > 1:
            # Which of them was said last, and so counts, is not known.
            return UNKNOWN
        background = next(iter(said), attributes.get("bgcolor", ""))
        colour = _colour("" if background in _NO_COLOUR else background, self.background)
        # What has no opacity shows what is behind it.
        return self.background if colour == CLEAR else colour

    def _pixels(self, size: str) -> float | None:
        """Return the size in pixels of the letters of an element inside these.

        `size` is its `font-size` in lower case. Returns None if the size cannot be known, as for shares of the root
        element's, which pages for phones make as large as 100 pixels.
        """
        if not size or size == "inherit":
            return self.pixels
        length = _LENGTH.fullmatch(size)
        if length is None:
            return None
        number = float(length[1])
        unit = length[2] or ""
        if unit in _SHARES:
            return None if self.pixels is None else number * _SHARES[unit] * self.pixels
        return number * _PIXELS[unit] if unit in _PIXELS else None


def _moved_down(styles: Declarations) -> float:
    """Return how far smaller letters are moved down from their line, as LibreOffice's books have them; else 0.

    They are moved by a place of their own, or by a length that their line is above the usual one.
    """
    size = _LENGTH.fullmatch(styles.get("font-size", ""))
    is_smaller = size is not None and float(size[1]) * _SHARES.get(size[2] or "", 1) < 1
    if not is_smaller:
        return 0
    raised = _pixels_of(styles.get("vertical-align", ""))
    if styles.get("position") != "relative" or raised:
        return -raised
    return _pixels_of(styles.get("top", "")) or -_pixels_of(styles.get("bottom", ""))


def _is_drawn(styles: Declarations) -> bool:
    """Return whether an element's styles may draw its letters even if these have no colour."""
    behind = f"{styles.get('background', '')} {styles.get('background-image', '')}"
    return any(name.startswith(_DRAWING) for name in styles) or bool(_PICTURE.search(behind)) or UNCLEAR in behind


def is_left_out(styles: Declarations) -> bool:
    """Return whether neither an element nor anything in it is shown.

    Such an element has no box, no opacity, or is turned or moved away, unless it moves.
    """
    if styles.get("display") == "none" or styles.get("content-visibility") == "hidden":
        return True
    shares = [styles.get("opacity", ""), *_FILTERED.findall(styles.get("filter", ""))]
    return not _is_moving(styles) and (any(map(_is_clear, shares)) or _is_transformed_away(styles))


def _is_transformed_away(styles: Declarations) -> bool:
    """Return whether an element is scaled to nothing, seen from its side, or moved beside the page."""
    by_name = {name: styles.get(name, "") for name in ("transform", "scale", "translate")}
    functions = "{transform} scale({scale}) translate({translate})".format_map(by_name)
    lengths = re.split(r"[\s,]+", " ".join(_TRANSLATION.findall(functions)))
    return bool(_NO_AREA.search(functions)) or min(map(_pixels_of, lengths)) < _BESIDE_PAGE


def is_for_listeners(tag: str, styles: Declarations) -> bool:
    """Return whether an element is beside the page or cut to nothing, where only programs that read aloud find it."""
    is_cut = bool(_CUT.fullmatch(styles.get("clip-path", "")))
    is_clipped = styles.get("position") in _PLACED and bool(_CLIPPED.fullmatch(styles.get("clip", "")))
    is_indented = _pixels_of(styles.get("text-indent", "")) < _BESIDE_PAGE
    return is_cut or is_clipped or is_indented or _is_flat(tag, styles) or _is_beside_page(styles)


def _is_beside_page(styles: Declarations) -> bool:
    """Return whether an element is moved to the left, the right or above the page."""
    margin_top, _, _, margin_left = _sides("margin", styles)
    # Padding of the same size takes such a margin back: it makes room above a place to jump to.
    if min(margin_top, margin_left) < _BESIDE_PAGE and not _has_padding(styles):
        return True
    top, right, bottom, left = _sides("inset", styles)
    # A drawer comes into the window when it is opened.
    if styles.get("position") == "fixed" and not _is_moving(styles):
        in_window = {name: value.replace("%", "vw") for name, value in styles.items()}
        top, right, bottom, left = _sides("inset", in_window)
        top = min(top, -bottom)
    return styles.get("position") in (*_PLACED, "relative") and min(top, right, left) < _BESIDE_PAGE


def _sides(name: str, styles: Declarations) -> list[float]:
    """Return the pixels of a property such as `margin` on the four sides."""
    words = styles.get(name, "0").split() * 4
    lengths = (styles.get(side) or word for side, word in zip(_SIDES[name], words, strict=False))
    return [_pixels_of(length) for length in lengths]


def _is_flat(tag: str, styles: Declarations) -> bool:
    """Return whether an element has no height or no width, and shows nothing beside its box."""
    # Cells are as large as what is in them, and padding has a size of its own. An animation may unfold the others.
    if tag in _OF_TABLES or _has_padding(styles) or _is_moving(styles):
        return False
    overflow = " ".join(value for name, value in styles.items() if name.startswith("overflow"))
    return bool(_CUT_OFF.search(overflow)) and any(_has_no_size(names, styles) for names in _AXES)


def _has_no_size(names: tuple[str, str], styles: Declarations) -> bool:
    """Return whether an element has no size along an axis, from which no flexible box lets it grow."""
    if any(not _is_nothing(styles.get(f"min-{name}", "0")) for name in names):
        return False
    growth = styles.get("flex-grow") or styles.get("flex", "none").split()[0]
    sizes = [f"max-{name}" for name in names] + [name for name in names if growth in _NO_GROWTH]
    return any(_is_nothing(styles.get(name, "")) for name in sizes)


def _is_moving(styles: Declarations) -> bool:
    """Return whether an animation or a script may move an element, or show it, later."""
    return any(name.startswith(_MOVING) for name in styles)


def _has_padding(styles: Declarations) -> bool:
    padding = " ".join(value for name, value in styles.items() if name.startswith("padding"))
    return not all(map(_is_nothing, padding.split()))


def _is_nothing(length: str) -> bool:
    """Return whether a length is known, and too short to show letters; shares are known only if they are none."""
    measure = _LENGTH.fullmatch(length)
    is_known = measure is not None and (measure[2] != "%" or float(measure[1]) == 0)
    return is_known and abs(_pixels_of(length)) <= _LEAST_PIXELS


def _is_clear(opacity: str) -> bool:
    number = _LENGTH.fullmatch(opacity)
    return number is not None and abs(float(number[1])) <= _LEAST_OPACITY * (100 if number[2] == "%" else 1)


def _pixels_of(length: str) -> float:
    """Return a length in pixels, with the usual size of letters; 0 if it is not known."""
    measure = _LENGTH.fullmatch(length)
    if measure is None:
        return 0
    unit = measure[2] or ""
    return float(measure[1]) * _PIXELS.get(unit, _USUAL_PIXELS * _SHARES.get(unit, 1))


@lru_cache(maxsize=1024)
def _colour(text: str, around: str) -> str:
    """Return a colour, `around` if there is none, and `CLEAR` for one without any opacity."""
    text = text.strip().lower()
    if text in ("", "inherit", "currentcolor"):
        return around
    try:
        colour = parse_color(text).to("srgb")
    # It is no colour, or in a space such as Lab's.
    except (AttributeError, NotImplementedError):
        return colour_of(text)
    if colour.alpha < 1:
        return CLEAR if colour.alpha <= _LEAST_OPACITY else UNKNOWN
    return bytes(round(255 * min(max(share, 0), 1)) for share in colour.coordinates).hex()
