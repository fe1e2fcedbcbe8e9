"""Places and colours on a page of a PDF file, as far as they tell whether text can be seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from pypdf.generic import ArrayObject, DictionaryObject

from engine.documents.pdf_fonts import FontStrings, resolved_entry
from engine.documents.pdf_widths import GlyphWidths

# x and y are mapped to (a x + c y + e, b x + d y + f) by a matrix (a, b, c, d, e, f).
Matrix = tuple[float, float, float, float, float, float]
Point = tuple[float, float]
# Shares of red, green and blue; None if it is not known.
Colour = tuple[float, float, float] | None
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
BLACK = (0.0, 0.0, 0.0)
WHITE = (1.0, 1.0, 1.0)
# Modes in which text is filled, and in which its outlines are drawn.
_FILLING = (0, 2, 4, 6)
_STROKING = (1, 2, 5, 6)
# Differences of colours that nobody sees.
_ALIKE = 0.03
# Points of a box that text may lie in.
_THINNEST = 3.0
# Colour spaces that are as good as others.
_SPACES = {
    "/CalGray": "/DeviceGray",
    "/G": "/DeviceGray",
    "/CalRGB": "/DeviceRGB",
    "/RGB": "/DeviceRGB",
    "/CMYK": "/DeviceCMYK",
    "/DeviceN": "/Separation",
}
# The colour spaces of profiles, by how many components they have.
_OF_PROFILES = {1: "/DeviceGray", 3: "/DeviceRGB", 4: "/DeviceCMYK"}


class Box(NamedTuple):
    """A rectangle on the page."""

    left: float
    bottom: float
    right: float
    top: float

    def meets(self, other: Box) -> bool:
        """Return whether the boxes have a point in common."""
        return (
            self.left <= other.right
            and other.left <= self.right
            and self.bottom <= other.top
            and other.bottom <= self.top
        )

    def holds(self, point: Point) -> bool:
        """Return whether a point is in the box."""
        return self.left <= point[0] <= self.right and self.bottom <= point[1] <= self.top

    def within(self, other: Box) -> Box:
        """Return the part that lies in another box; its sides change places if there is none."""
        return Box(
            max(self.left, other.left),
            max(self.bottom, other.bottom),
            min(self.right, other.right),
            min(self.top, other.top),
        )

    @property
    def area(self) -> float:
        return max(0.0, self.right - self.left) * max(0.0, self.top - self.bottom)


def product(first: Matrix, second: Matrix) -> Matrix:
    """Return the matrix of `first` and then `second`."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + m


def mapped(matrix: Matrix, x: float, y: float) -> Point:
    """Return where a matrix maps a point to."""
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def box_of(points: Iterable[Point]) -> Box:
    """Return the box around points; there is at least one."""
    across, up = zip(*points, strict=True)
    return Box(min(across), min(up), max(across), max(up))


def mapped_box(matrix: Matrix, left: float, bottom: float, right: float, top: float) -> Box:
    """Return the box around a rectangle, after a matrix."""
    a, b, c, d, e, f = matrix
    if b == 0 == c:
        across = sorted((a * left + e, a * right + e))
        up = sorted((d * bottom + f, d * top + f))
        return Box(across[0], up[0], across[1], up[1])
    return box_of(mapped(matrix, x, y) for x in (left, right) for y in (bottom, top))


def matrix_of(numbers: Sequence[Any]) -> Matrix:
    """Return the matrix that six numbers are. Raises `ValueError` or `TypeError` for anything else."""
    a, b, c, d, e, f = (float(number) for number in numbers)
    return a, b, c, d, e, f


class PathPart(NamedTuple):
    """A part of a path: the box around it, and whether the part is that very rectangle."""

    box: Box
    is_rectangle: bool


def _is_upright(line: tuple[Point, Point]) -> bool:
    """Return whether a line is level or upright."""
    (left, bottom), (right, top) = line
    return left == right or bottom == top


