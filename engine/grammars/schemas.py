"""Schemas as a grammar can follow them: what llguidance cannot check token by token is left out, and named.

What is left out stands as its place in the schema, a JSON pointer such as `#/properties/mail/pattern`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from engine.call_forms.schema import target_of

# What llguidance refuses to read, and the formats of texts that it knows.
_UNCHECKED = (
    *("not", "if", "then", "else", "uniqueItems", "contains", "minContains", "maxContains", "propertyNames"),
    *("dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems"),
    *("$dynamicRef", "$recursiveRef", "$recursiveAnchor"),
)
FORMATS = ("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid", "uri", "unknown")
# What says nothing about values, and what only references lead to.
_SILENT = (
    *("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$comment", "$vocabulary", "$defs", "definitions"),
    *("default", "examples"),
)
# Keywords with schemas of the same value, and keywords with schemas of values in it: by name, in a list, or alone.
_SAME = ("allOf", "anyOf", "oneOf")
_NAMED = ("properties", "patternProperties")
_LISTED = ("prefixItems",)
_ALONE = ("items", "additionalItems", "additionalProperties")
# The whole numbers that every program reads exactly; they have 16 digits at most.
LARGEST_INTEGER = 2**53 - 1
# Values beyond it mean: no bound.
_WIDEST = 2**64

Usable = Callable[[Mapping[str, Any]], bool]


def plain_schema(schema: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a schema without what no grammar follows, and what was left out.

    References lead to "$defs". Integers without bounds get the bounds of LARGEST_INTEGER. Objects that declare
    properties have no others, unless the schema speaks of others.
    """
    plain = _PlainSchema(schema)
    written = plain.node(schema, "#")
    while plain.waiting:
        reference, opened, name = plain.waiting.pop()
        place = reference if reference.startswith("#/") else "#"
        plain.parts[name] = plain.node(target_of(schema, reference), place, opened=opened)
    return written | ({"$defs": plain.parts} if plain.parts else {}), tuple(dict.fromkeys(plain.left_out))


def _parts_for_same_value(content: Mapping[str, Any]) -> int:
    """Return how many schemas a value has to follow at once: the parts of "allOf", a reference, own properties."""
    count = sum(key in content for key in ("$ref", "properties"))
    for key in _SAME:
        count += len(_list(content.get(key))) if key == "allOf" else key in content
    return count


@dataclass
class _PlainSchema:
    """Writes the nodes of a schema again, with what can be checked.

    An `opened` node is a part of one that says which properties there are.
    """

    root: Mapping[str, Any]
    left_out: list[str] = field(default_factory=list)
    parts: dict[str, Any] = field(default_factory=dict)
    names: dict[tuple[str, bool], str] = field(default_factory=dict)
    waiting: list[tuple[str, bool, str]] = field(default_factory=list)

    def node(self, content: Any, place: str, *, opened: bool = False) -> Any:
        """Return a schema with what can be checked of it; notes what is left out. `place` is its JSON pointer."""
        if not isinstance(content, Mapping):
            return content if isinstance(content, bool) else {}
        joined = _parts_for_same_value(content) > 1
        plain = dict[str, Any]()
        for key, value in content.items():
            written = self._keyword(key, value, f"{place}/{key}", opened=opened or joined)
            if written is not None or key == "const":
                plain[key] = written
        if not opened and (joined or isinstance(content.get("properties"), Mapping)):
            names = self._properties(content, patterns=not joined)
            if names is not None and (names or "properties" in content):
                plain["properties"] = {name: {} for name in names} | plain.get("properties", {})
                plain["additionalProperties"] = False
        self._require_possible(plain, place)
        return _bounded(plain)

    def _keyword(self, key: str, value: Any, place: str, *, opened: bool) -> Any:
        """Return the value of a keyword in the new schema; None leaves the keyword out."""
        if value is None:
            return None
        if key in _UNCHECKED or (key == "format" and value not in FORMATS):
            if (key, value) != ("uniqueItems", False):
                self.left_out.append(place)
            return None
        if key == "$ref":
            return self._reference(value, place, opened)
        if key in _SILENT or (key == "x-guidance" and not isinstance(value, Mapping)):
            return None
        return with_nodes(key, value, place, partial(self.node, opened=opened) if key in _SAME else self.node)

    def _reference(self, value: Any, place: str, opened: bool) -> str | None:
        """Return the reference to the plain copy of a part, which is written later.

        None, noted, if it leads nowhere.
        """
        target = target_of(self.root, value)
        # It leads to nothing, or back to itself for the same value.
        if target is None or any(part.get("$ref") == value for part in self._of_same_value(target)):
            self.left_out.append(place)
            return None
        if (value, opened) not in self.names:
            name = self.names[value, opened] = f"part{len(self.names)}"
            self.waiting.append((value, opened, name))
        return f"#/$defs/{self.names[value, opened]}"

    def _of_same_value(self, content: Any, *, conditional: bool = False) -> Iterator[Mapping[str, Any]]:
        """Yield a schema and those in it for the same value, also those that count only for some if `conditional`."""
        waiting = [content]
        seen = set[str]()
        for part in waiting:
            if not isinstance(part, Mapping):
                continue
            yield part
            waiting += [part_of_value for key in _SAME for part_of_value in _list(part.get(key))]
            if conditional:
                waiting += [*_mapping(part.get("dependentSchemas")).values(), *map(part.get, ("if", "then", "else"))]
            reference = part.get("$ref")
            if isinstance(reference, str) and reference not in seen:
                seen.add(reference)
                waiting.append(target_of(self.root, reference))

    def _properties(self, content: Mapping[str, Any], *, patterns: bool) -> dict[str, None] | None:
        """Return the names of the properties of an object; None if it may have others, apart from `patterns`."""
        names = dict[str, None]()
        for part in self._of_same_value(content, conditional=True):
            more = "additionalProperties" in part or part.get("unevaluatedProperties", False) is not False
            if more or ("patternProperties" in part and not patterns):
                return None
            needed = [name for name in _list(part.get("required")) if isinstance(name, str)]
            names |= dict.fromkeys([*_mapping(part.get("properties")), *needed])
        return names

    def _require_possible(self, content: dict[str, Any], place: str) -> None:
        """Leave out that an object needs what it may not have."""
        properties = content.get("properties", {})
        needed = _list(content.get("required"))
        only = content.get("additionalProperties") is False and "patternProperties" not in content
        possible = [
            name for name in needed if isinstance(properties, dict) and properties.get(name, not only) is not False
        ]
        if possible != needed:
            content["required"] = possible
            self.left_out.append(f"{place}/required")


