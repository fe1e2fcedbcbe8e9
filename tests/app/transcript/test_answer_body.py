"""Rendered answers: what is shown, what is never fetched, and that finished blocks stay as they are."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.text.shown import Paragraph, shown
from app.transcript.answer_body import AnswerBody
from app.transcript.code_block import CodeBlock
from app.transcript.document_writer import LIST_INDENT, QUOTE_INDENT
from app.transcript.fold_block import FoldBlock
from app.transcript.shown_text import block_texts
from tests.app.cjk_answers import ANSWERS as CJK_ANSWERS
from tests.app.conftest import Show
from tests.engine.tiers import in_turn


def texts(body: AnswerBody) -> list[str]:
    """Return what the blocks show, top to bottom."""
    return [view.toPlainText() for view in body.text_views]


def code_block(body: AnswerBody) -> CodeBlock:
    return body.findChild(CodeBlock)


def test_html_that_is_no_style_is_shown_literally(body: AnswerBody) -> None:
    body.show_text("a <b onclick='x'>bold</b> <img src='x.png'> claim\n", ended=True)
    assert texts(body) == ["a bold <img src='x.png'> claim"]


def test_sources_are_shown_line_by_line_and_their_addresses_are_links(body: AnswerBody) -> None:
    body.show_text("See it.\n\n```\nx\n```\n\n[1]: https://example.org/a\n[2]: https://example.org/b\n", ended=True)
    assert texts(body) == ["See it.", "x\n", "[1]: https://example.org/a\n[2]: https://example.org/b"]
    assert 'href="https://example.org/b"' in body.text_views[-1].document().toHtml()


def test_links_and_notes_are_known_once_their_definitions_are_read(body: AnswerBody) -> None:
    text = "See [docs][1], [it], and a word.[^n]\n\n```\nx\n```\n\n"
    body.show_text(text, ended=False)
    assert texts(body)[0] == "See [docs][1], [it], and a word.[^n]"
    text += "[1]: https://example.org/a\n[It]: <https://example.org/b> 'Title'\n\n[^n]: A *note*.\n\nThe end of it.\n"
    body.show_text(text, ended=True)
    assert texts(body) == ["See docs, it, and a word.1", "x\n", "1 A note.\nThe end of it."]
    html = body.text_views[0].document().toHtml()
    assert 'href="https://example.org/a"' in html
    assert 'href="https://example.org/b"' in html
    assert block_texts(text) == texts(body)


def test_a_paragraph_that_begins_stands_where_it_stays(body: AnswerBody) -> None:
    first = "Words of the first paragraph."
    text = f"{first}\n\nThe second one goes on with words.\n"
    tops = set()
    for end in range(len(first) + 3, len(text) + 1):
        body.show_text(text[:end], ended=end == len(text))
        view = body.text_views[-1]
        begin = QTextCursor(view.document().lastBlock())
        tops.add(view.viewport().mapTo(body, view.cursorRect(begin).topLeft()).y())
    assert len(tops) == 1
    assert tops.pop() > body.text_views[0].fontMetrics().height()


def test_code_in_a_list_is_a_block_with_its_place_and_a_button(body: AnswerBody, qtbot: QtBot) -> None:
    text = "1. Do:\n   - this\n\n     ```py\n     x = 'a'\n     y\n     ```\n2. Then\n"
    for end in range(0, len(text), 3):
        body.show_text(text[:end], ended=False)
    body.show_text(text, ended=True)
    assert texts(body) == ["Do:\nthis", "x = 'a'\ny\n", "Then"]
    [code] = body.findChildren(CodeBlock)
    first, last = body.text_views[0], body.text_views[-1]
    assert last.document().begin().textList().itemText(last.document().begin()) == "2."
    code.findChild(QPushButton).click()
    assert QGuiApplication.clipboard().text() == "x = 'a'\ny\n"
    qtbot.waitUntil(lambda: code.text_view.width() > 0)
    assert code.text_view.mapTo(body, QPoint(0, 0)).x() >= first.mapTo(body, QPoint(0, 0)).x() + 2 * LIST_INDENT


ECHO = "<tool_response> The user denied this call. Do not repeat it; answer without it. </tool_response>"


@pytest.mark.parametrize("text", [f"{ECHO}\n\nIt is noon.", f"Words.\n{ECHO}\nIt is noon.", f"{ECHO} It is noon."])
@pytest.mark.parametrize("size", [1, 5, 16])
def test_a_result_that_the_model_repeats_is_folded_and_what_follows_is_not(
    body: AnswerBody, text: str, size: int
) -> None:
    for end in range(size, len(text), size):
        body.show_text(text[:end], ended=False)
    body.show_text(text, ended=True)
    [fold] = body.findChildren(FoldBlock)
    [folded] = fold.findChildren(AnswerBody)
    assert (fold.head.text(), folded.isVisible()) == ("Result of a tool", False)
    assert texts(body)[-1] == "It is noon."
    fold.head.click()
    assert folded.isVisible()
    assert texts(folded) == ["The user denied this call. Do not repeat it; answer without it."]
    assert not any("tool_response" in text for text in texts(body))


@pytest.mark.parametrize(
    ("text", "around", "indent"),
    [
        ("- one\n- <tool_response>\n  Denied.\n  </tool_response>\n- three\n", ["one\n", "three"], LIST_INDENT),
        ("> said\n> <tool_response> Denied. </tool_response>\n> and on\n", ["said", "and on"], QUOTE_INDENT),
    ],
)
def test_a_result_in_a_list_or_quotation_is_folded_in_its_place(
    body: AnswerBody, qtbot: QtBot, text: str, around: list[str], indent: int
) -> None:
    for end in range(0, len(text), 4):
        body.show_text(text[:end], ended=False)
    body.show_text(text, ended=True)
    assert texts(body) == around
    [fold] = body.findChildren(FoldBlock)
    qtbot.waitUntil(lambda: fold.head.width() > 0)
    assert fold.head.mapTo(body, QPoint(0, 0)).x() >= indent
    fold.head.click()
    assert texts(fold.findChild(AnswerBody)) == ["Denied."]


def test_a_result_that_does_not_end_is_shown_without_half_of_its_end_mark(body: AnswerBody) -> None:
    body.show_text("<tool_response>\nDenied.\n</tool_resp", ended=True)
    [fold] = body.findChildren(FoldBlock)
    fold.head.click()
    assert texts(fold.findChildren(AnswerBody)[0]) == ["Denied."]


def test_marks_of_results_in_words_and_in_code_stay(body: AnswerBody) -> None:
    body.show_text("Between <tool_response> and its end:\n\n```\n<tool_response>\n```", ended=True)
    assert body.findChildren(FoldBlock) == []
    assert texts(body) == ["Between <tool_response> and its end:", "<tool_response>\n"]


def test_a_fold_is_folded_until_it_is_clicked(body: AnswerBody) -> None:
    text = (
        "Before.\n\n<details><summary>More of *it*</summary>\n\nA **word**\n\n```py\nx = 1\n```\n</details>\n\nAfter.\n"
    )
    for end in range(0, len(text), 7):
        body.show_text(text[:end], ended=False)
    body.show_text(text, ended=True)
    [fold] = body.findChildren(FoldBlock)
    [folded] = fold.findChildren(AnswerBody)
    assert (fold.head.text(), folded.isVisible()) == ("More of it", False)
    fold.head.click()
    assert folded.isVisible()
    assert texts(folded) == ["A word", "x = 1\n"]
    assert [view.toPlainText() for view in body.text_views] == ["Before.", "After."]
    assert block_texts(text)[1] == "More of it\nA word\nx = 1"


def test_the_language_of_code_is_no_markup(body: AnswerBody) -> None:
    body.show_text("```<b>py</b><img/src=file:///x.png>\nprint()\n```\n", ended=True)
    name = code_block(body).findChild(QLabel)
    assert name.textFormat() is Qt.TextFormat.PlainText
    assert name.text() == "<b>py</b><img/src=file:///x.png>"


def test_an_image_of_the_model_is_never_asked_for(body: AnswerBody, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("PySide6.QtGui.QTextDocument.loadResource", lambda *arguments: asked.append(arguments))
    body.show_text("![a](https://example.org/x.png) and ![b](file:///etc/passwd)\n", ended=True)
    body.grab()
    assert asked == []
    document = body.text_views[0].document()
    assert document.loadResource(2, "https://example.org/x.png") is None


def test_an_entity_leaves_its_list_and_its_weight_as_they_are(body: AnswerBody) -> None:
    body.show_text("- &lt;b&gt; is **R&amp;D**\n- two\n- `&lt;` \\&lt; &nope; &#42;x&#42;\n", ended=True)
    assert texts(body) == ["<b> is R&D\ntwo\n&lt; &lt; &nope; *x*"]
    document = body.text_views[0].document()
    assert document.begin().textList().count() == 3
    cursor = QTextCursor(document)
    cursor.setPosition(len("<b> is R&"))
    assert cursor.charFormat().fontWeight() > 400


def test_a_picture_is_named_and_its_name_leads_to_it(body: AnswerBody) -> None:
    body.show_text("See ![a cat](https://example.org/x.png)!\n\n- ![b](https://example.org/y.png)\n", ended=True)
    assert texts(body) == ["See a cat!\nb"]
    html = body.text_views[0].document().toHtml()
    assert "<img" not in html
    assert [f'href="https://example.org/{name}.png"' in html for name in "xy"] == [True, True]


@pytest.mark.parametrize("language", CJK_ANSWERS)
def test_streamed_spans_beside_chinese_japanese_and_korean_end_as_those_shown_whole(
    show: Show[AnswerBody], body: AnswerBody, language: str
) -> None:
    answer = CJK_ANSWERS[language]
    for end in range(0, len(answer), 3):
        body.show_text(answer[:end], ended=False)
    body.show_text(answer, ended=True)
    whole = show(AnswerBody())
    whole.show_text(answer, ended=True)
    pages = [[view.document().toHtml() for view in one.text_views] for one in (body, whole)]
    assert pages[0] == pages[1]
    assert [sign for sign in "*~`" if sign in "".join(texts(body))] == []


ANSWERS = (
    "Here is code:\n```py\nx = 1\n```\nand more.\n",
    "First.\n\nHere is code:\n\n```c\nint x;\n```\n\n- a\n- b\n\n```\nplain\n```\nEnd.\n",
    "Try this:\n\n    make\n    make install\n\nThen go on.\n",
    "- a\n\n~~~\nb\n~~~\n\n    indented\n\n# Heading\n\n```sh\nls",
    "# Title\n\nA *word*.\n\n- one\n- two\n\n```python\nx = 1\n```\n\nEnd of it, at last.\n",
)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("step", [1, pytest.param(3, marks=pytest.mark.full), 4])
def test_code_between_paragraphs_is_shown_once_and_hides_nothing(
    show: Show[AnswerBody], body: AnswerBody, answer: str, step: int
) -> None:
    for end in range(0, len(answer), step):
        body.show_text(answer[:end], ended=False)
        shown = "".join("".join(texts(body)).split())
        # A fence or a mark of a list may be incomplete, but each word is shown once.
        for word in ("Here", "First", "Try", "make install", "Then", "plain"):
            whole = "".join(word.split())
            assert shown.count(whole) == answer[:end].count(word), (answer[:end], texts(body))
    body.show_text(answer, ended=True)
    whole = show(AnswerBody())
    whole.show_text(answer, ended=True)
    assert texts(body) == texts(whole)


def test_finished_paragraphs_share_a_widget_so_that_a_selection_spans_them(body: AnswerBody) -> None:
    body.show_text("First one.\n\nSecond one.\n\n```\ncode\n```\n\nThird one.\n", ended=True)
    assert texts(body) == ["First one.\nSecond one.", "code\n", "Third one."]


@pytest.mark.parametrize(("columns", "widgets"), [(3, 1), (8, 3)])
def test_a_wide_table_is_apart_so_that_its_scroll_bar_is_right_below_it(
    body: AnswerBody, columns: int, widgets: int
) -> None:
    rows = [f"| {' | '.join(cell for _ in range(columns))} |" for cell in ("word", "---", "word")]
    text = "Before.\n\n" + "\n".join(rows) + "\n\nAfter.\n\nAnd more.\n"
    for length in (*range(5, len(text), 7), len(text)):
        body.show_text(text[:length], ended=length == len(text))
    assert len(texts(body)) == widgets
    assert texts(body)[-1].endswith("After.\nAnd more.")


def test_a_finished_code_block_is_not_touched_while_text_goes_on(body: AnswerBody) -> None:
    body.show_text("```python\nx = 1\n```\nAnd", ended=False)
    block = code_block(body)
    body.show_text("```python\nx = 1\n```\nAnd then more text.", ended=False)
    assert body.findChildren(CodeBlock) == [block]
    assert block.text_view.toPlainText() == "x = 1\n"


def test_a_selection_in_finished_text_survives_streaming(body: AnswerBody) -> None:
    start = "A finished paragraph.\n\nAn open one"
    body.show_text(start, ended=False)
    first = body.text_views[0]
    cursor = QTextCursor(first.document())
    cursor.select(QTextCursor.SelectionType.Document)
    first.setTextCursor(cursor)
    body.show_text(start + " goes on and on", ended=False)
    assert first.textCursor().selectedText() == "A finished paragraph."


# Letters before the passage become a format, a link and a formula; the text goes on in each kind of block.
GROWN = """# Title

