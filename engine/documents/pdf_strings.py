"""Which strings of a PDF content are seen, where they are on the page, and what pypdf reads instead of them.

pypdf begins a new line at each operation that goes up or down, though no text is shown there, and it does not know of
stretched text. So the operations that place text are left out, and a single one goes before each string that they move.
"""

from __future__ import annotations

import math
from typing import Any

from pypdf.generic import ArrayObject, ByteStringObject, FloatObject, NameObject

from engine.documents.pdf_doubles import NEAR, DrawnGlyph, joined_parts
from engine.documents.pdf_fonts import codes_of_plain
from engine.documents.pdf_gaps import after_gap, with_gaps_as_numbers
from engine.documents.pdf_graphics import IDENTITY, GraphicsState, Matrix, mapped, mapped_box, matrix_of, product
from engine.documents.pdf_places import GlyphPlaces, OverWords, PartsInSight, baseline_at
from engine.documents.pdf_sight import HIDDEN, UNREADABLE, PdfOperation
from engine.documents.pdf_state import ContentState, OperatorTable
from engine.documents.pdf_strikes import STRUCK_FONT, struck_font

# The width of a glyph for each byte of a string, in sizes of its font: more than most have.
_WIDTH = 0.75
# Modes in which text says where is painted after it, and the one that does nothing else.
_CLIPPING = (4, 5, 6, 7)
_ONLY_CLIPPING = 7
_NUMBER = (int, float)
_BLANKS = b" \0"
# Instead of a string that is left out: a space, unless there is one already.
_GAP = -1000.0


