"""Imports Qt without what PySide6 compiles from source at every start and nothing here needs: its writer of stubs.

It is compiled when it is asked for. What PySide6 itself asks for while a call fails has to be there before.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, SupportsIndex

_NAMES = frozenset(("shibokensupport.signature.lib.enum_sig", "shibokensupport.signature.lib.pyi_generator"))
# One imports the other, so one thread runs all that is asked for.
_lock = threading.RLock()
_running: set[str] = set()


def import_qt() -> None:
    """Import PySide6 so. Without effect when it is imported already."""
    finder = _Finder()
    sys.meta_path = _Finders([finder, *sys.meta_path])
    try:
        import PySide6.QtCore  # noqa: F401
    finally:
        sys.meta_path = [other for other in sys.meta_path if other is not finder]


class _Finders(list[Any]):
    """PySide6 puts a finder of its own before all others; here it comes second."""

    def insert(self, index: SupportsIndex, finder: Any) -> None:
        super().insert(max(int(index), 1), finder)


class _Finder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _NAMES:
            return None
        found = (finder.find_spec(fullname, path, target) for finder in sys.meta_path if finder is not self)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
        return spec


class _Loader:
    def __init__(self, own: Any) -> None:
        self.own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """The module's code runs when a name of it is asked for."""


class _Module(ModuleType):
    """One of the modules before its code has run."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__
        # The import system asks for names of two underscores, and means this object.
        if not name.startswith("__"):
            with _lock:
                if type(self) is _Module and own not in _running:
                    _run(self)
                if name in vars(self):
                    return vars(self)[name]
        raise AttributeError(f"module {own!r} has no attribute {name!r}")


def _run(module: _Module) -> None:
    spec = module.__spec__
    assert spec is not None
    loader = spec.loader
    assert isinstance(loader, _Loader)
    # PySide6 makes it known under another name too, which its own loader does not know.
    name, spec.name = spec.name, module.__name__
    _running.add(module.__name__)
    try:
        loader.own.exec_module(module)
        module.__class__ = ModuleType
    finally:
        spec.name = name
        _running.discard(module.__name__)
