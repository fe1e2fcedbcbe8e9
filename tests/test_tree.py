"""The tests mirror the tree, and see the program from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
MODULES = sorted(TESTS.rglob("*.py"))
# What has no public side: Qt and other libraries' own names, and steps that a test replaces to count or break them.
PRIVATE_ALLOWED = {
    "app/conversations/surviving.py",
    "app/conversations/test_opening.py",
    "app/session/test_bridge.py",
    "app/pdf_files.py",
    "app/text/test_blocks.py",
    "app/text/test_growing_blocks.py",
    "app/window/test_attaching.py",
}


def private_reaches(path: Path) -> Iterator[str]:
    """Attributes that begin with one underscore, of anything but `self` and `cls`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
            continue
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
            yield f"{path.relative_to(TESTS)}:{node.lineno} {ast.unparse(node)}"


@pytest.mark.parametrize("package", ["app", "engine"])
def test_every_package_of_tests_has_its_package(package: str) -> None:
    folders = {path.parent.relative_to(TESTS / package) for path in (TESTS / package).rglob("test_*.py")}
    assert not [str(folder) for folder in folders if not (ROOT / package / folder).is_dir()]


def test_tests_of_the_window_see_it_from_outside() -> None:
    found = [
        reach
        for path in sorted((TESTS / "app").rglob("*.py"))
        if str(path.relative_to(TESTS)) not in PRIVATE_ALLOWED
        for reach in private_reaches(path)
    ]
    assert not found


def test_no_test_takes_anything_from_a_module_of_tests() -> None:
    """What several tests use lives in a module named for it."""
    found = [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.rpartition(".")[2].startswith("test_")
    ]
    assert not found