class TextOperators:
    """Follows the operators that place and show text."""

    def __init__(self, content: ContentState) -> None:
        self._content = content
        # The matrix of the line of text, where the next string begins on it, and whether pypdf has to be told of both.
        self._line: Matrix = IDENTITY
        self._begin = 0.0
        self._is_moved = False
        # Whether the text object has shown a string.
        self._has_shown = False
        # The gap that the last string leaves after it, beside its spacing, before it is stretched.
        self._gap = 0.0
        # The least and the greatest distance of the next string from the beginning of the line, before it is stretched.
        # The widths of glyphs are estimates.
        self._nearest = 0.0
        self._farthest = 0.0
        # What `_line_to_page` returned last, and the graphics state's matrix that it was computed with; that is None
        # once the line has changed.
        self._page_matrix: Matrix = IDENTITY
        self._page_matrix_of: Matrix | None = None
        # Where glyphs are by their widths, for pages where lines may strike them or areas cover them.
        self._places = GlyphPlaces()
        # The same for pages that may draw glyphs several times.
        self._drawn_places = GlyphPlaces()
        # `OperatorHandler` says what they return and may raise.
        self.handlers: OperatorTable = {
            b"BT": self._begin_text,
            b"ET": self._end_text,
            b"Tm": self._set_text_matrix,
            b"Td": self._move_line,
            b"TD": self._move_line_and_lead,
            b"T*": self._next_line,
            b"TL": self._set_leading,
            b"Tr": self._set_mode,
            b"Tz": self._set_stretch,
            b"Tc": self._set_spacing,
            b"Tw": self._set_word_spacing,
            b"Ts": self._set_rise,
            b"Tf": self._set_font,
            b"Tj": self._show,
            b"TJ": self._show_parts,
            b"'": self._show_on_next_line,
            b'"': self._show_spaced,
        }

    @property
    def _graphics(self) -> GraphicsState:
        return self._content.graphics

    # The place of text.

    def _begin_text(self, _: list[Any]) -> None:
        self._has_shown = False
        self._start_line(IDENTITY)

    def _end_text(self, _: list[Any]) -> list[PdfOperation]:
        """End a text object; one that goes to the next line after its last string ends a line of the text."""
        moved = self._place() if self._has_shown else []
        return [*moved, ([], b"ET")]

    def _start_line(self, matrix: Matrix) -> None:
        self._line = matrix
        self._begin = 0.0
        self._is_moved = True
        self._gap = 0.0
        self._page_matrix_of = None
        self._places.start_line()
        self._drawn_places.start_line()
        self._nearest = 0.0
        self._farthest = 0.0

    def _set_text_matrix(self, operands: list[Any]) -> list[PdfOperation]:
        self._start_line(matrix_of(operands))
        return []

    def _move_line(self, operands: list[Any]) -> list[PdfOperation]:
        self._start_line(product((1.0, 0.0, 0.0, 1.0, float(operands[0]), float(operands[1])), self._line))
        return []

    def _move_line_and_lead(self, operands: list[Any]) -> list[PdfOperation]:
        self._graphics.leading = -float(operands[1])
        return self._move_line(operands)

    def _next_line(self, _: list[Any]) -> list[PdfOperation]:
        return self._move_line([0, -self._graphics.leading])

    def _place(self) -> list[PdfOperation]:
        """Return the operation that places the next string; none for one that follows the last."""
        if not self._is_moved:
            return []
        self._is_moved = False
        matrix = product((self._graphics.stretch, 0.0, 0.0, 1.0, self._begin, 0.0), self._line)
        return [([FloatObject(number) for number in matrix], b"Tm")]

    def _line_to_page(self) -> Matrix:
        """Return the matrix from the line of text to the page."""
        matrix = self._graphics.matrix
        if self._page_matrix_of is not matrix:
            self._page_matrix = product(self._line, matrix)
            self._page_matrix_of = matrix
        return self._page_matrix

    def _advance(self, gap: float, length: int, spaces: int) -> None:
        """Go on by a gap, in thousandths of the font's size to the left, and by the bytes of strings.

        So many of these bytes are spaces, to which the spacing of words is added.
        """
        graphics = self._graphics
        moved = self._moved_by(gap, spaces)
        self._nearest += moved + length * min(0.0, graphics.spacing)
        self._farthest += moved + length * (max(0.0, graphics.spacing) + _WIDTH * abs(graphics.size))

    def _moved_by(self, gap: float, spaces: int) -> float:
        """Return how far a gap and the spacing of words move what comes after them."""
        graphics = self._graphics
        between_words = 0.0 if graphics.is_composite_font else spaces * graphics.word_spacing
        return between_words - gap / 1000 * graphics.size

    # The state of text.

    def _set_leading(self, operands: list[Any]) -> None:
        self._graphics.leading = float(operands[0])

    def _set_mode(self, operands: list[Any]) -> None:
        self._graphics.mode = int(operands[0])

    def _set_stretch(self, operands: list[Any]) -> list[PdfOperation]:
        self._graphics.stretch = float(operands[0]) / 100
        return []

    def _set_spacing(self, operands: list[Any]) -> None:
        self._graphics.spacing = float(operands[0])

    def _set_word_spacing(self, operands: list[Any]) -> None:
        self._graphics.word_spacing = float(operands[0])

    def _set_rise(self, operands: list[Any]) -> None:
        self._graphics.rise = float(operands[0])

    def _set_font(self, operands: list[Any]) -> None:
        """Set the font and its size (the operator "Tf"); pypdf gets another font where it reads this one wrongly."""
        graphics = self._graphics
        # What holds if the font is missing.
        graphics.has_font = False
        graphics.strings = None
        graphics.widths = None
        graphics.font_name = operands[0]
        graphics.font_id = 0
        graphics.is_drawn_font = False
        graphics.is_composite_font = False
        graphics.size = float(operands[1])
        font = self._content.given_resource("/Font", operands[0])
        graphics.has_font = True
        graphics.font_id = id(font)
        graphics.is_drawn_font = font.get("/Subtype") == "/Type3"
        graphics.is_composite_font = font.get("/Subtype") == "/Type0"
        graphics.strings = self._content.page.objects.strings_of(font)
        if graphics.strings is not None:
            self._content.page.strings.add(graphics.strings)
            self._content.add_resource("/Font", operands[0], graphics.strings.font)
        page = self._content.page
        if page.strikes is not None or page.covers is not None or page.draws_once:
            graphics.widths = page.objects.widths_of(font)

    # Showing text.

    def _show(self, operands: list[Any]) -> list[PdfOperation]:
        return self._shown([operand for operand in operands[:1] if isinstance(operand, bytes)])

    def _show_parts(self, operands: list[Any]) -> list[PdfOperation]:
        return self._shown(operands[0] if isinstance(operands[0], ArrayObject) else [])

    def _show_on_next_line(self, operands: list[Any]) -> list[PdfOperation]:
        return [*self._next_line([]), *self._show(operands)]

    def _show_spaced(self, operands: list[Any]) -> list[PdfOperation]:
        self._set_word_spacing(operands)
        self._set_spacing(operands[1:])
        return [(operands[:1], b"Tw"), (operands[1:2], b"Tc"), *self._next_line([]), *self._show(operands[2:])]

    def _shown(self, parts: list[Any]) -> list[PdfOperation]:
        """Return operations that place and show what is seen of `parts`: strings, and the gaps between them."""
        graphics = self._graphics
        thousandth = graphics.size / 1000
        if thousandth <= 0:
            return self._shown_in_place(parts)
        if self._gap:
            parts = after_gap(self._gap / thousandth, parts)
            self._gap = 0.0
        spacing = graphics.spacing
        spaced = with_gaps_as_numbers(parts, spacing / thousandth, self._codes)
        if spaced is None:
            return self._shown_in_place(parts)
        graphics.spacing = spaced.spacing * thousandth
        self._gap = spaced.gap_after * thousandth
        try:
            shown = self._shown_in_place(spaced.parts)
            return [([FloatObject(graphics.spacing)], b"Tc"), *shown, ([FloatObject(spacing)], b"Tc")]
        finally:
            graphics.spacing = spacing

    def _codes(self, string: bytes) -> list[bytes]:
        """Return the codes of a string."""
        graphics = self._graphics
        if graphics.strings is not None:
            return graphics.strings.codes(string)
        return codes_of_plain(string, is_composite=graphics.is_composite_font)

    def _shown_in_place(self, parts: list[Any]) -> list[PdfOperation]:
        """Return operations that place and show what is seen of `parts`, with the gaps between them as numbers.

        Glyphs that the page has drawn before are left out.
        """
        page = self._content.page
        if not page.draws_once:
            self._note_copies(parts)
        once = self._drawn_once(parts) if page.draws_once else parts
        seen_before = page.seen
        shown = self._seen_in_place(once)
        strings = [part for part in once if isinstance(part, bytes)]
        is_blank = not b"".join(strings).strip(_BLANKS)
        page.drawn.end_strings(are_seen=is_blank or page.seen > seen_before)
        self._has_shown = once is parts or bool(strings)
        if not self._has_shown:
            self._begin = self._drawn_places.across or 0.0
            self._is_moved = True
            return []
        if shown is None:
            shown = [([ArrayObject(once)], b"TJ")]
        return [*self._place(), *shown]

    def _note_copies(self, parts: list[Any]) -> None:
        """Note whether strings may be drawn several times: at the place where another began, or after going back."""
        graphics = self._graphics
        page = self._content.page
        begin = baseline_at(self._line_to_page(), 0.0, graphics)
        if begin is None or begin.size <= 0:
            return
        if self._is_moved and page.drawn.is_double(
            DrawnGlyph(graphics.font_id, b"", begin.size, begin.left, begin.height)
        ):
            page.has_copies = True
        if any(
            first == second and isinstance(first, bytes) and isinstance(number, _NUMBER) and number > NEAR * 1000
            for first, number, second in zip(parts, parts[1:], parts[2:], strict=False)
        ):
            page.has_copies = True

    def _drawn_once(self, parts: list[Any]) -> list[Any]:
        """Go on by strings and numbers; return them with numbers instead of glyphs that the page has drawn before."""
        graphics = self._graphics
        line_to_page = self._line_to_page()
        begin = baseline_at(line_to_page, 0.0, graphics)
        scale = graphics.size * graphics.stretch / 1000
        if begin is None or begin.size <= 0 or scale <= 0:
            return parts
        drawn = self._content.page.drawn
        once: list[Any] = []
        has_doubles = False
        for part in parts:
            if isinstance(part, _NUMBER):
                self._drawn_places.move(part, graphics)
            glyphs = self._drawn_places.glyphs(part, graphics) if isinstance(part, bytes) else []
            if not glyphs:
                once.append(part)
            for code, place, next_left in glyphs:
                left = begin.left + place.left * line_to_page[0]
                is_wide = graphics.widths is None or place.right - place.left >= NEAR * 1000 * scale
                glyph = DrawnGlyph(graphics.font_id, code, begin.size, left, begin.height)
                if is_wide and drawn.is_double(glyph):
                    has_doubles = True
                    once.append((place.left - next_left) / scale)
                else:
                    once.append(code)
        return joined_parts(once) if has_doubles else parts

    def _seen_in_place(self, parts: list[Any]) -> list[PdfOperation] | None:
        """Return operations that show what is seen of `parts`.

        Struck ones are marked, and covered ones are left out. None if nothing changes.
        """
        graphics = self._graphics
        page = self._content.page
        painted = len(page.areas.areas)
        if page.strikes is None and page.covers is None:
            baseline = baseline_at(self._line_to_page(), self._nearest, graphics)
            page.words.add(baseline, painted)
            if baseline is not None:
                page.thin_lines.add_words(baseline)
            return self._seen_parts(parts)
        # What says where is painted is not painted itself.
        covers = None if graphics.mode in _CLIPPING else page.covers
        over = OverWords(page.strikes, covers, painted)
        pieces = self._places.parts_in_sight(parts, self._line_to_page(), graphics, over)
        if all(piece.sight.line is None and not piece.sight.is_covered for piece in pieces):
            return self._seen_parts(parts)
        return [operation for piece in pieces for operation in self._shown_piece(piece)]

    def _shown_piece(self, piece: PartsInSight) -> list[PdfOperation]:
        """Return operations that show what is seen of strings that are seen alike."""
        if piece.sight.is_covered:
            return self._covered(piece.parts)
        seen = self._seen_parts(piece.parts)
        operations = [([ArrayObject(piece.parts)], b"TJ")] if seen is None else seen
        if piece.sight.line is None:
            return operations
        self._content.add_resource("/Font", STRUCK_FONT, struck_font())
        return [*self._mark(piece.sight.line), *operations, *self._mark(piece.sight.line)]

    def _covered(self, parts: list[Any]) -> list[PdfOperation]:
        """Go on by covered strings and the gaps between them; return operations that leave a gap instead."""
        strings = [part for part in parts if isinstance(part, bytes)]
        gaps = [part for part in parts if isinstance(part, _NUMBER)]
        string = b"".join(strings)
        self._advance(sum(gaps), len(string), string.count(b" "))
        if string.strip(_BLANKS):
            self._content.page.count(HIDDEN)
        return [([ArrayObject([FloatObject(_GAP)])], b"TJ")]

    def _mark(self, line: int) -> list[PdfOperation]:
        """Return operations that show the sign before or after words that a line strikes."""
        strikes = self._content.page.strikes
        if strikes is None:
            return []
        graphics = self._graphics
        size = FloatObject(graphics.size)
        return [
            ([NameObject(STRUCK_FONT), size], b"Tf"),
            ([strikes.add_mark(line)], b"TJ"),
            ([NameObject(graphics.font_name), size], b"Tf"),
        ]

    def _seen_parts(self, parts: list[Any]) -> list[PdfOperation] | None:
        """Return operations that show what is seen of `parts`; None if nothing changes."""
        graphics = self._graphics
        is_seen = self._is_plainly_seen(parts)
        if graphics.mode in _CLIPPING:
            graphics.is_clip_text = True
            graphics.is_clip_plain = False
        if is_seen and graphics.strings is None:
            # Words that are shown end a passage that was left out.
            if any(isinstance(part, bytes) and part.strip(_BLANKS) for part in parts):
                self._content.page.count("")
            return None
        shown = ArrayObject()
        is_changed = False
        for part in parts:
            if isinstance(part, _NUMBER):
                shown.append(part)
                if not is_seen:
                    # Where it is plainly seen, all parts have been passed.
                    self._advance(part, 0, 0)
            elif isinstance(part, bytes):
                string = self._seen(part, is_seen=is_seen)
                is_changed = is_changed or string is not part
                shown.append(FloatObject(_GAP) if string is None else ByteStringObject(string))
        return [([shown], b"TJ")] if is_changed else None

    def _seen(self, string: bytes, *, is_seen: bool) -> bytes | None:
        """Return a string as pypdf reads it; None if it is not seen, or cannot be read.

        Without `is_seen`, finds out whether it is seen, and goes on to its end.
        """
        page = self._content.page
        is_blank = not string.strip(_BLANKS)
        if not is_seen:
            is_hidden = self._is_hidden(string)
            self._advance(0, len(string), string.count(b" "))
            if is_hidden and not is_blank:
                page.count(HIDDEN)
                return None
            if not is_blank:
                page.seen += len(string)
        strings = self._graphics.strings
        if strings is None:
            if not is_blank:
                page.count("")
            return string
        written = strings.rewritten(string)
        if written.unmapped:
            page.count(UNREADABLE)
        elif not is_blank:
            page.count("")
        if written.codes and written.unmapped == written.codes:
            return None
        return string if written.string == string else written.string

    # Whether text is seen.

    def _is_plainly_seen(self, parts: list[Any]) -> bool:
        """Return whether all strings are seen for reasons that are quickly found. Then goes on to their end."""
        graphics = self._graphics
        page = self._content.page
        if self._content.layers_off or not graphics.has_font or not self._is_on_page(self._nearest):
            return False
        if not page.reads_unseen and (self._has_no_ink_or_size() or self._may_lack_contrast()):
            return False
        back = 0.0
        on = 0.0
        length = 0
        spaces = 0
        seen = 0
        for part in parts:
            if isinstance(part, bytes):
                length += len(part)
                spaces += part.count(b" ")
                seen += len(part.strip(_BLANKS))
            elif isinstance(part, _NUMBER):
                back += max(part, 0.0)
                on += min(part, 0.0)
        for moved in (self._moved_by(back, 0), self._moved_by(on, 0), self._moved_by(0, spaces)):
            # No string begins farther back, or farther on.
            if moved and not self._is_on_page(self._nearest + moved):
                return False
        self._advance(back + on, length, spaces)
        page.seen += seen
        return True

    def _is_on_page(self, across: float) -> bool:
        """Return whether a point of the line is on the page, where text is painted."""
        page = self._content.page
        return (page.box if page.reads_unseen else self._graphics.clip).holds(
            mapped(self._line_to_page(), across * self._graphics.stretch, self._graphics.rise)
        )

    def _is_hidden(self, string: bytes) -> bool:
        """Return whether a string that is shown next cannot be seen."""
        if self._content.layers_off:
            return True
        graphics = self._graphics
        page = self._content.page
        size = abs(graphics.size) if graphics.has_font and graphics.size else 1.0
        left = self._nearest * graphics.stretch
        right = (self._farthest + _WIDTH * len(string) * size) * graphics.stretch
        bottom = graphics.rise - 0.2 * size
        top = graphics.rise + 0.8 * size
        box = mapped_box(self._line_to_page(), left, bottom, right, top)
        if page.box.area > 0 and not box.meets(page.box):
            return True
        if page.reads_unseen:
            return False
        if page.reads_clips and graphics.mode == _ONLY_CLIPPING:
            return False
        is_painted = page.box.area == 0 or box.meets(graphics.clip)
        is_unseen = self._has_no_ink_or_size() or not is_painted
        if not is_unseen:
            # Within the first glyph.
            point = mapped(self._line_to_page(), left + 0.3 * size, graphics.rise + 0.3 * size)
            is_unseen = all(page.areas.hide(colour, box, point) for colour in graphics.text_colours())
        if is_unseen:
            page.unseen += len(string)
        return is_unseen

    def _has_no_ink_or_size(self) -> bool:
        return self._graphics.draws_no_text() or self._is_too_small()

    def _may_lack_contrast(self) -> bool:
        return any(self._content.page.areas.may_hide(colour) for colour in self._graphics.text_colours())

    def _is_too_small(self) -> bool:
        graphics = self._graphics
        if graphics.is_drawn_font or not graphics.has_font:
            return False
        matrix = self._line_to_page()
        return abs(graphics.size) * math.hypot(matrix[2], matrix[3]) < self._content.page.least_size
