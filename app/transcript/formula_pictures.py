"""Formulas typeset as SVG outlines, off the Qt thread: several of them would cost a frame."""

from __future__ import annotations

import logging
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from PySide6.QtCore import QByteArray, QRectF, QSizeF
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtSvg import QSvgRenderer

from app.system.background import BackgroundCache
from app.text.formulas import Formula, settable, tagged

log = logging.getLogger(__name__)

_MOST_CACHED_FORMULAS = 2000
# The texts that wait for formulas are rendered again as a whole, so only after this many of them.
_FORMULAS_A_BATCH = 8
# In pixels. A wider formula would be scaled down until it is illegible.
_WIDEST_FORMULA = 1600
# Pixels between a formula and its tag, at least.
_TAG_GAP = 24
# The library typesets an unknown command as its name.
_UNKNOWN = re.compile(r">\\[A-Za-z]")
_BOX = re.compile(r'viewBox="[-\d.]+ (-?[\d.]+) ([\d.]+) ([\d.]+)"')


@dataclass(frozen=True)
class Outline:
    """A formula as black SVG; in pixels its width, and its height above and below the line of text.

    `tag` is what stands at the right margin beside it, such as "(1)".
    """

    svg: str
    width: float
    ascent: float
    descent: float
    tag: Outline | None = None


class PlacedOutline(NamedTuple):
    """An outline, how many times as large it is painted, and how far to the right in its place."""

    outline: Outline
    scale: float
    left: float

    def place(self, bounds: QRectF, half_x: float) -> QRectF:
        """Return the place in the bounds of an object that `size_of` measures."""
        baseline = bounds.top() + (bounds.height() + half_x) / 2
        height = self.scale * (self.outline.ascent + self.outline.descent)
        top = baseline - self.scale * self.outline.ascent
        return QRectF(bounds.left() + self.left, top, self.scale * self.outline.width, height)


def size_of(parts: list[PlacedOutline], half_x: float) -> QSizeF:
    """Return the size of an object that has these parts around its centre, which is `half_x` above the line of text."""
    last = parts[-1]
    above = max(part.scale * part.outline.ascent for part in parts)
    below = max(part.scale * part.outline.descent for part in parts)
    return QSizeF(last.left + last.scale * last.outline.width, max(2 * above - half_x, 2 * below + half_x))


def placed(outline: Outline, room: float, scale: float) -> list[PlacedOutline]:
    """Return a formula and, at the right end of the `room`, its tag. Both are smaller than `scale` says if need be.

    The formula is in the middle of the room, or left of that if the tag leaves no place. Without a tag it is at 0.
    """
    tag = outline.tag
    if tag is None:
        return [PlacedOutline(outline, min(scale, room / outline.width), 0.0)]
    scale = min(scale, room / (outline.width + _TAG_GAP + tag.width))
    tag_left = room - scale * tag.width
    left = min((room - scale * outline.width) / 2, tag_left - scale * (_TAG_GAP + outline.width))
    return [PlacedOutline(outline, scale, max(0.0, left)), PlacedOutline(tag, scale, tag_left)]


def room_for(document: QTextDocument, position: int, outline: Outline, scale: float, margins: float) -> float:
    """Return how wide the place of a formula may be: with a tag as wide as its column, elsewhere as both need.

    `margins` are those of the document, left and right together.
    """
    room = document.textWidth() - margins
    if outline.tag is None:
        return room if room > 0 else scale * outline.width
    block = document.findBlock(position)
    style = block.blockFormat()
    if room <= 0 or style.indent() or block.textList() is not None or QTextCursor(block).currentTable() is not None:
        return scale * (outline.width + _TAG_GAP + outline.tag.width)
    # Qt begins a new line for what is as wide as the column.
    return room - style.leftMargin() - style.rightMargin() - 1


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
    latex, tag = tagged(formula)
    outline = _outline_of(latex, pixels, inline=not formula.display)
    if outline is None or not tag:
        return outline
    return replace(outline, tag=_outline_of(tag, pixels, inline=True))


def _outline_of(latex: str, pixels: int, *, inline: bool) -> Outline | None:
    try:
        typeset = _library().Latex(settable(latex), size=pixels, inline=inline, font=_FONT)
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
