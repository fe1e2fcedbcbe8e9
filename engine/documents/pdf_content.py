"""The operations of a page in a PDF file, or of a form on it, without strings that are not seen.

What may be seen is kept: the widths of glyphs are only estimated, and no shape other than a rectangle is known exactly.
Operators are followed by what they are about: `pdf_state` the graphics state, `pdf_paths` what is painted, and
`pdf_strings` text. Here are layers and forms.
"""

from __future__ import annotations

import copy
from collections.abc import Set
from typing import Any

from pypdf.generic import ContentStream, DictionaryObject, NameObject, StreamObject

from engine.documents.pdf_fonts import resolved_entry
from engine.documents.pdf_graphics import GraphicsState, mapped_box, matrix_of, product
from engine.documents.pdf_paths import PathOperators
from engine.documents.pdf_sight import DAMAGED, HIDDEN, PdfOperation, ShownPage
from engine.documents.pdf_state import ContentState, OperatorTable, StateOperators
from engine.documents.pdf_strings import TextOperators

# How many forms a page draws, each of which may draw others many times, and how deep they nest.
_MOST_FORMS = 5000
_DEEPEST = 50


class PageContent:
    """The operations of a page, or of a form on it, that show something, and the resources that they name.

    `around` has the identities of the forms in memory that this one lies within, and its own.
    """

    def __init__(self, page: ShownPage, resources: DictionaryObject, graphics: GraphicsState, around: Set[int]) -> None:
        self.operations: list[PdfOperation] = []
        self._page = page
        self._content = ContentState(page, resources, graphics)
        self._around = around
        self._paths = PathOperators(self._content)
        # Whether each marked content around belongs to a layer that is off.
        self._marked: list[bool] = []
        self._handlers: OperatorTable = {
            **StateOperators(self._content).handlers,
            **self._paths.handlers,
            **TextOperators(self._content).handlers,
            b"BMC": self._mark,
            b"BDC": self._mark_with_properties,
            b"EMC": self._end_mark,
            b"Do": self._draw,
        }

    @property
    def resources(self) -> DictionaryObject:
        """What the operations name."""
        return self._content.resources

    def read(self, operations: list[PdfOperation]) -> None:
        """Add what is shown by operations."""
        for operands, operator in operations:
            replaced = self._followed(operands, operator)
            if replaced is None:
                self.operations.append((operands, operator))
            else:
                self.operations += replaced

    def _followed(self, operands: Any, operator: bytes) -> list[PdfOperation] | None:
        """Return what stands for an operation; None if it stays as it is."""
        handler = self._handlers.get(operator)
        if handler is None:
            return None
        try:
            return handler(operands)
        except MemoryError:
            raise
        # Operands of broken files may be anything, and forms may be damaged; pypdf passes over these, too.
        except Exception:
            return None

    # Layers.

    def _mark(self, _: list[Any]) -> None:
        self._marked.append(False)

    def _mark_with_properties(self, operands: list[Any]) -> None:
        self._marked.append(False)
        if operands[0] == "/OC" and isinstance(operands[1], NameObject):
            layer = resolved_entry(self._content.given, "/Properties").get(operands[1])
            if self._page.objects.layers.hide(layer):
                self._marked[-1] = True
                self._content.layers_off += 1

    def _end_mark(self, _: list[Any]) -> None:
        if self._marked and self._marked.pop():
            self._content.layers_off -= 1

    # Pictures and forms.

    def _draw(self, operands: list[Any]) -> list[PdfOperation] | None:
        """Draw a picture, or a form, which is given the operations that show something."""
        drawn = self._content.given_resource("/XObject", operands[0])
        is_off = self._content.layers_off > 0 or self._page.objects.layers.hide(drawn.get("/OC"))
        if drawn.get("/Subtype") == "/Image":
            if not is_off:
                self._paths.add_picture(operands, drawn)
            return None
        operations = self._page.objects.operations_of(drawn)
        graphics = self._graphics_of(drawn)
        if operations is None:
            # A form without text only paints.
            if not is_off:
                self._page.areas.add(graphics.clip, None)
            return None
        if is_off:
            self._page.count(HIDDEN)
            return []
        return self._drawn_form(drawn, operations, graphics)

    def _graphics_of(self, form: StreamObject) -> GraphicsState:
        """Return the graphics state that a form begins with."""
        graphics = copy.copy(self._content.graphics)
        if "/Matrix" in form:
            graphics.matrix = product(matrix_of(resolved_entry(form, "/Matrix")), graphics.matrix)
        if "/Group" in form:
            # What is in a group has opacities of its own, and that of the group on top of them.
            graphics.is_in_clear_group = graphics.is_in_clear_group or graphics.fill_opacity == 0
            graphics.is_in_thin_group = graphics.lets_through()
        if "/BBox" in form:
            sides = map(float, resolved_entry(form, "/BBox"))
            graphics.clip = graphics.clip.within(mapped_box(graphics.matrix, *sides))
            a, b, c, d = graphics.matrix[:4]
            graphics.is_clip_plain = graphics.is_clip_plain and (b == 0 == c or a == 0 == d)
        return graphics

    def _drawn_form(
        self, form: StreamObject, operations: list[PdfOperation], graphics: GraphicsState
    ) -> list[PdfOperation]:
        """Return the operation that draws what a form shows; none for one that draws itself."""
        if id(form) in self._around:
            return []
        self._page.forms += 1
        if self._page.forms > _MOST_FORMS or len(self._around) > _DEEPEST:
            self._page.count(DAMAGED)
            return []
        resources = resolved_entry(form, "/Resources")
        if not isinstance(resources, DictionaryObject):
            resources = self._content.given
        inner = PageContent(self._page, resources, graphics, self._around | {id(form)})
        inner.read(operations)
        return [([self._named(inner, form)], b"Do")]

    def _named(self, inner: PageContent, form: StreamObject) -> NameObject:
        """Return a name among the resources for what a form shows."""
        shown = ContentStream(None, None)
        shown.update(form)
        shown.operations = inner.operations
        shown[NameObject("/Resources")] = inner.resources
        return self._content.add_resource("/XObject", f"/Shown{self._page.forms}", shown)
