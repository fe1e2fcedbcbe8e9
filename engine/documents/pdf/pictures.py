"""The pages of a PDF file as pictures, for models that see.

Other programs give such a model each page of a PDF twice, as text and as a picture. That is some 2,000 tokens more a
page, which a model on this computer has to read first. Here, a page is given that shows what its text does not say:

- a page without text;
- a page with pictures, drawings or charts that cover some of it;
- a page on which somebody drew, marked or stamped;
- the only page of a file;
- each page that a person chose.

`text.inner_pictures.InnerPictures` gives as many of them as are wanted: first those without text, then the others, in
their order.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing, suppress
from ctypes import byref, c_float, c_int, c_uint
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from engine.documents.pdf.annotations import opened_annotation
from engine.documents.pdf.file import open_pdf
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.parts import Selection

if TYPE_CHECKING:
    from pypdfium2 import PdfObject, PdfPage

# The pixels of a picture beside its text: an A4 page with 144 dots an inch. Towers of models see no more than
# two to three million, and take a token for each 600 to 1,000.
_PIXELS = 2_000_000
# The same for a page without text, whose small letters have to be read: 200 dots an inch.
_PIXELS_WITHOUT_TEXT = 4_000_000
# Pixels for a point of a page that is small.
_MOST_SCALE = 3.0
_QUALITY = 90
# Less of a page is covered by the logo in the head of a letter, and by signs in lists.
_LEAST_SHARE = 1 / 40
# A page with more objects, or a path with more segments, is a drawing; these take long to look at.
_MOST_OBJECTS = 20_000
_MOST_SEGMENTS = 1_000
# Points: thinner ones are lines, and paths that differ by less are straight.
_THIN = 4.0
_STRAIGHT = 1.0
# Rectangles that stand on one line, or begin at one, are the bars of a chart if they have so many different lengths.
_BARS = 3
# Colours of paper have at least so much of red, green and blue, of 255.
_PAPER = 250


def note_page(page: PdfPage, number: int, data: bytes, text: MarkedText, *, has_text: bool) -> None:
    """Add a page to the pictures of `text`, if it is one that is given to models that see.

    `number` is the page's number, from 1, in the file `data`; `has_text` says whether its text was read.
    """
    from pypdfium2.raw import FPDFPage_CountObjects, FPDFPage_GetAnnotCount

    pictures = text.pictures
    is_empty = FPDFPage_CountObjects(page) == 0 and FPDFPage_GetAnnotCount(page) == 0
    if not pictures.are_wanted or is_empty:
        return
    is_chosen = text.parts.selection != Selection() or text.parts.count == 1
    if not has_text or is_chosen or _has_marks(page) or _has_drawings(page):
        pixels = _PIXELS if has_text else _PIXELS_WITHOUT_TEXT
        width, height = (round(side * _scale(page, pixels)) for side in page.get_size())
        load = partial(page_picture, data, number, pixels)
        pictures.add_page((id(data), number), width, height, load, number, has_text=has_text)


def page_picture(data: bytes, number: int, pixels: int) -> bytes:
    """Return the page of a file as a JPEG of about so many `pixels` at most, as it is shown, with its form and notes.

    Raises `pypdfium2.PdfiumError` for a page that is damaged.
    """
    with open_pdf(data) as document, closing(document[number - 1]) as page:
        bitmap = page.render(scale=_scale(page, pixels), rev_byteorder=True)
        with closing(bitmap):
            file = BytesIO()
            bitmap.to_pil().convert("RGB").save(file, "JPEG", quality=_QUALITY)
            return file.getvalue()


def _scale(page: PdfPage, pixels: int) -> float:
    """Return how many pixels are for a point of a page, of which a picture has at most `pixels`."""
    width, height = page.get_size()
    return min(math.sqrt(pixels / (width * height)), _MOST_SCALE)


def _has_marks(page: PdfPage) -> bool:
    """Return whether somebody drew, marked or stamped on a page."""
    from pypdfium2 import raw

    marks = (
        raw.FPDF_ANNOT_LINE,
        raw.FPDF_ANNOT_SQUARE,
        raw.FPDF_ANNOT_CIRCLE,
        raw.FPDF_ANNOT_POLYGON,
        raw.FPDF_ANNOT_POLYLINE,
        raw.FPDF_ANNOT_HIGHLIGHT,
        raw.FPDF_ANNOT_UNDERLINE,
        raw.FPDF_ANNOT_SQUIGGLY,
        raw.FPDF_ANNOT_STRIKEOUT,
        raw.FPDF_ANNOT_STAMP,
        raw.FPDF_ANNOT_INK,
        raw.FPDF_ANNOT_REDACT,
    )
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        with suppress(ValueError), opened_annotation(page, index) as annotation:
            if raw.FPDFAnnot_GetSubtype(annotation) in marks:
                return True
    return False


class _Bounds(NamedTuple):
    """The box around what a page shows, in points."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.top - self.bottom

    @property
    def area(self) -> float:
        return max(self.width, 0) * max(self.height, 0)

    def within(self, other: _Bounds) -> _Bounds:
        """Return the part of it that is in another box."""
        return _Bounds(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )


