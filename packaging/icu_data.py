"""Shorten the data of ICU, which comes with Qt for Linux, to what Qt needs.

    python packaging/icu_data.py BUNDLE

Qt uses ICU to sort names and for the names of time zones. For numbers, dates, languages and breaks of lines and words,
Qt has its own tables. The library with the data is replaced by one with the same name and symbol. Needs binutils.
https://unicode-org.github.io/icu/userguide/icu_data/ describes the data, and icu4c/source/common/ucmndata.h of ICU its
table of contents.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

# Items begin at multiples of this, in the order of their names.
_ALIGNED = 16
_COUNT = struct.Struct("<I")
_ITEM = struct.Struct("<II")
# Items that Qt never reads: line and word breaks, names of currencies, languages, regions and units, spelled-out
# numbers, transliterations, converters of old encodings, profiles of internet names, names of characters.
_UNUSED = re.compile(
    r"""[^/]+/(
        (brkitr|curr|lang|region|unit|rbnf|translit)/.*
        | .*\.(cnv|spp|cfu)
        | (unames|uemoji)\.icu
        # Formats of languages other than the window's; those for all languages have other names.
        | (zone/)?(?!(en|ja|ko|zh)(_|\.))[a-z]{2,3}(_[A-Za-z0-9]+)*\.res
    )""",
    re.VERBOSE,
)


def main(bundle: str) -> None:
    """Shorten every ICU library of a bundle on Linux."""
    for library in sorted(Path(bundle).rglob("libicudata.so.*")):
        if library.is_symlink():
            continue
        before = library.stat().st_size
        shorten(library)
        print(f"{library.name}: {before / 1e6:.1f} MB, now {library.stat().st_size / 1e6:.1f}")


def shorten(library: Path) -> None:
    """Rewrite the library without the items that Qt never reads. Raises `ValueError` if it is not ICU data."""
    with tempfile.TemporaryDirectory() as temporary:
        data = Path(temporary, "icu.dat")
        run("objcopy", "-O", "binary", "--only-section=.rodata", library, data)
        header, items = read_items(data.read_bytes())
        data.write_bytes(pack(header, {name: item for name, item in items.items() if not is_unused(name)}))
        link(data, f"icudt{library.suffix[1:]}_dat", library)


def is_unused(name: str) -> bool:
    """Return whether Qt never reads an item, such as "icudt73l/curr/de.res"."""
    return _UNUSED.fullmatch(name) is not None


def read_items(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the header, and the items by their names, of an ICU data file."""
    if not data.startswith(b"CmnD", 12):
        raise ValueError("not ICU's common data")
    length = int.from_bytes(data[:2], "little")
    header = data[:length]
    body = data[length:]
    [count] = _COUNT.unpack_from(body)
    table = [_ITEM.unpack_from(body, _COUNT.size + number * _ITEM.size) for number in range(count)]
    ends = [start for _, start in table[1:]] + [len(body)]
    return header, {
        body[name : body.index(b"\0", name)].decode(): body[start:end]
        for (name, start), end in zip(table, ends, strict=True)
    }


def pack(header: bytes, items: Mapping[str, bytes]) -> bytes:
    """Return an ICU data file with these items, whose names are in order. The inverse of `read_items`."""
    names = b""
    places = []
    name_at = _COUNT.size + len(items) * _ITEM.size
    for name in items:
        places.append(name_at + len(names))
        names += name.encode() + b"\0"
    body = bytearray(_padded(_COUNT.pack(len(items)) + bytes(len(items) * _ITEM.size) + names))
    table = _COUNT.size
    for place, item in zip(places, items.values(), strict=True):
        _ITEM.pack_into(body, table, place, len(body))
        table += _ITEM.size
        body += _padded(item)
    return header + bytes(body)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNED)


def link(data: Path, symbol: str, library: Path) -> None:
    """Write a shared library that has `symbol` at the beginning of `data` and needs no other library."""
    source = data.with_suffix(".s")
    compiled = data.with_suffix(".o")
    source.write_text(
        f".section .rodata\n.balign {_ALIGNED}\n.global {symbol}\n.type {symbol}, %object\n{symbol}:\n"
        f'.incbin "{data.name}"\n.size {symbol}, . - {symbol}\n.section .note.GNU-stack, "", %progbits\n'
    )
    run("as", "-o", compiled, source.name, folder=data.parent)
    run("ld", "-shared", "--build-id=none", "-soname", library.name, "-o", library, compiled)


def run(*command: str | Path, folder: Path | None = None) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=folder)


if __name__ == "__main__":
    main(sys.argv[1])
