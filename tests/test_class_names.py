"""No two classes of app and engine share a name, so that a name means one class wherever it is read."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_every_class_has_a_name_of_its_own() -> None:
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted(file for package in ("app", "engine") for file in (ROOT / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                files[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in files.items() if len(found) > 1} == {}
