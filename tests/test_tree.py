"""The tests mirror the packages, and use the program through its public side."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

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


# Only files with such an attribute are parsed.
PRIVATE = re.compile(r"(?<!\bself)(?<!\bcls)\._[a-z]")


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


def test_a_module_has_at_most_400_lines_or_500_with_a_single_class() -> None:
    found = []
    for path in sorted(path for package in ("app", "engine") for path in (ROOT / package).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if (lines := text.count("\n")) > 400:
            classes = sum(isinstance(node, ast.ClassDef) for node in ast.parse(text).body)
            if lines > 500 or classes != 1:
                found.append(f"{path.relative_to(ROOT)}: {lines} lines, {classes} classes")
    assert not found


def test_no_test_takes_anything_from_a_module_of_tests() -> None:
    """Code that several tests use lives in a module named for it."""
    imports = re.compile(r"^\s*from [\w.]*\btest_\w+ import|^\s*import [\w.]*\btest_\w+", re.MULTILINE)
    found = [str(path.relative_to(TESTS)) for path in MODULES if imports.search(path.read_text(encoding="utf-8"))]
    assert not found
