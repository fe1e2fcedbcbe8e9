"""Imports transformers without its search of all models: 1,600 files are read twice before mlx-lm has its first name.

What mlx-lm and a tokenizer name is served from the module that holds it. Any other name runs the package's own
`__init__` first, and gets what it would have got without this.
"""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from types import MappingProxyType, ModuleType
from typing import Any

# Packages whose `__init__` is put off, with the modules that hold the names which do not need it.
_SERVED = MappingProxyType(
    {
        "transformers": {
            "AutoTokenizer": "transformers.models.auto.tokenization_auto",
            "PreTrainedTokenizer": "transformers.tokenization_python",
            "PreTrainedTokenizerFast": "transformers.tokenization_utils_tokenizers",
        },
        "transformers.models": {},
    }
)
# The packages whose `__init__` runs on this thread.
_running = threading.local()


def install() -> None:
    """From now on, whoever imports transformers gets it so. Without effect on a package that is imported already."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Package(ModuleType):
    """One of the packages before its own `__init__` has run."""

    def __getattr__(self, name: str) -> Any:
        # The import system asks for the former and means this object; the package's own `__init__` has it be searched.
        if name.startswith("__") or getattr(_running, self.__name__, False):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if module := _SERVED[self.__name__].get(name):
            return getattr(importlib.import_module(module), name)
        return getattr(_whole(self), name)


def _whole(package: _Package) -> ModuleType:
    """What the package's own `__init__` puts in its place. Two threads may run it at once; both get the same."""
    if sys.modules[package.__name__] is package:
        assert package.__spec__ is not None
        loader = package.__spec__.loader
        assert isinstance(loader, _Deferring)
        setattr(_running, package.__name__, True)
        try:
            loader.own.exec_module(package)
        finally:
            setattr(_running, package.__name__, False)
    return sys.modules[package.__name__]


class _Deferring(Loader):
    def __init__(self, own: Loader) -> None:
        self.own = own

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Package(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        # Modules of transformers import it from the package.
        if module.__name__ == "transformers":
            vars(module)["__version__"] = version("transformers")


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _SERVED:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Deferring(spec.loader)
                return spec
        return None
