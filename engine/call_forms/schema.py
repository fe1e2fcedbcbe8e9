"""JSON schemas of a function's arguments, whatever their shape, as far as writers and readers of calls need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import unquote

# Parts of a schema that other parts may refer to, and llguidance's options.
_SHARED = ("$defs", "definitions", "x-guidance")
_KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
# The keywords that tell the type of values where a schema does not.
_TELLING = {"properties": "object", "additionalProperties": "object", "items": "array", "prefixItems": "array"}
# A schema that refers to itself without an end, or branches wider than this, counts as one that allows any value.
_MOST_STEPS = 1024


@dataclass(frozen=True)
class Schema:
    """A schema or a part of the schema `root`, to which its references lead. What is no schema allows any value."""

    content: Any
    root: Mapping[str, Any] = field(default_factory=dict)

    def part(self, content: Any) -> Schema:
        """Return another part of the same schema."""
        return Schema(content, self.root)

    @cached_property
    def alternatives(self) -> list[Schema]:
        """The simple schemas of which a value has to follow one: each has a type, a value, or allows any value.

        A schema that takes too many steps to divide allows any value.
        """
        waiting = [self.content]
        simple = list[Schema]()
        for _ in range(_MOST_STEPS):
            if not waiting:
                return simple or [self.part({})]
            if len(waiting) > _MOST_STEPS:
                break
            content = waiting.pop(0)
            if content is False:
                continue
            content = dict(content) if isinstance(content, Mapping) else {}
            divided = self._divided(content)
            if divided:
                waiting += divided
            else:
                simple += map(self.part, _simple(content))
        return [self.part({})]

    def _divided(self, content: dict[str, Any]) -> list[Any]:
        """Return the parts of a schema joined into one, or each of its options; [] if it is simple.

        Removes the keywords that say so from `content`.
        """
        options = [*_list(content.pop("anyOf", ())), *_list(content.pop("oneOf", ()))]
        parts = [self._target(content.pop("$ref"))] if "$ref" in content else _list(content.pop("allOf", ()))
        if not parts:
            return [_both(content, option) for option in options]
        whole: Any = {**content, **({"anyOf": options} if options else {})}
        for part in parts:
            is_reference = isinstance(part, Mapping) and "$ref" in part
            whole = _both(whole, self._target(part["$ref"]) if is_reference else part)
        return [whole]

    @property
    def kind(self) -> str:
        """The type of the values of a simple schema; "" if it allows several."""
        return kind_of(self.content["const"]) if self.is_value else self.content.get("type", "")

    @property
    def is_value(self) -> bool:
        """Whether a simple schema allows one value only, its "const"."""
        return "const" in self.content

    @property
    def is_any_text(self) -> bool:
        """Whether any text is a value of a simple schema."""
        return self.kind in ("string", "") and not self.is_value

    @property
    def kinds(self) -> set[str]:
        """The types of the values that the schema allows; none if it says nothing about them."""
        kinds = {option.kind for option in self.alternatives}
        return set() if "" in kinds else kinds

    def allows(self, value: Any) -> bool:
        """Return whether a value has one of the types, or is one of the values, that the schema allows."""
        kind = kind_of(value)
        kinds = {kind, "number", "integer"} if kind in ("number", "integer") else {kind}
        return any(
            option.content["const"] == value if option.is_value else option.kind in kinds or not option.kind
            for option in self.alternatives
        )

    @cached_property
    def properties(self) -> dict[str, Schema]:
        """The schemas of an object's entries by their names, also those only required, or on a condition."""
        properties = dict[str, Schema]()
        for option in self.alternatives:
            branches = (option.content.get(key) for key in ("if", "then", "else"))
            for part in (option.content, *(branch for branch in branches if isinstance(branch, Mapping))):
                declared = part.get("properties")
                for name, content in declared.items() if isinstance(declared, Mapping) else ():
                    if content is not False:
                        properties.setdefault(name, self.part(content if part is option.content else {}))
                for name in _names(part.get("required")):
                    properties.setdefault(name, self.part({}))
        return properties

    @property
    def required(self) -> set[str]:
        """The names of the entries that an object must have."""
        return set.intersection(*(set(_names(option.content.get("required"))) for option in self.alternatives))

    @property
    def others(self) -> Schema:
        """The schema of the entries of an object that have no schema of their own; False if there are none."""
        schemas = list[Any]()
        for option in self.alternatives:
            more = option.content.get("additionalProperties", option.content.get("unevaluatedProperties"))
            patterns = option.content.get("patternProperties")
            if more is not False:
                schemas.append(more)
            elif isinstance(patterns, Mapping):
                # Which of them a name follows is not looked up: a stranger's pattern could take forever.
                schemas += patterns.values()
        return self.part({"anyOf": schemas} if schemas else False)

    @property
    def items(self) -> Schema:
        """The schema of the entries of a list."""
        return self.part(self.content.get("items"))

    @property
    def whole(self) -> dict[str, Any]:
        """The schema with what it may refer to, and with the options of llguidance."""
        anything = any(not option.content for option in self.alternatives)
        content = self.content if isinstance(self.content, Mapping) and not anything else {}
        return {**content, **{key: self.root[key] for key in _SHARED if key in self.root}}

    def _target(self, reference: Any) -> Any:
        """Return the part of the schema that a reference leads to; any value if there is none."""
        target = target_of(self.root, reference)
        return {} if target is None else target