The **very _important_ passage** stays, with [docs][1] and $x^2$ in `it`.

- one
- two **passages**

1. first

   then

> quoted

| a | b |
|---|---|
| cell | 2 |

The second passage ends.

```py
x = 1
```

A third **one of them** and the end.

[1]: https://example.org/a
"""


@pytest.mark.usefixtures("typeset")
@pytest.mark.parametrize(
    ("step", "passage"),
    in_turn([1, 40], ["Title", "passage", "passages", "second passage", "cell", "quoted", "of them"]),
)
def test_a_selection_stays_while_the_answer_grows(body: AnswerBody, passage: str, step: int) -> None:
    chosen = None
    for end in (*range(1, len(GROWN), step), len(GROWN)):
        body.show_text(GROWN[:end], ended=end == len(GROWN))
        found = next(((view, at) for view in body.text_views if (at := view.toPlainText().find(passage)) >= 0), None)
        if chosen is None and found is not None:
            chosen, at = found
            cursor = chosen.textCursor()
            cursor.setPosition(at + len(passage))
            cursor.setPosition(at, QTextCursor.MoveMode.KeepAnchor)
            chosen.setTextCursor(cursor)
        if chosen is not None:
            assert (chosen.isVisible(), chosen.textCursor().selectedText()) == (True, passage), GROWN[:end]
            assert chosen.textCursor().anchor() > chosen.textCursor().position()
    assert chosen is not None


def test_a_long_paragraph_is_seldom_rendered_again_and_shown_to_its_end(
    body: AnswerBody, monkeypatch: pytest.MonkeyPatch
) -> None:
    renderings: list[int] = []

    def counted(*args: Any) -> list[Paragraph]:
        renderings.append(len(args[0]))
        return shown(*args)

    monkeypatch.setattr("app.transcript.prose.shown", counted)
    text = "Some **bold** and `code`, again. " * 250
    body.show_text(text[:8000], ended=False)
    renderings.clear()
    for end in range(8001, len(text)):
        body.show_text(text[:end], ended=False)
        [words] = texts(body)
        assert len(words) > end * 0.8 - 40
    assert 5 < len(renderings) < (len(text) - 8000) / 5
    body.show_text(text[:-3], ended=True)
    assert texts(body) == [("Some bold and code, again. " * 250)[:-3]]


def test_a_replaced_text_is_shown_anew_and_a_continued_one_goes_on_in_its_last_paragraph(body: AnswerBody) -> None:
    body.show_text("something long", ended=False)
    body.show_text("else", ended=True)
    assert texts(body) == ["else"]
    body.show_text("In token", True)
    body.show_text("In token view", False)
    body.show_text("In token view all is tinted.", True)
    assert texts(body) == ["In token view all is tinted."]
