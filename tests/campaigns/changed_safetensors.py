"""Changes of a safetensors file: its length field, the bytes of its header, and each entry of a tensor."""

from __future__ import annotations

import copy
import json
import random
import struct
from dataclasses import dataclass
from typing import Any

import safetensors

_NUMBERS = (-1, 0, 1, 2, 3, 8, 31, 64, 2**15, 2**31 - 1, 2**31, 2**40, 2**63, 2**64, 1.0, 1e30, True, "1", None, [])
_TYPES = (
    "BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0", "F4", "U16", "I16", "F16", "BF16", "U32", "I32", "F32", "U64",
    "I64", "F64", "C64", "", "f32", "F32 ", None, 4,
)  # fmt: skip
_NAMES = (
    "",
    "__metadata__",
    "a\0b",
    "\u202e한",
    "../../x",
    "x" * 70_000,
    "lm_head",
    "model.layers.7.mlp.up_proj.weight",
)


@dataclass(frozen=True, slots=True)
class _File:
    """The content of a sound file, its header, which changes may edit, and the bytes after that."""

    content: bytes
    header: dict[str, Any]
    data: bytes

    def with_header(self, text: bytes | None = None) -> bytes:
        """Return the file with the header as it was edited, or with this one."""
        raw = json.dumps(self.header).encode() if text is None else text
        return struct.pack("<Q", len(raw)) + raw + self.data


def changed(content: bytes, source: random.Random) -> tuple[str, bytes]:
    """Return the kind of a change, and the file with it."""
    kind = source.choice(list(_CHANGES))
    stop = 8 + int.from_bytes(content[:8], "little")
    return kind, _CHANGES[kind](_File(content, json.loads(content[8:stop]), content[stop:]), source)


def is_another_model(content: bytes, before: bytes) -> bool:
    """Whether the format's own library reads the file, too, and finds other numbers."""
    try:
        found = safetensors.deserialize(content)
    except safetensors.SafetensorError:
        return False
    return sorted(map(str, found)) != sorted(map(str, safetensors.deserialize(before)))


def _length(file: _File, source: random.Random) -> bytes:
    length = len(file.content) - len(file.data) - 8
    # Some headers end with spaces, which are then taken for numbers.
    text = json.dumps(file.header).encode() + b" " * 16
    if source.random() < 0.5:
        return struct.pack("<Q", len(text) - source.randrange(1, 17)) + text + file.data
    chosen = source.choice((0, 1, 2, length - 1, length + 1, 2 * length, len(file.content), 2**31, 2**63, 2**64 - 1))
    return struct.pack("<Q", chosen) + file.content[8:]


def _bytes(file: _File, source: random.Random) -> bytes:
    edited = bytearray(file.content)
    for _ in range(source.randint(1, 4)):
        place = source.randrange(len(file.content) - len(file.data))
        edited[place] = source.choice((*b'0123456789"{}[],:-eFIU\\ \0\xff', *[edited[place] ^ 1] * 9))
    return bytes(edited)


def _cut(file: _File, source: random.Random) -> bytes:
    return file.content[: source.choice((source.randrange(len(file.content)), len(file.content) - 1))]


def _longer(file: _File, source: random.Random) -> bytes:
    start, end = len(file.content) - len(file.data), len(file.content)
    place = source.choice((start, source.randrange(start, end), end))
    return file.content[:place] + bytes(source.choice((1, 2, 4, 64, 4096))) + file.content[place:]


def _entry(file: _File, source: random.Random) -> tuple[str, dict[str, Any]]:
    name = source.choice([name for name in file.header if name != "__metadata__"])
    return name, file.header[name]


def _offsets(file: _File, source: random.Random) -> bytes:
    _, entry = _entry(file, source)
    _, other = _entry(file, source)
    begin, end = entry["data_offsets"]
    step = source.choice((1, 2, 4, 64, -1, -2, -64, end - begin, begin - end))
    entry["data_offsets"] = source.choice(
        (
            *([begin + step, end + step],) * 3,
            [begin, end + step],
            [begin + step, end],
            [end, begin],
            [begin],
            [begin, end, end],
            *(other["data_offsets"],) * 2,
            [source.choice(_NUMBERS), end],
            [begin, source.choice(_NUMBERS)],
            source.choice(_NUMBERS),
            {"0": begin, "1": end},
            [float(begin), float(end)],
        )
    )
    return file.with_header()