class Path:
    """The path that is being built, in parts that each begin at a point of their own."""

    def __init__(self) -> None:
        self._parts: list[list[Point]] = []
        # The places of parts that are no rectangles.
        self._curved: set[int] = set()

    def begin(self, point: Point) -> None:
        self._parts.append([point])

    def add(self, point: Point) -> None:
        """Add a line. Of parts with many only the corners of the box around are kept."""
        if not self._parts:
            self._parts.append([])
        part = self._parts[-1]
        part.append(point)
        if len(part) > 5:
            box = box_of(part)
            self._curved.add(len(self._parts) - 1)
            part[:] = [(box.left, box.bottom), (box.right, box.top)]

    def add_curve(self, *points: Point) -> None:
        for point in points:
            self.add(point)
        self._curved.add(len(self._parts) - 1)

    def parts(self) -> list[PathPart]:
        parts: list[PathPart] = []
        for index, points in enumerate(self._parts):
            box = box_of(points)
            corners = {(x, y) for x in (box.left, box.right) for y in (box.bottom, box.top)}
            is_rectangle = index not in self._curved and {*points} == corners
            parts.append(PathPart(box, is_rectangle and all(map(_is_upright, pairwise(points)))))
        return parts


@dataclass(slots=True)
class GraphicsState:
    """What `q` keeps and `Q` brings back. Widths and sizes are in units of their matrices."""

    # Only what is in this box is painted.
    clip: Box
    # From the units of the content to those of the page.
    matrix: Matrix = IDENTITY
    # Whether all of the clip's box is painted.
    is_clip_plain: bool = True
    # Whether only glyphs of text are painted.
    is_clip_text: bool = False
    # The colours of areas and of lines, their colour spaces, and their opacities from 0 to 1.
    fill: Colour = BLACK
    stroke: Colour = BLACK
    fill_space: str = "/DeviceGray"
    stroke_space: str = "/DeviceGray"
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    # Whether all that is painted is one group without any opacity.
    is_in_clear_group: bool = False
    # Whether what lies behind areas is seen through them for other reasons than their own opacity: a mask, a mode that
    # mixes colours, inks that leave others as they are, or the same for a group around.
    has_mask: bool = False
    is_mixed: bool = False
    is_overprinted: bool = False
    is_in_thin_group: bool = False
    line_width: float = 1.0
    # Whether a font is set, and what its strings are rewritten by; None if pypdf reads them as they are.
    has_font: bool = False
    strings: FontStrings | None = None
    # The font's name among the resources, its identity, and the widths of its glyphs; None if they are not known.
    font_name: str = ""
    font_id: int = 0
    widths: GlyphWidths | None = None
    # Whether the font is of Type 3: then its size says nothing, as its glyphs may have any.
    is_drawn_font: bool = False
    # Whether its characters have several bytes: then spaces between words are added to no byte, or are rare.
    is_composite_font: bool = False
    # The size of the font.
    size: float = 0.0
    # How text is shown, by the number of `Tr`: 0 filled, 1 stroked, 2 both, 3 invisible, 4 to 7 the same as a clip.
    mode: int = 0
    # How far down the next line is.
    leading: float = 0.0
    # How wide glyphs are, of their usual width.
    stretch: float = 1.0
    # What is between glyphs, and beside it after spaces.
    spacing: float = 0.0
    word_spacing: float = 0.0
    # How far text is above its line.
    rise: float = 0.0

    def text_colours(self) -> list[Colour]:
        """Return the colours that text is filled and stroked with; none in modes that do neither."""
        colours = [self.fill] if self.mode in _FILLING else []
        if self.mode in _STROKING:
            colours.append(self.stroke)
        return colours

    def lets_through(self) -> bool:
        """Return whether all that lies behind an area may be seen through it."""
        return self.fill_opacity < 1 or self.has_mask or self.is_mixed or self.is_in_thin_group

    def fills_opaquely(self) -> bool:
        """Return whether nothing is surely seen of what lies behind a rectangle that is filled."""
        is_plain_colour = self.fill is not None and self.fill_space.startswith("/Device")
        return is_plain_colour and self.is_clip_plain and not self.is_overprinted and not self.lets_through()

    def draws_no_text(self) -> bool:
        """Return whether text has no ink."""
        is_filled = self.mode in _FILLING and self.fill_opacity > 0
        is_stroked = self.mode in _STROKING and self.stroke_opacity > 0
        return self.is_in_clear_group or not (is_filled or is_stroked)


