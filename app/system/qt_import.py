"""Qt, without what PySide6 adds to Python's `import`.

PySide6 wraps it in a function that reads the source file of every module that is imported from then on, on whichever
thread, to learn whether it could ask for `__feature__`. Tandem does not, and a start imports hundreds of modules.
"""

from __future__ import annotations

import builtins

import PySide6.QtCore  # noqa: F401


def restore_import() -> None:
    """Put back what PySide6 wrapped, which it keeps under this name. It wraps it once."""
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
