"""Formulas set as outlines, on a thread that is there only while there are any to set.

Setting one takes some milliseconds of Python; done between two frames it would make a long answer stutter.
"""

from __future__ import annotations

import logging
import re
import xml.etree.ElementTree as ET
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QByteArray, QObject, Signal
from PySide6.QtSvg import QSvgRenderer

from app.system.serial_worker import SerialWorker

if TYPE_CHECKING:
    from app.text.formulas import Formula

log = logging.getLogger(__name__)

_KEPT = 2000
_AT_ONCE = 8
# In pixels; a wider one would have to be shrunk until nobody could read it.
_WIDEST = 1600
# A command that the library does not know is set as its name.
_UNKNOWN = re.compile(r">\\[A-Za-z]")
_BOX = re.compile(r'viewBox="[-\d.]+ (-?[\d.]+) ([\d.]+) ([\d.]+)"')


@dataclass(frozen=True)
class Outline:
    """A formula as SVG in black, in pixels: its width, and its height above and below the line of text."""

    svg: str
    width: float
    ascent: float
    descent: float


class FormulaPictures(QObject):
    """`ready` follows when some or all of what was asked for has been set. Lives as long as the program."""

    ready = Signal()
    _made = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self._outlines: OrderedDict[tuple[Formula, int], Outline | None] = OrderedDict()
        self._renderers: OrderedDict[tuple[Formula, int, str], QSvgRenderer] = OrderedDict()
        self._asked: set[tuple[Formula, int]] = set()
        self._work = SerialWorker("formulas")
        self._made.connect(self._keep)

    def has(self, formula: Formula, pixels: int) -> bool:
        """Whether it is known how the formula looks; if not, it is found out and `ready` follows."""
        key = (formula, pixels)
        if key in self._outlines:
            self._outlines.move_to_end(key)
            return True
        if key not in self._asked:
            self._asked.add(key)
            self._work.do(lambda: self._made.emit(key, outline_of(formula, pixels)))
        return False

    def outline(self, formula: Formula, pixels: int) -> Outline | None:
        """The formula in letters of that size; None where it cannot be set (or is not yet)."""
        return self._outlines.get((formula, pixels))

    def renderer(self, formula: Formula, pixels: int, colour: str) -> QSvgRenderer | None:
        key = (formula, pixels, colour)
        outline = self.outline(formula, pixels)
        if key not in self._renderers and outline is not None:
            svg = outline.svg.replace('"black"', f'"{colour}"')
            self._renderers[key] = QSvgRenderer(QByteArray(svg.encode()))
            if len(self._renderers) > _KEPT:
                self._renderers.popitem(last=False)
        return self._renderers.get(key)

    def _keep(self, key: tuple[Formula, int], outline: Outline | None) -> None:
        self._asked.discard(key)
        self._outlines[key] = outline
        if len(self._outlines) > _KEPT:
            self._outlines.popitem(last=False)
        # Whoever waits shows a whole text again: once for a few formulas, not for each.
        if len(self._asked) % _AT_ONCE == 0:
            self.ready.emit()


@cache
def pictures() -> FormulaPictures:
    """The program's one set of them: what was set for one chat serves all."""
    return FormulaPictures()


def outline_of(formula: Formula, pixels: int) -> Outline | None:
    """Set a formula; None where it is not LaTeX that can be set."""
    try:
        set_ = _library().Latex(formula.latex, size=pixels, inline=not formula.display, font=_FONT)
        if _UNKNOWN.search(set_.mathmlstr()):
            return None
        svg = set_.svg()
    # The libraries raise whatever a mistake in the formula leads to, among it errors of their own assumptions.
    except Exception as error:
        log.debug("a formula cannot be set: %s", type(error).__name__)
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
    """The library that sets formulas, with letters of the system where its own font has none."""
    import ziamath
    from ziafont.fonttypes import BBox
    from ziafont.glyph import SimpleGlyph, fmt
    from ziamath.mathfont import MathFont
    from ziamath.zmath import loadedfonts

    class SystemLetter(SimpleGlyph):  # type: ignore[misc]
        """A letter that Qt draws: Hangul, kana, Han and whatever else is no mathematics."""

        def __init__(self, letter: str, font: Any) -> None:
            em = font.info.layout.unitsperem
            # Written in East Asian scripts, a letter is as wide as it is high.
            super().__init__(0, (), BBox(0, em, int(-0.12 * em), int(0.88 * em)), font)
            self.letter, self.id = letter, f"system_{ord(letter)}"

        def place(self, x: float, y: float, point_size: float) -> Any:
            place = {"x": fmt(x), "y": fmt(y), "font-size": fmt(point_size), "font-family": "sans-serif"}
            element = ET.Element("text", place)
            element.text = self.letter
            return element

        def advance(self, nextchr: Any = None) -> int:  # noqa: ARG002
            return int(self.font.info.layout.unitsperem)

    class Font(MathFont):  # type: ignore[misc]
        def findglyph(self, char: str, variant: Any) -> Any:
            if ord(char) >= 0x1100 and not self.glyphindex(char) and len(char) == 1:
                return SystemLetter(char, self)
            return super().findglyph(char, variant)

    # Symbols that are used again are beyond Qt's SVG, plain paths are not.
    ziamath.config.svg2 = False
    loadedfonts[_FONT] = Font(loadedfonts["default"].info.filename)
    return ziamath
