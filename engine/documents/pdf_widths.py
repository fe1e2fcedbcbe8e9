"""How wide the glyphs of a PDF file's fonts are, as the file itself says it, or as it is known of its font."""

from __future__ import annotations

from typing import Any, NamedTuple

from pypdf.generic import ArrayObject, DictionaryObject, NameObject

from engine.documents.pdf_core_fonts import FIRST_CODE, core_widths
from engine.documents.pdf_fonts import resolved_entry

# The width of glyphs in a composite font that says nothing else (ISO 32000-2, table 115), in thousandths of its size.
_USUAL_WIDTH = 1000.0
# Encodings whose codes are the numbers of glyphs, which are written from the left.
_GLYPH_NUMBERS = ("/Identity-H",)
# A file may say that a font has any number of glyphs.
_MOST_GLYPHS = 70_000


class Glyph(NamedTuple):
    """A glyph of a string: its code, and its width in thousandths of the font's size."""

    code: bytes
    width: float


class GlyphWidths:
    """The widths of a font's glyphs, whose codes have `bytes_of_code` bytes, by the number of the code."""

    def __init__(self, bytes_of_code: int, widths: dict[int, float], other: float) -> None:
        self._bytes_of_code = bytes_of_code
        self._widths = widths
        # The width of the others.
        self._other = other

    def glyphs(self, string: bytes) -> list[Glyph]:
        """Return the glyphs of a string."""
        step = self._bytes_of_code
        codes = (string[place : place + step] for place in range(0, len(string), step))
        return [Glyph(code, self._widths.get(int.from_bytes(code, "big"), self._other)) for code in codes]


def widths_of(font: DictionaryObject) -> GlyphWidths | None:
    """Return the widths of a font's glyphs; None if the file does not say them in a way that is followed here.

    Raises what pypdf and Python raise for a font that is damaged.
    """
    kind = font.get("/Subtype")
    if kind == "/Type0":
        return _composite(font)
    widths = resolved_entry(font, "/Widths")
    if widths is None and kind == "/Type1":
        return _of_core_font(font)
    if kind == "/Type3" or not isinstance(widths, ArrayObject):
        return None
    first = int(resolved_entry(font, "/FirstChar") or 0)
    descriptor = resolved_entry(font, "/FontDescriptor") or {}
    known = {first + index: float(width.get_object()) for index, width in enumerate(widths[:256])}
    return GlyphWidths(1, known, float(descriptor.get("/MissingWidth", 0)))


def _of_core_font(font: DictionaryObject) -> GlyphWidths | None:
    """Return the widths of a font that every reader has; None for another, or one of other codes."""
    widths = core_widths(str(resolved_entry(font, "/BaseFont")).removeprefix("/"))
    if widths is None or resolved_entry(font, "/Encoding") != "/WinAnsiEncoding":
        return None
    return GlyphWidths(1, dict(enumerate(widths, FIRST_CODE)), 0.0)


def _composite(font: DictionaryObject) -> GlyphWidths | None:
    """Return the widths of a composite font; None if its codes are not the numbers of glyphs."""
    encoding = resolved_entry(font, "/Encoding")
    if not isinstance(encoding, NameObject) or encoding not in _GLYPH_NUMBERS:
        return None
    glyphs = resolved_entry(font, "/DescendantFonts")[0].get_object()
    usual = resolved_entry(glyphs, "/DW")
    entries = [entry.get_object() for entry in resolved_entry(glyphs, "/W") or ()]
    return GlyphWidths(2, _listed(entries), _USUAL_WIDTH if usual is None else float(usual))


def _listed(entries: list[Any]) -> dict[int, float]:
    """Return the widths in a list: a first number with the widths from it on, or two numbers and the width between."""
    widths: dict[int, float] = {}
    place = 0
    while place + 1 < len(entries) and len(widths) < _MOST_GLYPHS:
        first = int(entries[place])
        following = entries[place + 1]
        if isinstance(following, list):
            widths.update((first + index, float(width.get_object())) for index, width in enumerate(following))
            place += 2
        else:
            numbers = range(first, min(int(following), first + _MOST_GLYPHS) + 1)
            widths.update(dict.fromkeys(numbers, float(entries[place + 2])))
            place += 3
    return widths
