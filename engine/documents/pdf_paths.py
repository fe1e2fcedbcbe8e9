"""What the paths and pictures of a PDF content paint on the page, and where they let other things be painted."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

from pypdf.generic import StreamObject

from engine.documents.pdf_graphics import WHITE, Box, Colour, Path, box_of, is_alike, mapped, mapped_box
from engine.documents.pdf_state import ContentState, OperatorTable

# How wide a line has to be that may lie behind text, in points.
_LEAST_LINE = 3.0
# The most parts of a path that are compared with each other.
_MOST_COMPARED = 100


class PathOperators:
    """Follows the operators that build paths, and clip, fill or stroke with them."""

    def __init__(self, content: ContentState) -> None:
        self._content = content
        self._path = Path()
        # Whether the path narrows the clip when it ends.
        self._clips = False
        self.handlers: OperatorTable = {
            b"m": self._move,
            b"l": self._add_line,
            **dict.fromkeys((b"c", b"v", b"y"), self._add_curve),
            b"re": self._add_rectangle,
            **dict.fromkeys((b"W", b"W*"), self._clip),
            b"n": self._end_path,
            **dict.fromkeys((b"f", b"F"), self._fill),
            b"f*": self._fill_alternately,
            **dict.fromkeys((b"S", b"s"), self._stroke),
            **dict.fromkeys((b"B", b"b"), self._fill_and_stroke),
            **dict.fromkeys((b"B*", b"b*"), self._fill_alternately_and_stroke),
            b"sh": self._shade,
            b"INLINE IMAGE": self.add_picture,
        }

    def add_picture(self, _: Any, picture: StreamObject | None = None) -> None:
        """Paint a picture, which fills the square of one unit of the matrix."""
        content = self._content
        if not content.layers_off:
            content.page.paints_text = content.page.paints_text or content.graphics.is_clip_text
            box = mapped_box(content.graphics.matrix, 0, 0, 1, 1)
            content.page.add_picture(box.within(content.graphics.clip), picture)

    # Building.

    def _move(self, operands: list[Any]) -> None:
        self._path.begin(mapped(self._content.graphics.matrix, float(operands[0]), float(operands[1])))

    def _add_line(self, operands: list[Any]) -> None:
        self._path.add(mapped(self._content.graphics.matrix, float(operands[0]), float(operands[1])))

    def _add_curve(self, operands: list[Any]) -> None:
        numbers = [float(operand) for operand in operands]
        points = zip(numbers[::2], numbers[1::2], strict=True)
        self._path.add_curve(*(mapped(self._content.graphics.matrix, x, y) for x, y in points))

    def _add_rectangle(self, operands: list[Any]) -> None:
        x, y, width, height = (float(operand) for operand in operands)
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        first, *others = (mapped(self._content.graphics.matrix, *corner) for corner in corners)
        self._path.begin(first)
        for point in others:
            self._path.add(point)

    # Ending.

    def _clip(self, _: list[Any]) -> None:
        self._clips = True

    def _end_path(self, _: list[Any]) -> None:
        """Forget the path, after it has narrowed the clip if it is to do that."""
        parts = self._path.parts() if self._clips else []
        if parts:
            graphics = self._content.graphics
            around = box_of(corner for part in parts for corner in (part.box[:2], part.box[2:]))
            graphics.clip = graphics.clip.within(around)
            is_rectangle = len(parts) == 1 and parts[0].is_rectangle
            graphics.is_clip_plain = graphics.is_clip_plain and is_rectangle
        self._path = Path()
        self._clips = False

    def _fill(self, operands: list[Any]) -> None:
        graphics = self._content.graphics
        if graphics.fill_opacity > 0:
            is_plain = graphics.is_clip_plain and graphics.fill_opacity == 1
            parts = self._path.parts()
            # Where parts of a path lie on each other, it may have holes.
            is_opaque = graphics.fills_opaquely() and not _overlap([part.box for part in parts])
            for part in parts:
                colour = graphics.fill if is_plain and part.is_rectangle else None
                self._paint(part.box, colour, is_opaque=is_opaque and part.is_rectangle)
                if part.is_rectangle:
                    self._note_line(part.box, graphics.fill)
                    self._content.page.rules.add_line(part.box)
        self._end_path(operands)

    def _fill_alternately(self, operands: list[Any]) -> None:
        """Fill the path, but for what lies in two of its parts: so programs fill the borders of cells."""
        parts = self._path.parts()
        boxes = [part.box for part in parts]
        if len(parts) == 1 or not _overlap(boxes):
            self._fill(operands)
            return
        graphics = self._content.graphics
        inner, outer = sorted(boxes, key=lambda box: box.area)[:2]
        if graphics.fill_opacity > 0:
            if len(parts) == 2 and all(part.is_rectangle for part in parts) and inner == inner.within(outer):
                is_plain = graphics.is_clip_plain and graphics.fill_opacity == 1
                for side in _sides(inner, outer):
                    self._paint(side, graphics.fill if is_plain else None)
                self._content.page.rules.add_frame(outer)
            else:
                for box in boxes:
                    # Not all of it has the colour.
                    self._paint(box, None)
        self._end_path(operands)

    def _fill_alternately_and_stroke(self, operands: list[Any]) -> None:
        self._paint_lines()
        self._fill_alternately(operands)

    def _stroke(self, operands: list[Any]) -> None:
        self._paint_lines()
        self._end_path(operands)

    def _fill_and_stroke(self, operands: list[Any]) -> None:
        self._paint_lines()
        self._fill(operands)

    def _shade(self, _: list[Any]) -> None:
        self._paint(self._content.page.box, None)

    # Painting.

    def _paint_lines(self) -> None:
        """Paint the boxes around the lines of the path, if these are wide; note them if they are thin."""
        graphics = self._content.graphics
        a, b, c, d = graphics.matrix[:4]
        width = graphics.line_width * math.sqrt(abs(a * d - b * c))
        if graphics.stroke_opacity <= 0:
            return
        half = width / 2
        for part in self._path.parts():
            left, bottom, right, top = part.box
            if width >= _LEAST_LINE:
                self._paint(Box(left - half, bottom - half, right + half, top + half), None)
                continue
            line = Box(left, bottom - half, right, top + half)
            self._note_line(line, graphics.stroke)
            if part.is_rectangle and right - left > width and top - bottom > width:
                self._content.page.rules.add_frame(part.box)
            else:
                self._content.page.rules.add_line(line)

    def _note_line(self, box: Box, colour: Colour) -> None:
        """Note what may strike words, if it is seen on white."""
        content = self._content
        if not content.layers_off and not is_alike(colour, WHITE):
            content.page.thin_lines.add_line(box.within(content.graphics.clip))

    def _paint(self, box: Box, colour: Colour, *, is_opaque: bool = False) -> None:
        """Paint what is seen of a box, as `PaintedArea` says it."""
        content = self._content
        shown = box.within(content.graphics.clip)
        if shown.left <= shown.right and shown.bottom <= shown.top and not content.layers_off:
            content.page.areas.add(shown, colour, is_opaque=is_opaque)
            content.page.paints_text = content.page.paints_text or content.graphics.is_clip_text


def _overlap(boxes: list[Box]) -> bool:
    """Return whether any two boxes have a part in common; those of very many are taken to."""
    if len(boxes) > _MOST_COMPARED:
        return True
    return any(first.within(second).area > 0 for first, second in combinations(boxes, 2))


def _sides(inner: Box, outer: Box) -> list[Box]:
    """Return what lies between two boxes, the one within the other."""
    return [
        Box(outer.left, outer.bottom, inner.left, outer.top),
        Box(inner.right, outer.bottom, outer.right, outer.top),
        Box(inner.left, outer.bottom, inner.right, inner.bottom),
        Box(inner.left, inner.top, inner.right, outer.top),
    ]
