"""Code is written out: truth values are no numbers, and a list grows in a statement with a condition."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
RETURN_TRUTH = {"all", "any", "bool", "endswith", "hasattr", "isinstance", "issubclass", "startswith"}


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
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return is_odd(operand)
        case ast.Subscript(slice=ast.Slice(lower=first, upper=last)):
            return is_odd(first) or is_odd(last)
        case ast.Subscript(slice=index):
            return is_odd(index)
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