def _bounded(content: dict[str, Any]) -> dict[str, Any]:
    """Return a schema whose integers, if it has any, are bounded."""
    kinds = content.get("type")
    listed = isinstance(kinds, list) and "integer" in kinds and "number" not in kinds
    if not (kinds == "integer" or listed) or "enum" in content or "const" in content:
        return content
    for key, exclusive, bound in (("maximum", "exclusiveMaximum", 1), ("minimum", "exclusiveMinimum", -1)):
        given = content.get(key)
        if isinstance(given, int | float) and abs(given) > _WIDEST:
            del content[key]
        other = content.get("minimum" if bound > 0 else "maximum", 0)
        beyond = isinstance(other, int | float) and other * bound >= LARGEST_INTEGER
        if key not in content and not beyond and isinstance(content.get(exclusive, True), bool):
            content[key] = bound * LARGEST_INTEGER
    return content


def reduced_schema(schema: Mapping[str, Any], usable: Usable) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a plain schema with as few keywords less as make it `usable`, and those that were left out."""
    parts = schema.get("$defs", {})
    # Each part is made usable alone, with any values in place of the others.
    reduction = _Reduction(usable, {name: {} for name in parts})
    reduction.parts = {name: reduction.node(part, f"#/$defs/{name}") for name, part in parts.items()}
    reduced = reduction.node({key: value for key, value in schema.items() if key != "$defs"}, "#")
    return {**reduced, **({"$defs": reduction.parts} if parts else {})}, tuple(reduction.left_out)


@dataclass
class _Reduction:
    usable: Usable
    parts: dict[str, Any]
    left_out: list[str] = field(default_factory=list)

    def node(self, content: Any, place: str) -> Any:
        """Return `content`, which is at `place`, with as few keywords less as make it fit; notes those left out."""
        if not isinstance(content, Mapping) or self._fits(content):
            return content
        reduced = {key: with_nodes(key, value, f"{place}/{key}", self.node) for key, value in content.items()}
        if self._fits(reduced):
            return reduced
        kind = {"type": reduced["type"]} if "type" in reduced and self._fits({"type": reduced["type"]}) else {}
        wrong = [key for key in reduced if key not in kind and not self._fits({**kind, key: reduced[key]})]
        fitting = {key: value for key, value in reduced.items() if key not in wrong}
        if not self._fits(fitting):
            contradicting = self._contradicting(fitting)
            wrong += contradicting
            fitting = {key: value for key, value in fitting.items() if key not in contradicting}
        for key in wrong:
            # What was left out inside of this keyword goes with it.
            inside = f"{place}/{key}/"
            self.left_out = [left for left in self.left_out if not left.startswith(inside)]
            self.left_out.append(f"{place}/{key}")
        return fitting

    def _contradicting(self, content: Mapping[str, Any]) -> list[str]:
        """Return keywords that fit each by itself but not together, without which the others fit.

        What bounds values goes before what shapes them.
        """
        order = sorted(content, key=lambda key: key in (*_SAME, *_NAMED, *_LISTED, *_ALONE, "type", "$ref"))
        for key in order:
            if self._fits(_without(content, key)):
                return [key]
        contradicting = []
        remaining = content
        for key in order:
            contradicting.append(key)
            remaining = _without(remaining, key)
            if self._fits(remaining):
                break
        return contradicting

    def _fits(self, content: Mapping[str, Any]) -> bool:
        return self.usable({**content, "$defs": self.parts} if self.parts else content)


def with_nodes(key: str, value: Any, place: str, node: Callable[[Any, str], Any]) -> Any:
    """Return the value of a keyword with each schema in it as `node` writes it."""
    if key in _NAMED and isinstance(value, Mapping):
        return {name: node(inner, f"{place}/{name}") for name, inner in value.items()}
    if key in (*_SAME, *_LISTED, "items") and isinstance(value, list):
        return [node(inner, f"{place}/{index}") for index, inner in enumerate(value)]
    return node(value, place) if key in _ALONE else value


def _without(content: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != key}


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
