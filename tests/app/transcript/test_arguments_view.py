"""The arguments of a call: a line each, code only where it is code, and none that looks like another one."""

from __future__ import annotations

from PySide6.QtWidgets import QTextEdit

from app.transcript.arguments_view import ArgumentsView
from app.widgets.labels import fixed_font
from tests.app.conftest import Show


def lines(view: QTextEdit) -> list[tuple[str, bool]]:
    """Return the lines of a view, and of each whether it stands to the right as a part of the value above."""
    document = view.document()
    blocks = [document.findBlockByNumber(number) for number in range(document.blockCount())]
    return [(block.text(), block.blockFormat().leftMargin() > 0) for block in blocks]


def code(view: QTextEdit) -> list[str]:
    """Return the pieces that are set as code."""
    document = view.document()
    blocks = [document.findBlockByNumber(number) for number in range(document.blockCount())]
    pieces = [fragment.fragment() for block in blocks for fragment in block]
    return [one.text() for one in pieces if one.charFormat().fontFamilies() == [fixed_font().family()]]


def test_each_argument_is_a_line_and_only_structure_is_code(show: Show[ArgumentsView]) -> None:
    view = show(ArgumentsView(), 400, 200)
    view.show_arguments({"path": "/notes/today.md", "count": 3, "all": True, "name": "", "edits": [{"a": 1}]})
    assert [text for text, _ in lines(view)][:4] == ["path: /notes/today.md", "count: 3", "all: true", 'name: ""']
    assert lines(view)[4] == ("edits: ", False)
    assert [text.strip() for text, inside in lines(view) if inside] == ["[", "{", '"a": 1', "}", "]"]
    assert "/notes/today.md" not in code(view)


def test_no_text_of_an_argument_looks_like_another_argument(show: Show[ArgumentsView]) -> None:
    view = show(ArgumentsView(), 400, 200)
    view.show_arguments({"a\nb": "x\u202e", "content": "# Today\npath: /etc"})
    assert lines(view) == [
        ("a\\nb: x\\u202e", False),
        ("content: ", False),
        ("# Today", True),
        ("path: /etc", True),
    ]
    assert code(view) == ["# Today", "path: /etc"]
    view.show_arguments({})
    assert view.toPlainText() == ""
