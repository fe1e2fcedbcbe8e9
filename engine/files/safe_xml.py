"""Parses XML of strangers: nothing is loaded, and nothing grows."""

from __future__ import annotations

from xml.etree.ElementTree import XML, Element, TreeBuilder, XMLParser


def safe_xml(content: bytes | str, names: LocalNames | None = None) -> Element:
    """Return the root element. Names of elements and attributes are without namespaces, and comments are left out.

    New `names` may give elements other names.

    Raises `ValueError` for a document with entities, and `ParseError`.
    """
    plain = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    # Entities can name files and grow without end. In UTF-16, every other byte of these letters is 0.
    if b"<!ENTITY" in plain.replace(b"\0", b""):
        raise ValueError("entities")
    return XML(content, XMLParser(target=names or LocalNames()))


class LocalNames(TreeBuilder):
    """Makes elements whose names, and those of their attributes, are without namespaces.

    An attribute with a namespace wins over one without.
    """

    def start(self, tag: str, attributes: dict[str, str], /) -> Element:
        plain = sorted(attributes.items(), key=lambda attribute: "}" in attribute[0])
        return super().start(_local(tag), {_local(name): value for name, value in plain})

    def end(self, tag: str, /) -> Element:
        return super().end(_local(tag))


def _local(name: str) -> str:
    return name.rpartition("}")[2]
