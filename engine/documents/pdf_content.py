"""The operations of a page in a PDF file, or of a form on it, without strings that are not seen.

What may be seen is kept: the widths of glyphs are only estimated, and no shape other than a rectangle is known exactly.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Set
from typing import Any

from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    ContentStream,
    DictionaryObject,
    FloatObject,
    NameObject,
    StreamObject,
)

from engine.documents.pdf_fonts import resolved_entry
from engine.documents.pdf_graphics import (
    IDENTITY,
    Box,
    Colour,
    GraphicsState,
    Matrix,
    Path,
    box_of,
    colour_of,
    first_colour,
    mapped,
    mapped_box,
    matrix_of,
    product,
    space_of,
)
from engine.documents.pdf_sight import PdfOperation, ShownPage

HIDDEN, UNREADABLE, DAMAGED = "hidden-text", "unreadable-text", "damaged-part"
# The width of a glyph for each byte of a string, in sizes of its font: more than most have.
_WIDTH = 0.75
# Modes in which text says where is painted after it, and the one that does nothing else.
_CLIPPING = (4, 5, 6, 7)
_ONLY_CLIPPING = 7
_NUMBER = (int, float)
_BLANKS = b" \0"
# How wide a line has to be that may lie behind text, in points.
_LEAST_LINE = 3.0
# Forms that a page draws, each of which may draw others many times, and how deep they nest.
_MOST_FORMS, _DEEPEST = 5000, 50
# Instead of a string that is left out: a space, unless there is one already.
_GAP = -1000.0


class PageContent:
    """The operations of a page, or of a form on it, that show something, and the resources that they name."""

    def __init__(self, page: ShownPage, resources: DictionaryObject, state: GraphicsState, around: Set[int]) -> None:
        self.operations: list[PdfOperation] = []
        self.resources = DictionaryObject(resources)
        self._page, self._given, self._state = page, resources, state
        # The forms in memory that this one lies within, and itself.
        self._around = around
        self._kept: list[GraphicsState] = []
        self._path = Path()
        self._clips = False
        # The beginning of the line of text, and how far the next string is from it: at least, and at most.
        self._line: Matrix = IDENTITY
        self._line_matrix: Matrix | None = None
        self._nearest = self._farthest = 0.0
        # Whether each marked content around belongs to a layer that is off, and how many do.
        self._marked: list[bool] = []
        self._off = 0

    def read(self, operations: list[PdfOperation]) -> None:
        for operands, operator in operations:
            replaced = self._read_one(operands, operator)
            if replaced is None:
                self.operations.append((operands, operator))
            else:
                self.operations += replaced

    def _read_one(self, operands: Any, operator: bytes) -> list[PdfOperation] | None:
        """Return what stands for an operation; None if it stays as it is."""
        handle = _HANDLERS.get(operator)
        if handle is None:
            return None
        try:
            return handle(self, operands)
        except MemoryError:
            raise
        # Operands of broken files may be anything, and forms may be damaged; pypdf passes over these, too.
        except Exception:
            return None

    # The state.

    def _save(self, _: list[Any]) -> None:
        self._kept.append(copy.copy(self._state))

    def _restore(self, _: list[Any]) -> None:
        if self._kept:
            self._state = self._kept.pop()
            self._line_matrix = None

    def _transform(self, operands: list[Any]) -> None:
        self._state.matrix = product(matrix_of(operands), self._state.matrix)
        self._line_matrix = None

    def _set_line_width(self, operands: list[Any]) -> None:
        self._state.line_width = float(operands[0])

    def _set_parameters(self, operands: list[Any]) -> None:
        parameters = resolved_entry(self._given["/ExtGState"].get_object(), operands[0])  # type: ignore[arg-type]
        if "/ca" in parameters:
            self._state.fill_opacity = float(resolved_entry(parameters, "/ca"))
        if "/CA" in parameters:
            self._state.stroke_opacity = float(resolved_entry(parameters, "/CA"))
        if "/LW" in parameters:
            self._state.line_width = float(resolved_entry(parameters, "/LW"))

    def _set_fill(self, space: str, operands: list[Any]) -> None:
        self._state.fill_space = space
        self._state.fill = colour_of(space, operands)

    def _set_stroke(self, space: str, operands: list[Any]) -> None:
        self._state.stroke_space = space
        self._state.stroke = colour_of(space, operands)

    def _set_fill_shares(self, operands: list[Any]) -> None:
        self._state.fill = colour_of(self._state.fill_space, operands)

    def _set_stroke_shares(self, operands: list[Any]) -> None:
        self._state.stroke = colour_of(self._state.stroke_space, operands)

    def _set_fill_space(self, operands: list[Any]) -> None:
        self._state.fill_space = space_of(operands[0], self._given)
        self._state.fill = first_colour(self._state.fill_space)

    def _set_stroke_space(self, operands: list[Any]) -> None:
        self._state.stroke_space = space_of(operands[0], self._given)
        self._state.stroke = first_colour(self._state.stroke_space)

    # Paths.

    def _move(self, operands: list[Any]) -> None:
        self._path.begin(mapped(self._state.matrix, float(operands[0]), float(operands[1])))

    def _add_line(self, operands: list[Any]) -> None:
        self._path.add(mapped(self._state.matrix, float(operands[0]), float(operands[1])))

    def _add_curve(self, operands: list[Any]) -> None:
        numbers = [float(operand) for operand in operands]
        self._path.add_curve(
            *(mapped(self._state.matrix, x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True))
        )

    def _add_rectangle(self, operands: list[Any]) -> None:
        x, y, width, height = (float(operand) for operand in operands)
        corners = ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        first, *others = (mapped(self._state.matrix, *corner) for corner in corners)
        self._path.begin(first)
        for point in others:
            self._path.add(point)

    def _clip(self, _: list[Any]) -> None:
        self._clips = True

    def _end_path(self, _: list[Any]) -> None:
        if self._clips and (parts := self._path.boxes()):
            state = self._state
            around = box_of(point for box, _ in parts for point in (box[:2], box[2:]))
            state.clip = state.clip.within(around)
            state.is_clip_plain = state.is_clip_plain and len(parts) == 1 and parts[0][1]
        self._path = Path()
        self._clips = False

    def _fill(self, operands: list[Any]) -> None:
        state = self._state
        if state.fill_opacity > 0:
            is_plain = state.is_clip_plain and state.fill_opacity == 1
            for box, is_rectangle in self._path.boxes():
                self._paint(box, state.fill if is_plain and is_rectangle else None)
        self._end_path(operands)

    def _stroke(self, operands: list[Any]) -> None:
        self._paint_lines()
        self._end_path(operands)

    def _fill_and_stroke(self, operands: list[Any]) -> None:
        self._paint_lines()
        self._fill(operands)

    def _paint_lines(self) -> None:
        a, b, c, d = self._state.matrix[:4]
        width = self._state.line_width * math.sqrt(abs(a * d - b * c))
        if width >= _LEAST_LINE and self._state.stroke_opacity > 0:
            for (left, bottom, right, top), _ in self._path.boxes():
                half = width / 2
                self._paint(Box(left - half, bottom - half, right + half, top + half), None)

    def _paint(self, box: Box, colour: Colour) -> None:
        shown = box.within(self._state.clip)
        if shown.left <= shown.right and shown.bottom <= shown.top and not self._off:
            self._page.areas.add(shown, colour)
            self._page.paints_text = self._page.paints_text or self._state.is_clip_text

    def _shade(self, _: list[Any]) -> None:
        self._paint(self._page.box, None)

    def _add_picture(self, _: Any) -> None:
        if not self._off:
            self._page.paints_text = self._page.paints_text or self._state.is_clip_text
            self._page.add_picture(mapped_box(self._state.matrix, 0, 0, 1, 1).within(self._state.clip))

    # Marked content and forms.

    def _mark_with_properties(self, operands: list[Any]) -> None:
        self._marked.append(False)
        if operands[0] == "/OC" and isinstance(operands[1], NameObject):
            layer = resolved_entry(self._given, "/Properties").get(operands[1])
            if self._page.objects.layers.hide(layer):
                self._marked[-1] = True
                self._off += 1

    def _end_mark(self, _: list[Any]) -> None:
        if self._marked and self._marked.pop():
            self._off -= 1

    def _draw(self, operands: list[Any]) -> list[PdfOperation] | None:
        """Draw a picture, or a form, which is given the operations that show something."""
        name = operands[0]
        drawn = resolved_entry(resolved_entry(self._given, "/XObject"), name)
        is_off = self._off > 0 or self._page.objects.layers.hide(drawn.get("/OC"))
        if drawn.get("/Subtype") == "/Image":
            if not is_off:
                self._add_picture(operands)
            return None
        operations = self._page.objects.operations_of(drawn)
        state = copy.copy(self._state)
        if "/Matrix" in drawn:
            state.matrix = product(matrix_of(drawn["/Matrix"]), state.matrix)
        if "/BBox" in drawn:
            state.clip = state.clip.within(mapped_box(state.matrix, *map(float, drawn["/BBox"])))
        if operations is None:
            if not is_off:
                self._page.areas.add(state.clip, None)
            return None
        if is_off:
            self._page.count(HIDDEN)
            return []
        if id(drawn) in self._around:
            return []
        self._page.forms += 1
        if self._page.forms > _MOST_FORMS or len(self._around) > _DEEPEST:
            self._page.count(DAMAGED)
            return []
        own = resolved_entry(drawn, "/Resources")
        resources = own if isinstance(own, DictionaryObject) else self._given
        content = PageContent(self._page, resources, state, self._around | {id(drawn)})
        content.read(operations)
        return [([self._named(content, drawn)], b"Do")]

    def _named(self, content: PageContent, form: StreamObject) -> NameObject:
        """Return a name for the form of a content among the resources."""
        shown = ContentStream(None, None)
        shown.update(form)
        shown.operations = content.operations
        shown[NameObject("/Resources")] = content.resources
        return self._add_resource("/XObject", f"/Shown{self._page.forms}", shown)

    def _add_resource(self, kind: str, name: str, added: DictionaryObject) -> NameObject:
        given = resolved_entry(self._given, kind)
        key = NameObject(kind)
        if self.resources.get(key) is self._given.get(key):
            self.resources[key] = DictionaryObject(given if isinstance(given, DictionaryObject) else {})
        self.resources[key][NameObject(name)] = added  # type: ignore[index]
        return NameObject(name)

    # Text.

    def _begin_text(self, _: list[Any]) -> None:
        self._start_line(IDENTITY)

    def _start_line(self, matrix: Matrix) -> None:
        self._line, self._line_matrix = matrix, None
        self._nearest = self._farthest = 0.0

    def _set_text_matrix(self, operands: list[Any]) -> None:
        self._start_line(matrix_of(operands))

    def _move_line(self, operands: list[Any]) -> None:
        self._start_line(product((1.0, 0.0, 0.0, 1.0, float(operands[0]), float(operands[1])), self._line))

    def _move_line_and_lead(self, operands: list[Any]) -> None:
        self._state.leading = -float(operands[1])
        self._move_line(operands)

    def _next_line(self, _: list[Any]) -> None:
        self._move_line([0, -self._state.leading])

    def _set_leading(self, operands: list[Any]) -> None:
        self._state.leading = float(operands[0])

    def _set_mode(self, operands: list[Any]) -> None:
        self._state.mode = int(operands[0])

    def _set_stretch(self, operands: list[Any]) -> None:
        self._state.stretch = float(operands[0]) / 100

    def _set_spacing(self, operands: list[Any]) -> None:
        self._state.spacing = float(operands[0])

    def _set_font(self, operands: list[Any]) -> None:
        state = self._state
        state.has_font, state.strings, state.is_drawn_font = False, None, False
        state.size = float(operands[1])
        font = resolved_entry(resolved_entry(self._given, "/Font"), operands[0])
        state.has_font = True
        state.is_drawn_font = font.get("/Subtype") == "/Type3"
        state.strings = self._page.objects.strings_of(font)
        if state.strings is not None:
            self._page.strings.add(state.strings)
            self._add_resource("/Font", operands[0], state.strings.font)

    def _show(self, operands: list[Any]) -> list[PdfOperation] | None:
        return self._shown(operands[:1])

    def _show_parts(self, operands: list[Any]) -> list[PdfOperation] | None:
        return self._shown(operands[0])

    def _show_on_next_line(self, operands: list[Any]) -> list[PdfOperation] | None:
        self._next_line([])
        shown = self._shown(operands[:1])
        return None if shown is None else [([], b"T*"), *shown]

    def _show_spaced(self, operands: list[Any]) -> list[PdfOperation] | None:
        self._set_spacing(operands[1:])
        self._next_line([])
        shown = self._shown(operands[2:3])
        return None if shown is None else [(operands[:1], b"Tw"), (operands[1:2], b"Tc"), ([], b"T*"), *shown]

    def _shown(self, parts: list[Any]) -> list[PdfOperation] | None:
        """Return operations that show what is seen of strings, with gaps between them; None if that is all as it is."""
        is_seen = self._is_plainly_seen(parts)
        if self._state.mode in _CLIPPING:
            self._state.is_clip_text, self._state.is_clip_plain = True, False
        if is_seen and self._state.strings is None:
            self._page.count("")
            return None
        shown = ArrayObject()
        is_changed = False
        for part in parts:
            if isinstance(part, _NUMBER):
                shown.append(part)
                if not is_seen:
                    self._advance(part, 0)
            elif isinstance(part, bytes):
                string = self._seen(part, is_seen=is_seen)
                is_changed = is_changed or string is not part
                shown.append(FloatObject(_GAP) if string is None else ByteStringObject(string))
        return [([shown], b"TJ")] if is_changed else None

    def _is_plainly_seen(self, parts: list[Any]) -> bool:
        """Return whether all strings are seen for reasons that are quickly found. Then goes on to their end."""
        state, page = self._state, self._page
        if self._off or not state.has_font or not page.box.holds(mapped(self._matrix(), self._nearest, 0)):
            return False
        if not page.reads_unseen and (self._state.draws_no_text() or self._is_too_small() or self._may_lack_contrast()):
            return False
        back = on = 0.0
        length = seen = 0
        for part in parts:
            if isinstance(part, bytes):
                length += len(part)
                seen += len(part.strip(_BLANKS))
            elif isinstance(part, _NUMBER):
                back = back + max(part, 0.0)
                on = on + min(part, 0.0)
        for gap in (back, on):
            # No string begins farther back, or farther on.
            if gap and not page.box.holds(mapped(self._matrix(), self._nearest - gap / 1000 * state.size, 0)):
                return False
        self._advance(back + on, length)
        page.seen += seen
        return True

    def _seen(self, string: bytes, *, is_seen: bool) -> bytes | None:
        """Return a string as pypdf reads it; None if it is not seen, or cannot be read."""
        page, strings = self._page, self._state.strings
        is_blank = not string.strip(_BLANKS)
        if not is_seen:
            is_hidden = self._is_hidden(string)
            self._advance(0, len(string))
            if is_hidden and not is_blank:
                page.count(HIDDEN)
                return None
            if not is_blank:
                page.seen += len(string)
        if strings is None:
            if not is_blank:
                page.count("")
            return string
        rewritten, unmapped, codes = strings.rewritten(string)
        page.count(UNREADABLE if unmapped else "")
        if codes and unmapped == codes:
            return None
        return string if rewritten == string else rewritten

    def _matrix(self) -> Matrix:
        """Return the matrix of the line of text to the page."""
        if self._line_matrix is None:
            self._line_matrix = product(self._line, self._state.matrix)
        return self._line_matrix

    def _advance(self, gap: float, length: int) -> None:
        """Go on by a gap, in thousandths of the font's size to the left, and by the bytes of strings."""
        state = self._state
        moved = -gap / 1000 * state.size
        self._nearest += moved + length * min(0.0, state.spacing)
        self._farthest += moved + length * (max(0.0, state.spacing) + _WIDTH * abs(state.size))

    def _is_hidden(self, string: bytes) -> bool:
        """Return whether a string that is shown next cannot be seen."""
        if self._off:
            return True
        state, page = self._state, self._page
        size = abs(state.size) if state.has_font and state.size else 1.0
        left = self._nearest * state.stretch
        right = (self._farthest + _WIDTH * len(string) * size) * state.stretch
        box = mapped_box(self._matrix(), left, -0.2 * size, right, 0.8 * size)
        if page.box.area > 0 and not box.meets(page.box):
            return True
        if page.reads_unseen:
            return False
        if page.reads_clips and state.mode == _ONLY_CLIPPING:
            return False
        is_unseen = self._state.draws_no_text() or self._is_too_small()
        if not is_unseen:
            point = mapped(self._matrix(), left + 0.3 * size, 0.3 * size)
            is_unseen = all(page.areas.hide(colour, box, point) for colour in self._state.text_colours())
        if is_unseen:
            page.unseen += len(string)
        return is_unseen

    def _may_lack_contrast(self) -> bool:
        return any(self._page.areas.may_hide(colour) for colour in self._state.text_colours())

    def _is_too_small(self) -> bool:
        state, page = self._state, self._page
        if state.is_drawn_font or not state.has_font:
            return False
        matrix = self._matrix()
        return abs(state.size) * math.hypot(matrix[2], matrix[3]) < page.least_size


