"""Formulas typeset as SVG outlines, off the Qt thread: several of them would cost a frame."""

from __future__ import annotations

import logging
import re
import xml.etree.ElementTree as ET
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from PySide6.QtCore import QByteArray, QObject, Signal
from PySide6.QtSvg import QSvgRenderer

from app.system.background import Background
from app.text.formulas import Formula

log = logging.getLogger(__name__)

_CACHED = 2000
# The texts that wait for formulas are rendered again after this many of them.
_BATCH = 8
# In pixels. A wider formula would be scaled down until it is illegible.
_WIDEST = 1600
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


class FormulaPictures(QObject):
    """Typesets and caches formulas. `ready` is emitted when some or all requested formulas are known."""

    ready = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._outlines: OrderedDict[tuple[Formula, int], Outline | None] = OrderedDict()
        self._pending: set[tuple[Formula, int]] = set()
        self._background = Background("formulas", parent=self)

    def has(self, formula: Formula, pixels: int) -> bool:
        """Whether the formula is known in that size. If not, typeset it and emit `ready` later."""
        key = (formula, pixels)
        if key in self._outlines:
            self._outlines.move_to_end(key)
            return True
        if key not in self._pending:
            self._pending.add(key)
            self._background.run(lambda: outline_of(formula, pixels), lambda outline: self._add(key, outline))
        return False

    def is_known(self, formula: Formula, pixels: int) -> bool:
        """Whether typesetting the formula in that size has succeeded or failed."""
        return (formula, pixels) in self._outlines

    def outline(self, formula: Formula, pixels: int) -> Outline | None:
        """Return the formula at that font size; None if it cannot be typeset, or has not been yet."""
        return self._outlines.get((formula, pixels))

    def _add(self, key: tuple[Formula, int], outline: Outline | None) -> None:
        self._pending.discard(key)
        self._outlines[key] = outline
        if len(self._outlines) > _CACHED:
            self._outlines.popitem(last=False)
        # Each `ready` renders the waiting texts again as a whole, so it comes once for several formulas.
        if len(self._pending) % _BATCH == 0:
            self.ready.emit()


@cache
def pictures() -> FormulaPictures:
    """Return the cache of the program, for all chats."""
    return FormulaPictures()


@lru_cache(maxsize=_CACHED)
def renderer(outline: Outline, colour: str) -> QSvgRenderer:
    """Return what paints an outline in `colour` ("#rrggbb")."""
    return QSvgRenderer(QByteArray(outline.svg.replace('"black"', f'"{colour}"').encode()))


def outline_of(formula: Formula, pixels: int) -> Outline | None:
    """Typeset a formula; None if the library cannot. May be called on any thread."""
    try:
        typeset = _library().Latex(formula.latex, size=pixels, inline=not formula.display, font=_FONT)
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
    if width > _WIDEST:
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
            self.letter, self.id = letter, f"system_{ord(letter)}"

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