def _swapped(file: _File, source: random.Random) -> bytes:
    """Two tensors change places, or other parts of their entries."""
    part = source.choice(("data_offsets", "dtype", "shape"))
    (_, one), (_, other) = _entry(file, source), _entry(file, source)
    one[part], other[part] = other[part], one[part]
    return file.with_header()


def _type(file: _File, source: random.Random) -> bytes:
    _, entry = _entry(file, source)
    entry["dtype"] = source.choice(_TYPES)
    return file.with_header()


def _shape(file: _File, source: random.Random) -> bytes:
    _, entry = _entry(file, source)
    sides = entry["shape"]
    entry["shape"] = source.choice(
        (
            sides[::-1], [*sides, 1], [1, *sides], sides[:-1], [], [*sides[:-1], source.choice(_NUMBERS)],
            [source.choice(_NUMBERS), *sides[1:]], [*sides, 0], [-side for side in sides], [2, *sides], sides * 5,
            [sides[0] * 2, *(side // 2 for side in sides[1:])], source.choice(_NUMBERS), [float(sides[0]), *sides[1:]],
        )
    )  # fmt: skip
    return file.with_header()


def _name(file: _File, source: random.Random) -> bytes:
    name, entry = _entry(file, source)
    other, _ = _entry(file, source)
    del file.header[name]
    file.header[source.choice((other, f"{name}.x", name.upper(), f" {name}", name.replace("0", "1"), *_NAMES))] = entry
    return file.with_header()


def _twice(file: _File, source: random.Random) -> bytes:
    """A key occurs twice, in the header or in an entry, with other values."""
    name, entry = _entry(file, source)
    other = copy.deepcopy(_entry(file, source)[1])
    text = json.dumps(file.header)
    if source.random() < 0.5:
        extra, at = f"{json.dumps(name)}: {json.dumps(other)}, ", 1
    else:
        part = source.choice(list(entry))
        extra, at = f"{json.dumps(part)}: {json.dumps(other[part])}, ", text.index(json.dumps(entry)) + 1
    if source.random() < 0.5:
        return file.with_header((text[:at] + extra + text[at:]).encode())
    end = len(text) - 1 if at == 1 else at - 1 + len(json.dumps(entry)) - 1
    return file.with_header(f"{text[:end]}, {extra.removesuffix(', ')}{text[end:]}".encode())


def _metadata(file: _File, source: random.Random) -> bytes:
    deep: Any = "x"
    for _ in range(source.choice((3, 9, 500))):
        deep = [deep]
    odd = (None, 1, [], [["format", "mlx"]], {"format": 1}, {"format": None}, {"format": {"a": "b"}}, {}, "mlx", deep)
    file.header["__metadata__"] = source.choice((*odd, {"x": "y" * 2**20}, {str(one): "" for one in range(9_999)}))
    return file.with_header()


def _text(file: _File, source: random.Random) -> bytes:
    """The header is no JSON object, or JSON as only some parsers take it."""
    text = json.dumps(file.header).encode()
    odd = (
        b"", b"[]", b"null", b"{}", b" " + text, text + b"\0\0", text + b"{}", b"\xef\xbb\xbf" + text, text + b"\n \t",
        text[:-1] + b', "x": NaN}', text[:-1] + b', "__metadata__": {"a": "\\ud800"}}', text[:-1] + b",}",
        b"// x\n" + text, text.replace(b'"', b"'"), text.decode().encode("utf-16"), text.replace(b"0", b"00", 1),
        text[:-1] + b', "\\u005f_metadata__": []}', b"[" * 10**5, b'{"a":' * 10**5,
    )  # fmt: skip
    return file.with_header(source.choice(odd))


_CHANGES = {
    "length": _length, "bytes": _bytes, "cut": _cut, "longer": _longer, "offsets": _offsets, "swapped": _swapped,
    "type": _type, "shape": _shape, "name": _name, "twice": _twice, "metadata": _metadata, "text": _text,
}  # fmt: skip