def arguments_of(parameters: Any) -> Schema:
    """Return the schema of a function's arguments; without one they are any."""
    root = parameters if isinstance(parameters, Mapping) else {}
    return Schema(root, root)


def target_of(root: Mapping[str, Any], reference: Any) -> Any:
    """Return the part of the schema `root` that a reference leads to; None if there is none in it."""
    if not isinstance(reference, str):
        return None
    base, _, pointer = reference.partition("#")
    part: Any = root if base in ("", root.get("$id")) else _named_part(root, ("$id", "id"), base)
    if pointer and not pointer.startswith("/"):
        return _named_part(root, ("$anchor", "$dynamicAnchor"), pointer)
    for step in pointer.split("/")[1:]:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        if isinstance(part, list) and key.isdecimal() and int(key) < len(part):
            part = part[int(key)]
        elif isinstance(part, Mapping):
            part = part.get(key)
        else:
            return None
    return part


def _named_part(root: Mapping[str, Any], keys: Sequence[str], name: str) -> Any:
    """Return the part of a schema that has `name` under one of `keys`, however deep; None if none has."""
    waiting: list[Any] = [root]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if any(part.get(key) == name for key in keys):
                return part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
    return None


def kind_of(value: Any) -> str:
    """Return the type of a value."""
    return _KINDS.get(type(value), "null")


def _simple(content: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a schema without alternatives says for each of its values, or for each of its types."""
    if "const" in content or _list(content.get("enum")):
        return [{"const": value} for value in _list(content.get("enum")) or [content["const"]]]
    named = content.get("type") or next((kind for key, kind in _TELLING.items() if key in content), None)
    kinds = [named] if isinstance(named, str) else _names(named)
    without_type = {key: value for key, value in content.items() if key != "type"}
    return [{**without_type, "type": kind} for kind in kinds if kind in (*_KINDS.values(), "null")] or [without_type]


def _both(first: Any, other: Any) -> Any:
    """Return a schema whose values follow both, as far as one schema can say so."""
    if first is False or other is False:
        return False
    first, other = ({**schema} if isinstance(schema, Mapping) else {} for schema in (first, other))
    if isinstance(first.get("properties"), Mapping) and isinstance(other.get("properties"), Mapping):
        other["properties"] = {**first["properties"], **other["properties"]}
    lists = {key: [*_list(first.get(key)), *_list(other.get(key))] for key in ("required", "allOf")}
    return {**first, **other, **{key: values for key, values in lists.items() if values}}


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _names(value: Any) -> list[str]:
    return [name for name in _list(value) if isinstance(name, str)]
