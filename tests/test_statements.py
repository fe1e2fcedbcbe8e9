"""A statement has one idea, and a function can be read at once."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.source_files import ROOT, Function, functions_in, is_docstring, modules_of, parse, place

# Yields what is wrong among the nodes of a module.
Rule = Callable[[Sequence[ast.AST]], Iterator[ast.AST]]

MOST_LINES = 50
MOST_BRANCHES = 15
BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.IfExp,
    ast.ExceptHandler,
    ast.comprehension,
    ast.BoolOp,
    ast.match_case,
)
# They say that something is there, not what it is.
VAGUE_NAMES = {"one", "found", "own", "held", "kept", "rest"}
# What a table of literals has not: it would be read by its layout and not by its words.
COMPUTED = (ast.Lambda, ast.IfExp, ast.BoolOp, ast.Compare, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
TABLES = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)


def is_plain(value: ast.expr) -> bool:
    """Whether it is a name, a constant or a number with a sign."""
    match value:
        case ast.Name() | ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Attribute(value=owner):
            return is_plain(owner)
    return False


def packed_assignments(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=ast.Tuple(elts=values) | ast.List(elts=values)):
                if not all(map(is_plain, values)):
                    yield node


def hidden_conditionals(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield conditional expressions whose precedence is a trap: in a tuple, in a comparison, or in each other."""
    for node in nodes:
        if isinstance(node, ast.Tuple | ast.Compare | ast.IfExp):
            yield from (part for part in ast.iter_child_nodes(node) if isinstance(part, ast.IfExp))


def length_of(function: Function) -> int:
    """Return its lines without those of its docstring."""
    assert function.end_lineno is not None
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if is_docstring(first):
        assert first.end_lineno is not None
        lines -= first.end_lineno - first.lineno + 1
    return lines


def long_functions(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    return (function for function in functions_in(nodes) if length_of(function) > MOST_LINES)


def branched_functions(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    for function in functions_in(nodes):
        if sum(isinstance(node, BRANCHES) for node in ast.walk(function)) > MOST_BRANCHES:
            yield function


def vague_names(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield parameters and variables; a field of a record is explained with it, and files may have its name."""
    fields = {
        statement.target
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in nodes:
        match node:
            case ast.Name() if node in fields:
                continue
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) if name in VAGUE_NAMES:
                yield node


def paired_assignments(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield statements that assign several values by position, constants too, unless they exchange values.

    In an exchange, a value is what a target was before: one after the other, it would be lost.
    """
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Tuple() | ast.List() as targets], value=ast.Tuple() | ast.List() as values):
                read = {ast.unparse(part) for part in ast.walk(values) if isinstance(part, ast.Name | ast.Attribute)}
                if read.isdisjoint(map(ast.unparse, targets.elts)):
                    yield node


def bare_tuples(nodes: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield functions that return values which only their places tell apart: three or more want a record's names.

    A sort key, whose function is named an order, is only compared.
    """
    for function in functions_in(nodes):
        if function.name.endswith("_order"):
            continue
        for node in ast.walk(function.returns or ast.Constant(None)):
            match node:
                case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[_, _, _, *_])):
                    yield function
                    break


RULES: list[Rule] = [
    packed_assignments,
    hidden_conditionals,
    long_functions,
    branched_functions,
    vague_names,
    paired_assignments,
    bare_tuples,
]


def constants_of(module: ast.Module) -> Iterator[str]:
    """Yield the names of a module's public constants."""
    for node in module.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
                if name.isupper() and not name.startswith("_"):
                    yield name


class Offences(NamedTuple):
    """What breaks a rule; every file is parsed once for all of them."""

    places: dict[Rule, list[str]]
    # The modules that define a public constant, by its package and name.
    constants: dict[tuple[Path, str], list[str]]


@cache
def offences() -> Offences:
    places: dict[Rule, list[str]] = {rule: [] for rule in RULES}
    constants: dict[tuple[Path, str], list[str]] = defaultdict(list)
    for path in modules_of("app", "engine", "packaging"):
        parsed = parse(path)
        for rule in RULES:
            places[rule] += [place(path, node) for node in rule(parsed.nodes)]
        # The scripts of packaging have each their own.
        if path.is_relative_to(ROOT / "packaging"):
            continue
        for name in constants_of(parsed.module):
            constants[path.parent, name].append(path.name)
    return Offences(places, constants)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_there_are_no(rule: Rule) -> None:
    assert offences().places[rule] == []


def test_a_public_constant_has_its_name_alone_in_a_package() -> None:
    assert {name: files for (_, name), files in offences().constants.items() if len(files) > 1} == {}


def is_table(statement: ast.stmt) -> bool:
    return isinstance(statement, TABLES) and not any(isinstance(node, COMPUTED) for node in ast.walk(statement))


def test_only_tables_of_literals_keep_their_own_layout() -> None:
    others: list[str] = []
    for path in modules_of("app", "engine"):
        text = path.read_text(encoding="utf-8")
        assert "fmt: off" not in text, path
        lines = [number for number, line in enumerate(text.splitlines(), 1) if "fmt: skip" in line]
        tree = ast.parse(text if lines else "")
        ends = {node.end_lineno for node in ast.walk(tree) if isinstance(node, ast.stmt) and is_table(node)}
        others += [f"{path.relative_to(ROOT)}:{line}" for line in lines if line not in ends]
    assert others == []


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (packed_assignments, "a, b = f(), 1"),
        (packed_assignments, "a, b = 1, 2 if c else 3"),
        (hidden_conditionals, "x = 4, 12 if size else 16"),
        (hidden_conditionals, "x = a if b else c if d else e"),
        (hidden_conditionals, "x = (a if b else c) < d"),
        (long_functions, "def f():\n" + "    x = 1\n" * 50),
        (branched_functions, "def f():\n" + "    if x: y()\n" * 16),
        (vague_names, "for one in many: pass"),
        (vague_names, "def f(found): pass"),
        (paired_assignments, "A, B = 1, 2"),
        (paired_assignments, "self.a, b = a, 0"),
        (bare_tuples, "def f() -> tuple[int, str, int] | None: pass"),
        (bare_tuples, "def f() -> Iterator[tuple[int, str, int, int]]: pass"),
    ],
)
def test_a_rule_sees(rule: Rule, source: str) -> None:
    assert len(list(rule([*ast.walk(ast.parse(source))]))) == 1


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        (packed_assignments, "a, b = b, self.c.d\nc, d = -1, None\ne, f = g()"),
        (long_functions, 'def f():\n    """Say.\n\n' + "    more\n" * 50 + '    """\n'),
        (hidden_conditionals, "x = a if b < c else (d, e)"),
        (paired_assignments, "a, self.b = self.b, None\nc, d = f()"),
        (bare_tuples, "def f() -> tuple[int, ...]: pass\ndef g(a: tuple[int, int, int]) -> tuple[int, str]: pass"),
    ],
)
def test_a_rule_lets_pass(rule: Rule, source: str) -> None:
    assert not list(rule([*ast.walk(ast.parse(source))]))
