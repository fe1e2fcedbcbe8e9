"""The style sheet has a rule for every style class in use, and none for widgets that do not exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import app
from app.widgets import stylesheet as module
from app.widgets.colours import dark, light
from app.widgets.stylesheet import stylesheet

SOURCES = [path for path in Path(app.__file__).parent.rglob("*.py") if path != Path(module.__file__)]
# Made by Qt itself, inside of other widgets or around them.
PARTS_OF_QT = {"QAbstractScrollArea", "QComboBoxPrivateContainer", "QScrollBar", "QToolTip"}


def selectors() -> str:
    return re.sub(r"\{[^}]*\}", "\n", stylesheet(light()))


@cache
def calls() -> list[tuple[str, list[ast.expr]]]:
    """Every call in the app by the name of what is called."""
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                found.append((name, node.args))
    return found


def texts_in(nodes: list[ast.expr]) -> set[str]:
    inside = (one for node in nodes for one in ast.walk(node))
    return {one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def texts_given_to(*names: str) -> set[str]:
    return {text for name, arguments in calls() if name in names for text in texts_in(arguments)}


def every_text() -> set[str]:
    return {text for _, arguments in calls() for text in texts_in(arguments)}


def test_every_object_name_of_a_rule_is_given_to_a_widget() -> None:
    names = set(re.findall(r"#(\w+)", selectors()))
    assert names <= texts_given_to("setObjectName", "set_object_name")


def test_every_style_class_of_a_rule_is_given_to_a_widget() -> None:
    classes = {name for name in re.findall(r'styleClass="([\w-]+)"', selectors()) if not name.startswith("badge-")}
    assert classes <= every_text()


def test_every_style_class_that_is_set_has_a_rule() -> None:
    set_there = {
        argument.value
        for name, arguments in calls()
        if name == "setProperty" and texts_in(arguments[:1]) == {"styleClass"}
        for argument in arguments[1:]
        if isinstance(argument, ast.Constant)
    }
    assert set_there <= set(re.findall(r'styleClass="([\w-]+)"', selectors()))


def test_every_type_of_a_rule_is_used() -> None:
    types = set(re.findall(r"\bQ[A-Z]\w+", selectors())) - PARTS_OF_QT
    sources = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    assert [name for name in sorted(types) if not re.search(rf"\b{name}\b", sources)] == []


def test_every_colour_and_text_size_is_filled_in() -> None:
    for colours in (light(), dark()):
        assert "$" not in stylesheet(colours)
    assert "font-size: 28px" in stylesheet(light(), text_size=200)
    assert "font-size: 14px" not in stylesheet(light(), text_size=200)
