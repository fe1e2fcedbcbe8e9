"""The style sheet has a rule for every style class in use, and no rule that matches nothing."""

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
# Qt itself makes these, inside of other widgets or around them.
PARTS_OF_QT = {"QAbstractScrollArea", "QComboBoxPrivateContainer", "QScrollBar", "QToolTip"}


@cache
def sources() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in SOURCES]


def selectors() -> str:
    return re.sub(r"\{[^}]*\}", "\n", stylesheet(light()))


@cache
def calls() -> list[tuple[str, list[ast.expr]]]:
    """Return every call of the modules that name widgets: the name of the callable, and the arguments."""
    found = []
    for source in filter(re.compile(r"[oO]bjectName|styled|named\(|styleClass").search, sources()):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                found.append((name, node.args))
    return found


def texts_in(nodes: list[ast.expr]) -> set[str]:
    inside = (one for node in nodes for one in ast.walk(node))
    return {one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)}


def test_every_object_name_of_a_rule_is_given_to_a_widget() -> None:
    names = set(re.findall(r"#(\w+)", selectors()))
    namers = ("setObjectName", "named")
    assert names <= {text for name, arguments in calls() if name in namers for text in texts_in(arguments)}


def test_every_style_class_of_a_rule_is_given_to_a_widget_and_every_class_has_a_rule() -> None:
    classes = set(re.findall(r'styleClass\|?="([\w-]+)"', selectors()))
    written = "\n".join(sources())
    assert [name for name in classes if not name.startswith("badge") and f'"{name}"' not in written] == []
    set_there = {
        argument.value
        for name, arguments in calls()
        if name == "styled" or (name == "setProperty" and texts_in(arguments[:1]) == {"styleClass"})
        for argument in arguments[1:]
        if isinstance(argument, ast.Constant)
    }
    assert set_there <= classes


def test_every_type_of_a_rule_is_used() -> None:
    types = set(re.findall(r"\bQ[A-Z]\w+", selectors())) - PARTS_OF_QT
    words = {word for source in sources() for word in re.findall(r"\bQ[A-Z]\w+", source)}
    assert types <= words


def test_every_colour_and_text_size_is_filled_in() -> None:
    for colours in (light(), dark()):
        assert "$" not in stylesheet(colours)
    assert "font-size: 28px" in stylesheet(light(), text_size=200)
    assert "font-size: 14px" not in stylesheet(light(), text_size=200)
