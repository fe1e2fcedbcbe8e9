"""Formulas typeset as SVG outlines, off the Qt thread: several of them would cost a frame."""

from __future__ import annotations

import logging
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from PySide6.QtCore import QByteArray
from PySide6.QtSvg import QSvgRenderer

from app.system.background import BackgroundCache
from app.text.formulas import Formula, settable

log = logging.getLogger(__name__)

_MOST_CACHED_FORMULAS = 2000
# The texts that wait for formulas are rendered again as a whole, so only after this many of them.
_FORMULAS_A_BATCH = 8
# In pixels. A wider formula would be scaled down until it is illegible.
_WIDEST_FORMULA = 1600
# The library typesets an unknown command as its name.
_UNKNOWN = re.compile(r">\\[A-Za-z]")
_BOX = re.compile(r'viewBox="[-\d.]+ (-?[\d.]+) ([\d.]+) ([\d.]+)"')


@dataclass(frozen=True)
class Outline:
    """A formula as black SVG; in pixels its width, and its height above and below the line of text."""

    svg: str
    width: float
    ascent: float
    descent: float


@cache
def pictures() -> BackgroundCache[tuple[Formula, int], Outline | None]:
    """Return the typeset formulas of all chats, by (formula, font size in pixels); None if one cannot be typeset."""
    return BackgroundCache("formulas", lambda key: outline_of(*key), _MOST_CACHED_FORMULAS, _FORMULAS_A_BATCH)


@lru_cache(maxsize=_MOST_CACHED_FORMULAS)
def renderer(outline: Outline, colour: str) -> QSvgRenderer:
    """Return what paints an outline in `colour` ("#rrggbb")."""
    return QSvgRenderer(QByteArray(outline.svg.replace('"black"', f'"{colour}"').encode()))


def outline_of(formula: Formula, pixels: int) -> Outline | None:
    """Typeset a formula; None if the library cannot. May be called on any thread."""
    try:
        typeset = _library().Latex(settable(formula.latex), size=pixels, inline=not formula.display, font=_FONT)
        if _UNKNOWN.search(typeset.mathmlstr()):
            return None
        svg = typeset.svg()
    # A mistake in the formula may raise anything.
    except Exception as error:
        log.debug("a formula cannot be typeset: %s", type(error).__name__)
        return None
    box = _BOX.search(svg)
    if box is None:
        return None
    top, width, height = (float(part) for part in box.groups())
    if width > _WIDEST_FORMULA:
        return None
    return Outline(svg, width, -top, height + top)


_FONT = "tandem"


@cache
def _library() -> Any:
    """Load the library that typesets formulas, and make it use the system's letters if its font has none."""
    import ziamath
    from ziafont.fonttypes import BBox
    from ziafont.glyph import SimpleGlyph, fmt
    from ziamath.mathfont import MathFont
    from ziamath.zmath import loadedfonts

    class SystemLetter(SimpleGlyph):  # type: ignore[misc]
        """A letter that Qt draws: Hangul, kana, Han and others without mathematical use."""

        def __init__(self, letter: str, font: Any) -> None:
            em = font.info.layout.unitsperem
            # Letters of East Asian scripts are as wide as they are high.
            super().__init__(0, (), BBox(0, em, int(-0.12 * em), int(0.88 * em)), font)
            self.letter = letter
            self.id = f"system_{ord(letter)}"

        def place(self, x: float, y: float, point_size: float) -> Any:
            attributes = {"x": fmt(x), "y": fmt(y), "font-size": fmt(point_size), "font-family": "sans-serif"}
            element = ET.Element("text", attributes)
            element.text = self.letter
            return element

        def advance(self, nextchr: Any = None) -> int:  # noqa: ARG002
            return int(self.font.info.layout.unitsperem)

    class Font(MathFont):  # type: ignore[misc]
        def findglyph(self, char: str, variant: Any) -> Any:
            if ord(char) >= 0x1100 and not self.glyphindex(char) and len(char) == 1:
                return SystemLetter(char, self)
            return super().findglyph(char, variant)

    # Qt's SVG renderer does not support the symbols of SVG 2.
    ziamath.config.svg2 = False
    loadedfonts[_FONT] = Font(loadedfonts["default"].info.filename)
    return ziamath
