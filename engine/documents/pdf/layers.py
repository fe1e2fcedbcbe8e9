"""Which layers (optional content) of a PDF file are off when it is opened."""

from __future__ import annotations

from typing import Any

from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, PdfObject

# How deep expressions of layers may nest.
_DEEPEST = 16


class Layers:
    """The layers of a file, by the default configuration that its catalog has of them."""

    def __init__(self, catalog: DictionaryObject) -> None:
        """Read which layers are off. In a file without layers, or without a default configuration, none is."""
        properties = resolved_entry(catalog, "/OCProperties")
        # The numbers of the objects of layers that are off.
        self._off: set[int] = set()
        if not isinstance(properties, DictionaryObject):
            return
        default = resolved_entry(properties, "/D")
        if not isinstance(default, DictionaryObject):
            return
        if default.get("/BaseState") == "/OFF":
            self._off = _numbers(resolved_entry(properties, "/OCGs")) - _numbers(resolved_entry(default, "/ON"))
        self._off |= _numbers(resolved_entry(default, "/OFF"))

    def hide(self, content: Any) -> bool:
        """Return whether content is not shown that belongs to `content`: a layer, or a dictionary of several."""
        return bool(self._off) and not self._shows(content)

    def _shows(self, content: Any) -> bool:
        """Return whether what belongs to `content`, a layer or a dictionary of several, is shown.

        What is not known is taken for shown.
        """
        if isinstance(content, IndirectObject) and content.idnum in self._off:
            return False
        membership = content.get_object() if content is not None else None
        if not isinstance(membership, DictionaryObject) or membership.get("/Type") != "/OCMD":
            return True
        expression = resolved_entry(membership, "/VE")
        if isinstance(expression, ArrayObject):
            return self._holds(expression, 0)
        groups = membership.get("/OCGs")
        within = groups.get_object() if groups is not None else None
        members = within if isinstance(within, ArrayObject) else [groups]
        shown = [self._shows(member) for member in members if isinstance(member, IndirectObject)]
        if not shown:
            return True
        policies = {"/AllOn": all(shown), "/AnyOff": not all(shown), "/AllOff": not any(shown)}
        return policies.get(str(membership.get("/P")), any(shown))

    def _holds(self, expression: Any, depth: int) -> bool:
        """Return whether an expression of layers is true.

        An operator that is not known is read as /And, and an expression that is nested too deep is true.
        """
        operands = expression.get_object()
        if not isinstance(operands, ArrayObject) or depth > _DEEPEST:
            return self._shows(expression)
        values = [self._holds(operand, depth + 1) for operand in operands[1:]]
        operator = operands[0] if operands else ""
        if operator == "/Not":
            return not all(values)
        return any(values) if operator == "/Or" else all(values)


def _numbers(groups: Any) -> set[int]:
    """Return the numbers of the objects that a list of layers refers to."""
    return {group.idnum for group in groups or () if isinstance(group, IndirectObject)}


def resolved_entry(dictionary: DictionaryObject, key: str) -> Any:
    """Return the object of a dictionary's entry, wherever it lies in the file; None if there is none."""
    entry = dictionary.get(key)
    return entry.get_object() if isinstance(entry, PdfObject) else None