def _has_drawings(page: PdfPage) -> bool:
    """Return whether pictures, drawings and charts cover some of a page. The lines and boxes of tables are none."""
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_PATH, FPDF_PAGEOBJ_SHADING

    box = _Bounds(*page.get_bbox())
    covered = 0.0
    bars = _Bars()
    latest: PdfObject | None = None
    things = page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE, FPDF_PAGEOBJ_PATH, FPDF_PAGEOBJ_SHADING])
    for count, thing in enumerate(things):
        if thing.type == FPDF_PAGEOBJ_PATH and _is_straight(thing):
            if _is_painted(thing):
                bars.add(_bounds(thing))
            continue
        # Objects in a form are counted where the form is.
        while thing.container is not None:
            thing = thing.container
        if thing is not latest:
            covered += _bounds(thing).within(box).area
            latest = thing
        if covered >= _LEAST_SHARE * box.area or count > _MOST_OBJECTS:
            return True
    return bars.are_chart


class _Bars:
    """Finds the bars of a chart among rectangles."""

    def __init__(self) -> None:
        # The lengths of rectangles by where they begin, and how thick they are.
        self._lengths: dict[tuple[str, int, int], set[int]] = defaultdict(set)

    def add(self, bounds: _Bounds) -> None:
        """Add a rectangle."""
        if bounds.width >= _THIN and bounds.height >= _THIN:
            self._lengths["up", round(bounds.bottom), round(bounds.width)].add(round(bounds.height))
            self._lengths["right", round(bounds.left), round(bounds.height)].add(round(bounds.width))

    @property
    def are_chart(self) -> bool:
        """Whether some of them are the bars of one chart."""
        return any(len(lengths) >= _BARS for lengths in self._lengths.values())


def _bounds(thing: PdfObject) -> _Bounds:
    """Return the box around a thing on a page; it is empty if the thing is damaged."""
    from pypdfium2.raw import FPDFPageObj_GetBounds

    sides: Sequence[c_float] = [c_float() for _ in range(4)]
    FPDFPageObj_GetBounds(thing, *map(byref, sides))
    return _Bounds(*(side.value for side in sides))


def _is_painted(path: PdfObject) -> bool:
    """Return whether a path is filled with another colour than the paper's, in which programs paint empty cells."""
    from pypdfium2.raw import FPDFPageObj_GetFillColor, FPDFPath_GetDrawMode

    mode = c_int()
    strokes = c_int()
    FPDFPath_GetDrawMode(path, byref(mode), byref(strokes))
    red, green, blue, alpha = (c_uint() for _ in range(4))
    FPDFPageObj_GetFillColor(path, byref(red), byref(green), byref(blue), byref(alpha))
    return mode.value != 0 and min(red.value, green.value, blue.value) < _PAPER


def _is_straight(path: PdfObject) -> bool:
    """Return whether a path is made of level and upright lines, as rules and boxes are."""
    from pypdfium2 import raw

    count = raw.FPDFPath_CountSegments(path)
    if count > _MOST_SEGMENTS:
        return False
    x = c_float()
    y = c_float()
    before = (0.0, 0.0)
    for index in range(count):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        kind = raw.FPDFPathSegment_GetType(segment)
        raw.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        is_slanted = abs(x.value - before[0]) > _STRAIGHT and abs(y.value - before[1]) > _STRAIGHT
        if kind == raw.FPDF_SEGMENT_BEZIERTO or (kind == raw.FPDF_SEGMENT_LINETO and is_slanted):
            return False
        before = (x.value, y.value)
    return True
