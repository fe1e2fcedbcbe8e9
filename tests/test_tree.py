"""The tests mirror the packages and see them from outside; code has one meaning a name, and is written out."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.source_files import count_statements, parse

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
MODULES = sorted(TESTS.rglob("*.py"))
# These use private names of Qt and other libraries, or replace steps in order to count or break them.
PRIVATE_ALLOWED = {
    "app/conversations/surviving.py",
    "app/conversations/test_opening.py",
    "app/session/test_bridge.py",
    "app/pdf_files.py",
    "app/text/test_blocks.py",
    "app/text/test_growing_blocks.py",
    "app/window/test_attaching.py",
}
# Packages of tests for what several packages promise together.
OF_SEVERAL_PACKAGES = {Path("engine/lossless"), Path("engine/endurance")}

# Aliases of types (also `Literal`, `NewType` and the like) are written as classes are; constants have no small letter.
ALIAS = re.compile(r"_?[A-Z]\w*[a-z]\w*")
RETURN_TRUTH = {"all", "any", "bool", "endswith", "hasattr", "isinstance", "issubclass", "startswith"}
# Only files with such an attribute are parsed.
PRIVATE = re.compile(r"(?<!\bself)(?<!\bcls)\._[a-z]")


class MeasuredFile(NamedTuple):
    """What is asked of a file, whose syntax tree is made once and not kept."""

    path: str
    statements: int
    classes: int
    names: set[str]
    golf: list[str]


@cache
def source_files() -> list[MeasuredFile]:
    return [read(file) for package in ("app", "engine", "packaging") for file in sorted((ROOT / package).rglob("*.py"))]


def read(file: Path) -> MeasuredFile:
    module, nodes = parse(file)
    classes = sum(isinstance(node, ast.ClassDef) for node in module.body)
    golf = [ast.unparse(node) for node in nodes if is_golf(node)]
    return MeasuredFile(str(file.relative_to(ROOT)), count_statements(nodes), classes, set(names_in(nodes)), golf)


def private_reaches(path: Path) -> Iterator[str]:
    """Yield attributes that begin with one underscore, of anything but `self` and `cls`."""
    text = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if PRIVATE.search(text) else ():
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
            continue
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
            yield f"{path.relative_to(TESTS)}:{node.lineno} {ast.unparse(node)}"


@pytest.mark.parametrize("package", ["app", "engine"])
def test_every_package_of_tests_has_its_package(package: str) -> None:
    folders = {path.parent.relative_to(TESTS) for path in (TESTS / package).rglob("test_*.py")} - OF_SEVERAL_PACKAGES
    assert not [str(folder) for folder in folders if not (ROOT / folder).is_dir()]


@pytest.mark.parametrize("package", ["app", "engine"])
def test_every_room_has_a_first_test(package: str) -> None:
    """`pytest -m first` asks each package of tests once."""
    rooms: dict[Path, bool] = defaultdict(bool)
    for path in (TESTS / package).rglob("test_*.py"):
        room = path.parent.relative_to(TESTS)
        rooms[room] = rooms[room] or "mark.first" in path.read_text(encoding="utf-8")
    assert sorted(str(room) for room, has_one in rooms.items() if not has_one) == []


def test_tests_of_the_window_see_it_from_outside() -> None:
    found = [
        reach
        for path in sorted((TESTS / "app").rglob("*.py"))
        if str(path.relative_to(TESTS)) not in PRIVATE_ALLOWED
        for reach in private_reaches(path)
    ]
    assert not found


def test_a_module_has_at_most_330_statements_or_400_with_a_single_class() -> None:
    """Statements are counted and not lines, which would price docstrings, comments and plain layout."""
    modules = [module for module in source_files() if not module.path.startswith("packaging")]
    large = [module for module in modules if module.statements > (400 if module.classes == 1 else 330)]
    assert not [f"{module.path}: {module.statements} statements, {module.classes} classes" for module in large]


def test_no_test_takes_anything_from_a_module_of_tests() -> None:
    """Code that several tests use lives in a module named for it."""
    imports = re.compile(r"^\s*from [\w.]*\btest_\w+ import|^\s*import [\w.]*\btest_\w+", re.MULTILINE)
    found = [str(path.relative_to(TESTS)) for path in MODULES if imports.search(path.read_text(encoding="utf-8"))]
    assert not found


def names_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names of the classes and aliases of a module; a type variable has no meaning of its own."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield node.name.removeprefix("_")
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for one in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(one, ast.Name) and ALIAS.fullmatch(one.id) and "TypeVar(" not in ast.unparse(node):
                    yield one.id.removeprefix("_")


def test_every_class_and_alias_has_a_name_of_its_own() -> None:
    """An underscore before it makes no other name."""
    files: dict[str, list[str]] = defaultdict(list)
    for one in source_files():
        for name in one.names if not one.path.startswith("packaging") else ():
            files[name].append(one.path)
    assert {name: found for name, found in files.items() if len(found) > 1} == {}


def is_odd(node: ast.expr | None) -> bool:
    """Whether it is a truth value, or a list or tuple that is empty under a condition."""
    match node:
        case ast.Compare() | ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp(values=parts) | ast.NamedExpr(value=ast.expr() as parts):
            return any(map(is_odd, parts if isinstance(parts, list) else [parts]))
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in RETURN_TRUTH
        case (
            ast.IfExp(body=ast.List(elts=[]) | ast.Tuple(elts=[]))
            | ast.IfExp(orelse=ast.List(elts=[]) | ast.Tuple(elts=[]))
        ):
            return True
    return False


def is_golf(node: ast.AST) -> bool:
    match node:
        case ast.AugAssign(value=value):
            return isinstance(value, ast.BoolOp) or is_odd(value)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return is_odd(left) or is_odd(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand) | ast.Starred(value=operand):
            return is_odd(operand)
        case ast.Subscript(slice=ast.Slice(lower=first, upper=last)):
            return is_odd(first) or is_odd(last)
        case ast.Subscript(slice=index):
            return is_odd(index)
        case ast.Call(func=ast.Attribute(attr="extend"), args=[added]):
            return is_odd(added)
        case ast.For(iter=ast.Constant()) | ast.comprehension(iter=ast.Constant()):
            return True
        case ast.Call(func=ast.Name(id="enumerate" | "zip") | ast.Attribute(attr="fromhex"), args=[ast.Constant(), *_]):
            return True
        case ast.Call(func=ast.IfExp() | ast.BoolOp()) | ast.Expr(value=ast.IfExp() | ast.BoolOp()):
            return True
    return False


def test_nothing_has_to_be_worked_out() -> None:
    """Truth values are no numbers, and a list grows in a statement with a condition."""
    assert {one.path: one.golf for one in source_files() if one.golf} == {}
