"""Imports of single modules of large packages, for sandboxes only."""

from __future__ import annotations

import importlib.util
import sys
import types
from functools import cache


@cache
def import_bare_package(name: str) -> None:
    """Make a package's modules importable without its `__init__`, which imports all of them, if it is installed."""
    spec = importlib.util.find_spec(name)
    if spec is not None:
        package = types.ModuleType(name)
        package.__path__ = list(spec.submodule_search_locations or ())
        sys.modules[name] = package
