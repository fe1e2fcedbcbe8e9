"""What tests ask of the source files of app, engine and packaging."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# A node of a syntax tree that can begin with a docstring.
Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Function = ast.FunctionDef | ast.AsyncFunctionDef


class ParsedFile(NamedTuple):
    """A file's syntax tree, and all of its nodes: to walk through a tree a few times takes longer than to parse it."""

    module: ast.Module
    nodes: list[ast.AST]


@cache
def modules_of(*packages: str) -> list[Path]:
    return [path for package in packages for path in sorted((ROOT / package).rglob("*.py"))]


def parse(path: Path) -> ParsedFile:
    module = ast.parse(path.read_text(encoding="utf-8"))
    return ParsedFile(module, list(ast.walk(module)))


def place(path: Path, node: ast.AST) -> str:
    """Return where a node is, as an editor opens it."""
    return f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def count_statements(nodes: Iterable[ast.AST]) -> int:
    """Return the number of statements, without docstrings: layout and words have no price."""
    return sum(isinstance(node, ast.stmt) and not is_docstring(node) for node in nodes)


def functions_in(nodes: Iterable[ast.AST]) -> Iterator[Function]:
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def documented_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[Documented, str]]:
    """Yield what has a docstring, with it."""
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if docstring is not None:
                yield node, docstring
