"""What an answer has in angle brackets is on the terminal: only tags that set text are none of its words."""

from __future__ import annotations

import pytest

from tests.app.cli.printed_markdown import every_piece_is_drawn as every_piece_is_drawn
from tests.app.cli.printed_markdown import printed_lines

pytestmark = pytest.mark.usefixtures("every_piece_is_drawn")


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ("Run `git` clone <url>: a<b and c>d.", ["Run git clone <url>: a<b and c>d."]),
        ("<T> is a type, as in Vec<String>.", ["<T> is a type, as in Vec<String>."]),
        ("<div>hello</div>\n\nend", ["hello", "", "end"]),
        ("<name>\n<value>3</value>\n</name>", ["<name> <value>3</value> </name>"]),
        ("Press <kbd>K</kbd><br>and <b>wait</b>: H<sub>2</sub>O.", ["Press K", "and wait: H2O."]),
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("One.\n\n<!-- unseen\n\nunseen -->\n\nTwo.", ["One.", "", "Two."]),
        ("One.\n\n<!-- not\n\nclosed", ["One.", "", "<!-- not", "", "closed"]),
        ("| A<br>B |\n|---|\n| <x> |", [" A", " B", " ───", " <x>"]),
        ("<https://example.org>", ["https://example.org (https://example.org)"]),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_no_words_are_lost(answer: str, lines: list[str], size: int) -> None:
    assert printed_lines([answer[at : at + size] for at in range(0, len(answer), size)]) == lines
