"""A printed chat has what the transcript shows, also the calls of tools."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QFont, QFontDatabase, QTextCursor

from app.conversations.database.records import ToolUse
from app.session.answer import Answer, State
from app.session.calls import CallState, ToolRun
from app.session.chats import AnswerStep, Chat, MessageNode, Turn
from app.widgets.application import Application
from app.widgets.colours import light
from app.window.chat_parts.printing import chat_document, pdf_of
from tests.app.cjk_answers import ANSWERS, STRONG


def test_calls_are_printed_between_the_answers_with_results_or_reasons(qapp: Application) -> None:
    del qapp
    ran = ToolRun(ToolUse("clock", "now", "now", "1", '{"zone": "Asia/Seoul"}'), CallState.ENDED, "12:00 *sharp*")
    denied = ToolRun(ToolUse("Tandem", "read", "read", "2", "{}"), CallState.ENDED, "Do not repeat it.", ("denied", {}))
    calling = Answer(State.DONE, "Let me **look** at <b>.", calls=[ran, denied])
    turn = Turn("What time?", Answer(State.DONE, "It is noon."), steps=[AnswerStep(calling, MessageNode())])
    document = chat_document(Chat(title="Time", turns=[turn]))
    assert document.toPlainText().split("\n") == [
        *("Time", "What time?", "Let me look at <b>."),
        *("clock · now", '{"zone": "Asia/Seoul"}', "12:00 *sharp*"),
        *("Tandem · read", "{}", "This call was not allowed."),
        "It is noon.",
    ]


def test_long_lines_stay_on_the_paper(qapp: Application) -> None:
    del qapp
    code = f"```python\n{'value = compute(first, second) + ' * 20}1\n{'x' * 600}\n```"
    reply = f"As code:\n\n{code}\n\n- in a list:\n\n  {code.replace(chr(10), chr(10) + '  ')}\n\nThat is `{'y' * 600}`."
    document = chat_document(Chat(title="Code", turns=[Turn("Show it.", Answer(State.DONE, reply))]))
    document.setPageSize(QSizeF(480, 700))
    assert document.toPlainText().count("x" * 600) == 2
    assert document.idealWidth() <= 480
    block = document.begin()
    while block.isValid():
        layout = block.layout()
        assert all(layout.lineAt(index).naturalTextWidth() <= 480 for index in range(layout.lineCount()))
        block = block.next()


def test_cells_of_a_row_are_level_and_code_keeps_its_distance(qapp: Application) -> None:
    del qapp
    table, code = "| A | B |\n|---|---|\n| 1 | 2 |", "```\nx = 1\ny = 2\n```"
    answers = [f"So:\n\n{code}\n\n{table}", f"{code}\n\n> It works.\n\n{table}"]
    document = chat_document(Chat(title="", turns=[Turn("", Answer(State.DONE, text)) for text in answers]))
    document.setPageSize(QSizeF(480, 700))
    block, found = document.begin(), []
    while block.isValid():
        if block.text():
            found.append((block.text(), document.documentLayout().blockBoundingRect(block)))
        block = block.next()
    first, second = found[:7], found[7:]
    assert [text for text, _ in first + second] == [
        *("So:", "x = 1", "y = 2", "A", "B", "1", "2"),
        *("x = 1", "y = 2", "It works.", "A", "B", "1", "2"),
    ]
    for cells in (first[-4:], second[-4:]):
        assert cells[0][1].y() == cells[1][1].y()
    (_, said), (_, one), (_, two), *_ = first
    assert one.y() >= said.bottom() + 5
    assert two.y() < one.bottom() + 1
    assert second[1][1].y() < second[0][1].bottom() + 1


@pytest.mark.parametrize("language", ANSWERS)
def test_what_is_bold_beside_chinese_japanese_and_korean_is_bold_on_paper(qapp: Application, language: str) -> None:
    del qapp
    document = chat_document(Chat(title="", turns=[Turn("", Answer(State.DONE, ANSWERS[language]))]))
    text, end = document.toPlainText(), 0
    for word in STRONG[language]:
        end = text.index(word, end) + len(word)
        cursor = QTextCursor(document)
        cursor.setPosition(end)
        assert cursor.charFormat().fontWeight() >= QFont.Weight.DemiBold, word
    assert [sign for sign in "*~`" if sign in text] == []


def test_code_has_its_colours_tables_their_lines_and_folds_are_open(qapp: Application) -> None:
    del qapp
    reply = "<details><summary>More</summary>\n\nin it\n\n</details>\n\n```diff\n-a\n```\n\n| b |\n|---|\n| c |"
    document = chat_document(Chat(title="", turns=[Turn("", Answer(State.DONE, reply))]))
    assert document.toPlainText().split() == ["More", "in", "it", "-a", "b", "c"]
    cursor = document.find("More")
    assert cursor.charFormat().fontWeight() == QFont.Weight.Bold
    assert document.find("-a").charFormat().foreground().color().name() == light().problem
    assert document.find("c").currentTable().format().border() == 1


FORMULAS = (
    "# Sums\n\nSo $E = mc^2$ and\n\n$$\na + b\n$$\n\n| $a$ |\n|---|\n| $\\nosuch{b}$ |\n\nNoted[^1].\n\n[^1]: Below.\n"
)


def test_formulas_are_typeset_and_a_note_stands_behind_its_number(qapp: Application) -> None:
    del qapp
    chat = Chat(title="Sums", turns=[Turn("Why?", Answer(State.DONE, FORMULAS))])
    document = chat_document(chat)
    lines = [line for line in document.toPlainText().split("\n") if line]
    assert lines == [
        "Sums",
        "Why?",
        "Sums",
        "So \ufffc and",
        "\ufffc",
        "\ufffc",
        "$\\nosuch{b}$",
        "Noted1.",
        "1 Below.",
    ]
    # A document on paper is laid out again, at the resolution of the paper: letters become shapes.
    without = Chat(title="Sums", turns=[Turn("Why?", Answer(State.DONE, FORMULAS.replace("$", "")))])
    assert len(pdf_of(chat)) > len(pdf_of(without)) + 1000


def test_a_formula_is_as_high_as_its_line_and_never_wider_than_the_paper(qapp: Application) -> None:
    del qapp
    reply = f"So $x$.\n\n$$\n{' + '.join('abcdefghijklmnopqrstuvwxyz')}\n$$"
    document = chat_document(Chat(title="", turns=[Turn("", Answer(State.DONE, reply))]))
    document.setPageSize(QSizeF(240, 700))
    assert document.idealWidth() <= 240
    line = document.begin().layout().lineAt(0)
    assert line.height() < 2.5 * document.defaultFont().pointSizeF()


LAID_OUT = (
    "> said\n>\n> > twice\n\n> [!TIP]\n> noted\n\n- [x] done\n- [ ] open\n- item\n\nTerm\n: meaning\n\n"
    "```sh\nls\npwd\n```\n\nUse `code`.\n\n$$\na + b\n$$\n"
)


def test_quotations_code_tasks_terms_and_formulas_are_laid_out_as_in_the_window(qapp: Application) -> None:
    del qapp
    document = chat_document(Chat(title="", turns=[Turn("", Answer(State.DONE, LAID_OUT))]))
    for words in ("said", "noted"):
        bar = document.find(words).currentTable().cellAt(0, 0)
        assert bar.format().background().color().name() == light().line
    outer, inner = (document.find(words).currentTable() for words in ("said", "twice"))
    assert inner.parentFrame() is outer
    box = document.find("ls").currentTable()
    assert (box.rows(), box.columns()) == (1, 1)
    assert box.cellAt(0, 0).format().background().color().name() == light().sidebar
    assert document.find("pwd").currentTable() is box
    lists = {words: document.find(words).block().textList() for words in ("done", "open", "item")}
    assert [words for words, items in lists.items() if items is None] == ["done", "open"]
    assert document.find("open").block().text() == "☐ open"
    assert document.find("done").blockFormat().indent() == 1
    meaning = document.find("meaning").block().textList()
    assert meaning is not None
    assert meaning.format().indent() == 1
    formula = document.find("\ufffc").block()
    assert formula.blockFormat().alignment() == Qt.AlignmentFlag.AlignHCenter


def test_code_in_words_is_in_a_font_of_one_width(qapp: Application) -> None:
    del qapp
    document = chat_document(Chat(title="", turns=[Turn("", Answer(State.DONE, LAID_OUT))]))
    families = document.find("code").charFormat().fontFamilies()
    assert families[: len(_fixed())] == _fixed()
    assert len(families) > len(_fixed())


def _fixed() -> list[str]:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families()