_Handler = Callable[[PageContent, list[Any]], list[PdfOperation] | None]
# What keeps an operation as it is returns None.
_HANDLERS: dict[bytes, _Handler] = {
    b"q": PageContent._save,
    b"Q": PageContent._restore,
    b"cm": PageContent._transform,
    b"w": PageContent._set_line_width,
    b"gs": PageContent._set_parameters,
    b"g": lambda content, operands: content._set_fill("/DeviceGray", operands),
    b"G": lambda content, operands: content._set_stroke("/DeviceGray", operands),
    b"rg": lambda content, operands: content._set_fill("/DeviceRGB", operands),
    b"RG": lambda content, operands: content._set_stroke("/DeviceRGB", operands),
    b"k": lambda content, operands: content._set_fill("/DeviceCMYK", operands),
    b"K": lambda content, operands: content._set_stroke("/DeviceCMYK", operands),
    b"cs": PageContent._set_fill_space,
    b"CS": PageContent._set_stroke_space,
    **dict.fromkeys((b"sc", b"scn"), PageContent._set_fill_shares),
    **dict.fromkeys((b"SC", b"SCN"), PageContent._set_stroke_shares),
    b"m": PageContent._move,
    b"l": PageContent._add_line,
    **dict.fromkeys((b"c", b"v", b"y"), PageContent._add_curve),
    b"re": PageContent._add_rectangle,
    **dict.fromkeys((b"W", b"W*"), PageContent._clip),
    b"n": PageContent._end_path,
    **dict.fromkeys((b"f", b"F", b"f*"), PageContent._fill),
    **dict.fromkeys((b"S", b"s"), PageContent._stroke),
    **dict.fromkeys((b"B", b"B*", b"b", b"b*"), PageContent._fill_and_stroke),
    b"sh": PageContent._shade,
    b"INLINE IMAGE": PageContent._add_picture,
    b"BMC": lambda content, _: content._marked.append(False),
    b"BDC": PageContent._mark_with_properties,
    b"EMC": PageContent._end_mark,
    b"Do": PageContent._draw,
    b"BT": PageContent._begin_text,
    b"Tm": PageContent._set_text_matrix,
    b"Td": PageContent._move_line,
    b"TD": PageContent._move_line_and_lead,
    b"T*": PageContent._next_line,
    b"TL": PageContent._set_leading,
    b"Tr": PageContent._set_mode,
    b"Tz": PageContent._set_stretch,
    b"Tc": PageContent._set_spacing,
    b"Tf": PageContent._set_font,
    b"Tj": PageContent._show,
    b"TJ": PageContent._show_parts,
    b"'": PageContent._show_on_next_line,
    b'"': PageContent._show_spaced,
}
