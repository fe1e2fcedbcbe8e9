"""The parts of a document that is a ZIP archive, of which most are XML. Nothing outside the archive is ever read."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import cached_property
from io import BytesIO
from urllib.parse import unquote
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat
from zipfile import ZipFile

from engine.documents.marked_text import TooLong

# The bytes that a part may have, and all parts that are read together; the XML of 10,000 pages has less. Archives can
# hold a thousand times their size.
_LARGEST_PART, _MOST_BYTES = 64 * 2**20, 256 * 2**20
# Bit 0 of a part's flags.
_ENCRYPTED = 1


class Encrypted(Exception):
    """The document can only be read with a password."""


class ZippedParts:
    """The parts of an archive by their names. Raises `Encrypted` and `TooLong`."""

    def __init__(self, data: bytes) -> None:
        self._archive = ZipFile(BytesIO(data))
        self._left = _MOST_BYTES

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(self._archive.namelist())

    def read(self, name: str) -> bytes:
        part = self._archive.getinfo(name)
        if part.flag_bits & _ENCRYPTED:
            raise Encrypted
        with self._archive.open(part) as opened:
            # The size in the archive's table may be a lie.
            content = opened.read(min(_LARGEST_PART, self._left) + 1)
        self._left -= len(content)
        if len(content) > _LARGEST_PART or self._left < 0:
            raise TooLong
        return content

    def xml(self, name: str) -> Element:
        return read_xml(self.read(name))

    def xml_or_none(self, name: str) -> Element:
        """Return the root of a part that may be missing; then it is empty."""
        return self.xml(name) if name in self.names else Element("none")

    @property
    def main(self) -> str:
        """The name of the main part of an Office document; "" in another archive."""
        return self.related("").get("officeDocument", "")

    @property
    def kind(self) -> str:
        """The content type of the main part; "" in another archive, and for a part that is not XML."""
        types = self.xml_or_none("[Content_Types].xml")
        found = (one.get("ContentType", "") for one in types if one.get("PartName") == f"/{self.main}")
        return next((one for one in found if one.endswith("xml")), "")

    def related(self, name: str) -> dict[str, str]:
        """Return the names of the parts that a part of an Office document refers to, by their ids and their kinds."""
        folder, file = posixpath.split(name)
        found: dict[str, str] = {}
        for one in self.xml_or_none(f"{folder}/_rels/{file}.rels".lstrip("/")):
            if one.get("TargetMode") != "External":
                target = resolved(name, one.get("Target", ""))
                found |= {one.get("Id", ""): target, one.get("Type", "").rpartition("/")[2]: target}
        return found


def resolved(name: str, reference: str) -> str:
    """Return the name of the part that the part `name` refers to."""
    path = unquote(reference.partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), path)).lstrip("/")


def read_xml(content: bytes) -> Element:
    """Return the root of an XML file; names of elements and attributes are without their namespaces.

    An attribute with a namespace wins over one without. Files that declare entities are refused, because entities can
    name files and grow without end.
    """
    builder, parser = TreeBuilder(), expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True

    def start(tag: str, attributes: dict[str, str]) -> None:
        plain = sorted(attributes.items(), key=lambda one: " " in one[0])
        builder.start(local(tag), {local(name): value for name, value in plain})

    def refuse(*_: object) -> None:
        raise ValueError("entities")

    def local(name: str) -> str:
        return name.rpartition(" ")[2]

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: builder.end(local(tag))
    parser.CharacterDataHandler = builder.data
    parser.EntityDeclHandler = refuse
    parser.Parse(content, True)
    return builder.close()


def child(element: Element | None, *path: str) -> Element | None:
    """Return what is found by the names in `path`, each the first child of the one before."""
    for name in path:
        element = element.find(name) if element is not None else None
    return element


def value(element: Element | None, *path: str, name: str = "val") -> str:
    """Return an attribute of what `child` finds; "" if that is missing."""
    found = child(element, *path)
    return found.get(name, "") if found is not None else ""


def below(element: Element, names: frozenset[str], leave_out: frozenset[str] = frozenset()) -> Iterator[Element]:
    """Yield the outermost elements of these names in their order, but nothing inside `leave_out`."""
    for one in element:
        if one.tag in names:
            yield one
        elif one.tag not in leave_out:
            yield from below(one, names, leave_out)
