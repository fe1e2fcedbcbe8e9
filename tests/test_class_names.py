"""No two classes or aliases of app and engine share a name, so that a name has one meaning wherever it is read."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Aliases of types (also `Literal`, `NewType` and the like) are written as classes are; constants have no small letter.
ALIAS = re.compile(r"_?[A-Z]\w*[a-z]\w*")


def names_in(path: Path) -> Iterator[str]:
    """Yield the names of the classes and aliases of a module; a type variable has no meaning of its own."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign) and "TypeVar(" not in ast.unparse(node):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (one.id for one in targets if isinstance(one, ast.Name) and ALIAS.fullmatch(one.id))


def test_every_class_and_alias_has_a_name_of_its_own() -> None:
    """An underscore before it makes no other name."""
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted(file for package in ("app", "engine") for file in (ROOT / package).rglob("*.py")):
        for name in set(names_in(path)):
            files[name.removeprefix("_")].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in files.items() if len(found) > 1} == {}
