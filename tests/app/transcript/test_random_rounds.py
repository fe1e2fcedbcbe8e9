"""Answers that arrive in rounds of several tokens: on the screen they are those that are shown whole."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable

import pytest
from PySide6.QtGui import QFont, QTextDocument

from app.text.blocks import Splitter
from app.text.shown import document_text, shown
from app.transcript.answer_body import AnswerBody
from app.transcript.answer_runs import AnswerRun, grouped
from app.transcript.code_block import CodeBlock
from app.transcript.document_writer import DocumentWriter
from app.transcript.fold_block import FoldBlock
from app.transcript.prose import Prose
from app.transcript.shown_text import block_text
from app.transcript.tints.token_view import TokenView
from engine.events import Token
from tests.app.conftest import Show
from tests.app.random_rounds import (
    PROSE_CODE_TABLE,
    NamedAnswer,
    answer_of,
    lines,
    pairs,
    rounds_of,
    sample,
    starter_tokenizer,
    token_texts,
)

pytestmark = pytest.mark.usefixtures("typeset", "plain_code")


def content(body: AnswerBody) -> list[tuple[str, ...]]:
    """Return what the blocks show, with the formats of prose."""
    return [_content(run) for run in body.text_runs]


def _content(run: AnswerRun) -> tuple[str, ...]:
    if isinstance(run.view, FoldBlock):
        return "fold", run.view.head.text()
    if isinstance(run.view, CodeBlock):
        return "code", run.view.text_view.toPlainText()
    assert isinstance(run.view, Prose)
    return "prose", run.view.toPlainText(), run.view.document().toHtml()


def words(body: AnswerBody) -> str:
    """Return all texts without blanks, because a growing text may be spread over other widgets than a whole one."""
    return "".join("".join(shown[1] for shown in content(body)).split())


def assert_shown_as_whole(rounds: Iterable[str], show: Show[AnswerBody], name: str, *, each_round: bool = True) -> None:
    body, text = show(AnswerBody()), ""
    for delta in rounds:
        text += delta
        body.show_text(text, ended=False)
        if each_round:
            so_far = show(AnswerBody())
            so_far.show_text(text, ended=False)
            assert words(body) == words(so_far), (name, text)
    body.show_text(text, ended=True)
    whole = show(AnswerBody())
    whole.show_text(text, ended=True)
    assert content(body) == content(whole), (name, text)


@pytest.mark.full
@pytest.mark.parametrize(("least", "most"), [(1, 4), (1, 8), (8, 16)])
def test_a_table_below_code_is_shown_once_in_any_rounds(show: Show[AnswerBody], least: int, most: int) -> None:
    assert_shown_as_whole(rounds_of(PROSE_CODE_TABLE, least + most, least, most), show, "", each_round=least > 1)


def test_blocks_in_any_rounds_are_shown_as_the_whole_text(show: Show[AnswerBody]) -> None:
    for seed, answer in enumerate(sample(4, 5)):
        assert_shown_as_whole(rounds_of(answer.text, seed, 4, 16), show, answer.name, each_round=False)


def test_a_table_below_a_source_is_a_table_while_it_arrives(show: Show[AnswerBody]) -> None:
    answer = answer_of(["unused definition", "table"], between="")
    assert_shown_as_whole(rounds_of(answer.text, 2, 1, 4), show, answer.name)


_MARKED = re.compile(r"[a-z]+\d+", re.IGNORECASE)


def assert_no_word_is_shown_twice(rounds: Iterable[str], name: str) -> None:
    splitter, text = Splitter(), ""
    for delta in rounds:
        text += delta
        splitter.feed(delta)
        written = Counter(_MARKED.findall(text))
        blocks = [splitter.resolved(block) for block in [*splitter.frozen, *grouped(splitter.tail)]]
        for word, count in Counter(_MARKED.findall("\n".join(map(block_text, blocks)))).items():
            # The number of a note stands at the end of a word.
            assert count <= (written[word] or count), (name, word, text)


def test_no_word_is_shown_twice_at_any_moment() -> None:
    for seed, answer in enumerate([answer_of(["code in a list", "Chinese"]), *sample(8, 2)]):
        assert_no_word_is_shown_twice(rounds_of(answer.text, seed, 1, 4), answer.name)


@pytest.mark.full
@pytest.mark.parametrize("part", range(8))
def test_no_word_of_pairs_of_blocks_is_shown_twice(part: int) -> None:
    for seed, answer in enumerate(list(pairs())[part::32]):
        assert_no_word_is_shown_twice(rounds_of(answer.text, seed, 1, 4), answer.name)


@pytest.mark.full
@pytest.mark.parametrize("part", range(12))
def test_pairs_of_blocks_in_any_rounds_are_shown_as_the_whole_text(show: Show[AnswerBody], part: int) -> None:
    answers = [
        *random.Random(part).sample(list(pairs()), 12),
        *(NamedAnswer(str(at), lines(at)) for at in range(part, 96, 12)),
    ]
    for seed, answer in enumerate(answers):
        assert_shown_as_whole(rounds_of(answer.text, seed), show, answer.name, each_round=seed % 8 == 0)


@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(seed, marks=pytest.mark.full) for seed in range(3, 15))])
def test_a_document_that_grows_in_any_rounds_is_one_written_whole(qapp: object, seed: int) -> None:
    del qapp
    font = QFont()
    font.setPixelSize(15)
    for answer in [answer_of(["empty code", "stars", "tasks"]), *sample(6, 100 + seed)]:
        growing, text = QTextDocument(), ""
        writer = DocumentWriter(growing, font)
        for delta in rounds_of(answer.text, seed):
            text += delta
            writer.write(shown(text))
            assert growing.toPlainText() == document_text(shown(text)), (answer.name, text)
        whole = QTextDocument()
        DocumentWriter(whole, font).write(shown(text))
        assert growing.toHtml() == whole.toHtml(), answer.name


def test_the_tokens_of_any_rounds_cover_the_text(show: Show[TokenView]) -> None:
    text = "".join(answer.text for answer in sample(6, 3)) + "草稿模型🙂猜👩‍👩‍👧几个词。\n"
    pieces = token_texts(text, starter_tokenizer())
    tokens = [Token(at, piece, "draft" if at % 3 else "main", at % 3, at // 3, -0.1) for at, piece in enumerate(pieces)]
    whole = show(TokenView())
    whole.show_tokens(tokens)
    growing, draw, end = show(TokenView()), random.Random(1), 0
    while end < len(tokens):
        end += draw.randint(1, 16)
        growing.show_tokens(tokens[:end])
    assert growing.toPlainText() == whole.toPlainText() == text
    covered = [growing.token_at(at) for at in range(growing.document().characterCount() - 1)]
    assert covered == [whole.token_at(at) for at in range(whole.document().characterCount() - 1)]
    assert [token for token in dict.fromkeys(covered) if token] == [token for token in tokens if token.text]
