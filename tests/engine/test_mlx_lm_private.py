"""The names of mlx and mlx-lm that the engine uses exist. Under another version of either, run this file first.

`python -m pytest --noconftest tests/engine/test_mlx_lm_private.py` runs where the engine itself cannot be imported.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mlx_lm.models import cache

from engine.mlx_lm_private import CACHE_ATTRIBUTES, USED

ENGINE = Path(__file__).resolve().parents[2] / "engine"
PRIVATE = ENGINE / "mlx_lm_private.py"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(ENGINE.rglob("*.py"))}


def test_everything_that_the_engine_uses_is_there() -> None:
    listed = {f"{owner}.{name}": PRIVATE for owner, names in USED.items() for name in names}
    used = listed | {name: path for path, tree in TREES.items() for name in names_of(tree)}
    missing = [f"{name} ({path.relative_to(ENGINE)})" for name, path in sorted(used.items()) if found(name) is None]
    assert not missing


def test_every_function_takes_what_it_is_given_by_name() -> None:
    unknown = [f"{name}({option}=) in {path.relative_to(ENGINE)}" for path in TREES for name, option in wrong(path)]
    assert not unknown


def test_caches_hold_what_snapshots_are_made_of() -> None:
    """A new attribute may be one that a rollback rule has to restore."""
    made = [
        cache.KVCache(), cache.QuantizedKVCache(), cache.ChunkedKVCache(8), cache.RotatingKVCache(8),
        cache.ArraysCache(1),
    ]  # fmt: skip
    assert {type(one).__name__: frozenset(vars(one)) for one in made} == CACHE_ATTRIBUTES


def test_private_names_are_used_in_one_module() -> None:
    private = {name for names in USED.values() for name in names if name.startswith("_")}
    private |= {name for names in CACHE_ATTRIBUTES.values() for name in names if name.startswith("_")}
    elsewhere = [
        f"{name} in {path.relative_to(ENGINE)}"
        for path, tree in TREES.items()
        if path != PRIVATE
        for name in [
            *(name for name in names_of(tree) if name.rpartition(".")[2].startswith("_")),
            *(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in private),
        ]
        if not name.endswith(".__version__")
    ]
    assert not elsewhere


def imported(tree: ast.AST) -> dict[str, str]:
    """Names in a module that mean something of mlx or mlx-lm, with what that is."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bound |= {one.asname or one.name: one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            bound |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return {name: meant for name, meant in bound.items() if meant.partition(".")[0] in ("mlx", "mlx_lm")}


def names_of(tree: ast.AST) -> Iterator[str]:
    """What a module imports of mlx and mlx-lm, and what it takes from there with a dot."""
    bound = imported(tree)
    yield from bound.values()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in bound:
            yield f"{bound[node.value.id]}.{node.attr}"


def wrong(path: Path) -> Iterator[tuple[str, str]]:
    """Calls of mlx-lm's functions with options that these do not take."""
    bound = imported(TREES[path])
    for node in ast.walk(TREES[path]):
        name = bound.get(node.func.id, "") if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if isinstance(node, ast.Call) and name.startswith("mlx_lm.") and (function := found(name)) is not None:
            known = inspect.signature(function).parameters
            if not any(one.kind is one.VAR_KEYWORD for one in known.values()):
                yield from ((name, key.arg) for key in node.keywords if key.arg and key.arg not in known)


def found(name: str) -> Any:
    """The module, class or function of that name; None where there is none."""
    owner, _, last = name.rpartition(".")
    try:
        return importlib.import_module(name)
    except ImportError:
        return getattr(found(owner), last, None) if owner else None
