"""Documents: each style, list and table of a text, and the same text as the plain-text renderer's."""

from __future__ import annotations

import random

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor, QTextDocument

from app.text.shown import document_text, shown
from app.transcript.document_writer import MARK, DocumentWriter
from tests.app.cjk_answers import ANSWERS, ITALIC, STRONG, STRUCK
from tests.app.markdown_streams import stream

SEEDS = [*range(25), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(25, 400))]
# Signs that documents keep for themselves or show in another way.
RESERVED = ("\u2028", "\u2029", "\ufffc", "\ufdd0", "\xa0", "&#10;", "&#x2029;", "\x85", "\x0c", "🙂", "\t")


pytestmark = pytest.mark.usefixtures("typeset")


def document_of(markdown: str) -> QTextDocument:
    document, font = QTextDocument(), QFont()
    font.setPixelSize(15)
    DocumentWriter(document, font).write(shown(markdown))
    return document


def style_at(document: QTextDocument, position: int) -> QTextCharFormat:
    cursor = QTextCursor(document)
    cursor.setPosition(position + 1)
    return cursor.charFormat()


@pytest.mark.parametrize("language", ANSWERS)
def test_the_spans_of_an_answer_are_bold_italic_and_struck(language: str) -> None:
    document = document_of(ANSWERS[language])
    text = document.toPlainText()
    for words, holds in (
        (STRONG[language], lambda style: style.fontWeight() >= QFont.Weight.DemiBold),
        (ITALIC[language], QTextCharFormat.fontItalic),
        (STRUCK[language], QTextCharFormat.fontStrikeOut),
    ):
        end = 0
        for word in words:
            start = text.index(word, end)
            end = start + len(word)
            assert all(holds(style_at(document, at)) for at in range(start, end)), word
            following = document.findBlock(end).blockFormat().headingLevel() or QTextCursor(document).currentTable()
            assert following or text[end] == "\n" or word == "优点：" or not holds(style_at(document, end)), word
    assert not any(style_at(document, at).fontUnderline() for at in range(len(text)))


def test_underscores_make_bold_and_italic_and_underline_nothing() -> None:
    document = document_of("__bold__ and _it_")
    assert document.toPlainText() == "bold and it"
    bold, italic = style_at(document, 0), style_at(document, 9)
    assert (bold.fontWeight(), bold.fontUnderline()) == (QFont.Weight.Bold, False)
    assert (italic.fontItalic(), italic.fontUnderline()) == (True, False)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_document_has_the_text_of_the_plain_text_renderer(seed: int) -> None:
    draw = random.Random(seed)
    text = "".join(piece if draw.random() < 0.9 else draw.choice(RESERVED) for piece in stream(seed))
    assert document_of(text).toPlainText() == document_text(shown(text)), text


def test_lists_have_their_numbers_marks_and_levels() -> None:
    document = document_of("3. three\n4. four\n   - in\n\n     more of it\n   - [x] done\n5) other\n- - both\n-\n")
    found, block = [], document.begin()
    while block.isValid():
        items, own = block.textList(), block.blockFormat().property(MARK)
        mark = own or (items.itemText(block) if items else "")
        found.append((block.text(), mark, items.format().indent() if items else 0))
        block = block.next()
    assert found == [
        *(("three", "3.", 1), ("four", "4.", 1), ("in", "◦", 2), ("more of it", "", 0), ("done", "☑", 2)),
        *(("other", "5)", 1), ("", "•", 1), ("both", "◦", 2), ("", "•", 1)),
    ]


def test_a_table_in_a_list_is_a_table_between_its_items() -> None:
    document = document_of("- Item:\n  | a | b |\n  |---|--:|\n  | 1 | 2 |\n- next")
    assert document.toPlainText().split() == ["Item:", "a", "b", "1", "2", "next"]
    assert document.begin().textList().count() == 2
    [table] = document.rootFrame().childFrames()
    assert table.format().leftMargin() > 0


