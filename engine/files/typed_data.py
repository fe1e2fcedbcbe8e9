"""Classes whose values msgspec reads in several threads at once."""

from __future__ import annotations

from threading import Lock
from typing import TypeVar

import msgspec

Class = TypeVar("Class")

_LOCK = Lock()
_prepared = set[object]()


def prepared(kind: type[Class]) -> type[Class]:
    """Return `kind`, of which msgspec knows all fields then: its own, and those of the classes that they name.

    msgspec works out the fields of a class when it first needs them. A second thread that needs them meanwhile takes
    fields that have no types yet, and ends the process (with msgspec 0.22).
    """
    with _LOCK:
        if kind not in _prepared:
            msgspec.json.Decoder(kind)
            _prepared.add(kind)
    return kind
