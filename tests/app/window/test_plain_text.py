"""An answer as plain text contains every word of it."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication, QTextCursor
from pytestqt.qtbot import QtBot

from app.window.plain_text import arranged_text, mime_of, shown_parts, spoken_text
from tests.app.cjk_answers import ANSWERS, STRONG
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_parts import entry


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        *((text, text) for text in ("Use vector<int> and <x>y</x> here", "a <T> b", "<think about it", "1 < 2 > 0")),
        ("See [d][1].\n\n[1]: https://e.org/a\n[^2]: N\n\n- [a]: b\n", "See d.\n2 N\n[a]: b"),
        ("<b>so</b> and <q>`[c]: d`</q>, too", "so and <q>[c]: d</q>, too"),
        ("![a *cat* & more](https://example.org/cat.png), so", "a cat & more, so"),
    ],
)
def test_what_looks_like_markup_is_kept(text: str, shown: str) -> None:
    assert spoken_text(text) == shown


def test_code_is_not_spoken_however_its_lines_end() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert spoken_text(end.join(["Look:", "```py", "x = 1", "```", "So."])).split() == ["Look:", "So."]


def test_what_is_copied_as_shown_has_its_marks_its_cells_and_its_paragraphs() -> None:
    markdown = (
        "# Head\n\nHi **b** $x^2$\n\n- one\n  1. in\n- two\n\n|a|b|\n|-|-|\n|1|2|\n\n"
        "```py\nx = 1\n\ny = 2\n```\n\n- [x] done"
    )
    shown = "Head\n\nHi b x^2\n\n• one\n  1. in\n• two\n\na\tb\n1\t2\n\nx = 1\n\ny = 2\n\n☑ done"
    assert arranged_text(markdown) == shown
    copied = mime_of(*shown_parts(markdown))
    assert copied.text() == shown
    assert "<strong>b</strong> x^2" in copied.html()
    assert "<td>1</td>" in copied.html()


@pytest.mark.parametrize("language", ANSWERS)
def test_copies_and_spoken_texts_have_no_delimiters_beside_chinese_japanese_and_korean(language: str) -> None:
    for text in (arranged_text(ANSWERS[language]), spoken_text(ANSWERS[language])):
        assert [sign for sign in "*~`" if sign in text] == []
        assert [word for word in STRONG[language] if word not in text] == []


def test_a_selection_keeps_its_lines_and_the_menu_copies_the_answer_as_shown_or_as_markdown(
    open_window: OpenWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    markdown = "Some **words** of it.\n\n- an *item*\n\n" * 9
    window = open_window(ScriptedEngine([Script("- **one**\n- two"), Script(markdown)]))
    window.ask_and_wait("one\ntwo\nthree")
    text = window.turn().bubble.text
    cursor = text.textCursor()
    cursor.setPosition(len("one\ntwo"), QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
    assert window.turn().view.selected_text() == "one\ntwo"
    copied = text.createMimeDataFromSelection()
    assert (copied.text(), copied.formats()) == ("one\ntwo", ["text/plain"])
    clipboard = QGuiApplication.clipboard()
    entry(window.turn().menu(), "Copy the answer as shown").trigger()
    assert (clipboard.text(), clipboard.mimeData().hasHtml()) == ("• one\n• two", True)
    entry(window.turn().menu(), "Copy the answer as Markdown").trigger()
    assert (clipboard.text(), clipboard.mimeData().hasHtml()) == ("- **one**\n- two", False)
    # A long answer is rendered block by block, off the Qt thread.
    monkeypatch.setattr("app.window.plain_text.AT_ONCE", 100)
    assert spoken_text(markdown).split() == ["Some", "words", "of", "it.", "an", "item"] * 9
    window.ask_and_wait("?")
    clipboard.clear()
    entry(window.turn().menu(), "Copy the answer as shown").trigger()
    qtbot.waitUntil(lambda: bool(clipboard.text()))
    assert clipboard.text() == "\n\n".join(["Some words of it.", "• an item"] * 9)