class PaintedArea(NamedTuple):
    """A box that was painted: its colour, and whether it hides all that lies behind it.

    The colour is None if it is not known, or if not all of the box has it.
    """

    box: Box
    colour: Colour
    is_opaque: bool = False


@dataclass(slots=True)
class PaintedAreas:
    """What lies behind text on a page that is white: boxes in the order in which they were painted."""

    areas: list[PaintedArea] = field(default_factory=list)
    # The colours of boxes that text may lie in: lines are thinner.
    _colours: set[Colour] = field(default_factory=set)
    # What `may_hide` has answered since the latest new colour.
    _may_hide: dict[Colour, bool] = field(default_factory=dict)

    def add(self, box: Box, colour: Colour, *, is_opaque: bool = False) -> None:
        """Add a box, as `PaintedArea` says it."""
        self.areas.append(PaintedArea(box, colour, is_opaque))
        if colour not in self._colours and min(box.right - box.left, box.top - box.bottom) >= _THINNEST:
            self._colours.add(colour)
            self._may_hide.clear()

    def may_hide(self, colour: Colour) -> bool:
        """Return whether anything on the page has this colour of text."""
        if colour not in self._may_hide:
            self._may_hide[colour] = any(is_alike(colour, known) for known in (WHITE, *self._colours))
        return self._may_hide[colour]

    def hide(self, colour: Colour, box: Box, point: Point) -> bool:
        """Return whether text cannot be seen that has the colour of all that lies behind it.

        The text lies somewhere in a box, and certainly at a point.
        """
        if not self.may_hide(colour):
            return False
        for area, behind, _ in reversed(self.areas):
            if behind is not None and area.holds(point):
                return is_alike(colour, behind)
            if not is_alike(colour, behind) and area.meets(box):
                return False
        return is_alike(colour, WHITE)


def colour_of(space: str, operands: Sequence[Any]) -> Colour:
    """Return the colour of components in a colour space, as `space_of` names it; None if it is not known."""
    shares = [float(share) for share in operands if isinstance(share, int | float)]
    if len(shares) != len(operands):
        # A pattern.
        return None
    if space == "/DeviceGray" and len(shares) == 1:
        return shares[0], shares[0], shares[0]
    if space == "/DeviceRGB" and len(shares) == 3:
        return shares[0], shares[1], shares[2]
    if space == "/DeviceCMYK" and len(shares) == 4:
        cyan, magenta, yellow = (min(1.0, share + shares[3]) for share in shares[:3])
        return 1 - cyan, 1 - magenta, 1 - yellow
    if space == "/Separation" and not any(shares):
        # No ink.
        return WHITE
    # White has a lightness of 100, and no tint.
    if space == "/Lab" and len(shares) == 3 and shares[0] >= 100 * (1 - _ALIKE) and shares[1] == 0 == shares[2]:
        return WHITE
    return None


def space_of(name: Any, resources: DictionaryObject) -> str:
    """Return the kind of a colour space by its name in a content; "" if it is not known."""
    spaces = resolved_entry(resources, "/ColorSpace")
    space = resolved_entry(spaces, name) if isinstance(spaces, DictionaryObject) and name in spaces else name
    if isinstance(space, ArrayObject) and space:
        kind = str(space[0])
        if kind == "/ICCBased":
            return _OF_PROFILES.get(resolved_entry(space[1].get_object(), "/N"), "")
    else:
        kind = str(space)
    return _SPACES.get(kind, kind)


def first_colour(space: str) -> Colour:
    """Return the colour that setting a colour space sets."""
    return BLACK if space.startswith("/Device") else None


def is_alike(first: Colour, second: Colour) -> bool:
    """Return whether two colours look the same; one that is not known looks like no other."""
    if first is None or second is None:
        return False
    return all(abs(share - other) <= _ALIKE for share, other in zip(first, second, strict=True))
