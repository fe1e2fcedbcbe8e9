"""The parts of a document that is a ZIP archive, of which most are XML. Nothing outside the archive is ever read."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import partial
from io import BytesIO
from urllib.parse import unquote
from xml.etree.ElementTree import Element
from zipfile import ZipFile, ZipInfo

from engine.documents.archives.office_names import OfficeNames
from engine.documents.text.damaged_parts import Encrypted, skipping_damage
from engine.documents.text.inner_pictures import InnerPictures
from engine.documents.text.marked_text import MarkedText, TextTooLong
from engine.files.safe_xml import safe_xml
from engine.pictures.picture_file import MOST_MEGABYTES

# The bytes that a part may have, and all parts that are read together; the XML of 10,000 pages has less. Archives can
# hold a thousand times their size.
_LARGEST_PART = 64 * 2**20
_MOST_BYTES = 256 * 2**20
# The bytes of a picture, and of all that are looked at; those that are given are read twice.
_LARGEST_PICTURE = MOST_MEGABYTES * 2**20
_MOST_PICTURE_BYTES = 512 * 2**20
# The beginning of an address.
_OUTSIDE = re.compile(r"(?:https?|ftp|mailto|tel|file):", re.IGNORECASE)


class ZippedParts:
    """The parts of an archive by their names, however these are written.

    ECMA-376, part 2, has names that differ only in the case of letters, or in what is written as "%20", be one. Some
    programs also write backslashes, or a slash before the name.

    What reads a part raises `Encrypted` if it needs a password, and `TextTooLong` if it, or all that was read, is too
    large. Making one raises `zipfile.BadZipFile` for a file that is no archive.
    """

    def __init__(self, data: bytes) -> None:
        self._archive = ZipFile(BytesIO(data))
        # How many bytes may still be read.
        self._left_bytes = _MOST_BYTES
        self._left_for_pictures = _MOST_PICTURE_BYTES
        # The names in the archive, by themselves and by what all ways to write them have in common.
        names = [name for name in self._archive.namelist() if not name.endswith(("/", "\\"))]
        self._names = {_comparable(name): name for name in reversed(names)} | {name: name for name in names}
        # The main part of an Office document; "" in another archive.
        self.main = ""
        self.main = self.related("").get("officeDocument", "")

    def find(self, name: str) -> str:
        """Return the name in the archive of the part that has a name; "" if there is none."""
        return self._names.get(name) or self._names.get(_comparable(name), "")

    def read(self, name: str) -> bytes:
        """Return the content of a part. Raises `KeyError` if it is missing, `Encrypted` and `TextTooLong`."""
        part = self._archive.getinfo(self.find(name))
        if part.flag_bits & 1:
            raise Encrypted
        with self._archive.open(part) as opened:
            # The size in the archive's table may be a lie.
            content = opened.read(min(_LARGEST_PART, self._left_bytes) + 1)
        self._left_bytes -= len(content)
        if len(content) > _LARGEST_PART or self._left_bytes < 0:
            raise TextTooLong
        return content

    def show_picture(self, name: str, pictures: InnerPictures) -> None:
        """Add the picture that is the part `name`, if there is one. Its bytes do not count as text."""
        stored_name = self.find(name)
        if stored_name and pictures.are_wanted:
            part = self._archive.getinfo(stored_name)
            pictures.add_file((part.CRC, part.file_size), partial(self._picture, part))

    def _picture(self, part: ZipInfo) -> bytes:
        """Return the content of a picture; b"" if it, or all that was read of them, is too large."""
        with self._archive.open(part) as opened:
            content = opened.read(min(_LARGEST_PICTURE, self._left_for_pictures) + 1)
        self._left_for_pictures -= len(content)
        return content if len(content) <= _LARGEST_PICTURE and self._left_for_pictures >= 0 else b""

    def xml(self, name: str) -> Element:
        """Return the root of a part; a missing part has an empty root."""
        content = self.read(name) if self.find(name) else b"<none/>"
        return safe_xml(content, OfficeNames() if self.main else None)

    def sound_xml(self, name: str, text: MarkedText) -> Element:
        """Return the root of a part without which others can be read; empty if it is missing or damaged."""
        with skipping_damage(text):
            return self.xml(name)
        return Element("none")

    def require_no_password(self) -> None:
        """Raise `Encrypted` if an OpenDocument or HWPX file says that a part of it is encrypted, or all of it."""
        manifest = self.xml("META-INF/manifest.xml")
        if next(manifest.iter("encryption-data"), None) is not None:
            raise Encrypted

    def kinds(self) -> Iterator[str]:
        """Yield the media types that an archive says it has, in small letters, the one that is to be believed first.

        They are the media types of the archive and, if it is XML, of the main part. Parts that say them may be missing
        or wrong.
        """
        if self.find("mimetype"):
            yield self.read("mimetype").decode("utf-8", "replace").lower()
        for package in self.xml("META-INF/container.xml").iter("rootfile"):
            yield package.get("media-type", "application/oebps-package+xml").lower()
        for entry in self.xml("META-INF/manifest.xml").iter("file-entry"):
            if entry.get("full-path") == "/":
                yield entry.get("media-type", "").lower()
        yield self._kind_of_main()

    def _kind_of_main(self) -> str:
        """Return the media type of an Office document's main part if that is XML; else ""."""
        name = _comparable(self.main)
        extension = posixpath.splitext(name)[1]
        kind = ""
        kind_of_extension = ""
        for entry in self.xml("[Content_Types].xml"):
            if _comparable(entry.get("PartName", "")) == name:
                kind = entry.get("ContentType", "")
            elif f".{entry.get('Extension', '').lower()}" == extension:
                kind_of_extension = entry.get("ContentType", "")
        # A type may have parameters.
        kind = (kind or kind_of_extension).partition(";")[0].strip().lower()
        return kind if name and kind.endswith("xml") else ""

    def related(self, name: str) -> dict[str, str]:
        """Return the parts that a part of an Office document refers to, by ids and kinds, and addresses by ids."""
        folder, file = posixpath.split(name.replace("\\", "/"))
        targets: dict[str, str] = {}
        for relation in self.xml(f"{folder}/_rels/{file}.rels".lstrip("/")):
            target = relation.get("Target", "")
            # Some programs do not say that an address is outside of the archive.
            if relation.get("TargetMode") != "External" and not _OUTSIDE.match(target):
                target = resolved(name, target)
                target = self.find(target) or target
                kind = relation.get("Type", "").rpartition("/")[2]
                targets[kind] = target
            targets[relation.get("Id", "")] = target
        return targets


def addressed(name: str, reference: str, parts: ZippedParts) -> str:
    """Return which of the `parts` a page's address refers to; "" if it is none. Signs may stand for themselves."""
    plain = reference.partition("#")[0]
    paths = (reference, plain, plain.partition("?")[0])
    return next(filter(None, (parts.find(_joined(name, path)) for path in paths)), "")


def resolved(name: str, reference: str) -> str:
    """Return the name of the part that the part `name` refers to."""
    return _joined(name, reference.partition("#")[0])


def _joined(name: str, path: str) -> str:
    """Return the name that a path leads to from the part `name`. What would be above the archive is in it."""
    folder = posixpath.dirname(name.replace("\\", "/"))
    return posixpath.normpath(posixpath.join(f"/{folder}", path.replace("\\", "/"))).lstrip("/")


def _comparable(name: str) -> str:
    """Return what the ways to write the name of a part have in common."""
    return _joined("", unquote(name)).lower()
