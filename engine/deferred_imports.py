"""Puts off what mlx-lm and transformers import at once and a start does not need.

transformers searches all its models: 1,600 files are read twice before mlx-lm has its first name. mlx-lm imports
transformers and the client of the Hub before it can load a model. What a name needs is imported when the name is asked
for; functions that are only kept for later are stood for. Whatever else is asked for, the module's own code runs first,
and gives what it would have given without this.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import MappingProxyType, ModuleType
from typing import Any

# Modules whose own code is put off, with the modules that hold the names which do not need it.
_SERVED = MappingProxyType(
    {
        "transformers": {
            "AutoTokenizer": "transformers.models.auto.tokenization_auto",
            "PreTrainedTokenizer": "transformers.tokenization_python",
            "PreTrainedTokenizerFast": "transformers.tokenization_utils_tokenizers",
        },
        "transformers.models": {},
        "mlx_lm": {
            "batch_generate": "mlx_lm.generate",
            "convert": "mlx_lm.convert",
            "generate": "mlx_lm.generate",
            "load": "mlx_lm.utils",
            "stream_generate": "mlx_lm.generate",
        },
        "mlx_lm.tokenizer_utils": {},
        "huggingface_hub._snapshot_download": {},
        "huggingface_hub.hf_api": {},
    }
)
# What is stood for: mlx-lm's `utils` names them and calls none before it loads a tokenizer or downloads a model, and
# transformers uses the client of the Hub for what is not on this computer.
_STOOD_FOR = MappingProxyType(
    {
        "mlx_lm.tokenizer_utils": ("TokenizerWrapper", "load"),
        "huggingface_hub._snapshot_download": ("snapshot_download",),
        "huggingface_hub.hf_api": ("HfApi", "upload_file"),
    }
)
_PACKAGES = ("transformers", "mlx_lm")
# The modules whose own code has run, and those whose code runs on this thread.
_done: set[str] = set()
_running = threading.local()
# For modules that are no packages: what these import asks for nothing of them that is put off.
_one_at_a_time = threading.RLock()


def install() -> None:
    """From now on, whoever imports these modules gets them so. Without effect on one that is imported already."""
    # As mlx-lm's own `__init__` does.
    os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Module(ModuleType):
    """One of the modules before its own code has run."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__
        if name == "__version__" and own in _PACKAGES:
            from importlib.metadata import version

            return version(own)
        # The import system asks for the former and means this object; the module's own code has it be searched.
        own_code_knows_it_not = own in _done and sys.modules[own] is self
        if name.startswith("__") or own_code_knows_it_not or getattr(_running, own, False):
            raise AttributeError(f"module {own!r} has no attribute {name!r}")
        if module := _SERVED[own].get(name):
            return getattr(importlib.import_module(module), name)
        if name in _STOOD_FOR.get(own, ()):
            return _StandIn(name, (), {"module": self, "__module__": own})
        return getattr(_whole(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        # A module's own code gives these names to functions, after the import system gave them to modules.
        if not (isinstance(value, ModuleType) and name in _SERVED[self.__name__]):
            super().__setattr__(name, value)


class _StandIn(type):
    """Stands for a function or a class of a module whose own code has not run, and does or makes what that does."""

    module: _Module

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        return getattr(_whole(cls.module), cls.__name__)(*arguments, **options)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, getattr(_whole(cls.module), cls.__name__))


def _whole(module: _Module) -> ModuleType:
    """The module after its own code, or what that puts in its place.

    Two threads may run a package's code at once; both get the same.
    """
    name = module.__name__
    if name not in _done and sys.modules[name] is module:
        assert module.__spec__ is not None
        loader = module.__spec__.loader
        assert isinstance(loader, _Deferring)
        if name in _STOOD_FOR:
            with _one_at_a_time:
                if name not in _done:
                    loader.run(module)
        else:
            loader.run(module)
    return sys.modules[name]


class _Deferring:
    """A loader that leaves the module's own code to be run later."""

    def __init__(self, own: Any) -> None:
        self.own = own

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass

    def run(self, module: ModuleType) -> None:
        setattr(_running, module.__name__, True)
        try:
            self.own.exec_module(module)
            _done.add(module.__name__)
        finally:
            setattr(_running, module.__name__, False)


class _Finder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _SERVED:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Deferring(spec.loader)  # type: ignore[assignment]
                return spec
        return None
