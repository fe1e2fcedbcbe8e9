"""The places of a GGUF file's header by what they hold, and changes of them."""

from __future__ import annotations

import random
import struct
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_TEXT, _ARRAY = 8, 9
# Of an array, as many elements are places: a vocabulary has tens of thousands.
_OF_ARRAY = 40
_NUMBERS = (0, 1, 2, 3, 7, 31, 32, 33, 64, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**63, 2**64 - 1)
_BYTES = (b"", b"\0", b"\xff\xfe", b"\xed\xa0\x80", "\u202e한".encode(), b"../../x", b"{{ 1 }}", b"a" * 70, b"</s>")


@dataclass(frozen=True, slots=True)
class HeaderPlace:
    """Bytes `start` to `stop - 1` of a header, which hold a `kind`, of the field or tensor `name`."""

    kind: str
    name: str
    start: int
    stop: int


class GgufHeader:
    """The header of a sound file: its bytes and its places; `copy` writes a changed one before a tail without bytes."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._content = file.read(2**25)
        self._size, self._at = path.stat().st_size, 4
        self.places = list(self._read())
        self._header = self._content[: self._at]
        # The data begins at a multiple of the alignment.
        self.tail = self._size - -(-self._at // 32) * 32
        self._content = b""

    def drawn(self, source: random.Random) -> tuple[HeaderPlace, bytes]:
        """Return a place, of each kind alike often, and other bytes for it."""
        kind = source.choice(sorted({place.kind for place in self.places}))
        place = source.choice([place for place in self.places if place.kind == kind])
        old = self._header[place.start : place.stop]
        return place, _changed(old, kind, source)

    def copy(self, path: Path, place: HeaderPlace, content: bytes) -> None:
        header = self._header[: place.start] + content + self._header[place.stop :]
        path.write_bytes(header)
        with path.open("r+b") as file:
            file.truncate(-(-len(header) // 32) * 32 + self.tail)

    def _read(self) -> Iterator[HeaderPlace]:
        yield self._take("version", "", 4)
        yield (tensors := self._take("count", "tensors", 8))
        yield (fields := self._take("count", "fields", 8))
        for _ in range(self._number(fields)):
            yield from self._field()
        for _ in range(self._number(tensors)):
            yield from self._tensor()

    def _field(self) -> Iterator[HeaderPlace]:
        name = yield from self._text("key", "")
        yield (kind := self._take("type", name, 4))
        yield from self._value(name, self._number(kind))

    def _value(self, name: str, kind: int) -> Iterator[HeaderPlace]:
        if kind == _TEXT:
            yield from self._text("text", name)
        elif kind != _ARRAY:
            yield self._take("number", name, _SIZES[kind])
        else:
            yield (element := self._take("element type", name, 4))
            yield (count := self._take("element count", name, 8))
            total, of = self._number(count), self._number(element)
            for index in range(total):
                found = list(self._value(name, of))
                if index % max(1, total // _OF_ARRAY) == 0:
                    yield from (HeaderPlace(f"element {one.kind}", name, one.start, one.stop) for one in found)

    def _tensor(self) -> Iterator[HeaderPlace]:
        name = yield from self._text("tensor name", "")
        yield (sides := self._take("dimensions", name, 4))
        for _ in range(self._number(sides)):
            yield self._take("side", name, 8)
        yield self._take("tensor kind", name, 4)
        yield self._take("offset", name, 8)

    def _text(self, kind: str, name: str) -> Generator[HeaderPlace, None, str]:
        yield (length := self._take(f"{kind} length", name, 8))
        place = self._take(kind, name, self._number(length))
        text = self._content[place.start : place.stop]
        yield place
        # With its length, so that what follows stays where it is expected.
        yield HeaderPlace(f"whole {kind}", name, length.start, place.stop)
        return text.decode("utf-8", "replace")[:80]

    def _take(self, kind: str, name: str, count: int) -> HeaderPlace:
        self._at += count
        return HeaderPlace(kind, name, self._at - count, self._at)

    def _number(self, place: HeaderPlace) -> int:
        return int.from_bytes(self._content[place.start : place.stop], "little")


def _changed(old: bytes, kind: str, source: random.Random) -> bytes:
    """Return other bytes for a place; a whole text may become longer or shorter, with its right length."""
    if kind.startswith("whole"):
        text = source.choice([*_BYTES, old[8:] * 2, old[8:-1], source.randbytes(source.randrange(1, 80))])
        return struct.pack("<Q", len(text)) + text
    if source.random() < 0.4 or len(old) not in (1, 2, 4, 8):
        changed = bytearray(old or b"\0")
        changed[source.randrange(len(changed))] ^= 1 << source.randrange(8)
        return bytes(changed)
    number = int.from_bytes(old, "little")
    near = (number + 1, number - 1, 2 * number, number // 2, 3 * number)
    return int(source.choice([*_NUMBERS, *near]) % 256 ** len(old)).to_bytes(len(old), "little")
