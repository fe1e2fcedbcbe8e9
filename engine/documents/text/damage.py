"""Parts of a file without which the rest is read, and is as good."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def passing_over_damage() -> Iterator[None]:
    """End the block at any error but `MemoryError`, which ends the sandbox; the caller says what is then missing.

    Parsers and decoders raise all kinds of errors for broken files, among them failed assumptions of their own.
    `damaged_parts.skipping_damage` is for parts that count as left out.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception:
        return