def test_tasks_may_be_numbered_and_brackets_escaped() -> None:
    document = document_of("1. [x] done\n2. [ ] open\n\n- &#91;x] words")
    boxes = [document.findBlockByNumber(number).blockFormat().property(MARK) for number in range(3)]
    assert boxes == ["☑", "☐", "•"]
    assert document.toPlainText() == "done\nopen\n[x] words"


def test_blocks_after_an_open_formula_stay_blocks() -> None:
    document = document_of("$$ is the process.\n\n# Head\n\n- one\n- two\n\n\\[ x\n\nEnd")
    assert document.toPlainText() == "$$ is the process.\nHead\none\ntwo\n[ x\nEnd"


def test_a_hard_break_begins_no_paragraph() -> None:
    document = document_of("One  \ntwo\\\nthree")
    assert (document.toPlainText(), document.blockCount()) == ("One\ntwo\nthree", 1)


def test_a_growing_paragraph_keeps_the_spans_that_are_as_they_were() -> None:
    document, font = QTextDocument(), QFont()
    font.setPixelSize(15)
    writer = DocumentWriter(document, font)
    writer.write(shown("One **two** thr"))
    ((before, _),) = writer.written
    writer.write(shown("One **two** three four"))
    ((now, _),) = writer.written
    assert [*now.spans] == [*shown("One **two** three four")[0].spans]
    assert all(old is new for old, new in zip(before.spans[:-1], now.spans[:-1], strict=True))


def test_a_growing_paragraph_is_shaped_once_for_many_paints_until_another_one_begins() -> None:
    document, font = QTextDocument(), QFont()
    writer = DocumentWriter(document, font)
    for text in ("One", "One two", "One two three"):
        writer.write(shown(text))
    assert document.begin().layout().cacheEnabled()
    writer.write(shown("One two three\n\nFour"))
    assert [block.layout().cacheEnabled() for block in (document.begin(), document.lastBlock())] == [False, False]


RIGHT, LEFT = Qt.LayoutDirection.RightToLeft, Qt.LayoutDirection.LeftToRight


@pytest.mark.parametrize(
    ("markdown", "direction"),
    [
        ("ChatGPT هو نموذج لغوي كبير", RIGHT),
        ("- Google هي شركة أمريكية كبيرة", RIGHT),
        ("`npm install` מתקין", RIGHT),
        ("<kbd>Command</kbd> ו־<kbd>Shift</kbd>", RIGHT),
        ("## **OpenAI** أعلنت عن نموذج جديد", RIGHT),
        ("> Tandem يجيب على جهازك", RIGHT),
        ("2026: התקציב של Apple", RIGHT),
        ("| AI |\n|---|\n| Gemma نموذج صغير |", RIGHT),
        ("مرحبا means hello in Arabic", LEFT),
        ("`אבג` is a word", LEFT),
        ("Plain text, 한국어, 日本語", LEFT),
        ("1. 2. 3.", LEFT),
        ("", LEFT),
    ],
)
def test_a_paragraph_stands_where_most_of_its_letters_are_read_from(
    markdown: str, direction: Qt.LayoutDirection
) -> None:
    document = document_of(markdown)
    # Above a table and below it is an empty block.
    block = document.firstBlock()
    while block.next().isValid() and block.next().text():
        block = block.next()
    assert block.textDirection() == direction


def test_a_growing_paragraph_goes_to_the_right_with_the_letter_that_decides() -> None:
    words = "Tandem هو برنامج للمحادثة يعمل على جهازك"
    document, font = QTextDocument(), QFont()
    font.setPixelSize(15)
    writer = DocumentWriter(document, font)
    directions = []
    for end in range(1, len(words) + 1):
        writer.write(shown(words[:end]))
        directions.append(document.firstBlock().textDirection())
    assert document.toPlainText() == words
    # With the seventh letter from right to left, after the six of "Tandem".
    decides = words.index("م") + 1
    assert directions == [LEFT] * (decides - 1) + [RIGHT] * (len(words) - decides + 1)
