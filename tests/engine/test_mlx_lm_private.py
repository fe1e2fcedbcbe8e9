"""The names of mlx and mlx-lm that the engine uses exist. Under another version of either, run this file first.

`python -m pytest --noconftest tests/engine/test_mlx_lm_private.py` runs where the engine itself cannot be imported.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from mlx_lm.models import cache as caches

from engine.mlx_lm_private import CACHE_ATTRIBUTES, USED

ENGINE = Path(__file__).resolve().parents[2] / "engine"
PRIVATE = ENGINE / "mlx_lm_private.py"


@pytest.fixture(scope="module")
def names() -> dict[Path, list[str]]:
    """The names of mlx and mlx-lm that each module uses."""
    return {path: [*names_of(tree_of(path))] for path in sorted(ENGINE.rglob("*.py"))}


def test_everything_that_the_engine_uses_is_there(names: dict[Path, list[str]]) -> None:
    used = {f"{owner}.{name}": PRIVATE for owner, listed in USED.items() for name in listed}
    used |= {name: path for path, found in names.items() for name in found}
    missing = [f"{name} ({path.relative_to(ENGINE)})" for name, path in sorted(used.items()) if found(name) is None]
    assert not missing


def test_every_function_takes_what_it_is_given_by_name(names: dict[Path, list[str]]) -> None:
    users = [path for path, found in names.items() if found]
    unknown = [f"{name}({option}=) in {path.relative_to(ENGINE)}" for path in users for name, option in wrong(path)]
    assert not unknown


def test_caches_hold_what_snapshots_are_made_of() -> None:
    """A new attribute may be one that a rollback rule has to restore."""
    made = [caches.KVCache(), caches.QuantizedKVCache(), caches.ChunkedKVCache(8), caches.RotatingKVCache(8)]
    made.append(caches.ArraysCache(1))
    assert {type(one).__name__: frozenset(vars(one)) for one in made} == CACHE_ATTRIBUTES


def test_private_names_are_used_in_one_module(names: dict[Path, list[str]]) -> None:
    listed = (*USED.values(), *CACHE_ATTRIBUTES.values())
    private = {f".{name}" for attributes in listed for name in attributes if name.startswith("_")}
    elsewhere = [
        f"{name} in {path.relative_to(ENGINE)}"
        for path, found in names.items()
        if path != PRIVATE
        for name in [
            *(name for name in found if name.rpartition(".")[2].startswith("_")),
            *private.intersection(re.findall(r"\._\w+", path.read_text(encoding="utf-8"))),
        ]
        if not name.endswith(".__version__")
    ]
    assert not elsewhere


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.AST) -> dict[str, str]:
    """Return the names in a module that stand for something of mlx or mlx-lm, with its full name."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bound |= {one.asname or one.name: one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            bound |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return {name: meant for name, meant in bound.items() if meant.partition(".")[0] in ("mlx", "mlx_lm")}


def names_of(tree: ast.AST) -> Iterator[str]:
    """Generate what a module imports from mlx and mlx-lm, and the attributes of these that it uses."""
    bound = imported(tree)
    yield from bound.values()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            yield f"{bound[node.value.id]}.{node.attr}"


def wrong(path: Path) -> Iterator[tuple[str, str]]:
    """Generate calls of mlx-lm's functions with options that these do not take."""
    bound = imported(tree_of(path))
    for node in ast.walk(tree_of(path)):
        name = bound.get(node.func.id, "") if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if isinstance(node, ast.Call) and name.startswith("mlx_lm.") and (function := found(name)) is not None:
            known = inspect.signature(function).parameters
            if not any(one.kind is one.VAR_KEYWORD for one in known.values()):
                yield from ((name, key.arg) for key in node.keywords if key.arg and key.arg not in known)


def found(name: str) -> Any:
    """Return the module, class or function of that name; None if there is none."""
    owner, _, last = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ImportError:
        return getattr(found(owner), last, None) if owner else None
