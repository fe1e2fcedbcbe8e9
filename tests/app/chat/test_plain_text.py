"""An answer as plain text holds every word of it, whatever they look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QTextCursor

from app.chat.plain_text import plain_text, spoken_text
from tests.app.scripted_engine import ScriptedEngine

if TYPE_CHECKING:
    from tests.app.conftest import OpenWindow


@pytest.mark.parametrize(
    "text",
    ["Use vector<int> and <div>x</div> here", "<b>so</b> and more", "a <T> b", "<think about it", "1 < 2 > 0"],
)
def test_what_looks_like_markup_is_kept(text: str) -> None:
    assert plain_text(text) == text
    assert spoken_text(text) == text


def test_what_defines_a_link_is_kept() -> None:
    text = "See [docs][1].\n\n[1]: https://example.org/a\n[^2]: Note\n\n- [a.py]: entry\n"
    shown = "See [docs][1].\n[1]: https://example.org/a\n[^2]: Note\n[a.py]: entry"
    assert plain_text(text) == shown
    assert plain_text("- ```\n  [a]: b\n  ```\n\nand `[c]: d`, too") == "[a]: b\nand [c]: d, too"


def test_code_is_not_spoken_however_its_lines_end() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert spoken_text(end.join(["Look:", "```py", "x = 1", "```", "So."])).split() == ["Look:", "So."]


def test_the_words_of_a_picture_stand_in_its_place() -> None:
    assert plain_text("![a *cat* & more](https://example.org/cat.png), so") == "a cat & more, so"


def test_a_selection_in_a_question_keeps_its_lines(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.ask_and_wait("one\ntwo\nthree")
    text = window.turn().bubble.text
    cursor = text.textCursor()
    cursor.setPosition(len("one\ntwo"), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    assert window.turn().view.selected_text() == "one\ntwo"
    copied = text.createMimeDataFromSelection()
    assert (copied.text(), copied.formats()) == ("one\ntwo", ["text/plain"])
