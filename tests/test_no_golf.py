"""Code is written out: truth values are no numbers, and a list grows in a statement with a condition."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RETURN_TRUTH = {"all", "any", "bool", "endswith", "hasattr", "isinstance", "issubclass", "startswith"}


def is_truth(node: ast.expr | None) -> bool:
    match node:
        case ast.BoolOp(values=values):
            return any(map(is_truth, values))
        case ast.NamedExpr(value=value):
            return is_truth(value)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in RETURN_TRUTH
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def is_no_number(node: ast.expr) -> bool:
    """Whether an operand is a truth value, or a list or tuple that is empty under a condition."""
    branches = (node.body, node.orelse) if isinstance(node, ast.IfExp) else ()
    return is_truth(node) or any(isinstance(one, ast.List | ast.Tuple) and not one.elts for one in branches)


def is_golf(node: ast.AST) -> bool:
    match node:
        case ast.AugAssign(value=value):
            return isinstance(value, ast.BoolOp) or is_no_number(value)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return is_no_number(left) or is_no_number(right)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
            return is_truth(lower) or is_truth(upper)
        case ast.Subscript(slice=index):
            return is_truth(index)
        case ast.For(iter=ast.Constant()) | ast.comprehension(iter=ast.Constant()):
            return True
        case ast.Call(func=ast.Name(id="enumerate" | "zip") | ast.Attribute(attr="fromhex"), args=[ast.Constant(), *_]):
            return True
        case ast.Call(func=ast.IfExp() | ast.BoolOp()) | ast.Expr(value=ast.IfExp() | ast.BoolOp()):
            return True
    return False


@pytest.mark.parametrize("package", ["app", "engine", "packaging"])
def test_nothing_has_to_be_worked_out(package: str) -> None:
    for path in sorted((ROOT / package).rglob("*.py")):
        found = [ast.unparse(node) for node in ast.walk(ast.parse(path.read_text("utf-8"))) if is_golf(node)]
        assert not found, f"{path.relative_to(ROOT)}: {found}"
