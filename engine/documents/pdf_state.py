"""The graphics state of a PDF content, and the operators that set it: matrices, colours, opacities and widths."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from pypdf.generic import BooleanObject, DictionaryObject, NameObject

from engine.documents.pdf_fonts import resolved_entry
from engine.documents.pdf_graphics import GraphicsState, colour_of, first_colour, matrix_of, product, space_of
from engine.documents.pdf_sight import PdfOperation, ShownPage

# Follows an operation, by its operands. Returns the operations that stand for it in the content that pypdf reads: None
# if it stays as it is, [] if it is left out. Operands of broken files may be anything; whatever a handler raises but
# `MemoryError`, the operation then stays as it is, as pypdf passes over it, too.
OperatorHandler = Callable[[list[Any]], list[PdfOperation] | None]
OperatorTable = dict[bytes, OperatorHandler]
# Modes in which areas have their own colour only.
_PLAIN_MODES = ("/Normal", "/Compatible")


class ContentState:
    """What the operators of one content share: of a page, or of a form on it."""

    def __init__(self, page: ShownPage, given: DictionaryObject, graphics: GraphicsState) -> None:
        self.page = page
        # The resources that the content names, and those that its operations name that are seen.
        self.given = given
        self.resources = DictionaryObject(given)
        self.graphics = graphics
        # How many of the marked contents around belong to a layer that is off.
        self.layers_off = 0

    def given_resource(self, kind: str, name: str) -> Any:
        """Return a resource of a kind, such as "/Font", that the content names."""
        return resolved_entry(resolved_entry(self.given, kind), name)

    def add_resource(self, kind: str, name: str, added: DictionaryObject) -> NameObject:
        """Add a resource for the operations that are seen; the file's own resources stay as they are."""
        key = NameObject(kind)
        if self.resources.get(key) is self.given.get(key):
            resources_of_kind = resolved_entry(self.given, kind)
            is_known = isinstance(resources_of_kind, DictionaryObject)
            self.resources[key] = DictionaryObject(resources_of_kind if is_known else {})
        self.resources[key][NameObject(name)] = added  # type: ignore[index]
        return NameObject(name)


class StateOperators:
    """Follows the operators that set the graphics state, keep it and bring it back."""

    def __init__(self, content: ContentState) -> None:
        self._content = content
        # The states that `q` has kept, the latest last.
        self._saved: list[GraphicsState] = []
        self.handlers: OperatorTable = {
            b"q": self._save,
            b"Q": self._restore,
            b"cm": self._transform,
            b"w": self._set_line_width,
            b"gs": self._set_parameters,
            b"g": partial(self._set_fill, "/DeviceGray"),
            b"rg": partial(self._set_fill, "/DeviceRGB"),
            b"k": partial(self._set_fill, "/DeviceCMYK"),
            b"cs": self._set_fill_space,
            **dict.fromkeys((b"sc", b"scn"), self._set_fill_shares),
            b"G": partial(self._set_stroke, "/DeviceGray"),
            b"RG": partial(self._set_stroke, "/DeviceRGB"),
            b"K": partial(self._set_stroke, "/DeviceCMYK"),
            b"CS": self._set_stroke_space,
            **dict.fromkeys((b"SC", b"SCN"), self._set_stroke_shares),
        }

    @property
    def _graphics(self) -> GraphicsState:
        return self._content.graphics

    def _save(self, _: list[Any]) -> None:
        self._saved.append(copy.copy(self._graphics))

    def _restore(self, _: list[Any]) -> None:
        if self._saved:
            self._content.graphics = self._saved.pop()

    def _transform(self, operands: list[Any]) -> None:
        self._graphics.matrix = product(matrix_of(operands), self._graphics.matrix)

    def _set_line_width(self, operands: list[Any]) -> None:
        self._graphics.line_width = float(operands[0])

    def _set_parameters(self, operands: list[Any]) -> None:
        """Set how areas are painted and how wide lines are, as a dictionary of parameters says (the operator "gs")."""
        parameters = self._content.given_resource("/ExtGState", operands[0])
        if "/ca" in parameters:
            self._graphics.fill_opacity = float(resolved_entry(parameters, "/ca"))
        if "/CA" in parameters:
            self._graphics.stroke_opacity = float(resolved_entry(parameters, "/CA"))
        if "/SMask" in parameters:
            self._graphics.has_mask = resolved_entry(parameters, "/SMask") != "/None"
        if "/BM" in parameters:
            self._graphics.is_mixed = resolved_entry(parameters, "/BM") not in _PLAIN_MODES
        for name in ("/OP", "/op"):
            if name in parameters:
                # `BooleanObject` is true for `bool` in any case.
                self._graphics.is_overprinted = resolved_entry(parameters, name) == BooleanObject(True)
        if "/LW" in parameters:
            self._graphics.line_width = float(resolved_entry(parameters, "/LW"))

    def _set_fill(self, space: str, operands: list[Any]) -> None:
        self._graphics.fill_space = space
        self._graphics.fill = colour_of(space, operands)

    def _set_fill_space(self, operands: list[Any]) -> None:
        space = space_of(operands[0], self._content.given)
        self._graphics.fill_space = space
        self._graphics.fill = first_colour(space)

    def _set_fill_shares(self, operands: list[Any]) -> None:
        self._graphics.fill = colour_of(self._graphics.fill_space, operands)

    def _set_stroke(self, space: str, operands: list[Any]) -> None:
        self._graphics.stroke_space = space
        self._graphics.stroke = colour_of(space, operands)

    def _set_stroke_space(self, operands: list[Any]) -> None:
        space = space_of(operands[0], self._content.given)
        self._graphics.stroke_space = space
        self._graphics.stroke = first_colour(space)

    def _set_stroke_shares(self, operands: list[Any]) -> None:
        self._graphics.stroke = colour_of(self._graphics.stroke_space, operands)
