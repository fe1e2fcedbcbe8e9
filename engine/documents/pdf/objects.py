"""What a page of a PDF file draws, object by object, as PDFium has it: texts, areas, lines, and pictures.

Places are in points, from the left and the bottom of the page as it is shown: a page may be turned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ctypes import byref, c_float, c_int, c_uint, c_void_p
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

# How thick lines are at most, in points.
_THICKEST = 2.5
# Forms may be in forms; PDFium reads so many that are in each other.
_DEEPEST = 40
# With more objects, it takes too long to draw a page without its texts.
_MOST_OBJECTS = 100_000
# Of a page with more objects, which is a drawing, the lines of the first ones are known.
_MOST_WITH_LINES = 20_000
# Paths with more segments have no lines and no frames.
_MOST_SEGMENTS = 400
# Shares of red, green and blue that may differ in two colours that look the same.
_SAME = 8
_WHOLE = 255


class Box(NamedTuple):
    """The sides of what is drawn on a page."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def width(self) -> float:
        """Return how wide it is."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Return how high it is."""
        return self.top - self.bottom

    @property
    def is_line(self) -> bool:
        """Whether it is thin, and longer than it is thick."""
        thin, long = sorted((self.width, self.height))
        return thin <= _THICKEST and long > 2 * thin

    def meets(self, other: Box) -> bool:
        """Return whether two boxes have a place in common; boxes of lines may have no area."""
        return (
            self.left <= other.right
            and other.left <= self.right
            and self.bottom <= other.top
            and other.bottom <= self.top
        )

    def contains(self, other: Box) -> bool:
        """Return whether all of another box lies within this one."""
        return (
            self.left <= other.left
            and other.right <= self.right
            and self.bottom <= other.bottom
            and other.top <= self.top
        )

    def around(self, other: Box) -> Box:
        """Return the box around two boxes."""
        return Box(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def within(self, other: Box) -> Box:
        """Return what two boxes have in common; its sides are in the wrong order if that is nothing."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )

    def sides(self) -> list[Box]:
        """Return its four sides, as lines without a thickness."""
        left, bottom, right, top = self
        return [
            Box(left, bottom, right, bottom),
            Box(left, top, right, top),
            Box(left, bottom, left, top),
            Box(right, bottom, right, top),
        ]


class Colour(NamedTuple):
    """The shares of red, green and blue, and the opacity, each from 0 to 255."""

    red: int
    green: int
    blue: int
    opacity: int

    def looks_like(self, other: Colour) -> bool:
        """Return whether two colours look the same where both are opaque."""
        return all(
            abs(share - share_of_other) <= _SAME for share, share_of_other in zip(self[:3], other[:3], strict=True)
        )


PAPER = Colour(_WHOLE, _WHOLE, _WHOLE, _WHOLE)


# The first four numbers of a matrix that only moves.
_UNTURNED = (1, 0, 0, 1)


class Matrix(NamedTuple):
    """Maps (x, y) to (a x + c y + e, b x + d y + f)."""

    a: float
    b: float
    c: float
    d: float
    e: float
    f: float

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where it maps a point."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        """Return the box around what a box becomes."""
        if self[:4] == _UNTURNED:
            return Box(left + self.e, bottom + self.f, right + self.e, top + self.f)
        return _around([self.point(x, y) for x in (left, right) for y in (bottom, top)])

    def after(self, first: Matrix) -> Matrix:
        """Return what maps as `first` does and then as this one."""
        return Matrix(
            self.a * first.a + self.c * first.b,
            self.b * first.a + self.d * first.b,
            self.a * first.c + self.c * first.d,
            self.b * first.c + self.d * first.d,
            *self.point(first.e, first.f),
        )


class TextObject(NamedTuple):
    """Glyphs that one operation shows: PDFium's handle, and how many objects are drawn before them."""

    handle: Any
    order: int
    # What is around all glyphs, and around what is painted of them; None if that is everything.
    box: Box
    clip: Box | None
    is_in_form: bool
    # Whether that form may be transparent, or belong to a layer, which PDFium does not say.
    may_be_off: bool


class PaintedArea(NamedTuple):
    """What is painted on a part of a page: a filled path, a picture, or a shading."""

    order: int
    box: Box
    # None for a picture, and for what has not one colour.
    colour: Colour | None


@dataclass(slots=True)
class PageObjects:
    """The objects of a page, in the order in which they are drawn."""

    # By the addresses of their handles.
    texts: dict[int, TextObject] = field(default_factory=dict)
    areas: list[PaintedArea] = field(default_factory=list)
    # Lines that are seen on white paper, and the sides of rectangles that are.
    lines: list[Box] = field(default_factory=list)
    sides: list[Box] = field(default_factory=list)
    # The handles of pictures, the area that these take, and the handles of all else that is no text.
    pictures: list[Any] = field(default_factory=list)
    pictures_area: float = 0.0
    drawings: list[Any] = field(default_factory=list)
    # Whether these are all.
    is_whole: bool = True


def address_of(handle: Any) -> int:
    """Return the address of one of PDFium's objects, by which it is known; 0 for none."""
    return c_void_p.from_buffer(handle).value or 0


def shown_box(page: PdfPage) -> Box:
    """Return the sides of a page as it is shown, from 0 at the left and the bottom."""
    return Box(0, 0, page.get_width(), page.get_height())


def to_shown(page: PdfPage) -> Matrix:
    """Return what maps the places of a page's contents to those on the page as it is shown."""
    left, bottom, right, top = page.get_bbox()
    return {
        0: Matrix(1, 0, 0, 1, -left, -bottom),
        90: Matrix(0, -1, 1, 0, -bottom, right),
        180: Matrix(-1, 0, 0, -1, right, top),
        270: Matrix(0, 1, -1, 0, top, -left),
    }[page.get_rotation()]


def fill_colour_of(handle: Any) -> Colour | None:
    """Return the colour that fills an object; None for a pattern."""
    return _colour(pdfium.FPDFPageObj_GetFillColor, handle)


def stroke_colour_of(handle: Any) -> Colour | None:
    """Return the colour of an object's lines; None for a pattern."""
    return _colour(pdfium.FPDFPageObj_GetStrokeColor, handle)


def objects_of(page: PdfPage, *, may_have_layers: bool) -> PageObjects:
    """Return what a page draws; its file may have layers that are off."""
    reader = _ObjectReader(shown_box(page), may_have_layers=may_have_layers)
    handle_at = partial(pdfium.FPDFPage_GetObject, page.raw)
    reader.read(map(handle_at, range(pdfium.FPDFPage_CountObjects(page.raw))), to_shown(page), 0, may_be_off=False)
    return reader.objects


class _ObjectReader:
    """Collects the objects of a page, and of the forms on it, in `objects`."""

    def __init__(self, page: Box, *, may_have_layers: bool) -> None:
        self.objects = PageObjects()
        self._may_have_layers = may_have_layers
        self._page = page
        self._order = 0
        self._sides = [c_float() for _ in range(4)]

    def read(self, handles: Iterable[Any], matrix: Matrix, depth: int, *, may_be_off: bool) -> None:
        """Add objects that are within `depth` forms; `matrix` maps their places to places on the page."""
        objects = self.objects
        for handle in handles:
            self._order += 1
            if self._order > _MOST_OBJECTS:
                objects.is_whole = False
                return
            kind = pdfium.FPDFPageObj_GetType(handle)
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                clip = _clip_of(handle, matrix)
                text = TextObject(handle, self._order, self._box(handle, matrix), clip, depth > 0, may_be_off)
                objects.texts[address_of(handle)] = text
            elif kind == pdfium.FPDF_PAGEOBJ_FORM:
                if depth < _DEEPEST:
                    self._read_form(handle, matrix, depth + 1, may_be_off=may_be_off)
            elif kind == pdfium.FPDF_PAGEOBJ_PATH:
                objects.drawings.append(handle)
                self._add_path(handle, matrix)
            else:
                self._add_picture(handle, matrix, is_picture=kind == pdfium.FPDF_PAGEOBJ_IMAGE)

    def _read_form(self, form: Any, matrix: Matrix, depth: int, *, may_be_off: bool) -> None:
        within = matrix.after(_matrix_of(form))
        handle_at = partial(pdfium.FPDFFormObj_GetObject, form)
        may_be_off = may_be_off or self._may_have_layers or bool(pdfium.FPDFPageObj_HasTransparency(form))
        self.read(
            map(handle_at, range(max(0, pdfium.FPDFFormObj_CountObjects(form)))), within, depth, may_be_off=may_be_off
        )

    def _box(self, handle: Any, matrix: Matrix) -> Box:
        """Return what is around an object; a box of nothing if PDFium has none."""
        left, bottom, right, top = self._sides
        if not pdfium.FPDFPageObj_GetBounds(handle, byref(left), byref(bottom), byref(right), byref(top)):
            return Box(0, 0, 0, 0)
        return matrix.box(left.value, bottom.value, right.value, top.value)

    def _add_picture(self, handle: Any, matrix: Matrix, *, is_picture: bool) -> None:
        """Add a picture, or a shading, which fills what its clip leaves of the page."""
        box = self._box(handle, matrix)
        self.objects.areas.append(PaintedArea(self._order, box, None))
        if not is_picture:
            self.objects.drawings.append(handle)
            return
        self.objects.pictures.append(handle)
        seen = box.within(self._page)
        self.objects.pictures_area += max(0, seen.width) * max(0, seen.height)

    def _add_path(self, path: Any, matrix: Matrix) -> None:
        """Add the area that a path fills, its lines, and the sides of its frames."""
        fill_mode = c_int()
        is_stroked = c_int()
        pdfium.FPDFPath_GetDrawMode(path, byref(fill_mode), byref(is_stroked))
        box = self._box(path, matrix)
        if not (fill_mode.value or is_stroked.value) or not box.meets(self._page):
            return
        if fill_mode.value and not box.is_line:
            self.objects.areas.append(PaintedArea(self._order, box, fill_colour_of(path)))
        colour = stroke_colour_of(path) if is_stroked.value else fill_colour_of(path)
        is_seen = colour is None or (colour.opacity > 0 and not colour.looks_like(PAPER))
        if not is_seen or self._order > _MOST_WITH_LINES:
            return
        self._add_lines(path, matrix, box, is_stroked=bool(is_stroked.value))

    def _add_lines(self, path: Any, matrix: Matrix, box: Box, *, is_stroked: bool) -> None:
        """Add the lines of a path with a box around it, and the sides of its rectangles."""
        if box.is_line:
            parts = [box]
        elif pdfium.FPDFPath_CountSegments(path) <= _MOST_SEGMENTS:
            parts = _parts_of(path, matrix.after(_matrix_of(path)))
        else:
            return
        clip = _clip_of(path, matrix)
        have_sides = is_stroked or _are_frame(parts)
        for part in parts:
            if clip is not None and not clip.meets(part):
                continue
            if part.is_line:
                self.objects.lines.append(part)
            elif have_sides:
                self.objects.sides += part.sides()


def _are_frame(parts: Sequence[Box]) -> bool:
    """Return whether filled rectangles may be the ground of a cell, or a frame: one lies in the other."""
    return len(parts) == 1 or (len(parts) > 1 and (parts[0].contains(parts[1]) or parts[1].contains(parts[0])))


def _parts_of(path: Any, matrix: Matrix) -> list[Box]:
    """Return the boxes around the parts of a path, each of which begins with a move."""
    count = pdfium.FPDFPath_CountSegments(path)
    return _boxes_around(map(partial(pdfium.FPDFPath_GetPathSegment, path), range(count)), matrix)


def _boxes_around(segments: Iterable[Any], matrix: Matrix) -> list[Box]:
    x = c_float()
    y = c_float()
    parts: list[list[tuple[float, float]]] = []
    for segment in segments:
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO or not parts:
            parts.append([])
        pdfium.FPDFPathSegment_GetPoint(segment, byref(x), byref(y))
        parts[-1].append(matrix.point(x.value, y.value))
    return [_around(points) for points in parts]


def _clip_of(handle: Any, matrix: Matrix) -> Box | None:
    """Return the box around the painted part of an object; None if the object is not clipped."""
    clip = pdfium.FPDFPageObj_GetClipPath(handle)
    if not clip:
        return None
    box: Box | None = None
    for index in range(max(0, pdfium.FPDFClipPath_CountPaths(clip))):
        count = min(_MOST_SEGMENTS, max(0, pdfium.FPDFClipPath_CountPathSegments(clip, index)))
        parts = _boxes_around(map(partial(pdfium.FPDFClipPath_GetPathSegment, clip, index), range(count)), matrix)
        if parts:
            corners = [corner for part in parts for corner in ((part.left, part.bottom), (part.right, part.top))]
            box = _around(corners) if box is None else box.within(_around(corners))
    return box


def _matrix_of(handle: Any) -> Matrix:
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(handle, byref(matrix))
    return Matrix(matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f)


def _colour(read: Any, handle: Any) -> Colour | None:
    shares = [c_uint() for _ in range(4)]
    return Colour(*(share.value for share in shares)) if read(handle, *map(byref, shares)) else None


def _around(points: Sequence[tuple[float, float]]) -> Box:
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return Box(min(xs), min(ys), max(xs), max(ys))
