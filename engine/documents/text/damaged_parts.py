"""Parts of a file that count as left out if they are damaged, and files that nobody can read without a password."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from engine.documents.text.marked_text import MarkedText, TextTooLong


class Encrypted(Exception):
    """The document can only be read with a password."""


@contextmanager
def skipping_damage(text: MarkedText) -> Iterator[None]:
    """Count a part that cannot be read as left out, and go on. Its error stands if nothing can be read."""
    try:
        yield
    except (MemoryError, Encrypted, TextTooLong):
        raise
    except Exception as error:
        text.left_out["damaged-part"] += 1
        text.damage = error
