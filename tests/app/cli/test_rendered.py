"""Markdown that grows in a terminal: what is printed does not depend on the rounds in which an answer arrives."""

from __future__ import annotations

import random

import pytest

from tests.app.cli.printed_markdown import every_piece_is_drawn as every_piece_is_drawn
from tests.app.cli.printed_markdown import printed
from tests.app.random_rounds import NamedAnswer, in_rounds, pairs, sample, starter_tokenizer, token_texts

pytestmark = pytest.mark.usefixtures("every_piece_is_drawn")


def differs(answer: NamedAnswer, seed: int) -> str:
    """Return the rounds that show an answer otherwise than whole; "" for none."""
    pieces = token_texts(answer.text, starter_tokenizer())
    whole = printed(["".join(pieces)])
    return ", ".join(f"up to {most}" for most in (1, 16) if printed(in_rounds(pieces, seed, most=most)) != whole)


@pytest.mark.parametrize(
    "words", ["[source]: https://example.org/source", "See [source].", "[^1]: A note.", "Noted[^1].", "- [a]: b"]
)
def test_definitions_are_shown_where_they_stand(words: str) -> None:
    answer = "Noted[^1].\n\nSee [source].\n\n[^1]: A note.\n\n[source]: https://example.org/source\n\n- [a]: b\n"
    shown = printed(list(answer)).replace(" • ", "- ")
    assert words in shown.split("\n")
    assert "```" not in shown


def test_what_looks_like_a_definition_in_code_stays() -> None:
    assert "[a]: b" in printed(["```\n[a]: b\n```\n"])
    assert "\\" not in printed(["```\n[a]: b\n```\n\n    [c]: d\n"])


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_line_that_has_only_begun_ends_no_block(size: int) -> None:
    answer = "1. one\n\n2. two\n\n| A | B |\n|---|---|\n| 1 | 2 |\n"
    pieces = [answer[at : at + size] for at in range(0, len(answer), size)]
    assert printed(pieces) == printed([answer])


@pytest.mark.full
def test_answers_look_the_same_in_rounds_and_whole() -> None:
    assert [(answer, found) for answer in sample(4, seed=3) if (found := differs(answer, 3))] == []


@pytest.mark.full
@pytest.mark.parametrize("part", range(8))
def test_answers_of_two_blocks_look_the_same_in_rounds_and_whole(part: int) -> None:
    answers = list(pairs())
    random.Random(5).shuffle(answers)
    chosen = [*answers[part::256], *sample(10, seed=part)]
    assert [(answer, found) for answer in chosen if (found := differs(answer, part))] == []
