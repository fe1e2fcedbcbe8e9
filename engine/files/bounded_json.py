"""Parses JSON from untrusted files within limits of size and nesting.

A parser makes a hundred bytes of three (`[],`) and recurses once a level, so both are counted in the raw bytes first.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.files.folder_paths import open_regular

# Possessive, and an unclosed string extends to the end, so matching takes linear time on any input.
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


@dataclass(frozen=True, slots=True)
class JsonLimits:
    """Largest file in bytes, nesting in levels, and number of objects plus arrays and of commas."""

    size: int
    depth: int
    containers: int
    commas: int


# Well above the largest published files: per-layer quantisation of a mixture of experts, an index of
# 100,000 tensors, a tokenizer of 262,144 entries with half a million merges as pairs (34 MB).
CONFIG = JsonLimits(size=4 * 2**20, depth=32, containers=60_000, commas=400_000)
INDEX = JsonLimits(size=32 * 2**20, depth=8, containers=1_000, commas=600_000)
HEADER = JsonLimits(size=32 * 2**20, depth=8, containers=400_000, commas=2_000_000)
TOKENIZER = JsonLimits(size=96 * 2**20, depth=64, containers=2_000_000, commas=6_000_000)


class UntrustedJsonError(ValueError):
    """The bytes are not JSON, or JSON beyond the limits; the message says which."""


def check_structure(data: bytes, limits: JsonLimits) -> None:
    """Raise `UntrustedJsonError` unless `data` is within `limits` and its brackets close. Does not parse."""
    if len(data) > limits.size:
        raise UntrustedJsonError(f"larger than {limits.size} bytes")
    if data.count(b",") > limits.commas or data.count(b"[") + data.count(b"{") > limits.containers:
        raise UntrustedJsonError("too many entries")
    brackets = STRING.sub(b"", data).translate(None, _NOT_BRACKETS)
    steps = (1 if byte in b"[{" else -1 for byte in brackets)
    deepest = level = 0
    for level in itertools.accumulate(steps):
        if level < 0 or level > limits.depth:
            raise UntrustedJsonError("nested too deeply" if level > 0 else "unbalanced brackets")
        deepest = max(deepest, level)
    if level != 0 or deepest == 0:
        raise UntrustedJsonError("cut off")


def parse(data: bytes, limits: JsonLimits) -> Any:
    """Return the value in `data`. Raises `UntrustedJsonError`."""
    check_structure(data, limits)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UntrustedJsonError("not JSON") from error


def read_bytes(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most `limit` bytes. Raises `UntrustedJsonError`; never blocks."""
    try:
        with open_regular(path) as file:
            if os.fstat(file.fileno()).st_size > limit:
                raise UntrustedJsonError(f"larger than {limit} bytes")
            return file.read(limit + 1)
    except OSError as error:
        raise UntrustedJsonError(error.strerror or "cannot be read") from error


def read_json(path: Path, limits: JsonLimits) -> Any:
    """Return the value in the file at `path`. Raises `UntrustedJsonError`."""
    return parse(read_bytes(path, limits.size), limits)


def read_object(path: Path, limits: JsonLimits) -> dict[str, Any]:
    """Return the object in the file at `path`. Raises `UntrustedJsonError`, also for JSON that is not an object."""
    value = read_json(path, limits)
    if not isinstance(value, dict):
        raise UntrustedJsonError("not an object")
    return value
