"""How HTML pages show their letters: raised, struck, and in ways that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from engine.documents.pages.styles import UNCLEAR, Declarations
from engine.documents.text.letters import PLAIN, Letters
from engine.documents.text.looks import BLACK, CLEAR, UNKNOWN, WHITE, Look, colour_of

_STRUCK = ("del", "s", "strike")
_USUAL_PIXELS = 16.0
_POINTS_OF_PIXEL = 0.75
_LENGTH = re.compile(r"(-?\d*\.?\d+)(px|pt|em|rem|%|vw|vh)?")
# Pixels, and shares of a font, for each unit. What vw and vh are depends on the window: no size of letters is known.
_PIXELS = {"": 1.0, "px": 1.0, "pt": 4 / 3}
_SHARES = {"em": 1.0, "%": 0.01}
_NAMED = {"white": WHITE, "black": BLACK}
_SHORT = re.compile(r"#[0-9a-f]{3}")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*[,\s]\s*(\d{1,3})\s*[,\s]\s*(\d{1,3})\s*(?:[,/]\s*(\d*\.?\d+%?)\s*)?\)")
_COLOURED = ("a", "button", "mark", "option", "select", "textarea")
# What leaves a background as it is around.
_NO_COLOUR = ("none", "inherit", "initial", "unset")
_PLACED = ("absolute", "fixed")
# What shows later what was clear before.
_MOVING = ("animation", "transition", "-webkit-animation", "-webkit-transition")
# So far to the left or above, nothing is on a page any more.
_BESIDE_PAGE = -900
_NOTHING = ("0", "0px")
# How much an item of a flexible box grows: not at all.
_NO_GROWTH = ("0", "initial", "none", "unset")
_OF_TABLES = ("table", "td", "th", "tr")
_POINT = re.compile(r"\bscale\(\s*0\s*[,)]")
_CUT = re.compile(r"^rect\((\s*[01](px)?[\s,]*){4}\)|^inset\((50|100)%\)")
_SIDES = ("left", "top", "margin-left", "margin-top")


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

    @property
    def look(self) -> Look:
        points = None if self.pixels is None else self.pixels * _POINTS_OF_PIXEL
        colour = self.background if self.colour == CLEAR else self.colour
        return Look(self.letters, colour, self.background, points, is_hidden=not self.is_visible)

    def within(self, tag: str, attributes: Mapping[str, str], styles: Declarations) -> PageLetters:
        """Return how the letters of an element are shown whose parent's are shown so."""
        colour = styles.get("color") or (attributes.get("color", "") if tag == "font" else "")
        # Such letters have another colour, or a line of one; links and fields have their own.
        if any(name.startswith("-webkit-text-") for name in styles) or (not colour and tag in _COLOURED):
            colour = UNCLEAR
        visibility = styles.get("visibility", "")
        return PageLetters(
            self._letters(tag, styles),
            _colour(colour, self.colour),
            self._background(attributes, styles),
            self._pixels(styles.get("font-size", "")),
            self.is_visible if visibility in ("", "inherit") else visibility not in ("hidden", "collapse"),
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


def is_left_out(tag: str, styles: Declarations) -> bool:
    """Return whether neither an element nor anything in it is shown.

    Such an element has no box, or no height, size or opacity, unless it moves.
    """
    is_moving = any(name.startswith(_MOVING) for name in styles)
    # No animation shows this later.
    if styles.get("display") == "none":
        return True
    is_flat = _has_no_height(styles) and styles.get("overflow") == "hidden"
    # Cells are as high as what is in them, and padding has a height of its own.
    is_flat = is_flat and tag not in _OF_TABLES and not any(name.startswith("padding") for name in styles)
    is_point = bool(_POINT.search(styles.get("transform", "")))
    return not is_moving and (_is_clear(styles.get("opacity", "")) or is_flat or is_point)


def _has_no_height(styles: Declarations) -> bool:
    """Return whether an element has a height of 0, which is only where items of flexible boxes begin to grow."""
    if styles.get("min-height", "0") not in _NOTHING:
        return False
    growth = styles.get("flex-grow") or styles.get("flex", "none").split()[0]
    is_flat = styles.get("height") in _NOTHING and growth in _NO_GROWTH
    return is_flat or styles.get("max-height") in _NOTHING


def is_for_listeners(styles: Declarations) -> bool:
    """Return whether an element is beside the page or cut to nothing, where only programs that read aloud find it."""
    if _pixels_of(styles.get("text-indent", "")) < _BESIDE_PAGE:
        return True
    is_placed = styles.get("position") in _PLACED
    is_beside = any(_pixels_of(styles.get(side, "")) < _BESIDE_PAGE for side in _SIDES)
    is_cut = bool(_CUT.search(styles.get("clip", "")) or _CUT.search(styles.get("clip-path", "")))
    return is_placed and (is_beside or is_cut)


def _is_clear(opacity: str) -> bool:
    number = _LENGTH.fullmatch(opacity)
    return number is not None and float(number[1]) == 0


def _pixels_of(length: str) -> float:
    """Return a length in pixels, with the usual size of letters; 0 if it is not known."""
    measure = _LENGTH.fullmatch(length)
    if measure is None:
        return 0
    unit = measure[2] or ""
    return float(measure[1]) * _PIXELS.get(unit, _USUAL_PIXELS * _SHARES.get(unit, 1))


def _colour(text: str, around: str) -> str:
    """Return a colour, `around` if there is none, and "transparent" for one without any opacity."""
    text = text.strip().lower()
    if text in ("", "inherit"):
        return around
    if text == "transparent":
        return CLEAR
    if _SHORT.fullmatch(text):
        return "".join(2 * sign for sign in text[1:])
    if parts := _RGB.fullmatch(text):
        if parts[4] is not None and float(parts[4].rstrip("%")) == 0:
            return CLEAR
        is_solid = parts[4] is None or parts[4] in ("1", "100%", "1.0")
        return "".join(f"{min(int(parts[part]), 255):02x}" for part in (1, 2, 3)) if is_solid else UNKNOWN
    return _NAMED.get(text) or colour_of(text)
